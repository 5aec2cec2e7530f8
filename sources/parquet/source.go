// Package parquet is the source of tables in Parquet files: one file, a folder, a pattern, or a folder divided by the
// values of columns as Hive and Spark write it. Counts come from the dictionaries' indices: every entry of a dictionary
// is encoded once under the public schema, and rows are counted by index, row groups in parallel. Memory does not grow
// with the number of rows; where a schema has a unit key, it grows with the units and their different rows.
//
//	table, err := parquet.Open(ctx, schema, "visits/*.parquet")
//	…
//	release, err := privbayes.From(ctx, table).WithBudget(b).Model(privbayes.NaiveBayes("ill")).Privatize()
//
// The files are pinned by size and time of change when the source is made: statistics of files that changed since are
// refused. Files are not trusted: damaged or hostile ones give a typed error whose text is public.
//
// What a value means follows the CSV file that would hold it: texts, truth values (true, True, TRUE or 1) and decimals
// are encoded as their text; whole and real numbers by value in a numeric column and by their decimal text in a
// categorical one; dates as the day, and in a column of dates timestamps without a zone, at midnight or where the
// column's layout has a time of day; null, and a number that is not one, as missing.
// Columns that are nested, repeated or of type INT96 are refused where the schema has them.
package parquet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Source is a table in Parquet files.
type Source struct {
	schema  *frame.Schema
	files   []*pinned
	name    string
	rows    int
	workers int

	mu   sync.Mutex
	size *source.Size // once its units are counted
}

var _ source.Source = (*Source)(nil)

// Option changes how files are read.
type Option func(*Source)

// Workers sets how many row groups are read at a time; without it there is one for each processor.
func Workers(n int) Option { return func(s *Source) { s.workers = n } }

// Open finds the files and reads their footers. A path is a file, a folder (all files *.parquet below it) or a pattern
// (*, ?, [a-z]); the value of a column may stand in a folder's name, as in year=2024. Every column of the schema must
// be in every file, others only with ExtraColumns.
//
// Under a schema with a unit key the rows of a unit are capped by frame.UnitCap's rule, whichever files and row groups
// they stand in. The key's column must be in every file, or in its path.
//
// Errors: *dp.ParameterError for no path, or a file named twice; *FileError; *frame.SchemaError; *frame.ColumnError,
// also for a sequence beside a unit key.
func Open(ctx context.Context, s *frame.Schema, paths []string, options ...Option) (*Source, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	for _, c := range s.Columns {
		if capped, _ := s.CapsRows(); capped && c.Kind == frame.KindSequence {
			return nil, &frame.ColumnError{Step: "parquet.Open", Column: c.Name,
				Want: "no sequence where the rows of a unit are capped"}
		}
	}
	s = s.Clone()
	out := &Source{schema: s}
	for _, o := range options {
		o(out)
	}
	var err error
	if out.files, err = find(paths); err != nil {
		return nil, err
	}
	var names []string
	for _, f := range out.files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := f.open(s); err != nil {
			return nil, err
		}
		out.rows += int(f.meta.rows)
	}
	for _, path := range paths {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		names = append(names, path)
	}
	out.name = strings.Join(names, "\x00")
	return out, nil
}

// open reads the footer of a file and checks its columns under a schema.
func (f *pinned) open(s *frame.Schema) error {
	file, err := os.Open(f.path)
	if err != nil {
		return &FileError{File: f.shown, Want: "a readable file"}
	}
	defer file.Close()
	if f.meta, err = readFooter(file, f.size); err != nil {
		return f.public(err)
	}
	for _, c := range s.Columns {
		if _, _, err := f.column(s, c); err != nil {
			return err
		}
	}
	if capped, _ := s.CapsRows(); capped {
		for i, name := range textNames(s) {
			if _, _, err := f.textColumn(s, name, i == 0); err != nil {
				return err
			}
		}
	}
	if s.ExtraColumns {
		return nil
	}
	for _, k := range f.meta.columns {
		if _, _, err := s.Column(k.path[0]); err != nil && k.path[0] != s.UnitKey {
			return &frame.ColumnError{Step: "parquet.Open", Column: k.path[0], Have: s.Names(),
				Want: "a column of the schema, or ExtraColumns to ignore others"}
		}
	}
	return nil
}

