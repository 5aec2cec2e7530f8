// Package safetext decides which texts may be names, shows texts so that none can be taken for something else, and
// finds the name that was probably meant.
//
// A name (of a data set, a unit, a column, a category, a node, a state) stands in guarantees, certificates and tables.
// One with a line break, an escape sequence or a bidirectional override would write its own line there; one with an
// invisible character would look like another. [Check] refuses these. [Quote] shows a name between quotes that it
// cannot close, with escapes written out. [OneOf] lists the names there are.
//
// It imports nothing of this library.
package safetext

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxRunes is the length of the longest name: a longer one would push the rest of its line out of sight.
const MaxRunes = 1000

// maxMarks is how many combining marks may follow each other; more would run into the lines above and below.
const maxMarks = 8

// Want says what Check accepts.
const Want = "visible text: no control, bidirectional or invisible characters, no spaces at its ends and none but " +
	"U+0020 and U+3000 inside"

// Error is a text that cannot be a name.
type Error struct {
	Text string
	What string // what it has: "a line feed (U+000A)"
}

func (e *Error) Error() string { return e.Shown() + "; want " + Want }

// Shown is the text, escaped and cut, with what is wrong with it.
func (e *Error) Shown() string { return Short(e.Text) + ", which has " + e.What }

// Check returns an *Error for a text that cannot be a name or label: one that is empty, not UTF-8, longer than
// MaxRunes, or has
//
//   - control characters, line ends and tabs;
//   - bidirectional controls: U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069;
//   - invisible characters: soft hyphen, zero width space and word joiner, U+FEFF, variation selectors, tags, Hangul
//     and Khmer fillers, U+034F, the blank Braille pattern, and what Unicode calls default ignorable;
//   - unassigned characters, private use and surrogates, which look like nothing or like anything;
//   - spaces at its ends, and any space but U+0020 and the ideographic U+3000;
//   - a combining mark at its beginning, or more than eight in a row.
//
// The zero width joiner and non-joiner are letters' companions in Persian and in Indic scripts, where leaving them out
// misspells words. They pass where Unicode's rules for identifiers let them (RFC 5892, appendix A.1 and A.2): after a
// virama, and, the non-joiner, between two letters of one cursive script; and the joiner between Bengali ra and virama,
// which RFC 5892 leaves out. They do not pass in sequences of emoji, which look different, or alike, from font to font:
// an emoji of one character may be a name, one composed with joiners or variation selectors may not.
func Check(text string) error {
	if what := fault(text); what != "" {
		return &Error{text, what}
	}
	return nil
}

// MaxTitle is the length of the longest name of a data set, unit or metric, in characters.
const MaxTitle = 200

// CheckTitle is Check for a name that stands in the same line as a guarantee: it has at most MaxTitle characters and no
// two spaces in a row, so that it cannot be padded until its end stands on a line of its own.
func CheckTitle(text string) error {
	what := fault(text)
	switch n := utf8.RuneCountInString(text); {
	case what != "":
	case n > MaxTitle:
		what = fmt.Sprintf("%d characters, more than %d", n, MaxTitle)
	case strings.Contains(strings.ReplaceAll(text, "\u3000", " "), "  "):
		what = "two spaces in a row"
	}
	if what != "" {
		return &Error{text, what}
	}
	return nil
}

func fault(text string) string {
	if plain(text) && len(text) <= MaxRunes {
		switch {
		case text == "":
			return "no characters"
		case text[0] == ' ' || text[len(text)-1] == ' ':
			return "a space at an end"
		}
		return ""
	}
	if n := utf8.RuneCountInString(text); n > MaxRunes {
		return fmt.Sprintf("%d characters, more than %d", n, MaxRunes)
	}
	for i, r := range text {
		if what := hidden(text, i, r); what != "" {
			return what
		}
		switch first := i == 0; {
		case unicode.IsSpace(r) && (first || i+utf8.RuneLen(r) == len(text)):
			return "a space at an end"
		case unicode.Is(unicode.Zs, r) && r != ' ' && r != '\u3000':
			return fmt.Sprintf("a space other than U+0020 (%U)", r)
		case first && unicode.Is(unicode.M, r):
			return fmt.Sprintf("a combining mark at its beginning (%U)", r)
		}
	}
	return ""
}

// CheckProse returns an *Error for a text that cannot be a description: as Check, but it may be empty, of any length,
// of several lines, indented by tabs, and with spaces of any kind.
func CheckProse(text string) error {
	if plain(text) {
		return nil
	}
	for i, r := range text {
		if what := hidden(text, i, r); what != "" && r != '\n' && r != '\t' &&
			!(r == '\r' && i+1 < len(text) && text[i+1] == '\n') {
			return &Error{text, what}
		}
	}
	return nil
}

