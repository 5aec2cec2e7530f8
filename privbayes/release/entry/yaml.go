package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
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
