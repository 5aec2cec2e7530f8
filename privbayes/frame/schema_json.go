package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/internal/suggest"
)

// ParseSchema reads a schema from JSON and validates it. Unknown fields and trailing data are refused. Defaults are written out in the
// result: unit, rows per unit, edges of a single bin, bounds from edges. Errors: *SchemaError.
func ParseSchema(b []byte) (*Schema, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var s *Schema
	if err := d.Decode(&s); err != nil {
		return nil, notSchema(b, err)
	}
	if s == nil {
		return nil, &SchemaError{Field: "JSON", Value: "null", Want: "an object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &SchemaError{Field: "JSON", Value: "followed by more data", Want: "one object and nothing after it"}
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// notSchema says where a text stops being a schema and, for a field that does not exist, which one may be meant.
func notSchema(b []byte, err error) *SchemaError {
	e := &SchemaError{Field: "JSON", Value: "not a schema (" + err.Error() + ")", Want: `an object like {"dataset": …, "columns": [{"name": …, "kind": …}]}`}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = strings.Trim(name, `"`)
		e.Field, e.Value, e.Want = "field "+strconv.Quote(name), "unknown", "one of "+strings.Join(schemaFields, ", ")
		near := otherNames[strings.ToLower(name)]
		if near == "" {
			near = suggest.Closest(name, schemaFields)
		}
		if near != "" {
			e.Want = fmt.Sprintf("a field of a schema; did you mean %q?", near)
		}
		return e
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Value = fmt.Sprintf("broken in line %d (%v)", lineAt(b, syntax.Offset), err)
	case errors.As(err, &kind):
		e.Value = fmt.Sprintf("not a schema in line %d (%s is a %s)", lineAt(b, kind.Offset), kind.Field, kind.Value)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Value = fmt.Sprintf("cut off in line %d", lineAt(b, int64(len(b))))
	}
	return e
}

// lineAt is the line, from 1, of the byte before offset: the decoder's offsets are counts of bytes read.
func lineAt(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:max(0, min(offset-1, int64(len(b))))], []byte("\n"))
}

// schemaFields are the JSON names of all fields of a schema and its columns.
var schemaFields = func() (names []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[Schema](), reflect.TypeFor[Column]()} {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			names = append(names, name)
		}
	}
	return names
}()

// otherNames are words that other programs use for our fields.
var otherNames = map[string]string{
	"levels": "categories", "values": "categories", "labels": "categories", "factors": "categories", "domain": "categories",
	"type": "kind", "bins": "edges", "breaks": "edges", "cuts": "edges", "bounds": "min", "lower": "min", "upper": "max",
	"na": "missing", "id": "name", "column": "name",
}

// JSON is the canonical form of the schema: one line, fields in fixed order, defaults written out, so that schemas that say the same
// have the same bytes. It is nil when the schema holds a number that is not finite; Validate says which.
func (s *Schema) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.filled()); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
