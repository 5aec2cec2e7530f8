package frame

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// header is the first line of one file: its names, and the encoder of every field, nil for fields to ignore.
type header struct {
	names []string // as columns are looked up by
	texts []string // as they stand in the file
	cols  []*encoder
	blind bool // no value of this line is refused, so a second header would pass for a row
}

// headerNames are the names that columns of a file are looked up by: in the form NFC of Unicode, and "column 3" for a
// third field without a name, such as the row names that R and pandas write.
func headerNames(fields [][]byte) (names []string, unnamed []int) {
	for i, f := range fields {
		names = append(names, string(norm.NFC.Bytes(f)))
		if len(f) == 0 {
			unnamed = append(unnamed, i)
		}
	}
	for _, i := range unnamed {
		for name := fmt.Sprintf("column %d", i+1); names[i] == ""; name += "_" {
			if !slices.Contains(names, name) {
				names[i] = name
			}
		}
	}
	return names, unnamed
}

// place is where a column stands among the names of a header, or -1.
func place(names []string, column string) int { return slices.Index(names, norm.NFC.String(column)) }

// matchHeader finds the encoder of every field of a file.
func (r *reading) matchHeader(fields [][]byte, name string) (*header, error) {
	h := &header{texts: make([]string, len(fields)), cols: make([]*encoder, len(fields)), blind: true}
	others := false
	for i, f := range fields {
		if h.texts[i] = string(f); !utf8.Valid(f) {
			return nil, &FileError{File: name, Found: "text whose header is not UTF-8", Want: notUTF8}
		}
	}
	var unnamed []int
	h.names, unnamed = headerNames(fields)
	for _, e := range r.cols {
		at := place(h.names, e.col.Name)
		if at >= 0 {
			if place(h.names[at+1:], e.col.Name) >= 0 {
				return nil, &ColumnError{Step: "header of " + name, Column: e.col.Name, Have: h.names,
					Want: "it once; the header names it twice"}
			}
			h.cols[at] = e
			takes, asOther := e.takes(h.texts[at])
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
		if e != nil || r.schema.ExtraColumns || i == place(h.names, r.schema.UnitKey) {
			continue
		}
		want := `a column of the schema, or "extra_columns": true to ignore others`
		if slices.Contains(unnamed, i) {
			want += fmt.Sprintf("; field %d of the header has no name", i+1)
		}
		if r.found == nil {
			return nil, &ColumnError{Step: "header of " + name, Column: h.names[i], Have: h.names, Want: want}
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

// readsBlank reports whether an empty line is a row: the file has one column, and that reads an empty field.
func (h *header) readsBlank() bool {
	return len(h.cols) == 1 && h.cols[0] != nil && h.cols[0].readsEmpty()
}

// readsEmpty reports whether a column takes an empty field, or refuses it as missing.
func (e *encoder) readsEmpty() bool {
	takes, _ := e.takes("")
	return takes || e.markAt(nil, false) >= 0
}

// lacks says that a header has no column of that name. It lists what the header has only if that is a header: a column
// of the schema is in it, or nearly.
func (r *reading) lacks(column string, have []string, name string) error {
	if lone := r.lone(have, column, name); lone != nil {
		return lone
	}
	for i, h := range have {
		if strings.ContainsAny(h, "\r\n") {
			return &FileError{File: name, Found: fmt.Sprintf("text whose header field %d goes on in another line", i+1),
				Want: fmt.Sprintf("a header line with column %s; a quote may open there and close in a row", strconv.Quote(column))}
		}
	}
	form := func(s string) string { return strings.ToLower(strings.TrimSpace(s)) }
	known := false
	for i, h := range have {
		if strings.TrimSpace(h) == column {
			return &ColumnError{Step: "header of " + name, Column: column, Have: have, Want: fmt.Sprintf("it without blanks "+
				`around it, as field %d of the header has it, or "format": {"trim": true} in the schema`, i+1)}
		}
		known = known || slices.ContainsFunc(r.cols, func(e *encoder) bool { return form(e.col.Name) == form(h) })
	}
	if !known {
		return &FileError{File: name, Found: "a table whose first line has no column of the schema", Want: "a header line " +
			"with the column names, such as " + strconv.Quote(column) + "; is it another file, has it no header, or lines above it?"}
	}
	return &ColumnError{Step: "header of " + name, Column: column, Have: have}
}

// lone is a header of one field that another separator would cut, nil if it is none.
func (r *reading) lone(have []string, column, name string) error {
	sep, now := r.format.separator(), "commas"
	if sep != ',' {
		now = strconv.Quote(string(sep))
	}
	for _, other := range ";\t|," {
		if len(have) == 1 && byte(other) != sep && strings.ContainsRune(have[0], other) && (len(r.cols) > 1 ||
			place(strings.Split(have[0], string(other)), column) >= 0) {
			return &FileError{File: name, Found: fmt.Sprintf("text whose header has one field with %q in it", string(other)),
				Want: fmt.Sprintf("fields separated by %s, or \"format\": {\"separator\": %q} in the schema", now, string(other))}
		}
	}
	return nil
}

// takes reports whether the column would read a text, and whether only as the other category. It leaves no trace.
func (e *encoder) takes(text string) (takes, asOther bool) {
	takes = e.probe().add([]byte(text))
	return takes, takes && e.other >= 0 && e.find([]byte(text)) == codeNone
}
