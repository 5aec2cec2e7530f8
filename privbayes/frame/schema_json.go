package frame

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/internal/document"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/internal/suggest"
)

// ParseSchema reads a schema from JSON, written from the code book of a table, and validates it:
//
//	{"dataset": "survey", "unit": "person", "columns": [
//	  {"name": "answer", "kind": "categorical", "categories": ["yes", "no"], "missing": ["", "NA"], "on_missing": "category"},
//	  {"name": "age", "kind": "integer", "edges": [18, 40, 65, 120], "on_out_of_domain": "clamp"}]}
//
// See Column for all fields. Unknown fields, fields that stand twice, also in another case, and trailing data are
// refused. Defaults are written out in the result: unit, rows per unit, edges of a single bin, bounds from edges.
// The text may begin with a byte-order mark, and may be UTF-16. Errors: *SchemaError.
func ParseSchema(b []byte) (*Schema, error) {
	b, kind := schemaText(b)
	if kind != "" {
		return nil, &SchemaError{Field: "file", Value: kind, Want: "JSON in UTF-8 or UTF-16"}
	}
	if err := document.Shallow(b); err != nil {
		return nil, notSchema(b, err)
	}
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
	if err := document.Unique(b, true); err != nil {
		return nil, twice(err)
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	return s.filled(), nil
}

// schemaText undoes a byte-order mark and UTF-16, and names what is no JSON.
func schemaText(b []byte) (text []byte, kind string) {
	if k := otherKind(b); k.name != "" && k.name != "JSON" {
		return nil, k.name
	}
	if wide := wideText(b[:min(len(b), 1024)]); wide != "" {
		text, err := wideDecoder(wide).Bytes(b)
		if err != nil {
			return nil, "broken UTF-16"
		}
		b = text
	}
	return bytes.TrimPrefix(b, []byte("\ufeff")), ""
}

// twice is a key that stands twice in one object as an error of the schema.
func twice(err error) *SchemaError {
	e := &SchemaError{Field: "JSON", Value: err.Error(), Want: "every field once"}
	var key *document.KeyError
	if errors.As(err, &key) {
		e.Field, e.Value = "field "+key.Field(), "there twice"
		if key.Key != key.First {
			e.Value += ", as " + label.Word(key.First) + " and as " + label.Word(key.Key)
		}
	}
	return e
}

// notSchema says where a text stops being a schema and, for a field that does not exist, which one may be meant.
func notSchema(b []byte, err error) *SchemaError {
	e := &SchemaError{Field: "JSON", Value: "not a schema (" + label.Clip(label.Line(err.Error()), 200) + ")",
		Want: `an object like {"dataset": …, "columns": [{"name": …, "kind": …}]}`}
	if name, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
		name = unquoted(name)
		e.Field, e.Value, e.Want = "field "+label.Short(name), "unknown", "one of "+strings.Join(schemaFields, ", ")
		near := otherNames[strings.ToLower(name)]
		if near == "" {
			near = suggest.Closest(name, schemaFields)
		}
		if near == name { // the name of a field that is at another place
			e.Want = `each field at its place: those of a column stand in "columns", those of the schema beside it`
		} else if near != "" {
			e.Want = fmt.Sprintf("a field of a schema; did you mean %q?", near)
		}
		return e
	}
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &syntax):
		e.Value = fmt.Sprintf("broken in line %d (%s)", lineAt(b, syntax.Offset), label.Line(err.Error()))
	case errors.As(err, &kind):
		e.Value = fmt.Sprintf("not a schema in line %d (%s is a %s)", lineAt(b, kind.Offset), label.Line(kind.Field),
			label.Clip(label.Line(kind.Value), 80))
		switch field, number := kind.Field, strings.HasPrefix(kind.Value, "number"); {
		case number && strings.HasSuffix(field, "categories"):
			e.Want = `texts: categories that look like numbers stand in quotes, as in "categories": ["0", "1"]`
		case number && strings.HasSuffix(field, "missing"):
			e.Want = `texts: marks that look like numbers stand in quotes, as in "missing": ["-9", "999"]`
		case kind.Value == "string" && (strings.HasSuffix(field, "edges") || strings.HasSuffix(field, "min") ||
			strings.HasSuffix(field, "max")):
			e.Want = `numbers without quotes; dates stand in "date_edges", beside their layout "date": "2006-01-02"`
		}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Value = fmt.Sprintf("cut off in line %d", lineAt(b, int64(len(b))))
	}
	return e
}

// unquoted is the name in an error of encoding/json, which quotes it.
func unquoted(name string) string {
	if s, err := strconv.Unquote(name); err == nil {
		return s
	}
	return strings.Trim(name, `"`)
}

// lineAt is the line, from 1, of the byte before offset: the decoder's offsets are counts of bytes read.
func lineAt(b []byte, offset int64) int {
	return 1 + bytes.Count(b[:max(0, min(offset-1, int64(len(b))))], []byte("\n"))
}

// schemaFields are the JSON names of all fields of a schema and its columns.
var schemaFields = func() (names []string) {
	for _, t := range []reflect.Type{reflect.TypeFor[Schema](), reflect.TypeFor[Column](), reflect.TypeFor[Format](),
		reflect.TypeFor[Alias]()} {
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return names
}()

// otherNames are words that other programs use for our fields.
var otherNames = map[string]string{
	"levels": "categories", "values": "categories", "labels": "categories", "factors": "categories",
	"domain": "categories",
	"type":   "kind", "bins": "edges", "breaks": "edges", "cuts": "edges", "bounds": "min", "lower": "min",
	"upper": "max",
	"na":    "missing", "id": "name", "column": "name",
	"layout": "date", "delimiter": "separator", "sep": "separator", "synonyms": "aliases", "charset": "encoding",
}

// JSON is the canonical form of the schema: one line, fields in fixed order, defaults written out, so that schemas that
// say the same have the same bytes. It is nil when the schema holds a number that is not finite; Validate says which.
func (s *Schema) JSON() []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s.filled()); err != nil {
		return nil
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}
