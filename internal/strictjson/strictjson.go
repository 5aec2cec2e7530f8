// Package strictjson reads JSON more strictly than encoding/json, which takes the last of two equal keys and minds no
// case: a text that says two things must not be read as one of them.
//
// frame, budget, dp, release and the command read their files with it.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/privbayes/privbayes-go/internal/safetext"
)

// KeyError is an object with one key twice.
type KeyError struct {
	Path  string // of the object, "" for the outermost
	Key   string // as it stands the second time
	First string // as it stands the first time
}

// Field is the place of the key: "columns[2].name".
func (e *KeyError) Field() string { return Join(e.Path, e.Key) }

func (e *KeyError) Error() string {
	if e.Key == e.First {
		return e.Field() + " stands there twice; want every field once"
	}
	return fmt.Sprintf("%s and %s are one field, as case does not count; want every field once", Join(e.Path, e.First),
		e.Field())
}

// SyntaxError is a text that is not one JSON value.
type SyntaxError struct {
	Path string
	Err  error
}

func (e *SyntaxError) Error() string {
	text := safetext.Clip(e.Err.Error(), 200)
	if e.Path == "" {
		return text
	}
	return e.Path + ": " + text
}

// Unwrap returns the cause.
func (e *SyntaxError) Unwrap() error { return e.Err }

// MaxDepth is how many objects and arrays may stand in each other. No document of the library comes near it.
const MaxDepth = 100

// DepthError is a text with more objects and arrays in each other than MaxDepth.
type DepthError struct{ Line int } // 1-based, where the first begins that is too deep

func (e *DepthError) Error() string {
	return fmt.Sprintf("line %d: want at most %d objects and arrays in each other", e.Line, MaxDepth)
}

// Shallow checks, before anything is built from a text, that it has at most MaxDepth brackets in each other, those in
// quotes apart. It takes one pass and no memory. Errors: *DepthError.
func Shallow(b []byte) error {
	depth, line, quoted := 0, 1, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case c == '\n':
			line++
		case c == '"':
			quoted = !quoted
		case quoted && c == '\\':
			i++
		case quoted:
		case c == '{', c == '[':
			if depth++; depth > MaxDepth {
				return &DepthError{line}
			}
		case c == '}', c == ']':
			depth--
		}
	}
	return nil
}

// Read reads one JSON value, numbers as json.Number. With fold, keys that differ only in case are equal, as they are to
// encoding/json when it fills a struct. Errors: *DepthError, *KeyError, *SyntaxError.
func Read(b []byte, fold bool) (any, error) {
	if err := Shallow(b); err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(b))
	d.UseNumber()
	return read(d, fold)
}

// Unique checks that no object in b has a key twice, in whatever case: see Read.
func Unique(b []byte) error {
	_, err := Read(b, true)
	return err
}

func read(d *json.Decoder, fold bool) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, &SyntaxError{"", err}
	}
	switch t {
	case json.Delim('{'):
		o, first := map[string]any{}, map[string]string{}
		for d.More() {
			k, err := d.Token()
			if err != nil {
				return nil, &SyntaxError{"", err}
			}
			key := k.(string) // the decoder takes nothing else for a key
			id := key
			if fold {
				id = folded(key)
			}
			if f, twice := first[id]; twice {
				return nil, &KeyError{"", key, f}
			}
			first[id] = key
			if o[key], err = read(d, fold); err != nil {
				return nil, inside(safetext.Word(key), err)
			}
		}
		if _, err = d.Token(); err != nil {
			return nil, &SyntaxError{"", err}
		}
		return o, nil
	case json.Delim('['):
		a := []any{}
		for d.More() {
			v, err := read(d, fold)
			if err != nil {
				return nil, inside(fmt.Sprintf("[%d]", len(a)), err)
			}
			a = append(a, v)
		}
		if _, err = d.Token(); err != nil {
			return nil, &SyntaxError{"", err}
		}
		return a, nil
	}
	return t, nil
}

// inside puts a step before the path of an error: paths are made for errors only.
func inside(step string, err error) error {
	var path *string
	switch e := err.(type) {
	case *KeyError:
		path = &e.Path
	case *SyntaxError:
		path = &e.Path
	default:
		return err
	}
	if *path != "" && (*path)[0] != '[' {
		step += "."
	}
	*path = step + *path
	return err
}

// folded is the key as encoding/json compares it: up to simple case folding.
func folded(key string) string {
	return strings.Map(func(r rune) rune {
		least := r
		for s := unicode.SimpleFold(r); s != r; s = unicode.SimpleFold(s) {
			least = min(least, s)
		}
		return least
	}, key)
}

// Join is the path of a key of the object at a path. A key from a file is shown as safetext.Word shows it.
func Join(path, key string) string {
	if path == "" {
		return safetext.Word(key)
	}
	return path + "." + safetext.Word(key)
}

// Zero is whether a number stands in JSON and is 0, where a field that does not stand there means the usual value.
type Zero bool

// UnmarshalJSON notes a zero, in whatever way it is written.
func (z *Zero) UnmarshalJSON(b []byte) error {
	x, err := strconv.ParseFloat(string(b), 64)
	*z = err == nil && x == 0
	return nil
}
