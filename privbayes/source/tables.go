//go:build !browser && !verifier

package source

import (
	"context"
	"errors"
	"io"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Written is a source that writes its rows as the plain CSV file that means the same under its schema: its columns and
// its unit key, each once, whatever form of files the schema has.
type Written interface {
	Source
	CSV(ctx context.Context, w io.Writer) error
}

// Tables reads the two linked tables of a schema from sources, in the order of its "tables": Parquet or Arrow files, or
// tables of a database. Each is opened under the schema that s.TableSchema gives. The frame is that which
// frame.LoadTables makes of the CSV files that mean the same, row by row, since the rule of frame.UnitCap reads texts.
// Where a type changes a text, such as 12.50 in a column of floating point, other children may stay than of the file.
// One table is read after the other, none is held as a text, and the frame is in memory. An option that says a format
// does nothing.
//
// Errors: those of frame.ReadTables and of the sources, without values of rows; *frame.SchemaError for a source under
// another schema and for a column with QuotedMissing, and *dp.ParameterError for one of chosen rows, whose number would
// be private.
func Tables(ctx context.Context, s *frame.Schema, tables []Written, opts ...frame.ReadOption) (*frame.Frame, error) {
	in, end, err := textsOf("Tables", ctx, s, tables)
	if err != nil {
		return nil, err
	}
	f, err := frame.ReadTables(ctx, in, s, append(opts[:len(opts):len(opts)], plain)...)
	if err := end(err); err != nil {
		return nil, err
	}
	return f.MadeOf(access.Mine(), tables[0].Rows(), tables[1].Rows()), nil
}

// CheckTables is frame.CheckTables for sources. Lines are those of the texts, the header's first.
func CheckTables(ctx context.Context, s *frame.Schema, tables []Written) (*frame.Violations, error) {
	in, end, err := textsOf("CheckTables", ctx, s, tables)
	if err != nil {
		return nil, err
	}
	v, err := frame.CheckShards(ctx, in, s, plain)
	return v, end(err)
}

// plain reads commas, points and UTF-8, whatever the schema says about files.
var plain = frame.WithFormat(frame.Format{})

// textsOf are two tables as texts. end has to be called with the error of their reader.
func textsOf(step string, ctx context.Context, s *frame.Schema, tables []Written) (in []frame.Shard,
	end func(error) error, err error) {
	if len(tables) != 2 {
		return nil, nil, domain.Refuse(step, "tables", len(tables), "two, in the order of the schema's \"tables\"")
	}
	if err := s.Validate(); err != nil {
		return nil, nil, err
	}
	if len(s.Tables) != 2 {
		return nil, nil, &frame.SchemaError{Field: "tables", Value: "none", Want: "two linked tables"}
	}
	var texts []*text
	for i, t := range tables {
		name := s.Tables[i].Name
		own, err := s.TableSchema(name)
		if err != nil {
			return nil, nil, err
		}
		for _, c := range own.Columns {
			if c.QuotedMissing != "" {
				return nil, nil, &frame.SchemaError{Column: c.Name, Field: "quoted_missing", Value: c.QuotedMissing,
					Want: "none, since no source but CSV files has quotes; frame.LoadTables reads them"}
			}
		}
		switch {
		case t == nil:
			return nil, nil, domain.Refuse(step, name, "nil", "a source")
		case !t.Schema().Equal(own):
			return nil, nil, &frame.SchemaError{Field: "tables", Value: name, Want: "a source that is opened under the " +
				"schema that TableSchema gives of this table"}
		case len(t.Rows().Steps()) > 0:
			return nil, nil, domain.Refuse(step, name, "rows that are chosen", "all rows of the table, by whose keys units "+
				"are counted")
		}
		texts = append(texts, &text{write: func(w io.Writer) error { return t.CSV(ctx, w) }})
		in = append(in, frame.Shard{Name: name, Reader: texts[i]})
	}
	return in, func(err error) error {
		for _, t := range texts {
			if own := t.end(); own != nil {
				return own
			}
		}
		var v *frame.ValueError
		if errors.As(err, &v) && step == "Tables" {
			return &frame.OutOfDomainError{Source: v.File, Column: v.Column, Want: v.Want}
		}
		return err
	}, nil
}

// text is what a source writes, from the first read on.
type text struct {
	write func(io.Writer) error
	in    *io.PipeReader
	done  chan struct{}
	err   error // of the source
}

func (t *text) Read(p []byte) (int, error) {
	if t.in == nil {
		in, out := io.Pipe()
		t.in, t.done = in, make(chan struct{})
		go func() {
			defer close(t.done)
			t.err = t.write(out)
			_ = out.CloseWithError(t.err)
		}()
	}
	return t.in.Read(p)
}

// end waits for the writer, whose error it returns, unless only its reader had enough.
func (t *text) end() error {
	if t.in == nil {
		return nil
	}
	_ = t.in.Close()
	if <-t.done; errors.Is(t.err, io.ErrClosedPipe) {
		return nil
	}
	return t.err
}
