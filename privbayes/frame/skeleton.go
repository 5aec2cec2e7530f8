package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/label"
)

// toFillIn stands in a schema for what has to be written by hand.
const toFillIn = "FILL IN"

// SchemaSkeleton writes a schema to be filled in, from the header line of a file and nothing else of it: the names of
// the columns, each with a mark for its kind and one for its categories. Kinds and domains come from the code book. A
// schema with such a mark left does not parse. Errors: *FileError, also for a first line that is a row and no header,
// *SchemaError (a name that cannot be one, a format
// that is none).
func SchemaSkeleton(r io.Reader, dataset string, opts ...ReadOption) ([]byte, error) {
	if absent(r) {
		return nil, &FileError{File: dataset, Want: "a reader of a table; this one is nil"}
	}
	format, err := formatOf(nil, opts)
	if err != nil {
		return nil, err
	}
	text, err := plainText(r, dataset, format.encoding())
	if err != nil {
		return nil, err
	}
	sc, err := format.begin(text, dataset)
	if err != nil {
		return nil, err
	}
	fields := sc.fields()
	if i, why := noName(fields, format.comma()); why != "" {
		return nil, &FileError{File: dataset, Found: fmt.Sprintf("a table whose first line seems to be a row: field %d is %s",
			i+1, why), Want: "a header line with the names of the columns; put one in front of the rows"}
	}
	return skeleton(fields, dataset, format)
}

// noName finds a field that names no column: a usual mark of missing values, a date, or a number, but for those that
// columns are named by: years, and numbers that go on in equal steps. It says what the field is and not its text,
// which would be a value of the first row.
func noName(fields [][]byte, comma bool) (at int, why string) {
	var numbers []float64
	var places []int
	for i, f := range fields {
		text := string(f)
		switch {
		case slices.Contains(usualMarks, text):
			return i, "a mark of missing values"
		case isDate(text):
			return i, "a date"
		}
		if comma {
			text = strings.Replace(text, ",", ".", 1)
		}
		if x, ok := parseNumber([]byte(text)); ok {
			if x < 0 || x != math.Trunc(x) || strings.ContainsAny(text, ".+eE") {
				return i, "a number"
			}
			numbers, places = append(numbers, x), append(places, i)
		}
	}
	if len(numbers) == 0 {
		return 0, ""
	}
	years, steps := true, len(numbers) > 2 || len(numbers) == 2 && numbers[1] == numbers[0]+1
	for i, x := range numbers {
		years = years && x >= 1500 && x < 2200
		steps = steps && (i == 0 || x > numbers[i-1] && (i == 1 || x-numbers[i-1] == numbers[1]-numbers[0]))
	}
	if years || steps {
		return 0, ""
	}
	return places[0], "a number"
}

func isDate(text string) bool {
	for _, layout := range []string{"2006-01-02", "2006/01/02", "02.01.2006", "01/02/2006", "2006-01-02T15:04:05Z07:00",
		"2006-01-02 15:04:05"} {
		if _, err := time.Parse(layout, text); err == nil {
			return true
		}
	}
	return false
}

func skeleton(fields [][]byte, dataset string, format *Format) ([]byte, error) {
	var b bytes.Buffer
	quote := func(v any) string {
		var q bytes.Buffer
		e := json.NewEncoder(&q)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		return strings.TrimSuffix(q.String(), "\n")
	}
	names, unnamed := headerNames(fields)
	if len(names) == 1 {
		if lone := (&reading{format: format, cols: make([]*encoder, 2)}).lone(names, "", dataset); lone != nil {
			return nil, lone
		}
	}
	if err := checkHeader(names, dataset); err != nil {
		return nil, err
	}
	fmt.Fprintf(&b, "{\n \"dataset\": %s,\n \"unit\": \"person\",\n", quote(dataset))
	if format != nil {
		fmt.Fprintf(&b, " \"format\": %s,\n", quote(format))
	}
	b.WriteString(" \"columns\": [\n")
	for i, name := range names {
		comma, about := ",", ""
		if i == len(names)-1 {
			comma = ""
		}
		if slices.Contains(unnamed, i) {
			about = fmt.Sprintf(`, "description": "field %d, to which the header gives no name: an index or row names, perhaps; `+
				`where it is not wanted, leave this column out and let extra_columns be true"`, i+1)
		}
		fmt.Fprintf(&b, "  {\"name\": %s, \"kind\": %q, \"categories\": [%q]%s}%s\n", quote(name), toFillIn, toFillIn, about,
			comma)
	}
	b.WriteString(" ]\n}\n")
	return b.Bytes(), nil
}

// checkHeader refuses a header whose fields cannot be names of columns. It says which, and not what they say: where a
// file has no header, that is a row.
func checkHeader(names []string, file string) error {
	refuse := func(i int, what string) error {
		return &FileError{File: file, Found: fmt.Sprintf("text whose header field %d %s", i+1, what),
			Want: "names of columns: " + label.Want + ", and no two alike"}
	}
	seen := map[string]int{}
	for i, name := range names {
		if !utf8.ValidString(name) {
			return &FileError{File: file, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
		var e *label.Error
		if errors.As(check(name), &e) {
			if bare := strings.TrimSpace(name); bare != name && check(bare) == nil {
				return &FileError{File: file, Found: fmt.Sprintf("text whose header field %d has blanks at its ends", i+1),
					Want: `"format": {"trim": true} in the schema (--trim), which leaves them out, or names without`}
			}
			return refuse(i, "has "+e.What)
		}
		if first, twice := seen[label.Same(name)]; twice {
			return refuse(i, fmt.Sprintf("is the same name as field %d", first+1))
		}
		seen[label.Same(name)] = i
	}
	return nil
}
