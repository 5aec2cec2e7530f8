//go:build !browser

package main

import (
	"bytes"
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/export"
	"github.com/privbayes/privbayes-go/sources/arrow"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

// Two linked tables, as read and as checked.
var loadTables, checkTables = frame.LoadTables, frame.CheckTables

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

// arrowText is the table of Arrow's columns as CSV.
func (t *tableFlags) arrowText(ctx context.Context, s *frame.Schema) (io.Reader, error) {
	src, err := t.arrow(ctx, s)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	return &b, src.CSV(ctx, &b)
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
