package formula

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// kinds of tokens
const (
	end    = iota
	name   // a word, or anything between backquotes
	number // of digits
	quoted // between quotes
	sign   // one character
)

type token struct {
	kind int
	text string // without quotes
	at   int    // the character, from 1 on
	bare bool   // a name without backquotes
}

// longest is the most characters of a formula.
const longest = 4096

// word reports whether a name needs no backquotes.
func word(s string) bool {
	for i, r := range s {
		if !begins(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return s != "" && s != "."
}

func inWord(r rune) bool { return begins(r) || unicode.IsDigit(r) }

func begins(r rune) bool { return r == '_' || r == '.' || unicode.IsLetter(r) }

// lex splits a formula.
func lex(text string) (out []token, err error) {
	if !utf8.ValidString(text) {
		return nil, &Error{At: 1, What: "text that is not UTF-8", Want: "UTF-8"}
	}
	runes := []rune(text)
	if len(runes) > longest {
		return nil, &Error{At: longest + 1, What: "a longer formula", Want: "at most 4096 characters"}
	}
	for i := 0; i < len(runes); {
		r, from := runes[i], i
		run := func(ok func(rune) bool) string {
			for i < len(runes) && ok(runes[i]) {
				i++
			}
			return string(runes[from:i])
		}
		switch {
		case unicode.IsSpace(r):
			i++
		case begins(r):
			out = append(out, token{name, run(inWord), from + 1, true})
		case '0' <= r && r <= '9':
			out = append(out, token{number, run(func(r rune) bool { return '0' <= r && r <= '9' }), from + 1, false})
		case r == '`' || r == '"' || r == '\'':
			i++
			inside := run(func(c rune) bool { return c != r })
			if i == len(runes) {
				return nil, &Error{At: from + 1, What: "a quote that is not closed", Want: "another " + string(r) + " after it"}
			}
			i++
			kind := quoted
			if r == '`' {
				kind = name
			}
			if inside = inside[1:]; inside == "" {
				return nil, &Error{At: from + 1, What: "an empty name", Want: "a name between the quotes"}
			}
			out = append(out, token{kind, inside, from + 1, false})
		case strings.ContainsRune("~+-*:^(),=", r):
			i++
			out = append(out, token{sign, string(r), from + 1, false})
		default:
			return nil, &Error{At: from + 1, What: safetext.Quote(string(r)), Want: grammar}
		}
	}
	return append(out, token{kind: end, at: len(runes) + 1}), nil
}

// grammar is what a formula may have.
const grammar = "columns, + - * : ^ ( ), C(column, ref=level), I(column^2) and poly(column, degree), without " +
	"arithmetic, log, /, %in%, offsets and .; a name that is no word stands between backquotes"

// shown is a token in an error.
func (t token) shown() string {
	if t.kind == end {
		return "the end of the formula"
	}
	return safetext.Quote(safetext.Clip(t.text, 40))
}
