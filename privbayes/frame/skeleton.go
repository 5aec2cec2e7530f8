package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// toFillIn stands in a schema for what has to be written by hand.
const toFillIn = "FILL IN"

// SchemaSkeleton writes a schema to be filled in, from the header line of a file and nothing else of it: the names of
// the columns, each with a mark for its kind and one for its categories. Kinds and domains come from the code book. A
// schema with such a mark left does not parse. Errors: *FileError, *SchemaError (a name that cannot be one, a format
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
	sc := newScanner(text, format.separator())
	switch err := sc.next(); {
	case err == io.EOF:
		return nil, &FileError{File: dataset, Want: "a header line with the column names; the file is empty"}
	case err != nil:
		var v *ValueError
		if err = sc.failure(dataset, err); errors.As(err, &v) {
			err = &FileError{File: dataset, Found: "text whose header is broken", Want: v.Want}
		}
		return nil, err
	}
	return skeleton(sc.fields(), dataset, format)
}

func skeleton(fields [][]byte, dataset string, format *Format) ([]byte, error) {
	var b bytes.Buffer
	names, have := distinct{}, []string{}
	quote := func(v any) string {
		var q bytes.Buffer
		e := json.NewEncoder(&q)
		e.SetEscapeHTML(false)
		_ = e.Encode(v)
		return strings.TrimSuffix(q.String(), "\n")
	}
	fmt.Fprintf(&b, "{\n \"dataset\": %s,\n \"unit\": \"person\",\n", quote(dataset))
	if format != nil {
		fmt.Fprintf(&b, " \"format\": %s,\n", quote(format))
	}
	b.WriteString(" \"columns\": [\n")
	for i, f := range fields {
		name := string(f)
		if !utf8.Valid(f) {
			return nil, &FileError{File: dataset, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
		if e := checkName("columns", name); e != nil {
			e.Value = fmt.Sprintf("a column named %s, at position %d of the header", e.Value, i)
			return nil, e
		}
		if e := names.add("columns", name); e != nil {
			return nil, e
		}
		have = append(have, name)
		comma := ","
		if i == len(fields)-1 {
			comma = ""
		}
		fmt.Fprintf(&b, "  {\"name\": %s, \"kind\": %q, \"categories\": [%q]}%s\n", quote(name), toFillIn, toFillIn, comma)
	}
	if len(have) == 1 {
		r := reading{format: format, cols: make([]*encoder, 2)}
		var lone *FileError
		if errors.As(r.lacks("", have, dataset), &lone) {
			return nil, lone
		}
	}
	b.WriteString(" ]\n}\n")
	return b.Bytes(), nil
}
