//go:build !browser

package main

import (
	"bytes"
	"errors"
	"io"
	"reflect"

	"go.yaml.in/yaml/v4"

	"github.com/privbayes/privbayes-go/privbayes/release/entry"
)

// alike demands that a general reader of YAML reads a record as the library does, so that nobody reads it otherwise.
func alike(record []byte) error { return readAlike(record, entry.Read, byYAML) }

// readAlike demands that a reader of YAML of another origin gives what the library's own reader gives, which has read
// the text first: it bounds size and depth.
func readAlike(text []byte, read func([]byte) (map[string]any, error), other func([]byte) (any, error)) error {
	own, err := read(text)
	if err != nil {
		return err
	}
	v, err := other(text)
	if err == nil && !reflect.DeepEqual(inFloats(v), any(own)) {
		err = errors.New("the two readings differ")
	}
	if err != nil {
		return &entry.FileError{Want: "a record that a general reader of YAML reads as this command does", Err: err}
	}
	return nil
}

// byYAML reads one document; a name that stands twice and a second document are errors.
func byYAML(text []byte) (v any, err error) {
	d, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithUniqueKeys(true))
	if err != nil {
		return nil, err
	}
	if err := d.Load(&v); err != nil {
		return nil, err
	}
	var more any
	if err := d.Load(&more); !errors.Is(err, io.EOF) {
		return nil, errors.New("a second document follows")
	}
	return v, nil
}

// inFloats makes every number a float64, as the library's reader does.
func inFloats(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, item := range v {
			v[name] = inFloats(item)
		}
	case []any:
		for i, item := range v {
			v[i] = inFloats(item)
		}
	case int:
		return float64(v)
	case int64:
		return float64(v)
	case uint64:
		return float64(v)
	}
	return v
}
