package sqlsource

import (
	"context"
	"database/sql"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

// Schema is the public schema that the rows are read under.
func (s *Source) Schema() *frame.Schema {
	if s.schema == nil {
		return &frame.Schema{}
	}
	return s.schema.Clone()
}

// Sealed marks a source of this library.
func (s *Source) Sealed(access.Key) {}

// Rows names the table and the filters.
func (s *Source) Rows() frame.Selection {
	var steps []frame.RowStep
	if s.part != nil {
		steps = append(steps, s.part.Step())
	}
	for _, f := range s.filters {
		steps = append(steps, f.step)
	}
	return frame.Chosen(string(s.dialect)+" table "+s.name, steps...)
}

// Size counts the rows, where their number is public. Errors: of the steps before, *source.Failure, *frame.ColumnError
// for a table without a column of the schema, the context's.
func (s *Source) Size(ctx context.Context) (size source.Size, err error) {
	err = s.within(ctx, func(r *reader) error {
		if size.PrivateBy = s.privateBy(); size.PrivateBy != "" {
			return nil
		}
		if s.schema.UnitKey != "" {
			units, err := r.countUnits()
			size = source.SizeOf(s.schema, 0, int(units))
			return err
		}
		var n int64
		err := r.query(counting, nil, r.count(), func(rows *sql.Rows) error { return r.scan(rows, counting, nil, &n) })
		if err == nil && (n < 0 || n > maxRows) {
			err = s.failure(ctx, counting, nil, nil)
		}
		size.N = int(n)
		return err
	})
	if err != nil {
		return source.Size{}, err
	}
	return size, nil
}

// maxRows is the most rows that a shape takes.
const maxRows = 1e15

// privateBy is what made the number of rows private, "" if it is public.
func (s *Source) privateBy() string {
	if _, public := s.schema.CapsRows(); !public {
		return frame.RowsPerUnit
	}
	if s.part != nil {
		return frame.SplitByKey
	}
	if len(s.filters) > 0 {
		return "Where(" + safetext.Quote(s.filters[0].column) + ")"
	}
	return ""
}

// Statistics counts the rows in one transaction: grouped in the database, or row by row for sums over several columns,
// whose groups would be the rows themselves, after ByRows, and of SQLite unless WithGroups asks for groups: there
// grouping is some eight times as slow as reading. Errors: those of Size, *model.MismatchError,
// *frame.OutOfDomainError for a value that does not fit its column, *GroupsError, *model.ChangedError.
func (s *Source) Statistics(ctx context.Context, sh *model.Shape) (*model.Statistics, error) {
	if s.err != nil {
		return nil, s.err
	}
	if err := source.Fits(s, sh); err != nil {
		return nil, err
	}
	p, err := s.plan(sh)
	if err != nil {
		return nil, err
	}
	tally, err := model.NewTally(access.Mine(), sh)
	if err != nil {
		return nil, err
	}
	err = s.within(ctx, func(r *reader) error {
		if err := r.add(sh, p, tally); err != nil || s.schema.UnitKey == "" || r.inGo() {
			return err
		}
		if err := r.dropped(sh, p); err != nil {
			return err
		}
		units, err := r.countUnits()
		if err != nil {
			return err
		}
		return r.pad(p, tally, units, r.total)
	})
	if err != nil {
		return nil, err
	}
	return tally.Statistics(s.Rows())
}

// add reads the rows into the tally, by the way that suits them.
func (r *reader) add(sh *model.Shape, p *plan, tally *model.Tally) error {
	s := r.src
	switch {
	case r.inGo():
		return r.rowsInGo(sh, p, tally)
	case s.byRows || s.dialect == SQLite && !s.grouped || !sh.Tabulated() && len(p.columns) > 1:
		return r.rowByRow(sh, p, tally)
	case sh.Tabulated():
		return r.tables(sh, p, tally)
	}
	return r.grouped(p, func(_ int, cells []*cell, count int64) error {
		return tally.Group(nil, []float64{cells[0].value}, count)
	})
}

// dropped refuses a value that does not fit in a row that the cap drops, as every other reading does: it reads the
// columns of a plan once more, of all rows.
func (r *reader) dropped(sh *model.Shape, p *plan) error {
	all := *r
	all.unit = ""
	if r.src.byRows {
		tally, err := model.NewTally(access.Mine(), sh)
		if err != nil {
			return err
		}
		return all.rowByRow(sh, p, tally)
	}
	alone := *p
	alone.sets, alone.tables = nil, []int{-1}
	for i := range p.columns {
		alone.sets = append(alone.sets, []int{i})
	}
	return all.grouped(&alone, func(int, []*cell, int64) error { return nil })
}

// tables counts every table of a shape from the groups of its columns. Tables are counted by themselves: the tally
// refuses those that do not have the same total.
func (r *reader) tables(sh *model.Shape, p *plan, tally *model.Tally) error {
	shapes := sh.Tables()
	numbers := tally.Numbers(access.Mine()) // all 0: the number of rows, then the tables
	starts, places := make([]int, len(shapes)), make([][]int, len(shapes))
	start := 1
	for t, table := range shapes {
		starts[t] = start
		start += table.Cells()
		for _, name := range table.Columns {
			places[t] = append(places[t], slices.Index(p.names, name))
		}
	}
	err := r.grouped(p, func(set int, cells []*cell, count int64) error {
		for t, table := range shapes {
			if p.tables[t] != set {
				continue
			}
			at := 0
			for i, k := range places[t] {
				at = at*table.Levels[i] + int(cells[k].code)
			}
			numbers[starts[t]+at] += count
			if t == 0 {
				numbers[0] += count
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return tally.AddNumbers(access.Mine(), numbers)
}
