package parquet

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// task is one row group of one file.
type task struct{ file, group int }

// tasks are all row groups.
func (s *Source) tasks() (out []task) {
	for i, f := range s.files {
		for g := range f.meta.groups {
			out = append(out, task{i, g})
		}
	}
	return out
}

// parallel is how many row groups are read at a time.
func (s *Source) parallel() int {
	workers := s.workers
	if workers < 1 {
		workers = runtime.GOMAXPROCS(0)
	}
	return min(workers, max(len(s.tasks()), 1))
}

// scan counts all row groups, several at a time.
func (s *Source) scan(ctx context.Context, sh *model.Shape) (*model.Tally, error) {
	workers := make([]*worker, s.parallel())
	for i := range workers {
		t, err := model.NewTally(access.Mine(), sh)
		if err != nil {
			return nil, err
		}
		workers[i] = newWorker(s.schema, t)
	}
	if err := s.each(ctx, workers); err != nil {
		return nil, err
	}
	tally := workers[0].tally
	for _, w := range workers[1:] {
		if err := tally.Merge(w.tally); err != nil {
			return nil, err
		}
	}
	return tally, nil
}

// each has every row group done by one of the workers, and closes them.
func (s *Source) each(ctx context.Context, workers []*worker) error {
	tasks := s.tasks()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var next atomic.Int64
	var wait sync.WaitGroup
	errs := make([]error, len(tasks)+1)
	for _, w := range workers {
		wait.Go(func() {
			defer w.close()
			for {
				k := int(next.Add(1)) - 1
				if k >= len(tasks) {
					return
				}
				if errs[k] = w.do(ctx, s.files[tasks[k].file], tasks[k].group); errs[k] != nil {
					cancel()
					return
				}
			}
		})
	}
	wait.Wait()
	var ended error
	for _, err := range errs {
		switch {
		case err == nil:
		case !errors.Is(err, context.Canceled): // of the first file that has one
			return err
		default:
			ended = err
		}
	}
	return ended
}

// worker counts row groups one after the other.
type worker struct {
	schema  *frame.Schema
	tally   *model.Tally
	file    *pinned // the one whose columns are open
	handle  *os.File
	columns []*column
	places  []int

	names []string // where rows are read as texts: the columns that are wanted
	keyed bool     // the first is the key of units, which may be missing
	row   func(shown string, key []byte, texts [][]byte) error
}

func newWorker(s *frame.Schema, t *model.Tally) *worker { return &worker{schema: s, tally: t} }

func (w *worker) close() {
	if w.handle != nil {
		w.handle.Close()
		w.handle = nil
	}
}

// do counts one row group, and finds the file as it was pinned before and after.
func (w *worker) do(ctx context.Context, f *pinned, group int) error {
	if f != w.file {
		if err := w.open(f); err != nil {
			return err
		}
	}
	if err := f.unchanged(w.handle); err != nil {
		return err
	}
	count := w.count
	if w.row != nil {
		count = w.rows
	}
	if err := count(ctx, f, f.meta.groups[group]); err != nil {
		return err
	}
	return f.unchanged(w.handle)
}

func (f *pinned) unchanged(handle *os.File) error {
	if info, err := handle.Stat(); err != nil || !f.same(info) {
		return f.changed()
	}
	return nil
}

func (w *worker) open(f *pinned) (err error) {
	w.close()
	w.file, w.columns, w.places = nil, w.columns[:0], w.places[:0]
	if w.handle, err = os.Open(f.path); err != nil {
		w.handle = nil
		return f.changed()
	}
	if w.row != nil {
		return w.openTexts(f)
	}
	for _, c := range w.tally.Columns() {
		place, reader, err := f.column(w.schema, c)
		if err != nil {
			return err
		}
		w.columns, w.places = append(w.columns, reader), append(w.places, place)
	}
	w.file = f
	return nil
}

// count adds the rows of a group.
func (w *worker) count(ctx context.Context, f *pinned, g group) (err error) {
	cols := w.tally.Columns()
	codes, values := make([]frame.Codes, len(cols)), make([][]float64, len(cols))
	for i, c := range w.columns {
		codes[i].Levels = cols[i].Levels()
		if w.places[i] < 0 {
			c.fill(w.tally.Values(i), codes[i].Levels)
		} else {
			c.reset(w.handle, g.chunks[w.places[i]])
		}
	}
	for left := g.rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, blockRows))
		for i, c := range w.columns {
			if err := c.block(n, w.places[i] < 0, w.tally.Values(i), &codes[i], &values[i]); err != nil {
				return w.public(f, c, err)
			}
		}
		if err := w.tally.Block(n, codes, values); err != nil {
			return err
		}
		left -= int64(n)
	}
	return w.ends(f)
}

// ends checks that no column has values left.
func (w *worker) ends(f *pinned) error {
	for i, c := range w.columns {
		if w.places[i] >= 0 && c.left != 0 {
			return f.public(damaged("a column chunk, which has too many values"))
		}
	}
	return nil
}

// block decodes the next n rows into the column's own memory.
func (c *column) block(n int, constant, values bool, codes *frame.Codes, at *[]float64) error {
	switch {
	case values:
		c.some = grown(c.some, n)
		*at = c.some
		if constant {
			return nil
		}
		return read[uint8](c, nil, c.some)
	case codes.Levels <= 256:
		c.codes8 = grown(c.codes8, n)
		codes.U8 = c.codes8
		if constant {
			return nil
		}
		return read(c, c.codes8, nil)
	}
	c.codes = grown(c.codes, n)
	codes.U16 = c.codes
	if constant {
		return nil
	}
	return read(c, c.codes, nil)
}

// fill writes the value of a file's path once.
func (c *column) fill(values bool, levels int) {
	switch {
	case values:
		c.some = grown(c.some, blockRows)
		for i := range c.some {
			c.some[i] = c.nullAt
		}
	case levels <= 256:
		c.codes8 = grown(c.codes8, blockRows)
		for i := range c.codes8 {
			c.codes8[i] = uint8(c.null)
		}
	default:
		c.codes = grown(c.codes, blockRows)
		for i := range c.codes {
			c.codes[i] = uint16(c.null)
		}
	}
}

// public names the file, and for a value that does not fit the column and its domain.
func (w *worker) public(f *pinned, c *column, err error) error {
	var refusal *errRefused
	if errors.As(err, &refusal) {
		return c.convert.coder.Refusal(f.shown)
	}
	return f.public(err)
}

// public is an error of the decoding with the file's public name.
func (f *pinned) public(err error) error {
	var d *damage
	var l *lack
	switch {
	case errors.As(err, &d):
		return &FileError{File: f.shown, What: d.Error(), Want: "a whole Parquet file"}
	case errors.As(err, &l):
		return &FileError{File: f.shown, What: l.what, Want: l.want}
	}
	return err
}
