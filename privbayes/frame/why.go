package frame

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// why tells what a refused text should have been.
func (e *encoder) why(text string) string {
	c, hint := e.col, ""
	if e.markAt([]byte(text), false) >= 0 {
		switch {
		case c.HasMissing(): // between quotes
			hint = `; between quotes this mark is a value, by "quoted_missing": "value"`
		case c.Kind == KindSequence:
			return "items: it is a missing mark, and a sequence has no missing category"
		default:
			return `a value: it is missing, and the column has no "on_missing": "category"`
		}
	}
	if !utf8.ValidString(text) {
		return "text in " + notUTF8
	}
	if hint == "" {
		hint = e.hint(text)
	}
	switch c.Kind {
	case KindCategorical:
		return "one of " + suggest.List(c.Categories, 12) + hint
	case KindSequence:
		return fmt.Sprintf("at most %d items separated by %q, each one of %s", c.MaxLength, c.Separator,
			suggest.List(c.Categories, 12))
	case KindInteger:
		if c.Date != "" {
			return fmt.Sprintf("a date like %q from %s to %s%s", c.Date, c.edge(c.Min), c.edge(c.Max), hint)
		}
		return fmt.Sprintf("a whole number from %s to %s%s", number(c.Min), number(c.Max), hint)
	}
	return fmt.Sprintf("a number from %s to %s%s", number(c.Min), number(c.Max), hint)
}

// hint says what may be meant by a text that does not fit, and how to declare it; "" for no idea.
func (e *encoder) hint(text string) string {
	c, trimmed := e.col, strings.TrimSpace(text)
	asMissing := func() string {
		return fmt.Sprintf(`; to read %q as missing, declare "missing": [%q] and "on_missing": "category"`, text, text)
	}
	switch {
	case text == "":
		return `; to read empty fields as missing, declare "missing": [""] and "on_missing": "category"`
	case trimmed == "":
		return asMissing()
	case trimmed != text && !e.trim && e.fits(trimmed):
		return `; there are blanks around it, which "format": {"trim": true} leaves out`
	case trimmed != text:
		return "; there are blanks around it"
	}
	var odd *label.Error
	if errors.As(label.CheckLine(text), &odd) {
		return "; it has " + odd.What
	}
	if near := suggest.Closest(text, c.Categories); near != "" {
		return fmt.Sprintf("; did you mean %q?", near)
	}
	if k := c.sameNumber(text); k != "" {
		return fmt.Sprintf(`; the file writes it as a number: "aliases": [{"category": %q, "texts": [%q]}]`, k, text)
	}
	if slices.Contains(usualMarks, text) {
		return asMissing()
	}
	if e.numeric && c.Date == "" {
		return e.marksOf(text)
	}
	return ""
}

// fits reports whether a text would be read. It leaves no trace.
func (e *encoder) fits(text string) bool {
	ok := e.add([]byte(text))
	if ok {
		e.out.dropLast()
	}
	return ok
}

// usualMarks are what other programs write for missing values.
var usualMarks = []string{"NA", "N/A", "n/a", "na", "NaN", "nan", "null", "NULL", "None", "?", ".", "-", "#N/A"}

// sameNumber is the category that is the same number as a text in other words, such as "1" for "1.0".
func (c *Column) sameNumber(text string) string {
	x, ok := parseNumber([]byte(text))
	if !ok {
		return ""
	}
	for _, k := range c.Categories {
		if y, ok := parseNumber([]byte(k)); ok && x == y {
			return k
		}
	}
	return ""
}

// marksOf says under which marks, for decimals and thousands, a text is a number. "2,590" may be two numbers.
func (e *encoder) marksOf(text string) string {
	own, other := byte('.'), byte(',')
	if e.comma {
		own, other = other, own
	}
	read := func(decimal, thousands byte) (string, bool) {
		p := encoder{numeric: true, comma: decimal == ',', thousands: thousands}
		x, ok := p.parse([]byte(text))
		return number(x), ok
	}
	decimal := fmt.Sprintf(`"format": {"decimal": %q}`, string(other))
	if e.comma {
		decimal = `leave out "decimal": ","`
	}
	as, isDecimal := read(other, 0)
	if _, ok := read(own, 0); ok {
		return "" // a number, but not of the domain
	}
	switch {
	case e.thousands != 0:
		if strings.ContainsRune(text, rune(e.thousands)) {
			return fmt.Sprintf("; %q stands between groups of three digits, before the decimal mark", string(e.thousands))
		}
	default:
		for _, mark := range []byte(",.' ") {
			x, ok := read(own, mark)
			hint := fmt.Sprintf(`"format": {"thousands": %q}`, string(mark))
			switch {
			case !ok || mark == own:
			case isDecimal:
				return fmt.Sprintf(`; if it means %s, declare %s; if it means %s, %s`, x, hint, as, decimal)
			default:
				return "; for numbers with a mark for thousands, declare " + hint
			}
		}
		for _, mark := range []byte(",.' ") {
			if _, ok := read(other, mark); ok && mark != other && !isDecimal {
				return fmt.Sprintf(`; for numbers like this, declare "format": {"decimal": %q, "thousands": %q}`, string(other),
					string(mark))
			}
		}
	}
	switch {
	case isDecimal && e.comma:
		return "; the format has a decimal comma, and this would be a number with a decimal point"
	case isDecimal:
		return `; for numbers with a decimal comma, declare ` + decimal
	}
	return ""
}

// ungrouped takes the marks for thousands out of a number, into scratch: they stand before the decimal mark, between
// groups of three digits, of which the first may be shorter and begins with no zero. A space is any that a number may
// have, an apostrophe also a typographic one. Without marks the text is given back; ok is false for marks elsewhere.
func ungrouped(scratch, b []byte, mark byte, comma bool) (number []byte, ok bool) {
	out, run, groups, i := scratch[:0], 0, 0, 0
	if len(b) > 0 && (b[0] == '-' || b[0] == '+') {
		out, i = append(out, b[0]), 1
	}
	first := i
	for ; i < len(b); i++ {
		if b[i]-'0' <= 9 {
			out = append(out, b[i])
			run++
			continue
		}
		n := markAt(b[i:], mark)
		if n == 0 {
			break
		}
		if run == 0 || run > 3 || groups > 0 && run < 3 {
			return nil, false
		}
		groups, run, i = groups+1, 0, i+n-1
	}
	if groups == 0 {
		return b, true
	}
	point := byte('.')
	if comma {
		point = ','
	}
	if run != 3 || b[first] == '0' || i < len(b) && b[i] != point {
		return nil, false
	}
	return append(out, b[i:]...), true
}

// markAt is the length of the mark that a text begins with, 0 if it does not.
func markAt(b []byte, mark byte) int {
	if b[0] == mark {
		return 1
	}
	var others []string
	switch mark {
	case ' ':
		others = []string{"\u00a0", "\u202f", "\u2009"}
	case '\'':
		others = []string{"\u2019"}
	}
	for _, o := range others {
		if bytes.HasPrefix(b, []byte(o)) {
			return len(o)
		}
	}
	return 0
}
