package safetext

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Quote shows a text between double quotes. What Check refuses inside a name is escaped, and so is the backslash and
// everything that looks like a double quote, also two apostrophes in a row: between the two quotes there is no third,
// so that what follows the text is not the text's. strconv.Unquote gives the text back.
func Quote(text string) string {
	var b strings.Builder
	b.Grow(len(text) + 2)
	b.WriteByte('"')
	quoted(&b, text)
	b.WriteByte('"')
	return b.String()
}

func quoted(b *strings.Builder, text string) {
	apostrophe := false // the last rune was one, and was written as such
	for i, r := range text {
		like := unicode.Is(apostrophes, r)
		switch {
		case r == '\\':
			b.WriteString(`\\`)
		case hidden(text, i, r) != "", unicode.Is(unicode.Zs, r) && r != ' ' && r != '\u3000',
			i == 0 && unicode.Is(unicode.M, r),
			unicode.Is(quotes, r), like && apostrophe:
			escape(b, text, i, r)
			like = false
		default:
			b.WriteRune(r)
		}
		apostrophe = like
	}
}

// quotes look like the double quote.
var quotes = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x22, Hi: 0x22, Stride: 1}, {Lo: 0x2ba, Hi: 0x2ba, Stride: 1},
		{Lo: 0x2dd, Hi: 0x2dd, Stride: 1}, {Lo: 0x2ee, Hi: 0x2ee, Stride: 1},
		{Lo: 0x2f5, Hi: 0x2f6, Stride: 1}, {Lo: 0x5f2, Hi: 0x5f2, Stride: 1}, {Lo: 0x5f4, Hi: 0x5f4, Stride: 1},
		{Lo: 0x1cd3, Hi: 0x1cd3, Stride: 1},
		{Lo: 0x201c, Hi: 0x201f, Stride: 1}, {Lo: 0x2033, Hi: 0x2034, Stride: 1}, {Lo: 0x2036, Hi: 0x2037, Stride: 1},
		{Lo: 0x2057, Hi: 0x2057, Stride: 1},
		{Lo: 0x275d, Hi: 0x275e, Stride: 1}, {Lo: 0x2760, Hi: 0x2760, Stride: 1}, {Lo: 0x2e42, Hi: 0x2e42, Stride: 1},
		{Lo: 0x3003, Hi: 0x3003, Stride: 1},
		{Lo: 0x301d, Hi: 0x301f, Stride: 1}, {Lo: 0xff02, Hi: 0xff02, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1f676, Hi: 0x1f678, Stride: 1}},
}

// apostrophes look like half a double quote.
var apostrophes = &unicode.RangeTable{R16: []unicode.Range16{{Lo: 0x27, Hi: 0x27, Stride: 1},
	{Lo: 0x60, Hi: 0x60, Stride: 1}, {Lo: 0xb4, Hi: 0xb4, Stride: 1},
	{Lo: 0x2b9, Hi: 0x2b9, Stride: 1}, {Lo: 0x2bb, Hi: 0x2bd, Stride: 1}, {Lo: 0x2be, Hi: 0x2bf, Stride: 1},
	{Lo: 0x2c8, Hi: 0x2c8, Stride: 1},
	{Lo: 0x2ca, Hi: 0x2cb, Stride: 1}, {Lo: 0x5f3, Hi: 0x5f3, Stride: 1}, {Lo: 0x2018, Hi: 0x201b, Stride: 1},
	{Lo: 0x2032, Hi: 0x2032, Stride: 1},
	{Lo: 0x2035, Hi: 0x2035, Stride: 1}, {Lo: 0xff07, Hi: 0xff07, Stride: 1}, {Lo: 0xff40, Hi: 0xff40, Stride: 1}}}

func escape(b *strings.Builder, text string, i int, r rune) {
	switch {
	case r == '\n':
		b.WriteString(`\n`)
	case r == '\r':
		b.WriteString(`\r`)
	case r == '\t':
		b.WriteString(`\t`)
	case r == utf8.RuneError: // a byte that is not UTF-8: U+FFFD itself is not hidden
		fmt.Fprintf(b, `\x%02x`, text[i])
	case r < 0x10000:
		fmt.Fprintf(b, `\u%04x`, r)
	default:
		fmt.Fprintf(b, `\U%08x`, r)
	}
}

