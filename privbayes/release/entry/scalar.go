package entry

import (
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
)

var (
	errEscapes = errors.New(`an escape that YAML lacks: \/, or \u with half of a character`)
	unshared   = regexp.MustCompile(`^(/|u[dD][89a-fA-F])`)
)

// shared says whether every escape of a text is one of JSON's that stands for the same in YAML.
func shared(text string) bool {
	for {
		_, rest, found := strings.Cut(text, "\\")
		if !found {
			return true
		}
		if unshared.MatchString(rest) || rest == "" {
			return false
		}
		text = rest[1:]
	}
}

var (
	bare    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]{0,99}$`)
	decimal = regexp.MustCompile(`^-?((0|[1-9][0-9]{0,14})|(0|[1-9][0-9]{0,30})\.[0-9]{1,30}([eE][-+][0-9]{1,3})?)$`)
)

// reserved are the words that some readers take for something else than a text.
var reserved = []string{"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf", "infinity"}

func special(word string) bool { return slices.Contains(reserved, strings.ToLower(word)) }

var (
	comment = regexp.MustCompile(`^( +(#.*)?)?$`)
	open    = regexp.MustCompile(`^\pL[\pL\pN _.,;()/+&'-]*$`)
)

// scalar reads a text in quotes, a number, or a plain text.
func scalar(text string) (any, error) {
	switch text[0] {
	case '"':
		d := json.NewDecoder(strings.NewReader(text))
		var s string
		if err := d.Decode(&s); err != nil || !comment.MatchString(text[d.InputOffset():]) ||
			!shared(text[:d.InputOffset()]) {
			return nil, errors.New("a text in double quotes, on one line, with the escapes of JSON but \\/ and halves of " +
				"characters")
		}
		return s, nil
	case '\'':
		s, rest, closed := "", text[1:], false
		for !closed {
			before, after, found := strings.Cut(rest, "'")
			if !found {
				return nil, errors.New("a text in single quotes, on one line")
			}
			s += before
			if rest, closed = strings.CutPrefix(after, "'"); closed {
				s += "'"
			}
			closed = !closed
		}
		if !comment.MatchString(rest) {
			return nil, errors.New("nothing but a comment after a text in quotes")
		}
		return s, nil
	}
	text, _, _ = strings.Cut(text, " #")
	text = strings.TrimRight(text, " ")
	if decimal.MatchString(text) {
		return json.Number(text), nil
	}
	if !open.MatchString(text) || special(text) {
		return nil, errors.New("a number such as 12, 0.5 or 1.0e-07, or a text in quotes")
	}
	return text, nil
}
