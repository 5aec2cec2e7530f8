package maxent

import (
	"fmt"
	"slices"
)

// Ridge is λ: how strongly potentials are drawn to 0, in units of the tables' variances. Of 0.0001 to 1 it is the value
// that served best (theory/structure.md §8).
const Ridge = 0.002

// MaxCells is the largest table of a clique or a margin: 2^24 cells, 128 MiB.
const MaxCells = 1 << 24

// Model is a distribution of maximum entropy with the tables that it is fitted to. Before the first Fit it is uniform.
// Not safe for concurrent use.
type Model struct {
	levels []int
	total  float64
	tables []*measured
	zeros  []*forbidden
	tree   *tree // nil until the first fit, or since the last change of the tables
}

// measured is one table with its potential.
type measured struct {
	vars     []int // ascending
	y        []float64
	variance float64
	theta    []float64
}

// forbidden marks cells that cannot be.
type forbidden struct {
	vars []int
	no   []bool
}

// New is a model without tables of variables with levels[v] states each, for a number of records, which is public or
// an estimate. Errors: *domain.Error unless there is a variable, every variable has 1 to 65,536 levels and 1 ≤ total
// ≤ 1e15.
func New(levels []int, total float64) (*Model, error) {
	if len(levels) == 0 {
		return nil, refuse("New", "levels", "none", "at least one variable")
	}
	for v, l := range levels {
		if l < 1 || l > 1<<16 {
			return nil, refuse("New", "levels", fmt.Sprintf("%d of variable %d", l, v), "1 to 65536")
		}
	}
	if !(total >= 1 && total <= 1e15) {
		return nil, refuse("New", "total", total, "1 to 1e15")
	}
	return &Model{levels: slices.Clone(levels), total: total}, nil
}

// Total is the number of records that tables are moved to.
func (m *Model) Total() float64 { return m.total }

// Add brings in a noisy table over variables in any order, the last running fastest, whose cells have the variance
// given. A table over the same variables as an earlier one is averaged with it by 1/variance. The fit takes it up when
// Fit is called. Errors: *domain.Error for variables that are none or repeated, another number of cells, cells that are
// no numbers, or a variance that is not positive and finite.
func (m *Model) Add(vars []int, table []float64, variance float64) error {
	if err := m.checkTable("Add", vars, table); err != nil {
		return err
	}
	if !(variance > 0 && variance <= 1e30) {
		return refuse("Add", "variance", variance, "a number > 0, at most 1e30")
	}
	vars, table = m.ascending(vars, table)
	m.tree = nil
	for _, t := range m.tables {
		if slices.Equal(t.vars, vars) {
			a, b := 1/t.variance, 1/variance
			for i, y := range table {
				t.y[i] = (a*t.y[i] + b*y) / (a + b)
			}
			t.variance = 1 / (a + b)
			return nil
		}
	}
	m.tables = append(m.tables, &measured{vars, table, variance, make([]float64, len(table))})
	return nil
}

// Forbid rules out cells: those of a table over the variables, laid out as in Add, that are true. The variables are
// joined like those of a measured table. Errors: *domain.Error as of Add.
func (m *Model) Forbid(vars []int, cells []bool) error {
	table := make([]float64, len(cells))
	for i, no := range cells {
		if no {
			table[i] = 1
		}
	}
	if err := m.checkTable("Forbid", vars, table); err != nil {
		return err
	}
	vars, table = m.ascending(vars, table)
	z := &forbidden{vars, make([]bool, len(table))}
	for i, no := range table {
		z.no[i] = no == 1
	}
	m.tree, m.zeros = nil, append(m.zeros, z)
	return nil
}

// ascending is the table with its variables in ascending order; both are copies.
func (m *Model) ascending(vars []int, table []float64) ([]int, []float64) {
	sorted := slices.Clone(vars)
	slices.Sort(sorted)
	out := make([]float64, len(table))
	for i, k := range places(m.levels, vars, sorted) {
		out[k] = table[i]
	}
	return sorted, out
}

// scopes are the sets of variables that must lie in a clique.
func (m *Model) scopes() [][]int {
	var s [][]int
	for _, t := range m.tables {
		s = append(s, t.vars)
	}
	for _, z := range m.zeros {
		s = append(s, z.vars)
	}
	return s
}