// shortRunes is how much of a text Short shows.
const shortRunes = 80

// Short is Quote of a text's beginning, for texts of any length from files that are not trusted.
func Short(text string) string {
	n := 0
	for i := range text {
		if n == shortRunes {
			return Quote(text[:i]) + "…"
		}
		n++
	}
	return Quote(text)
}

// HeldAsGiven is how the name of a unit ends where weights were computed from the respondents.
const HeldAsGiven = "others' weights held as given"

// Unit is the name of a privacy unit as show shows it, and the words of [HeldAsGiven] at its end, if any, behind it.
func Unit(name string, show func(string) string) string {
	if own, held := strings.CutSuffix(name, "; "+HeldAsGiven); held {
		return show(own) + " (" + HeldAsGiven + ")"
	}
	return show(name)
}

// Word is a text as it is when it is one plain word, of letters a to z, digits and _ . : -, such as an identifier or
// the name of a field, or the label of a bin, and else as Short shows it.
func Word(text string) string {
	if IsWord(text) || IsBin(text) {
		return text
	}
	return Short(text)
}

// IsWord reports whether a text is one plain word of at most 80 characters, none of which looks like another script's.
func IsWord(text string) bool {
	for _, c := range []byte(text) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '.' ||
			c == ':' || c == '-') {
			return false
		}
	}
	return text != "" && len(text) <= shortRunes
}

// IsBin reports whether a text is the label of a bin, such as [0, 10), or of what lies below an edge: below 10.
func IsBin(text string) bool {
	low, high, _ := strings.Cut(text, ", ")
	number := func(s string) bool { return s != "" && strings.Trim(s, "-+.e0123456789") == "" }
	if edge, ok := strings.CutPrefix(text, "below "); ok && number(edge) {
		return len(text) <= shortRunes
	}
	from, opens := strings.CutPrefix(low, "[")
	to := strings.TrimRight(high, "])")
	return opens && len(text) <= shortRunes && len(to)+1 == len(high) && number(from) && number(to)
}

// Line is a text for a cell of a table: what would leave its line, move the cursor, turn the direction of reading or be
// invisible is escaped, so that it is seen. Other text, quotes and backslashes too, stays as it is. It is a second line
// of defence, behind Check and Quote.
func Line(text string) string { return safe(text, "") }

// Lines is Line for a text of several lines, such as an error's: line feeds stay.
func Lines(text string) string { return safe(text, "\n") }

// Prose is Line for a description: line ends and tabs become spaces.
func Prose(text string) string {
	return Line(strings.NewReplacer("\r\n", " ", "\n", " ", "\t", " ").Replace(text))
}

func safe(text, keep string) string {
	if plain(text) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		if hidden(text, i, r) != "" && !strings.ContainsRune(keep, r) {
			escape(&b, text, i, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Clip cuts a text that may be of any length to at most n runes, with a sign that it goes on; quotes that the cut
// leaves open are closed.
func Clip(text string, n int) string {
	if len(text) <= n {
		return text
	}
	open, escaped := false, false
	for i, r := range text {
		if n == 0 {
			if open {
				return text[:i] + `…"`
			}
			return text[:i] + "…"
		}
		n--
		if r == '"' && !escaped {
			open = !open
		}
		escaped = open && r == '\\' && !escaped
	}
	return text
}

// File is the name of a file for an error: as it is when it has nothing but ASCII letters, digits and _ . - / \ : ~ + @
// = in it, else as Quote shows it. It is not cut, since the file must be found.
func File(path string) string {
	for _, c := range []byte(path) {
		if !(c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
			strings.IndexByte("_.-/\\:~+@=", c) >= 0) {
			return Quote(path)
		}
	}
	return path
}

// Cause is what an error says of its cause: of an error of the file system without the path, which the error itself
// names in quotes; escaped, and cut at n characters.
func Cause(err error, n int) string {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return Clip(Lines(err.Error()), n)
}
