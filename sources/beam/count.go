package beam

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
	"github.com/privbayes/privbayes-go/sources/parquet"
)

func init() {
	register.DoFn3x1[context.Context, string, func([]byte), error](&count{})
	register.Emitter1[[]byte]()
	register.Combiner1[[]byte](&add{})
	register.DoFn1x1[[]byte, error](&write{})
}

// count is the worker's work: it counts parts into one tally. Fields are public and travel with the pipeline.
type count struct {
	Shape  []byte // JSON
	Schema []byte // JSON
	Parts  int    // of the run
}

// beforePart is for tests that need a run to last.
var beforePart = func() {}

// signs counts what workers in this process did: a sign of life.
var signs atomic.Int64

// errStopped is all that an engine ever hears of a worker: it would write an error's text to its logs.
var errStopped = errors.New("privbayes: the worker was stopped")

// ProcessElement counts a batch and emits one result. The only error is that of a context that ended.
func (c *count) ProcessElement(ctx context.Context, batch string, emit func([]byte)) error {
	out, err := c.counted(ctx, batch)
	if ctx.Err() != nil || err != nil {
		return errStopped
	}
	emit(out.bytes())
	signs.Add(1)
	return nil
}

func (c *count) counted(ctx context.Context, batch string) (out result, err error) {
	var parts []part
	if err := json.Unmarshal([]byte(batch), &parts); err != nil {
		return out, err
	}
	sh, s, err := parsed(c.Shape, c.Schema)
	if err != nil {
		return out, err
	}
	total, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return out, err
	}
	out.counted = make([]int64, c.Parts)
	var (
		mu   sync.Mutex
		wait sync.WaitGroup
		next atomic.Int64
	)
	for range min(runtime.GOMAXPROCS(0), len(parts)) {
		wait.Go(func() {
			w := worker{schema: s, shape: sh}
			for i := int(next.Add(1)) - 1; i < len(parts); i = int(next.Add(1)) - 1 {
				t, why := w.part(ctx, parts[i])
				signs.Add(1)
				mu.Lock()
				if why == nil && total.Merge(t) != nil {
					why = &refusal{Want: "counts of the model's tables"}
				}
				if out.counted[parts[i].Place]++; why != nil && (out.refused == nil || why.Place < out.refused.Place) {
					why.Place, why.Shown = parts[i].Place, parts[i].shown()
					out.refused = why
				}
				mu.Unlock()
			}
		})
	}
	wait.Wait()
	out.numbers = total.Numbers(access.Mine())
	return out, nil
}

// parsed is what travelled as JSON.
func parsed(shape, schema []byte) (*model.Shape, *frame.Schema, error) {
	sh := &model.Shape{}
	if err := sh.UnmarshalJSON(shape); err != nil {
		return nil, nil, err
	}
	s, err := frame.ParseSchema(schema)
	return sh, s, err
}

type worker struct {
	schema *frame.Schema
	shape  *model.Shape
}

// part counts one part; what goes wrong is said in public words, a panic too.
func (w worker) part(ctx context.Context, p part) (t *model.Tally, why *refusal) {
	defer func() {
		if recover() != nil {
			t, why = nil, &refusal{Want: "a file that can be read to its end"}
		}
	}()
	if p.Parquet != nil {
		if t, err := model.NewTally(access.Mine(), w.shape); err != nil {
			return nil, public(err)
		} else if r, err := parquet.NewReader(access.Mine(), w.schema, t); err != nil {
			return nil, public(err)
		} else if err := r.Count(ctx, *p.Parquet); err != nil {
			return nil, public(err)
		} else {
			return t, nil
		}
	}
	if !p.same() {
		return nil, public(&model.ChangedError{})
	}
	beforePart()
	t, err := source.TallyFiles(ctx, access.Mine(), w.schema, w.shape, p.CSV)
	if err == nil && !p.same() {
		err = &model.ChangedError{}
	}
	if err != nil {
		return nil, public(err)
	}
	return t, nil
}

// public is what may be said of an error of a worker.
func public(err error) *refusal {
	var outside *frame.OutOfDomainError
	var value *frame.ValueError
	var column *frame.ColumnError
	var file *frame.FileError
	var changed *model.ChangedError
	switch {
	case errors.As(err, &outside):
		return &refusal{Column: outside.Column, Want: outside.Want}
	case errors.As(err, &value):
		return &refusal{Column: value.Column, Want: "values of the column's domain, one record a line"}
	case errors.As(err, &column):
		return &refusal{Want: "a header with the columns of the schema"}
	case errors.As(err, &changed):
		return &refusal{Want: "a file that stays as it was when it was listed, and that the workers see"}
	}
	if errors.As(err, &file) && file.Err == nil {
		return &refusal{Want: file.Want}
	}
	return &refusal{Want: "a file that can be read to its end"}
}

// add adds results up.
type add struct{}

// MergeAccumulators adds two results.
func (*add) MergeAccumulators(a, b []byte) []byte { return sum(a, b) }

// write puts the result in a file, by a temporary name and a rename; it is its owner's to read. Written twice, by a
// worker that was taken for dead, it is the same file.
type write struct{ Path string }

// ProcessElement writes the one result.
func (w *write) ProcessElement(b []byte) error {
	f, err := os.CreateTemp(filepath.Dir(w.Path), filepath.Base(w.Path)+".*.tmp") // 0600
	if err != nil {
		return errStopped
	}
	_, err = f.Write(b)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), w.Path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return errStopped
	}
	return nil
}

// pipeline counts the batches and writes the sum. Where rows of units are capped, workers read rows, the runner brings
// those of a unit together, and workers count units.
func pipeline(c *count, capped bool, elements []string, to string) *beam.Pipeline {
	p, s := beam.NewPipelineWithRoot()
	spread := beam.Reshuffle(s, beam.CreateList(s, elements))
	var results beam.PCollection
	if capped {
		rows, read := beam.ParDo2(s, &readRows{c.Shape, c.Schema, c.Parts}, spread)
		results = beam.Flatten(s, read, beam.ParDo(s, &capUnits{Shape: c.Shape, Schema: c.Schema, Parts: c.Parts},
			beam.GroupByKey(s, rows)))
	} else {
		results = beam.ParDo(s, c, spread)
	}
	beam.ParDo0(s, &write{Path: to}, beam.Combine(s, &add{}, results))
	return p
}
