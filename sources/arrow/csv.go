package arrow

import (
	"context"
	"encoding/csv"
	"io"
	"slices"

	apache "github.com/apache/arrow-go/v18/arrow"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// CSV writes the rows as the plain CSV file that means the same under the schema: its columns and its unit key, null as
// the first mark of missing values, or as an empty field where the column has none. It is for steps that need rows,
// such as a prediction. frame.Read takes it. Where the schema has a form of files, frame.WithFormat(frame.Format{}) is
// needed.
//
// Errors: *frame.OutOfDomainError for a value that has no text, *frame.ColumnError for a sequence; *FileError; those
// of w and of the context.
func (s *Source) CSV(ctx context.Context, w io.Writer) error {
	names := s.schema.Names()
	if key := s.schema.UnitKey; key != "" && !slices.Contains(names, key) {
		names = append(names, key)
	}
	var columns []*column
	for _, name := range names {
		if c, _, err := s.schema.Column(name); err == nil && c.Kind == frame.KindSequence {
			return &frame.ColumnError{Step: "CSV", Column: name, Want: "no sequence, which stands in several columns"}
		}
		c, err := newColumn(s.schema, name)
		if err != nil {
			return err
		}
		columns = append(columns, c)
	}
	read := &worker{part: s.part, columns: columns}
	if s.part != nil {
		read.key = &column{name: s.part.Column}
	}
	out := csv.NewWriter(w)
	if err := out.Write(names); err != nil {
		return err
	}
	for _, o := range s.origins {
		err := o.each(ctx, func(b apache.RecordBatch) error {
			return guarded(o.shown, func() error { return read.write(ctx, out, job{shown: o.shown, batch: b}) })
		})
		if err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}

// write writes the rows of a batch as CSV.
func (w *worker) write(ctx context.Context, out *csv.Writer, j job) error {
	if err := open(w.all(), j); err != nil {
		return err
	}
	record := make([]string, len(w.columns))
	rows := int(j.batch.NumRows())
	for at := 0; at < rows; at += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.pick(j, at, min(at+blockRows, rows)); err != nil {
			return err
		}
		for _, i := range w.picked {
			for k, c := range w.columns {
				text, null, ok := c.cell(i)
				if !ok && !null {
					return &frame.OutOfDomainError{Source: j.shown, Column: c.name, Want: "a value that has a text"}
				}
				record[k] = string(text)
			}
			if err := out.Write(record); err != nil {
				return err
			}
		}
	}
	return nil
}
