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

// setsAtOnce is how many sets of columns one statement groups by; more are several statements of the same transaction.
const setsAtOnce = 32

// plan is how a shape is read: the columns by their place in the schema, those of the shape first, and the sets of them
// that are grouped, each one once.
type plan struct {
	columns []int // places in the schema
	names   []string
	sets    [][]int // places in columns, ascending
	tables  []int   // the set of every table of the shape
}

// plan says how a shape is read. A shape of sums has one set, of all columns: rows that are equal in them have equal
// sums.
func (s *Source) plan(sh *model.Shape) (*plan, error) {
	p := &plan{}
	place := func(name string) (int, error) {
		if at := slices.Index(p.names, name); at >= 0 {
			return at, nil
		}
		_, at, err := s.schema.Column(name)
		p.columns, p.names = append(p.columns, at), append(p.names, name)
		return len(p.names) - 1, err
	}
	var wanted [][]string
	for _, c := range sh.Columns() {
		if _, err := place(c.Name); err != nil {
			return nil, err
		}
	}
	if !sh.Tabulated() {
		wanted = append(wanted, slices.Clone(p.names))
	} else {
		for _, t := range sh.Tables() {
			wanted = append(wanted, t.Columns)
		}
	}
	for _, columns := range wanted {
		var set []int
		for _, name := range columns {
			at, err := place(name)
			if err != nil {
				return nil, err
			}
			set = append(set, at)
		}
		for _, f := range s.filters {
			at, err := place(f.column)
			if err != nil {
				return nil, err
			}
			set = append(set, at)
		}
		slices.Sort(set)
		set = slices.Compact(set)
		at := slices.IndexFunc(p.sets, func(other []int) bool { return slices.Equal(set, other) })
		if at < 0 {
			at, p.sets = len(p.sets), append(p.sets, set)
		}
		p.tables = append(p.tables, at)
	}
	return p, nil
}

// cells makes a cell for every column of a plan.
func (r *reader) cells(p *plan) ([]*cell, error) {
	cells := make([]*cell, len(p.columns))
	for i, at := range p.columns {
		var err error
		if cells[i], err = r.cell(at); err != nil {
			return nil, err
		}
	}
	return cells, nil
}

// cell is that of a column of the schema.
func (r *reader) cell(at int) (*cell, error) {
	c := &r.src.read.Columns[at]
	coder, err := frame.NewCoder(access.Mine(), r.src.read, c.Name)
	if err != nil {
		return nil, err
	}
	out := &cell{coder: coder, kind: r.dialect.kind(r.types[at]), scratch: make([]byte, 0, 64)}
	if c.Date != "" {
		out.date = c
	}
	return out, nil
}

// keeps reports whether encoded values pass the filters.
func (s *Source) keeps(p *plan, cells []*cell) bool {
	for _, f := range s.filters {
		if !slices.Contains(f.codes, cells[slices.Index(p.names, f.column)].code) {
			return false
		}
	}
	return true
}

// grouped adds the groups of every set to a tally. The database groups raw texts; each group is encoded here, by the
// same code that reads files, so that no rule of the schema is written a second time in SQL.
func (r *reader) grouped(p *plan, add func(set int, cells []*cell, count int64) error) error {
	cells, err := r.cells(p)
	if err != nil {
		return err
	}
	l := r.layout.of(p)
	for lo := 0; lo < len(p.sets); lo += setsAtOnce {
		sets := p.sets[lo:min(lo+setsAtOnce, len(p.sets))]
		columns := used(sets)
		mark := newMarks(r.src.dialect, columns, sets)
		var count int64
		into := append([]any(nil), mark.into...)
		for _, k := range columns {
			into = append(into, cells[k])
		}
		into = append(into, &count)
		seen := make([]int, len(sets))
		names := at(p.names, columns)
		err := r.query(grouping, names, l.groups(sets), func(rows *sql.Rows) error {
			for rows.Next() {
				if err := rows.Scan(into...); err != nil {
					return r.src.failure(r.ctx, grouping, names, err)
				}
				set, ok := mark.set()
				if !ok || count < 0 {
					return r.src.failure(r.ctx, grouping, names, nil)
				}
				if seen[set]++; seen[set] > r.src.limit {
					return &GroupsError{r.src.name, at(p.names, sets[set]), r.src.limit}
				}
				for _, k := range sets[set] {
					if !cells[k].ok {
						return cells[k].coder.Refusal(r.src.name)
					}
				}
				if lo+set == p.tables[0] {
					r.total += count
				}
				if !r.src.keeps(p, cells) {
					continue
				}
				if err := add(lo+set, cells, count); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// marks tell which set a row of an answer belongs to.
type marks struct {
	into  []any
	words []int64
	sets  map[string]int // by words; nil: the word is the place
	n     int
}

func newMarks(d Dialect, columns []int, sets [][]int) *marks {
	m := &marks{n: len(sets)}
	words := (len(columns) + groupingArgs - 1) / groupingArgs
	if d == SQLite {
		words = 1
	} else {
		m.sets = map[string]int{}
	}
	m.words = make([]int64, words)
	for i := range m.words {
		m.into = append(m.into, &m.words[i])
	}
	for i, set := range sets {
		if m.sets == nil {
			break
		}
		clear(m.words)
		for at, k := range columns {
			lo := at / groupingArgs * groupingArgs
			inWord := min(groupingArgs, len(columns)-lo)
			if !slices.Contains(set, k) {
				m.words[at/groupingArgs] |= 1 << (inWord - 1 - (at - lo))
			}
		}
		m.sets[m.key()] = i
	}
	return m
}

func (m *marks) key() string {
	var b []byte
	for _, w := range m.words {
		for shift := 0; shift < 32; shift += 8 {
			b = append(b, byte(w>>shift))
		}
	}
	return string(b)
}

// set is the place of the set of the row that was scanned last.
func (m *marks) set() (at int, ok bool) {
	if m.sets == nil {
		return int(m.words[0]), m.words[0] >= 0 && m.words[0] < int64(m.n)
	}
	at, ok = m.sets[m.key()]
	return at, ok
}

func at(names []string, places []int) []string {
	out := make([]string, len(places))
	for i, k := range places {
		out[i] = names[k]
	}
	return out
}

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
		return s.filters[0].step.Name + "(" + safetext.Quote(s.filters[0].column) + ")"
	}
	return ""
}

// Statistics counts the rows in one transaction: grouped in the database, or row by row for sums over several columns,
// whose groups would be the rows themselves, for learned structures with sums within bins, after ByRows, and of SQLite
// unless WithGroups asks for groups: there grouping is some eight times as slow as reading. Errors: those of Size,
// *model.MismatchError, *frame.OutOfDomainError for a value that does not fit its column, *GroupsError,
// *model.ChangedError.
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
	case s.byRows || s.dialect == SQLite && !s.grouped || !sh.Tabulated() && len(p.columns) > 1 || withinBins(sh):
		return r.rowByRow(sh, p, tally)
	case sh.Tabulated():
		return r.tables(sh, p, tally)
	}
	return r.grouped(p, func(_ int, cells []*cell, count int64) error {
		return tally.Group(nil, []float64{cells[0].value}, count)
	})
}

// withinBins reports whether a learned structure adds up values within bins, of which groups by text tell nothing that
// its tables could share.
func withinBins(sh *model.Shape) bool {
	l := sh.Learning()
	return l != nil && len(l.Within) > 0
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
