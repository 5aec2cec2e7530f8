package frame

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// header is the first line of one file: its names, and the encoder of every field, nil for fields to ignore.
type header struct {
	names []string
	cols  []*encoder
	blind bool // no value of this line is refused, so a second header would pass for a row
}

// matchHeader finds the encoder of every field of a file.
func (r *reading) matchHeader(fields [][]byte, name string) (*header, error) {
	h := &header{names: make([]string, len(fields)), cols: make([]*encoder, len(fields)), blind: true}
	others := false
	for i, f := range fields {
		h.names[i] = string(f)
		if !utf8.Valid(f) {
			return nil, &FileError{File: name, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
		if slices.Contains(h.names[:i], h.names[i]) {
			if _, _, err := r.schema.Column(h.names[i]); err == nil {
				return nil, &ColumnError{Step: "header of " + name, Column: h.names[i], Have: h.names[:i+1],
					Want: "it once; the header names it twice"}
			}
		}
	}
	for _, e := range r.cols {
		at := slices.Index(h.names, e.col.Name)
		if at >= 0 {
			h.cols[at] = e
			takes, asOther := e.takes(h.names[at])
			h.blind, others = h.blind && takes, others || asOther
			continue
		}
		err := r.lacks(e.col.Name, h.names, name)
		var lone *FileError
		if r.found == nil || errors.As(err, &lone) {
			return nil, err
		}
		r.found.lacks(name, e.col.Name)
	}
	for i, e := range h.cols {
		if e != nil || r.schema.ExtraColumns || h.names[i] == r.schema.UnitKey {
			continue
		}
		if r.found == nil {
			return nil, &ColumnError{Step: "header of " + name, Column: h.names[i], Have: h.names,
				Want: `a column of the schema, or "extra_columns": true to ignore others`}
		}
		r.found.extra(name, h.names[i])
	}
	if r.units != nil {
		if err := r.units.header(h.names, name); err != nil {
			return nil, err
		}
	}
	if r.keeps != nil {
		if err := r.keeps.header(h.names, name); err != nil {
			return nil, err
		}
	}
	h.blind = h.blind && others // else every name is a value of its column, and such a row is a row
	return h, nil
}

// lacks says that a header has no column of that name.
func (r *reading) lacks(column string, have []string, name string) error {
	if len(have) == 1 && len(r.cols) > 1 {
		for _, sep := range []string{";", "\t", "|", ","} {
			if strings.Contains(have[0], sep) {
				now := "commas"
				if s := r.format.separator(); s != ',' {
					now = strconv.Quote(string(s))
				}
				return &FileError{File: name, Found: fmt.Sprintf("text whose header has one field with %q in it", sep),
					Want: fmt.Sprintf("fields separated by %s, or \"format\": {\"separator\": %q} in the schema", now, sep)}
			}
		}
	}
	return &ColumnError{Step: "header of " + name, Column: column, Have: have}
}

// takes reports whether the column would read a text, and whether only as the other category. It leaves no trace.
func (e *encoder) takes(text string) (takes, asOther bool) {
	probe := newEncoder(e.col)
	if e.comma {
		probe.withComma()
	}
	takes = probe.add([]byte(text))
	return takes, takes && e.other >= 0 && e.dict.find([]byte(text)) == codeNone
}
