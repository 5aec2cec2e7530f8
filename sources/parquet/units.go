package parquet

import (
	"context"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// textNames are the columns that say which rows of a unit stay: the key, and those of the schema in their order.
func textNames(s *frame.Schema) []string { return slices.Concat([]string{s.UnitKey}, s.Names()) }

// scanUnits counts at most rows per unit of every unit. Every worker gathers the units of its own row groups; which of
// a unit's rows stay is settled when all are together, so that it does not depend on where they stand.
func (s *Source) scanUnits(ctx context.Context, sh *model.Shape) (*model.Tally, error) {
	workers, units := make([]*worker, s.parallel()), make([]*source.Units, s.parallel())
	for i := range workers {
		u, err := source.NewUnits(access.Mine(), s.schema, sh)
		if err != nil {
			return nil, err
		}
		units[i], workers[i] = u, &worker{schema: s.schema, keyed: true, names: textNames(s.schema),
			row: func(shown string, key []byte, texts [][]byte) error { return u.Row(shown, key, texts...) }}
	}
	if err := s.each(ctx, workers); err != nil {
		return nil, err
	}
	for i, u := range units[1:] {
		units[0].Merge(u)
		units[i+1] = nil
	}
	tally, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	return tally, units[0].AddTo(tally)
}

// countUnits counts the units by the key's column alone.
func (s *Source) countUnits(ctx context.Context) (int, error) {
	workers, caps := make([]*worker, s.parallel()), make([]*frame.UnitCap, s.parallel())
	for i := range workers {
		u, err := frame.NewUnitCap(access.Mine(), 1)
		if err != nil {
			return 0, err
		}
		caps[i], workers[i] = u, &worker{schema: s.schema, keyed: true, names: []string{s.schema.UnitKey},
			row: func(shown string, key []byte, _ [][]byte) error {
				if len(key) == 0 {
					return noKey(s.schema, shown)
				}
				u.Add(key)
				return nil
			}}
	}
	if err := s.each(ctx, workers); err != nil {
		return 0, err
	}
	for _, u := range caps[1:] {
		caps[0].Merge(u)
	}
	return caps[0].Units(), nil
}

// noKey refuses a row that has no key, as source.Units does.
func noKey(s *frame.Schema, shown string) error {
	return &frame.OutOfDomainError{Source: shown, Column: s.UnitKey,
		Want: "the unit of every row; a row without one could belong to any"}
}

// openTexts opens the columns of a file that are read as texts.
func (w *worker) openTexts(f *pinned) error {
	for i, name := range w.names {
		place, reader, err := f.textColumn(w.schema, name, i == 0 && w.keyed)
		if err != nil {
			return err
		}
		w.columns, w.places = append(w.columns, reader), append(w.places, place)
	}
	w.file = f
	return nil
}

// rows hands the rows of a group on as texts.
func (w *worker) rows(ctx context.Context, f *pinned, g group) error {
	for i, c := range w.columns {
		if w.places[i] >= 0 {
			c.reset(w.handle, g.chunks[w.places[i]])
		}
	}
	row := make([][]byte, len(w.columns))
	for left := g.rows; left > 0; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n := int(min(left, blockRows))
		for i, c := range w.columns {
			if w.places[i] < 0 {
				continue
			}
			if err := c.readTexts(n); err != nil {
				return f.public(err)
			}
		}
		for r := range n {
			for i, c := range w.columns {
				if row[i] = c.asText.cells[r]; row[i] == nil && (i > 0 || !w.keyed) {
					return c.convert.coder.Refusal(f.shown)
				}
			}
			if err := w.row(f.shown, row[0], row[1:]); err != nil {
				return err
			}
		}
		left -= int64(n)
	}
	return w.ends(f)
}
