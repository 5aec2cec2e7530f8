package frame

import (
	"bytes"
	"encoding/json"
	"io"
)

// ParseSchema reads a schema from JSON and validates it. Unknown fields and trailing data are refused. Defaults are written out in the
// result: unit, rows per unit, edges of a single bin, bounds from edges. Errors: *SchemaError.
func ParseSchema(b []byte) (*Schema, error) {
	d := json.NewDecoder(bytes.NewReader(b))
	d.DisallowUnknownFields()
	var s *Schema
	if err := d.Decode(&s); err != nil {
		return nil, &SchemaError{Field: "JSON", Value: "not a schema (" + err.Error() + ")", Want: `an object like {"dataset": …, "columns": [{"name": …, "kind": …}]}`}
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
