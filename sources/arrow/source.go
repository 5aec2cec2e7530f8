// Package arrow is the source of tables in Apache Arrow's columns: files and streams in its IPC
// format, of which Feather
// version 2 is one, and record batches in memory. Counts come from the dictionaries' indices where a column has one:
// every entry of a dictionary is encoded once by each goroutine, and rows are counted by index.
// Memory is that of a few
// record batches of the file.
//
//	table, err := arrow.Open(ctx, schema, []string{"visits/*.arrow"})
//	…
//	release, err := privbayes.From(ctx, table).WithBudget(b).Model(privbayes.NaiveBayes("ill")).Privatize()
//
// The files are pinned by size and time of change when the source is made: statistics of files that changed since are
// refused. Files are not trusted: damaged or hostile ones give a typed error whose text is public.
//
// What a value means follows the CSV file that would hold it: texts, truth values (true, True, TRUE or 1) and decimals
// are encoded as their text; whole and real numbers by value in a numeric column and by their decimal text in a
// categorical one; dates as the day, and in a column of dates timestamps without a zone, at midnight or where the
// column's layout has a time of day; null, and a number that is not one, as missing. Binary, nested, union, run-end
// encoded and null columns, times and timestamps elsewhere are refused where the schema has them.
package arrow

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	apache "github.com/apache/arrow-go/v18/arrow"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Source is a table in Arrow's columns.
type Source struct {
	schema  *frame.Schema
	origins []*origin
	name    string
	part    *source.Part

	mu   sync.Mutex
	size *source.Size
}

var _ source.Divisible = (*Source)(nil)

// origin is where record batches come from: a file, or memory.
type origin struct {
	shown  string             // its public name
	file   *pinned            // or
	bytes  []byte             // of a file or stream, or
	batch  apache.RecordBatch // in memory
	schema *apache.Schema
}

// each gives the record batches of an origin one after the other.
func (o *origin) each(ctx context.Context, do func(apache.RecordBatch) error) error {
	if o.batch != nil {
		return do(o.batch)
	}
	return o.read(ctx, func(s *apache.Schema) error { return nil }, do)
}

// Open finds files in Arrow's IPC format, of the file or the stream kind, and reads their schemas.
// A path is a file or a
// pattern (*, ?, [a-z]). Every column of the schema must be in every file, others only with ExtraColumns.
//
// Errors: *dp.ParameterError for no path, or a file named twice, by another path or a link; *FileError;
// *frame.SchemaError; *frame.ColumnError; those of the context.
func Open(ctx context.Context, s *frame.Schema, paths []string) (*Source, error) {
	out, err := begin("arrow.Open", s)
	if err != nil {
		return nil, err
	}
	if out.origins, err = find(paths); err != nil {
		return nil, err
	}
	if err := out.describe(ctx, "arrow.Open"); err != nil {
		return nil, err
	}
	var names []string
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		names = append(names, path)
	}
	out.name = strings.Join(names, "\x00")
	return out, nil
}

// Bytes is a table that was read into memory from elsewhere, such as a pipe: the bytes of one file or of one stream in
// Arrow's IPC format, which must stay as they are. Errors name it by name.
//
// Errors: *FileError, also for a stream without its end mark; *frame.SchemaError; *frame.ColumnError; those of the
// context.
func Bytes(ctx context.Context, s *frame.Schema, name string, b []byte) (*Source, error) {
	out, err := begin("arrow.Bytes", s)
	if err != nil {
		return nil, err
	}
	out.origins = []*origin{{shown: name, bytes: b}}
	out.name = fmt.Sprintf("%s, table %d", name, made.Add(1))
	return out, out.describe(ctx, "arrow.Bytes")
}

// describe reads the schemas of the files, which must have the columns.
func (s *Source) describe(ctx context.Context, step string) error {
	for _, o := range s.origins {
		if err := o.read(ctx, func(have *apache.Schema) error {
			o.schema = have
			return errSchemaOnly
		}, nil); err != errSchemaOnly {
			return err
		}
		if err := s.fits(step, o); err != nil {
			return err
		}
	}
	return nil
}

// made counts the tables in memory, each of which is a table of its own.
var made atomic.Int64

// Records is a table of record batches in memory. They are retained, and must stay as they are.
//
// Errors: *dp.ParameterError for no batch, or one given twice; *FileError; *frame.SchemaError; *frame.ColumnError.
func Records(s *frame.Schema, batches []apache.RecordBatch) (*Source, error) {
	out, err := begin("arrow.Records", s)
	if err != nil {
		return nil, err
	}
	if len(batches) == 0 {
		return nil, domain.Refuse("arrow.Records", "batches", "none", "at least one record batch")
	}
	for i, b := range batches {
		o := &origin{shown: fmt.Sprintf("record batch %d of %d", i+1, len(batches)), batch: b}
		twice := false
		if err := guarded(o.shown, func() error {
			twice = slices.ContainsFunc(out.origins, func(o *origin) bool { return o.batch == b })
			o.schema = b.Schema()
			return nil
		}); err != nil {
			return nil, err
		}
		if twice {
			return nil, domain.Refuse("arrow.Records", "batches", o.shown+" twice",
				"each batch once, so that no row counts twice")
		}
		if err := out.fits("arrow.Records", o); err != nil {
			return nil, err
		}
		out.origins = append(out.origins, o)
	}
	for _, b := range batches {
		b.Retain()
	}
	out.name = fmt.Sprintf("record batches, table %d", made.Add(1))
	return out, nil
}

