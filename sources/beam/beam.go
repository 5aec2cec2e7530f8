package beam

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Source is a table in files that workers of a Beam runner count.
type Source struct {
	schema *frame.Schema
	runner Runner
	parts  []part
	footed func(context.Context) (int, error) // of Parquet files: rows by their footers

	mu   sync.Mutex
	size *source.Size
}

// Open lists and pins the files: CSV and CSV.gz by name, or Parquet files and folders of them; patterns such as
// "visits/*.csv" name files, too. It runs no pipeline. Under a schema whose unit key caps the rows of a unit, the
// runner brings the rows of every unit together; for CSV only: Parquet files are refused then. Errors:
// *frame.SchemaError,
// *frame.FileError, an argument error for a file named twice, those of parquet.Open.
func Open(ctx context.Context, s *frame.Schema, r Runner, files ...string) (*Source, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	s = s.Clone()
	if capped, _ := s.CapsRows(); capped {
		if _, err := source.UnitPass(access.Mine(), s, "", nil); err != nil {
			return nil, err
		}
	}
	parts, footed, err := partsOf(ctx, s, files)
	if err != nil {
		return nil, err
	}
	return &Source{schema: s, runner: r, parts: parts, footed: footed}, nil
}

// Schema is the public schema that the rows are read under.
func (s *Source) Schema() *frame.Schema { return s.schema.Clone() }

// Rows names the files.
func (s *Source) Rows() frame.Selection {
	var paths []string
	for _, p := range s.parts {
		if p.CSV != "" {
			paths = append(paths, p.CSV)
		} else if at := p.Parquet.Path; len(paths) == 0 || paths[len(paths)-1] != at {
			paths = append(paths, at)
		}
	}
	return frame.OfFiles(paths)
}

// Sealed keeps the type inside this library.
func (*Source) Sealed(access.Key) {}

// Parts is the number of parts that workers count: files, or row groups.
func (s *Source) Parts() int { return len(s.parts) }

// Size is the number of rows: by the footers of Parquet files, or a run that counts the rows of CSV files. Where rows
// of units are capped it is public only where every unit then has equally many: a run counts them. Errors are those of
// Statistics.
func (s *Source) Size(ctx context.Context) (source.Size, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.size != nil {
		return *s.size, nil
	}
	if s.footed != nil {
		n, err := s.footed(ctx)
		if err != nil {
			return source.Size{}, err
		}
		s.size = &source.Size{N: n}
		return *s.size, nil
	}
	capped, public := s.schema.CapsRows()
	if capped && !public {
		return source.SizeOf(s.schema, 0, 0), nil
	}
	if sh := s.counting(); sh != nil {
		numbers, err := s.count(ctx, sh)
		if err != nil {
			return source.Size{}, err
		}
		size := source.Size{N: int(numbers[0])} // what a tally's numbers begin with
		if capped {
			size = source.SizeOf(s.schema, 0, size.N/max(s.schema.RowsPerUnit, 1))
		}
		s.size = &size
		return *s.size, nil
	}
	return source.Size{}, &frame.SchemaError{Field: "columns", Value: "none with levels",
		Want: "a column to count rows by"}
}

// counting is the shape of a model that counts rows: of any column that has one, where rows have weights or lie in
// strata that no unit leaves a table or a mean; nil where there is none.
func (s *Source) counting() *model.Shape {
	for _, c := range s.schema.Columns {
		for _, m := range []model.Model{model.Categorical(c.Name), model.ContingencyTable(c.Name), model.Mean(c.Name)} {
			if sh, err := model.NewShape(s.schema, m, 0, false, "Size"); err == nil {
				return sh
			}
		}
	}
	return nil
}

// Statistics runs the pipeline. Errors: *model.MismatchError, *source.Failure of a runner, *frame.OutOfDomainError for
// a value that does not fit its column, *frame.FileError for a part that cannot be read, *model.ChangedError where
// parts were lost or counted twice, the context's.
func (s *Source) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if err := source.Fits(s, sh); err != nil {
		return nil, err
	}
	numbers, err := s.count(ctx, sh)
	if err != nil {
		return nil, err
	}
	t, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	if err := t.AddNumbers(access.Mine(), numbers); err != nil {
		return nil, &model.ChangedError{}
	}
	return t.Statistics(s.Rows())
}

// count runs the pipeline and gives the numbers of the sum of all tallies.
func (s *Source) count(ctx context.Context, sh *model.Shape) (numbers []int64, err error) {
	if len(s.parts) == 0 { // Parquet files without rows
		t, err := model.NewTally(access.Mine(), sh)
		if err != nil {
			return nil, err
		}
		return t.Numbers(access.Mine()), nil
	}
	shape, err := sh.MarshalJSON()
	if err != nil {
		return nil, err
	}
	elements, err := batches(s.parts)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp(s.runner.folder, "privbayes-beam-")
	if err != nil {
		return nil, &source.Failure{Source: s.runner.shown, Doing: "making a folder for the result",
			Want: "a folder that can " +
				"be written"}
	}
	defer func() { _ = os.RemoveAll(folder) }()
	to := filepath.Join(folder, "tally")
	capped, _ := s.schema.CapsRows()
	work := &count{Shape: shape, Schema: s.schema.JSON(), Parts: len(s.parts)}
	if err := s.runner.run(ctx, pipeline(work, capped, elements, to)); err != nil {
		return nil, err
	}
	b, err := os.ReadFile(to)
	if err != nil {
		return nil, &source.Failure{Source: s.runner.shown, Doing: "reading the result", Want: "a folder that driver and " +
			"workers share: WithFolder"}
	}
	return checked(b, len(s.parts), capped)
}

// checked are the numbers of a result in which every part was counted once and, where rows travelled, as many were
// capped as were read.
func checked(b []byte, parts int, capped bool) ([]int64, error) {
	r, ok := parse(b)
	if !ok {
		return nil, &model.ChangedError{}
	}
	if f := r.refused; f != nil {
		if f.Column != "" {
			return nil, &frame.OutOfDomainError{Source: f.Shown, Column: f.Column, Want: f.Want}
		}
		return nil, &frame.FileError{File: f.Shown, Want: f.Want}
	}
	want := slices.Repeat([]int64{1}, parts)
	if capped {
		want = append(want, 0)
	}
	if !slices.Equal(r.counted, want) {
		return nil, &model.ChangedError{}
	}
	return r.numbers, nil
}
