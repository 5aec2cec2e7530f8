package frame

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// maxDistinct is how many different values of a column are listed one by one.
const maxDistinct = 50

// Violation is one kind of value that does not fit its column, with its number.
type Violation struct {
	File   string // of the first
	Line   int    // of the first; 0 for the header as a whole
	Column string // "" where the record as a whole is malformed
	Value  string // "" for values beyond the fifty that are listed for a column
	Want   string
	Count  int
}

// Violations is all of a table that does not fit its schema. It was counted in private rows and quotes them: it is for
// the data holder, and it is no release. Changing a schema because of it lets the data choose the domain; mend the
// table, or go back to the code book.
type Violations struct {
	Rows    int // read, with those that do not fit
	Stopped bool
	marks   []MarkCount
	list    []*Violation
	places  map[[2]string]*Violation
	listed  map[string]int // different values by column
}

// MarkCount is how many values of a column were one of its missing marks.
type MarkCount struct {
	Column string
	Mark   string // as the schema writes it
	Count  int
}

// sawMarks counts the missing marks of a record.
func (v *Violations) sawMarks(h *header, sc *scanner) {
	for i, e := range h.cols {
		if e == nil || len(e.col.Missing) == 0 {
			continue
		}
		if at := e.markAt(sc.field(i), sc.marks && sc.quotes[i]); at >= 0 {
			k := slices.IndexFunc(v.marks, func(m MarkCount) bool {
				return m.Column == e.col.Name && m.Mark == e.col.Missing[at]
			})
			v.marks[k].Count++
		}
	}
}

// Marks lists the missing marks of the schema's columns in their order, each with how many values were it: as a value
// of the column's kind, so that 999 is also 999.0. The counts are private.
func (v *Violations) Marks() []MarkCount {
	if v == nil {
		return nil
	}
	return slices.Clone(v.marks)
}

func newViolations() *Violations {
	return &Violations{places: map[[2]string]*Violation{}, listed: map[string]int{}}
}

// CheckFiles reads a table, in one file or several, and lists every value that does not fit its schema, where Load
// stops at the first. Errors: those of Load that are not about a value, such as *FileError.
func CheckFiles(ctx context.Context, paths []string, s *Schema, opts ...ReadOption) (*Violations, error) {
	if err := eachOnce("CheckFiles", paths); err != nil {
		return nil, err
	}
	return checkAll(ctx, files(paths...), s, opts)
}

// Check is CheckFiles for a reader.
func Check(ctx context.Context, r io.Reader, name string, s *Schema, opts ...ReadOption) (*Violations, error) {
	if absent(r) {
		return nil, &FileError{File: name, Want: "a reader of a table; this one is nil"}
	}
	return checkAll(ctx, reader(r, name), s, opts)
}

func checkAll(ctx context.Context, shards []shard, s *Schema, opts []ReadOption) (*Violations, error) {
	r, err := newReading(s, opts)
	if err != nil {
		return nil, err
	}
	v := newViolations()
	for _, c := range r.schema.Columns {
		for _, mark := range c.Missing {
			v.marks = append(v.marks, MarkCount{Column: c.Name, Mark: mark})
		}
	}
	r.found = v
	_, err = r.all(ctx, shards)
	var broken *ValueError
	if errors.As(err, &broken) { // quotes that do not close: nobody can tell where the next field begins
		v.add(broken)
		v.Stopped, err = true, nil
	}
	if err != nil {
		return nil, err
	}
	v.Rows = r.rows
	return v, nil
}

// add counts one value.
func (v *Violations) add(e *ValueError) {
	key := [2]string{e.Column, e.Value}
	if v.places[key] == nil && v.listed[e.Column] >= maxDistinct {
		key[1] = ""
		e = &ValueError{File: e.File, Line: e.Line, Column: e.Column, Want: "a value of the column's domain"}
	}
	at := v.places[key]
	if at == nil {
		at = &Violation{File: e.File, Line: e.Line, Column: e.Column, Value: e.Value, Want: e.Want}
		v.list, v.places[key] = append(v.list, at), at
		v.listed[e.Column]++
	}
	at.Count++
}

// lacks and extra count columns of a header.
func (v *Violations) lacks(file, column string) {
	v.list = append(v.list, &Violation{File: file, Column: column, Value: "no such column in the header",
		Want: "every column of the schema", Count: 1})
}

func (v *Violations) extra(file, column string) {
	v.list = append(v.list, &Violation{File: file, Column: column, Value: "a column that the schema has not",
		Want: `a column of the schema, or "extra_columns": true to ignore others`, Count: 1})
}

// List is what does not fit, the most frequent first.
func (v *Violations) List() []Violation {
	if v == nil {
		return nil
	}
	out := make([]Violation, len(v.list))
	for i, x := range v.list {
		out[i] = *x
	}
	slices.SortStableFunc(out, func(a, b Violation) int { return cmp.Compare(b.Count, a.Count) })
	return out
}

// Count is how many values, records and columns do not fit.
func (v *Violations) Count() int {
	if v == nil {
		return 0
	}
	n := 0
	for _, x := range v.list {
		n += x.Count
	}
	return n
}

// Table lists what does not fit. Private: do not publish.
func (v *Violations) Table() *table.Table {
	if v == nil {
		v = &Violations{}
	}
	t := table.New("What does not fit the schema (private: do not publish)", "column", "found", "times", "first in",
		"want")
	for _, x := range v.List() {
		found, where, column := label.Short(x.Value), fmt.Sprintf("%s line %d", label.File(filepath.Base(x.File)), x.Line),
			label.Short(x.Column)
		if x.Line == 0 {
			found, where = x.Value, "header of "+label.File(filepath.Base(x.File))
		}
		if x.Value == "" && v.listed[x.Column] > maxDistinct {
			found = "other values"
		}
		if x.Column == "" {
			found, column = x.Value, "whole record"
		}
		t.Add(column, found, x.Count, where, x.Want)
	}
	if v.Stopped {
		t.Note("reading stopped at the last of these: behind it nobody can tell fields apart")
	}
	var marks []string
	for _, m := range v.marks {
		marks = append(marks, fmt.Sprintf("%s %s %s", label.Short(m.Column), label.Short(m.Mark),
			table.Count(m.Count, "time")))
	}
	if len(marks) > 0 {
		t.Note("missing marks: " + strings.Join(marks, ", "))
	}
	return t.Note(fmt.Sprintf("%d that do not fit in %s", v.Count(), table.Count(v.Rows, "row")))
}

// String is the table as text.
func (v *Violations) String() string { return table.Text(v) }

// MarshalJSON refuses with ErrSealed.
func (v *Violations) MarshalJSON() ([]byte, error) { return nil, ErrSealed }
