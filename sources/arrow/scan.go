package arrow

import (
	"context"
	"errors"
	"runtime"
	"sync"

	apache "github.com/apache/arrow-go/v18/arrow"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// blockRows is how many rows are encoded and counted at a time: the codes of a block stay in the processor's cache.
const blockRows = 1 << 13

// errSchemaOnly ends a reading after the schema.
var errSchemaOnly = errors.New("the schema only")

// job is one record batch to be counted.
type job struct {
	place int // of the batch in the table
	shown string
	batch apache.RecordBatch
}

// scan reads the batches one after the other and counts several at a time.
func (s *Source) scan(ctx context.Context, sh *model.Shape) (*model.Tally, error) {
	workers := make([]*worker, runtime.GOMAXPROCS(0))
	for i := range workers {
		w, err := s.newWorker(sh)
		if err != nil {
			return nil, err
		}
		workers[i] = w
	}
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	jobs := make(chan job)
	var wait sync.WaitGroup
	for _, w := range workers {
		wait.Go(func() {
			for j := range jobs {
				if w.err == nil {
					if w.err = guarded(j.shown, func() error { return w.count(inner, j) }); w.err != nil {
						w.place = j.place
						cancel()
					}
				}
				j.batch.Release()
			}
		})
	}
	place, err := 0, error(nil)
	for _, o := range s.origins {
		if err = o.each(inner, func(b apache.RecordBatch) error {
			b.Retain()
			select {
			case jobs <- job{place, o.shown, b}:
				place++
				return nil
			case <-inner.Done():
				b.Release()
				return inner.Err()
			}
		}); err != nil {
			break
		}
	}
	close(jobs)
	wait.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	first := -1 // the error of the first batch that has one
	for _, w := range workers {
		if w.err != nil && !errors.Is(w.err, context.Canceled) && (first < 0 || w.place < first) {
			first, err = w.place, w.err
		}
	}
	if err != nil {
		return nil, err
	}
	for _, w := range workers[1:] {
		if err := workers[0].tally.Merge(w.tally); err != nil {
			return nil, err
		}
		if w.units != nil {
			workers[0].units.Merge(w.units)
		}
	}
	if units := workers[0].units; units != nil {
		return workers[0].tally, units.AddTo(workers[0].tally)
	}
	return workers[0].tally, nil
}

// worker counts record batches one after the other.
type worker struct {
	tally   *model.Tally
	units   *source.Units // where rows of a unit are capped
	unit    *column       // the key of units
	columns []*column     // the shape's, or all of the schema where rows are capped
	part    *source.Part
	key     *column // of the part
	picked  []int   // rows of the block
	texts   [][]byte
	place   int // of the batch with the error
	err     error
}

func (s *Source) newWorker(sh *model.Shape) (w *worker, err error) {
	w = &worker{part: s.part}
	if w.tally, err = model.NewTally(access.Mine(), sh); err != nil {
		return nil, err
	}
	var names []string
	for _, c := range w.tally.Columns() {
		names = append(names, c.Name)
	}
	if capped, _ := s.schema.CapsRows(); capped {
		if w.units, err = source.NewUnits(access.Mine(), s.schema, sh); err != nil {
			return nil, err
		}
		w.unit, names = &column{name: s.schema.UnitKey}, s.schema.Names()
	}
	for _, name := range names {
		c, err := newColumn(s.schema, name)
		if err != nil {
			return nil, err
		}
		w.columns = append(w.columns, c)
	}
	if s.part != nil {
		w.key = &column{name: s.part.Column}
	}
	return w, nil
}

// all are the columns that are read.
func (w *worker) all() []*column {
	out := w.columns
	for _, key := range []*column{w.unit, w.key} {
		if key != nil {
			out = append(out[:len(out):len(out)], key)
		}
	}
	return out
}

// open finds the columns of a batch.
func open(columns []*column, j job) error {
	rows := j.batch.NumRows()
	for _, c := range columns {
		at := j.batch.Schema().FieldIndices(c.name)
		if len(at) != 1 || rows < 0 || !c.set(j.batch.Column(at[0]), int(rows)) {
			return damaged(j.shown)
		}
	}
	return nil
}

// count adds the rows of a batch.
func (w *worker) count(ctx context.Context, j job) error {
	if err := open(w.all(), j); err != nil {
		return err
	}
	rows := int(j.batch.NumRows())
	codes, values := make([]frame.Codes, len(w.columns)), make([][]float64, len(w.columns))
	for at := 0; at < rows; at += blockRows {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := w.pick(j, at, min(at+blockRows, rows)); err != nil {
			return err
		}
		if w.units != nil {
			if err := w.cap(j); err != nil {
				return err
			}
			continue
		}
		cols := w.tally.Columns()
		for i, c := range w.columns {
			var ok bool
			if codes[i], values[i], ok = c.block(w.picked, cols[i].Levels(), w.tally.Values(i)); !ok {
				return c.coder.Refusal(j.shown)
			}
		}
		if err := w.tally.Block(len(w.picked), codes, values); err != nil {
			return err
		}
	}
	return nil
}

// pick lists the rows from … to that are in the part.
func (w *worker) pick(j job, from, to int) error {
	w.picked = w.picked[:0]
	for i := from; i < to; i++ {
		if w.part != nil {
			text, _, ok := w.key.cell(i)
			if !ok {
				return &frame.OutOfDomainError{Source: j.shown, Column: w.key.name, Want: "a key that has a text"}
			}
			if !w.part.Keeps(text) {
				continue
			}
		}
		w.picked = append(w.picked, i)
	}
	return nil
}

// cap hands the rows of the block to the units that they are of.
func (w *worker) cap(j job) error {
	w.texts = grown(w.texts, len(w.columns))
	for _, i := range w.picked {
		key, null, ok := w.unit.cell(i)
		if !ok || null {
			key = nil // refused
		}
		for k, c := range w.columns {
			if w.texts[k], _, ok = c.cell(i); !ok {
				return c.coder.Refusal(j.shown)
			}
		}
		if err := w.units.Row(j.shown, key, w.texts...); err != nil {
			return err
		}
	}
	return nil
}

// count reads the batches once for the number of rows, and of units if they are capped.
func (s *Source) count(ctx context.Context, capped bool) (rows, units int, err error) {
	var seen *frame.UnitCap
	unit := &column{name: s.schema.UnitKey}
	if capped {
		if seen, err = frame.NewUnitCap(access.Mine(), max(s.schema.RowsPerUnit, 1)); err != nil {
			return 0, 0, err
		}
	}
	for _, o := range s.origins {
		err := o.each(ctx, func(b apache.RecordBatch) error {
			return guarded(o.shown, func() error {
				n := b.NumRows()
				if n < 0 || n > 1<<53-int64(rows) {
					return damaged(o.shown)
				}
				rows += int(n)
				if !capped {
					return ctx.Err()
				}
				if err := open([]*column{unit}, job{shown: o.shown, batch: b}); err != nil {
					return err
				}
				for i := range int(n) {
					if i%blockRows == 0 && ctx.Err() != nil {
						return ctx.Err()
					}
					if key, null, ok := unit.cell(i); ok && !null {
						seen.Add(key)
					}
				}
				return nil
			})
		})
		if err != nil {
			return 0, 0, err
		}
	}
	if capped {
		units = seen.Units()
	}
	return rows, units, nil
}