// place finds a column: its place among the file's leaves, which is negative if it has none, and whether its value
// stands in the file's path.
func (f *pinned) place(name string) (place int, inPath bool, err error) {
	place = slices.IndexFunc(f.meta.columns, func(k leaf) bool { return k.path[0] == name })
	if place >= 0 && f.twice(place) {
		return 0, false, &frame.ColumnError{Step: "parquet.Open", Column: name, Want: "it once; the file has it twice"}
	}
	_, inPath = f.parts[name]
	switch {
	case place >= 0 && inPath:
		return 0, false, &frame.ColumnError{Step: "parquet.Open", Column: name,
			Want: "it once; the file has it, and so has the name of a folder"}
	case place >= 0 || inPath:
		return place, inPath, nil
	}
	var have []string
	for _, k := range f.meta.columns {
		have = append(have, k.path[0])
	}
	return 0, false, &frame.ColumnError{Step: "parquet.Open", Column: name, Have: have}
}

// twice reports whether another column has the name of one: the leaves of a nested column share it.
func (f *pinned) twice(place int) bool {
	name, alone := f.meta.columns[place].path[0], len(f.meta.columns[place].path) == 1
	return slices.ContainsFunc(f.meta.columns[place+1:], func(k leaf) bool {
		return k.path[0] == name && (alone || len(k.path) == 1)
	})
}

// flat refuses a column of several values a row.
func (f *pinned) flat(place int, name string) error {
	if f.meta.columns[place].flat {
		return nil
	}
	return &frame.ColumnError{Step: "parquet.Open", Column: name,
		Want: "one value a row; the file has a nested or repeated column"}
}

// column finds a column of the schema: its place among the file's leaves, or −1 and its reader where its value stands
// in the file's path.
func (f *pinned) column(s *frame.Schema, c frame.Column) (place int, reader *column, err error) {
	place, inPath, err := f.place(c.Name)
	if err != nil {
		return 0, nil, err
	}
	if c.Kind == frame.KindSequence {
		return place, nil, nil // no model of a source counts it
	}
	coder, err := frame.NewCoder(access.Mine(), s, c.Name)
	if err != nil {
		return 0, nil, err
	}
	if inPath {
		reader, err = f.constant(c, coder)
		return -1, reader, err
	}
	if err := f.flat(place, c.Name); err != nil {
		return 0, nil, err
	}
	reader, err = newColumn(c, coder, f.meta.columns[place])
	return place, reader, err
}

// constant is the reader of a column that has one value in all rows of the file.
func (f *pinned) constant(c frame.Column, coder *frame.Coder) (*column, error) {
	text := f.parts[c.Name]
	code, value, ok := coder.Text([]byte(text))
	if text == nullFolder {
		code, value, ok = coder.Null()
	}
	if !ok {
		return nil, coder.Refusal(f.shown)
	}
	return &column{name: c.Name, null: entry(code), nullAt: value}, nil
}

// Schema is the public schema that the rows are read under.
func (s *Source) Schema() *frame.Schema { return s.schema.Clone() }

// Size is the number of rows in the files' footers. Under a unit key it is private, unless units have equally many
// rows: then the files' units are counted, once. Errors: those of Statistics.
func (s *Source) Size(ctx context.Context) (source.Size, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if capped, public := s.schema.CapsRows(); !capped || !public {
		return source.SizeOf(s.schema, s.rows, 0), nil
	}
	if s.size == nil {
		units, err := s.countUnits(ctx)
		if err != nil {
			return source.Size{}, err
		}
		size := source.SizeOf(s.schema, s.rows, units)
		s.size = &size
	}
	return *s.size, nil
}

// Rows says that these are all rows of the files of these paths.
func (s *Source) Rows() frame.Selection { return frame.Chosen(s.name) }

// Statistics counts the rows, at most rows per unit of every unit under a unit key. Errors: *model.MismatchError,
// *frame.OutOfDomainError, also for a row without a key, *frame.SchemaError for a column without the pad that units are
// filled up with, *FileError, those of the context.
func (s *Source) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if err := source.Fits(s, sh); err != nil {
		return nil, err
	}
	scan := s.scan
	if capped, _ := s.schema.CapsRows(); capped {
		scan = s.scanUnits
	}
	t, err := scan(ctx, sh)
	if err != nil {
		return nil, err
	}
	return t.Statistics(s.Rows())
}

// Sealed keeps the type inside this library.
func (s *Source) Sealed(access.Key) {}
