package sqlsource

import (
	"database/sql"
	"slices"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
	c := &r.src.schema.Columns[at]
	coder, err := frame.NewCoder(access.Mine(), r.src.schema, c.Name)
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
