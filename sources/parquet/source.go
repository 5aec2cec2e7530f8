// Package parquet is the source of tables in Parquet files: one file, a folder, a pattern, or a folder divided by the
// values of columns as Hive and Spark write it. Counts come from the dictionaries' indices: every entry of a dictionary
// is encoded once under the public schema, and rows are counted by index, row groups in parallel. Memory does not grow
// with the number of rows.
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
// categorical one; dates, and timestamps at midnight, as the day; null, and a number that is not one, as missing.
// Columns that are nested, repeated or of type INT96 are refused where the schema has them.
package parquet

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/seal"
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
// Errors: *dp.ParameterError for no path, or a file named twice; *FileError; *frame.SchemaError,
// also for a unit key; *frame.ColumnError.
func Open(ctx context.Context, s *frame.Schema, paths []string, options ...Option) (*Source, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if capped, _ := s.CapsRows(); capped {
		return nil, &frame.SchemaError{Field: "unit_key", Value: s.UnitKey, Want: "none here: row groups are counted " +
			"apart, and rows of a unit are not capped; a database, source.Files or a frame caps them"}
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
	if out.rows == 0 {
		return nil, &FileError{File: paths[0], Want: "at least one row"}
	}
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
	if s.ExtraColumns {
		return nil
	}
	for _, k := range f.meta.columns {
		if _, _, err := s.Column(k.path[0]); err != nil {
			return &frame.ColumnError{Step: "parquet.Open", Column: k.path[0], Have: s.Names(),
				Want: "a column of the schema, or ExtraColumns to ignore others"}
		}
	}
	return nil
}

// column finds a column of the schema: its place among the file's leaves, or −1 and its reader where its value stands
// in the file's path.
func (f *pinned) column(s *frame.Schema, c frame.Column) (place int, reader *column, err error) {
	place = slices.IndexFunc(f.meta.columns, func(k leaf) bool { return k.path[0] == c.Name })
	_, inPath := f.parts[c.Name]
	if place < 0 && !inPath {
		var have []string
		for _, k := range f.meta.columns {
			have = append(have, k.path[0])
		}
		return 0, nil, &frame.ColumnError{Step: "parquet.Open", Column: c.Name, Have: have}
	}
	if c.Kind == frame.KindSequence {
		return place, nil, nil // no model of a source counts it
	}
	coder, err := frame.NewCoder(seal.Mine(), s, c.Name)
	if err != nil {
		return 0, nil, err
	}
	if inPath {
		reader, err = f.constant(c, coder)
		return -1, reader, err
	}
	if k := f.meta.columns[place]; !k.flat {
		return 0, nil, &frame.ColumnError{Step: "parquet.Open", Column: c.Name,
			Want: "one value a row; the file has a nested or repeated column"}
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

// Size is the number of rows in the files' footers.
func (s *Source) Size(context.Context) (source.Size, error) { return source.Size{N: s.rows}, nil }

// Rows says that these are all rows of the files of these paths.
func (s *Source) Rows() frame.Selection { return frame.Chosen(s.name) }

// Statistics counts the rows. Errors: *model.MismatchError, *frame.OutOfDomainError, *FileError, those of the context.
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
func (s *Source) Sealed(seal.Key) {}
