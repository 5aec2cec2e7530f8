package entry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// writeRecord writes fields as a block.
func writeRecord(b *bytes.Buffer, r record, indent string) {
	for _, f := range r {
		b.WriteString(indent + f.name + ":")
		writeValue(b, f.value, indent)
	}
}

// writeValue writes what stands after a name.
func writeValue(b *bytes.Buffer, value any, indent string) {
	switch v := value.(type) {
	case record:
		b.WriteByte('\n')
		writeRecord(b, v, indent+"  ")
	case []any:
		b.WriteByte('\n')
		for _, item := range v {
			b.WriteString(indent + "  -")
			if r, ok := item.(record); ok {
				var sub bytes.Buffer
				writeRecord(&sub, r, indent+"    ")
				b.WriteString(" " + strings.TrimLeft(sub.String(), " "))
				continue
			}
			writeValue(b, item, indent+"  ")
		}
	case string:
		writeText(b, v, indent)
	default:
		fmt.Fprintf(b, " %s\n", number(v))
	}
}

// writeText writes a text of one line in double quotes, and one of several lines literally.
func writeText(b *bytes.Buffer, text, indent string) {
	if !strings.Contains(text, "\n") || !literal(text) {
		b.WriteString(" " + quoted(text) + "\n")
		return
	}
	b.WriteString(" |-\n")
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(indent + "  " + line + "\n")
	}
}

// quoted is a text in double quotes, as JSON and YAML read it: what is not visible is escaped.
func quoted(text string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(text) // a string
	return safetext.Line(strings.TrimSuffix(b.String(), "\n"))
}

// literal says whether a text comes back from a literal block as it went in: no line begins or ends with a blank, none
// is empty, and all is visible.
func literal(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.TrimSpace(line) != line || safetext.CheckLine(line) != nil {
			return false
		}
	}
	return true
}

// number writes a number so that YAML 1.1 takes it for one, too: a point before the exponent.
func number(value any) string {
	x, ok := value.(float64)
	if !ok {
		return fmt.Sprint(value)
	}
	text := strconv.FormatFloat(x, 'g', -1, 64)
	mantissa, exponent, has := strings.Cut(text, "e")
	if !strings.Contains(mantissa, ".") {
		mantissa += ".0"
	}
	if has {
		return mantissa + "e" + exponent
	}
	return mantissa
}

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