// CheckLine is Check without its limit of length, for a text of one line that a program wrote, such as a step that
// chose rows.
func CheckLine(text string) error {
	if plain(text) {
		return nil
	}
	for i, r := range text {
		if what := hidden(text, i, r); what != "" {
			return &Error{text, what}
		}
	}
	return nil
}

// plain reports whether the text is printable ASCII.
func plain(text string) bool {
	for i := range len(text) {
		if text[i] < ' ' || text[i] > '~' {
			return false
		}
	}
	return true
}

// blank are characters that Unicode counts as graphic and fonts show as nothing, or as something else's place.
var blank = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x2800, Hi: 0x2800, Stride: 1},
	{Lo: 0xfffc, Hi: 0xfffc, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x16fe4, Hi: 0x16fe4, Stride: 1}, {Lo: 0x1d159, Hi: 0x1d159, Stride: 1}}}

var controls = map[rune]string{'\n': "a line feed", '\r': "a carriage return", '\t': "a tab",
	0x1b: "an escape character", 0: "a null character",
	'\u00ad': "a soft hyphen", '\u200b': "a zero width space", '\ufeff': "a byte order mark"}

// hidden says what is wrong with showing the rune at place i of a text, "" if nothing is. Spaces are not its concern.
func hidden(text string, i int, r rune) string {
	named := func(what string) string { return fmt.Sprintf("%s (%U)", what, r) }
	if what, ok := controls[r]; ok {
		return named(what)
	}
	switch {
	case r >= ' ' && r <= '~':
		return ""
	case r == utf8.RuneError:
		if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
			return "bytes that are not UTF-8"
		}
		return ""
	case (r == zwnj || r == zwj) && joins(text, i, r):
		return ""
	case unicode.IsControl(r):
		return named("a control character")
	case unicode.Is(unicode.Bidi_Control, r):
		return named("a bidirectional control")
	case r == '\u2028' || r == '\u2029':
		return named("a line separator")
	case unicode.Is(unicode.Cf, r), unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r),
		unicode.Is(unicode.Variation_Selector, r), unicode.Is(blank, r):
		return named("an invisible character")
	case unicode.Is(unicode.Co, r):
		return named("a character of private use")
	case !unicode.IsGraphic(r):
		return named("an unassigned character")
	case unicode.Is(unicode.M, r) && marksBefore(text[:i]) >= maxMarks:
		return fmt.Sprintf("more than %d combining marks in a row", maxMarks)
	}
	return ""
}

// marksBefore counts the combining marks at the end of a text, up to maxMarks.
func marksBefore(text string) int {
	n := 0
	for n < maxMarks {
		r, size := utf8.DecodeLastRuneInString(text)
		if size == 0 || !unicode.Is(unicode.M, r) {
			break
		}
		text = text[:len(text)-size]
		n++
	}
	return n
}

const (
	zwnj = '\u200c'
	zwj  = '\u200d'
)

// cursive are the scripts whose letters join.
var cursive = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Mandaic, unicode.Nko, unicode.Mongolian,
	unicode.Phags_Pa,
	unicode.Manichaean, unicode.Adlam, unicode.Hanifi_Rohingya, unicode.Sogdian}

// joins reports whether a joiner or non-joiner at place i has a meaning there: the first rule of RFC 5892, A.1 and A.2,
// that the character before it is a virama (canonical combining class 9), and for the non-joiner, in place of joining
// types, that letters of one cursive script, marks apart, stand on both sides.
func joins(text string, i int, r rune) bool {
	before := text[:i]
	last, size := utf8.DecodeLastRuneInString(before)
	if size > 0 && norm.NFC.PropertiesString(before[len(before)-size:]).CCC() == 9 {
		return true
	}
	// as in the word for RAM: the joiner between ra and virama, by the Unicode Standard's section on Bengali
	if r == zwj {
		return last == '\u09b0' && strings.HasPrefix(text[i+utf8.RuneLen(r):], "\u09cd")
	}
	for size > 0 && unicode.Is(unicode.Mn, last) {
		before = before[:len(before)-size]
		last, size = utf8.DecodeLastRuneInString(before)
	}
	next, _ := utf8.DecodeRuneInString(text[i+utf8.RuneLen(r):])
	for _, script := range cursive {
		if unicode.Is(script, last) && unicode.IsLetter(last) && unicode.Is(script, next) && unicode.IsLetter(next) {
			return true
		}
	}
	return false
}