// begin checks a schema.
func begin(step string, s *frame.Schema) (*Source, error) {
	if s == nil {
		return nil, domain.Refuse(step, "schema", "none", "a public schema of the table")
	}
	if err := s.Validate(); err != nil {
		return nil, err
	}
	for _, c := range s.Columns {
		if c.Kind == frame.KindSequence && s.UnitKey != "" {
			return nil, &frame.ColumnError{Step: step, Column: c.Name,
				Want: "no sequence where the rows of a unit are capped"}
		}
	}
	return &Source{schema: s.Clone()}, nil
}

// fits checks that an origin has the columns of the schema, each once and of a type that is read.
func (s *Source) fits(step string, o *origin) error {
	return guarded(o.shown, func() error {
		for i := range s.schema.Columns {
			if c := &s.schema.Columns[i]; c.Kind != frame.KindSequence {
				if err := o.has(step, c.Name, c); err != nil {
					return err
				}
			}
		}
		if key := s.schema.UnitKey; key != "" {
			if err := o.has(step, key, nil); err != nil {
				return err
			}
		}
		if s.schema.ExtraColumns {
			return nil
		}
		for _, f := range o.schema.Fields() {
			if _, _, err := s.schema.Column(f.Name); err != nil && f.Name != s.schema.UnitKey {
				return &frame.ColumnError{Step: step, Column: f.Name, Have: s.schema.Names(),
					Want: "a column of the schema, or ExtraColumns to ignore others"}
			}
		}
		return nil
	})
}

// has checks one column, a key if col is nil.
func (o *origin) has(step, name string, col *frame.Column) error {
	switch at := o.schema.FieldIndices(name); {
	case len(at) == 0:
		var have []string
		for _, f := range o.schema.Fields() {
			have = append(have, f.Name)
		}
		return &frame.ColumnError{Step: step, Column: name, Have: have}
	case len(at) > 1:
		return &frame.ColumnError{Step: step, Column: name, Want: "one column of that name; there are several"}
	default:
		if dt := o.schema.Field(at[0]).Type; !readable(dt, col) {
			return &frame.ColumnError{Step: step, Column: name, Want: "text, numbers, decimals, truth values, dates or, " +
				"for a column of dates, timestamps without a zone; the table has type " + described(dt)}
		}
	}
	return nil
}

// described names a type for a refusal.
func described(dt apache.DataType) string {
	if t, ok := dt.(*apache.TimestampType); ok && t.TimeZone != "" {
		return "timestamp with a zone, moments whose day depends on it: write dates, or timestamps without one"
	}
	return dt.Name()
}

// Schema is the public schema that the rows are read under.
func (s *Source) Schema() *frame.Schema { return s.schema.Clone() }

// Rows says that these are all rows of the files or batches, or those of a part.
func (s *Source) Rows() frame.Selection {
	if s.part != nil {
		return frame.Chosen(s.name, s.part.Step())
	}
	return frame.Chosen(s.name)
}

// Part is the source of the rows of a part. Errors: *frame.ColumnError for a key that is not there or has no text;
// *dp.ParameterError for rows that are divided already.
func (s *Source) Part(p source.Part) (source.Source, error) {
	if s.part != nil {
		return nil, domain.Refuse("SplitByKey", "rows", s.part.Step().String(), "rows that are not divided yet")
	}
	for _, o := range s.origins {
		if err := guarded(o.shown, func() error { return o.has("SplitByKey", p.Column, nil) }); err != nil {
			return nil, err
		}
	}
	return &Source{schema: s.schema, origins: s.origins, name: s.name, part: &p}, nil
}

// Size counts the rows, or the units where each has as many rows. It reads the files, once.
// Errors: those of Statistics,
// and *FileError where there are no rows.
func (s *Source) Size(ctx context.Context) (source.Size, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	capped, public := s.schema.CapsRows()
	switch {
	case s.part != nil:
		return source.Size{PrivateBy: "SplitByKey"}, nil
	case capped && !public:
		return source.SizeOf(s.schema, 0, 0), nil
	case s.size != nil:
		return *s.size, nil
	}
	rows, units, err := s.count(ctx, capped)
	if err != nil {
		return source.Size{}, err
	}
	size := source.SizeOf(s.schema, rows, units)
	s.size = &size
	return size, nil
}

// Statistics counts the rows. Errors: *model.MismatchError, *frame.OutOfDomainError, *FileError, *model.ChangedError,
// those of the context.
func (s *Source) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if err := source.Fits(s, sh); err != nil {
		return nil, err
	}
	t, err := s.scan(ctx, sh)
	if err != nil {
		return nil, err
	}
	return t.Statistics(s.Rows())
}

// Sealed keeps the type inside this library.
func (s *Source) Sealed(access.Key) {}
