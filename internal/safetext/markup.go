package safetext

import (
	"html"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Pages and notebooks typeset as a formula what stands between two dollar signs, or after a backslash, also in the text
// of HTML; a formula can be moved over what stands beside it. Each of the two alone in an element begins none.
var htmlFormula = strings.NewReplacer("$", "<span>$</span>", `\`, `<span>\</span>`)

// HTML is a text as the content of an HTML element: it holds no markup and no formula. What Line escapes is escaped;
// line feeds stay.
func HTML(text string) string { return htmlFormula.Replace(html.EscapeString(Lines(text))) }

// Markdown is a text inside a line of Markdown: in a heading, a cell, a paragraph or the text of an image. It makes no
// markup, HTML, link or formula there, and does not leave its cell; the dialects of code hosts are counted in. What
// Line escapes is escaped, line feeds too. An underscore inside a word stays, as it is plain text in these dialects.
func Markdown(text string) string {
	text = Line(text)
	var b strings.Builder
	word := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	for i, r := range text {
		switch r {
		case '<':
			b.WriteString("&lt;")
		case '&':
			b.WriteString("&amp;")
		case '$':
			b.WriteString("<span>$</span>") // a backslash before it is left out by Markdown, and the formula begins
		case '_':
			before, _ := utf8.DecodeLastRuneInString(text[:i])
			after, _ := utf8.DecodeRuneInString(text[i+1:])
			if !word(before) || !word(after) {
				b.WriteByte('\\')
			}
			b.WriteByte('_')
		case '\\', '`', '*', '[', ']', '|', '~':
			b.WriteByte('\\')
			b.WriteRune(r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
