package parquet

import (
	"context"
	"encoding/csv"
	"io"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// CSV writes the rows as the plain CSV file that means the same under the schema: its unit key and its columns, null as
// the first mark of missing values, or as an empty field where the column has none. It is for steps that need rows,
// such as a prediction. frame.Read takes it. Where the schema has a form of files, frame.WithFormat(frame.Format{}) is
// needed. Row groups are written one after the other, and memory is that of a few pages.
//
// Errors: *frame.OutOfDomainError for a value that has no text, *frame.ColumnError for a sequence; *FileError; those
// of w and of the context.
func (s *Source) CSV(ctx context.Context, w io.Writer) error {
	for _, c := range s.schema.Columns {
		if c.Kind == frame.KindSequence {
			return &frame.ColumnError{Step: "CSV", Column: c.Name, Want: "no sequence, which has several values a row"}
		}
	}
	names, key := s.schema.Names(), s.schema.UnitKey
	keyed := key != "" && !slices.Contains(names, key)
	if keyed {
		names = textNames(s.schema)
	}
	out, record := csv.NewWriter(w), make([]string, len(names))
	if err := out.Write(names); err != nil {
		return err
	}
	reader := &worker{schema: s.schema, names: names, keyed: keyed,
		row: func(_ string, first []byte, rest [][]byte) error {
			record[0] = string(first)
			for i, text := range rest {
				record[i+1] = string(text)
			}
			return out.Write(record)
		}}
	defer reader.close()
	for _, t := range s.tasks() {
		if err := reader.do(ctx, s.files[t.file], t.group); err != nil {
			return err
		}
	}
	out.Flush()
	return out.Error()
}
