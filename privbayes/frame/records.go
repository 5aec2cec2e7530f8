package frame

import (
	"context"
	"errors"
	"fmt"
	"io"
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
		w := r.schema.Weight
		if e != nil || r.schema.ExtraColumns || i == place(h.names, r.schema.UnitKey) ||
			w != nil && w.Unused && w.Column == h.names[i] {
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
	if len(r.schema.Tables) > 0 {
		return &ColumnError{Step: "header of " + name, Column: column, Have: have, Want: "a file with one row a unit; " +
			`LoadTables reads the files of the schema's "tables"`}
	}
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
			"with the column names, such as " + strconv.Quote(column) +
			"; is it another file, has it no header, or lines above it?"}
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

// readOn reads all records that are left, one after the other.
func (r *reading) readOn(ctx context.Context, sc *scanner, h *header, name string, report func()) error {
	for {
		if err := ctx.Err(); err != nil {
			return stopped(name, err)
		}
		before := r.delivered()
		err := r.readRows(ctx, sc, h, name, chunkRows)
		r.read = r.taken()
		if err != nil && err != io.EOF {
			return err
		}
		if rows := r.delivered() - before; rows > 0 {
			if err := r.deliver(rows); err != nil {
				return err
			}
		}
		if r.rows > 0 {
			report()
		}
		if err != nil {
			return nil
		}
	}
}

// delivered is how many rows went on, or will.
func (r *reading) delivered() int {
	if r.keeps != nil {
		return r.keeps.rows
	}
	return r.rows
}

// deliver gives the rows that were encoded last to where they go, and forgets them.
func (r *reading) deliver(rows int) error {
	parts := make([]part, len(r.cols))
	for i, e := range r.cols {
		parts[i] = e.out
		e.out.clear()
	}
	switch {
	case r.found != nil: // rows are only checked
		for i, e := range r.cols {
			e.items = nil
			r.found.sawStrata(e.col.Name, parts[i].codes)
		}
	case r.sinks != nil:
		return r.sink(0)(parts, rows)
	default:
		r.kept.add(parts, r.rows, r.expected())
	}
	return nil
}

// readRows encodes at most a number of records; io.EOF after the last of the file.
func (r *reading) readRows(ctx context.Context, sc *scanner, h *header, name string, most int) error {
	for rows := 0; rows < most; rows, r.rows = rows+1, r.rows+1 {
		if rows%chunkRows == 0 {
			if err := ctx.Err(); err != nil {
				return stopped(name, err)
			}
		}
		err := sc.next()
		if err == io.EOF {
			return err
		}
		if err != nil {
			return sc.failure(name, err)
		}
		if len(sc.ends) != len(h.cols) {
			if err := r.refuse(&ValueError{File: name, Line: sc.line, Value: count(len(sc.ends), "field"),
				Want: count(len(h.cols), "field") + ", as in the header" + oneMore(len(sc.ends), len(h.cols))}); err != nil {
				return err
			}
			continue
		}
		if h.blind && h.repeats(sc) {
			if err := r.refuse(secondHeader(name, sc.line)); err != nil {
				return err
			}
			continue
		}
		if r.units != nil {
			if e := r.units.add(sc); e != nil {
				e.File, e.Line = name, sc.line
				if err := r.refuse(e); err != nil {
					return err
				}
			}
		}
		for i := h.add(sc, 0); i >= 0; i = h.add(sc, i+1) {
			if h.repeats(sc) {
				if err := r.refuse(secondHeader(name, sc.line)); err != nil {
					return err
				}
				break
			}
			if err := r.refuse(h.cols[i].refused(name, sc.line, string(sc.field(i)))); err != nil {
				return err
			}
		}
		if r.found != nil {
			r.found.sawMarks(h, sc)
		}
		if r.keeps != nil {
			keep, err := r.keeps.row(sc)
			if err != nil {
				return err
			}
			for _, e := range r.cols {
				if !keep {
					e.out.dropLast()
				}
			}
		}
	}
	return nil
}

// oneMore says what may be meant by a field too many.
func oneMore(have, want int) string {
	if have != want+1 {
		return ""
	}
	return `; a separator inside a value stands between quotes, and row names of R need a name in the header ` +
		`(write.table with col.names = NA)`
}

// add encodes the fields of a record from a place on, and returns the place of the first that does not fit, or -1.
func (h *header) add(sc *scanner, from int) int {
	if sc.marks {
		return h.addMarked(sc, from)
	}
	start, text := 0, sc.text
	if from > 0 {
		start = sc.ends[from-1] + 1
	}
	cols := h.cols[:len(sc.ends)]
	for i := from; i < len(cols); i++ {
		end := sc.ends[i]
		field := text[start:end]
		start = end + 1
		if e := cols[i]; e != nil && !e.add(field) {
			return i
		}
	}
	return -1
}

// addMarked is add for a record with quotes.
func (h *header) addMarked(sc *scanner, from int) int {
	for i := from; i < len(sc.ends); i++ {
		if e := h.cols[i]; e != nil && !e.addMarked(sc.field(i), sc.quotes[i]) {
			return i
		}
	}
	return -1
}

// refuse ends the reading with a value that does not fit, or only lists it.
func (r *reading) refuse(e *ValueError) error {
	if r.found == nil {
		return e
	}
	r.found.add(e)
	return nil
}

func secondHeader(name string, line int) *ValueError {
	return &ValueError{File: name, Line: line, Value: "the header a second time",
		Want: "one header line in a file; files that were put together can be read one by one as shards of one table: " +
			"LoadShards"}
}

// repeats reports whether the current record is the header again.
func (h *header) repeats(sc *scanner) bool {
	for i := range sc.ends {
		if string(sc.field(i)) != h.texts[i] {
			return false
		}
	}
	return true
}
