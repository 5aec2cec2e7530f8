//go:build !browser

package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/sources/arrow"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// columns is the table of files of columns, of which statistics are taken where they stand.
func (t *tableFlags) columns(ctx context.Context, s *frame.Schema, form tableForm) *privbayes.Frame {
	if form == parquetForm {
		src, err := parquet.Open(ctx, s, t.data)
		if err != nil {
			return privbayes.WrapFrame(nil, err)
		}
		return privbayes.From(ctx, src)
	}
	src, err := t.arrow(ctx, s)
	if err != nil {
		return privbayes.WrapFrame(nil, err)
	}
	return privbayes.From(ctx, src)
}

// arrow is the table of Arrow's columns.
func (t *tableFlags) arrow(ctx context.Context, s *frame.Schema) (*arrow.Source, error) {
	if !t.fromInput() {
		return arrow.Open(ctx, s, t.data)
	}
	b, err := t.input()
	if err != nil {
		return nil, err
	}
	return arrow.Bytes(ctx, s, inputName, b)
}

// columnText is the table of files of columns as CSV.
func (t *tableFlags) columnText(ctx context.Context, s *frame.Schema, form tableForm) (io.Reader, error) {
	var src source.Written
	var err error
	switch {
	case form == parquetForm && t.fromInput():
		err = wrongFlag("data", "-", "CSV or Arrow on standard input; of Parquet, give the file")
	case form == parquetForm:
		src, err = parquet.Open(ctx, s, t.data)
	default:
		src, err = t.arrow(ctx, s)
	}
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	return &b, src.CSV(ctx, &b)
}

// loadTables reads two linked tables.
func (t *tableFlags) loadTables(ctx context.Context, s *frame.Schema, opts ...frame.ReadOption) (*frame.Frame, error) {
	tables, err := t.tables(ctx, s)
	switch {
	case err != nil:
		return nil, err
	case tables == nil:
		return frame.LoadTables(ctx, t.data, s, append(t.options(s), opts...)...)
	}
	return source.Tables(ctx, s, tables, opts...)
}

// newTables reads two linked tables of new rows, with the key of each unit and its row, in the order of the parents'
// table. Columns that the schema does not name are ignored, and of the parents' columns those may be absent that the
// model does not use, and the target.
func (t *tableFlags) newTables(ctx context.Context, sh *model.Shape) (f *frame.Frame, units *unitsOf, err error) {
	s := sh.Schema().Clone()
	s.Columns, s.Steps, s.UnitKey, s.RowsPerUnit = nil, nil, "", 0 // which follow
	s.ExtraColumns = true
	for {
		units = &unitsOf{name: sh.Schema().UnitKey}
		f, err = t.loadTables(ctx, s, frame.WithKeys(func(key string, row int) {
			units.keys, units.rows = append(units.keys, key), append(units.rows, row)
		}))
		var absent *frame.ColumnError
		if !errors.As(err, &absent) || !spared(s, sh, absent.Column) {
			return f, units, err
		}
	}
}

// spared takes a column out of the parents' table, if a model predicts without it and others remain.
func spared(s *frame.Schema, sh *model.Shape, name string) bool {
	if slices.ContainsFunc(sh.Columns()[1:], func(c frame.Column) bool { return c.Name == name }) {
		return false
	}
	for i, l := range s.Tables {
		rest := slices.DeleteFunc(slices.Clone(l.Columns), func(c frame.Column) bool { return c.Name == name })
		if l.Of == "" && len(rest) > 0 && len(rest) < len(l.Columns) {
			s.Tables[i].Columns = rest
			return true
		}
	}
	return false
}

// checkTables lists what does not fit in two linked tables.
func (t *tableFlags) checkTables(ctx context.Context, s *frame.Schema) (*frame.Violations, error) {
	tables, err := t.tables(ctx, s)
	switch {
	case err != nil:
		return nil, err
	case tables == nil:
		return frame.CheckTables(ctx, t.data, s, t.options(s)...)
	}
	return source.CheckTables(ctx, s, tables)
}

// tables are two linked tables in files of columns, each in a file of its own; none where the files are CSV.
func (t *tableFlags) tables(ctx context.Context, s *frame.Schema) (tables []source.Written, err error) {
	if t.fromInput() {
		return nil, wrongFlag("data", t.name(), "files, one for each of the schema's \"tables\"")
	}
	if len(t.data) != len(s.Tables) {
		return nil, wrongFlag("data", t.name(), "two files, in the order of the schema's tables: %s, %s",
			s.Tables[0].Name, s.Tables[1].Name)
	}
	if _, err := t.form(); err != nil {
		return nil, err
	}
	forms := []tableForm{}
	for _, path := range t.data {
		if _, err := os.Stat(path); err != nil {
			return nil, &frame.FileError{File: path, Want: "a file that can be read", Err: err}
		}
		forms = append(forms, formOfFile(path))
	}
	texts := slices.Contains(forms, textForm)
	switch columns := slices.ContainsFunc(forms, func(f tableForm) bool { return f != textForm }); {
	case texts && columns:
		return nil, wrongFlag("data", t.name(), "both tables as CSV, or each as Parquet or Arrow")
	case texts:
		return nil, nil
	}
	for i, l := range s.Tables {
		own, err := s.TableSchema(l.Name)
		if err != nil {
			return nil, err
		}
		var src source.Written
		if forms[i] == parquetForm {
			src, err = parquet.Open(ctx, own, t.data[i:i+1])
		} else {
			src, err = arrow.Open(ctx, own, t.data[i:i+1])
		}
		var misfit *frame.ColumnError
		if errors.As(err, &misfit) {
			misfit.Step = t.data[i] // which of both it is
		}
		if err != nil {
			return nil, err
		}
		tables = append(tables, src)
	}
	return tables, nil
}

// writeArrow writes a table to a new file, or to out; writeParquet does so in Parquet.
func writeArrow(out io.Writer, to string, names []string, rows [][]any) error {
	return writeColumns(out, to, names, rows, arrow.Write)
}

func writeParquet(out io.Writer, to string, names []string, rows [][]any) error {
	return writeColumns(out, to, names, rows, parquet.Write)
}

func writeColumns(out io.Writer, to string, names []string, rows [][]any, write func(io.Writer, []string,
	[][]any) error) error {
	var b bytes.Buffer
	if err := write(&b, names, rows); err != nil {
		return err
	}
	return writeText(out, to, b.Bytes(), 0o644)
}

// addRecords adds to the estimates of a publication's item a column of whole records, which keep the margins of all
// tables, where it has them.
func addRecords(ctx context.Context, p *publication.Publication, name string, e *export.Estimates) error {
	list, err := p.Records(ctx, name)
	if err != nil || list == nil {
		return err
	}
	e.Columns = append(e.Columns, "records")
	for k := range e.Rows {
		e.Rows[k] = append(e.Rows[k], list[k])
	}
	return nil
}

// columnFault is what errors about files of columns say.
func columnFault(err error) (file, want string) {
	switch e := err.(type) {
	case *arrow.FileError:
		return e.File, e.Want
	case *parquet.FileError:
		return e.File, e.Want
	}
	return "", ""
}
