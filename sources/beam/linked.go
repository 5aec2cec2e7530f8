package beam

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// OpenTables lists and pins the CSV files of two linked tables, in the order of the schema's "tables". Each is a list
// of files and patterns, as Open takes them. The runner brings the rows of a unit together, those of the parent and of
// its children, and workers make one row of each unit by the code that makes those of a frame. The number of units is
// public, and a run counts it. Errors: those of Open, and of frame.Schema.TableSchema.
func OpenTables(ctx context.Context, s *frame.Schema, r Runner, first, second []string) (*Source, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s, err := frame.ParseSchema(s.JSON()) // with the columns that follow
	if err != nil {
		return nil, err
	}
	tables, err := tablesOf(s)
	if err != nil {
		return nil, err
	}
	if len(tables) != 2 {
		return nil, &frame.SchemaError{Field: "tables", Value: "none", Want: "two linked tables; Open reads one"}
	}
	if _, _, err := listed(append(first[:len(first):len(first)], second...)); err != nil { // a file in both
		return nil, err
	}
	out := &Source{schema: s, runner: r}
	for i, files := range [][]string{first, second} {
		if _, err := source.UnitPass(access.Mine(), tables[i], "", nil); err != nil {
			return nil, err
		}
		parts, _, err := partsOf(ctx, tables[i], files)
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			p.Place, p.Table = len(out.parts), i
			out.parts = append(out.parts, p)
		}
	}
	return out, nil
}

// tablesOf are the schemas of two linked tables, or the schema of one.
func tablesOf(s *frame.Schema) (out []*frame.Schema, err error) {
	if len(s.Tables) == 0 {
		return []*frame.Schema{s}, nil
	}
	for _, l := range s.Tables {
		t, err := s.TableSchema(l.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, t)
	}
	return out, nil
}

// tagged is a row of one of two tables as one text.
func tagged(table int, texts [][]byte) []byte { return append([]byte{byte(table)}, packed(texts)...) }

// linked holds the rows of units of two tables, all rows of each, as the CSV files that hold them.
type linked struct {
	schema *frame.Schema
	names  [2][]string
	texts  [2]*bytes.Buffer
	rows   [2]*csv.Writer
	record []string
	fields [][]byte
}

func newLinked(s *frame.Schema) (*linked, error) {
	l := &linked{schema: s}
	tables, err := tablesOf(s)
	if err != nil {
		return nil, err
	}
	for i, t := range tables {
		l.names[i], l.texts[i] = append([]string{t.UnitKey}, t.Names()...), &bytes.Buffer{}
		l.rows[i] = csv.NewWriter(l.texts[i])
		if err := l.rows[i].Write(l.names[i]); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// row adds a row of a unit, as tagged wrote it; false for anything else.
func (l *linked) row(unit, row []byte) (ok bool) {
	if len(row) == 0 || row[0] > 1 {
		return false
	}
	i := row[0]
	if l.fields, ok = unpacked(row[1:], l.fields[:0]); !ok || len(l.fields) != len(l.names[i])-1 {
		return false
	}
	l.record = append(l.record[:0], string(unit))
	for _, f := range l.fields {
		l.record = append(l.record, string(f))
	}
	return l.rows[i].Write(l.record) == nil
}

// addTo joins the units and adds their rows to a tally.
func (l *linked) addTo(t *model.Tally) error {
	var in []frame.Shard
	for i := range l.rows {
		l.rows[i].Flush()
		in = append(in, frame.Shard{Name: l.schema.Tables[i].Name, Reader: l.texts[i]})
	}
	f, err := frame.ReadTables(context.Background(), in, l.schema, frame.WithFormat(frame.Format{}))
	var v *frame.ValueError
	switch {
	case errors.As(err, &v):
		return &frame.OutOfDomainError{Source: v.File, Column: v.Column, Want: v.Want}
	case err != nil:
		return err
	}
	return t.Frame(access.Mine(), f)
}
