package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
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
		var quoted bytes.Buffer
		enc := json.NewEncoder(&quoted)
		enc.SetEscapeHTML(false)
		_ = enc.Encode(text) // a string
		b.WriteString(" " + quoted.String())
		return
	}
	b.WriteString(" |-\n")
	for line := range strings.SplitSeq(text, "\n") {
		b.WriteString(indent + "  " + line + "\n")
	}
}

// literal says whether a text comes back from a literal block as it went in: no line begins or ends with a blank, none
// is empty, and none has control characters.
func literal(text string) bool {
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" || strings.TrimSpace(line) != line || strings.ContainsFunc(line, func(r rune) bool {
			return r < ' ' || r >= 0x7f && r < 0xa0 || r == 0x2028 || r == 0x2029 || r == 0xfeff || r == 0xfffd
		}) {
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
