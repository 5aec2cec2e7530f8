package maxent

import (
	"context"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// tree is the junction forest of a model with the work space of its messages.
type tree struct {
	levels  []int
	forest  *junction.Forest
	cliques []clique
	factors []factor // of the model's tables, in their order
	up      []int    // the factors, those of fewest variables first: what lies within another comes before it
	largest int      // cells of the largest clique
	pairs   *pairing // of the last inference
}

// clique holds the tables of one clique. Its variables are those of the separator and then the others, so that the
// cells of one configuration of the separator stand together.
type clique struct {
	vars     []int
	parent   int
	groups   int       // configurations of the separator; 1 at a root
	rest     int       // cells of each
	fixed    []float64 // logarithms that do not change: 0 or −∞; nil when all are 0
	factors  []int     // of this clique
	children []int
	above    []int32   // the group of every cell of the parent
	cells    []float64 // log potential, then conditional law given the separator, then belief
	up       []float64 // the message to the parent: ln Σ over a group
	mass     []float64 // of the separator
}

// factor is the place of a table: in a larger table that has its variables, so that it costs little, or else in a
// clique.
type factor struct {
	vars   []int
	within int // another factor, −1: a clique
	clique int
	at     []int32   // for every cell there, the cell here
	sum    []float64 // of the potentials here, then the margin
}

// newTree triangulates and lays out the messages. Errors: *junction.WidthError for a clique above the limit, before it
// is allocated; *ImpossibleError; the context's.
func newTree(ctx context.Context, m *Model) (*tree, error) {
	f, err := junction.Build(ctx, m.levels, m.scopes(), m.limit)
	if err != nil {
		return nil, err
	}
	t := &tree{levels: m.levels, forest: f, cliques: make([]clique, len(f.Cliques))}
	for i, c := range f.Cliques {
		q := &t.cliques[i]
		q.parent = c.Parent
		q.vars = slices.Clone(c.Separator)
		for _, v := range c.Vars {
			if !slices.Contains(c.Separator, v) {
				q.vars = append(q.vars, v)
			}
		}
		q.groups = junction.Cells(c.Separator, m.levels)
		cells := junction.Cells(c.Vars, m.levels)
		q.rest = cells / q.groups
		q.cells, q.up, q.mass = make([]float64, cells), make([]float64, q.groups), make([]float64, q.groups)
		if t.largest = max(t.largest, cells); c.Parent >= 0 {
			q.above = places(m.levels, t.cliques[c.Parent].vars, c.Separator)
			t.cliques[c.Parent].children = append(t.cliques[c.Parent].children, i)
		}
	}
	for _, z := range m.zeros {
		q := &t.cliques[t.smallest(z.vars)]
		if q.fixed == nil {
			q.fixed = make([]float64, len(q.cells))
		}
		for i, k := range places(m.levels, q.vars, z.vars) {
			if z.no[k] {
				q.fixed[i] = math.Inf(-1)
			}
		}
	}
	t.place(m)
	return t, nil
}

// place finds where each table goes: into the smallest table that has its variables and more, or the smallest clique.
func (t *tree) place(m *Model) {
	t.factors = make([]factor, len(m.tables))
	for i, a := range m.tables {
		f := factor{vars: a.vars, within: -1, sum: make([]float64, len(a.y))}
		for j, b := range m.tables {
			if len(b.vars) > len(a.vars) && contains(b.vars, a.vars) &&
				(f.within < 0 || len(b.y) < len(m.tables[f.within].y)) {
				f.within = j
			}
		}
		if f.within >= 0 {
			f.at = places(t.levels, m.tables[f.within].vars, a.vars)
		} else {
			f.clique = t.smallest(a.vars)
			f.at = places(t.levels, t.cliques[f.clique].vars, a.vars)
			t.cliques[f.clique].factors = append(t.cliques[f.clique].factors, i)
		}
		t.factors[i] = f
		t.up = append(t.up, i)
	}
	slices.SortStableFunc(t.up, func(a, b int) int { return len(t.factors[a].vars) - len(t.factors[b].vars) })
}

// smallest is the clique of fewest cells that has the variables, −1 if none has.
func (t *tree) smallest(vars []int) int {
	best := -1
	for i := range t.cliques {
		if q := &t.cliques[i]; (best < 0 || len(q.cells) < len(t.cliques[best].cells)) && contains(q.vars, vars) {
			best = i
		}
	}
	return best
}

// Margin is the distribution of some variables, in any order, the last running fastest: probabilities that add up to 1
// but for rounding. Variables of one clique are summed from it; others are joined along the forest. Errors:
// *domain.Error for variables that are none or repeated or a table above MaxCells, ErrNotFitted, the context's.
func (m *Model) Margin(ctx context.Context, vars ...int) ([]float64, error) {
	if err := m.checkVars("Margin", vars); err != nil {
		return nil, err
	}
	if m.tree == nil {
		return nil, ErrNotFitted
	}
	if i := m.tree.smallest(vars); i >= 0 {
		q := &m.tree.cliques[i]
		out := make([]float64, junction.Cells(vars, m.levels))
		scatter(out, q.cells, places(m.levels, q.vars, vars))
		return out, nil
	}
	if len(vars) == 2 {
		return m.Pair(vars[0], vars[1])
	}
	return m.tree.across(ctx, vars)
}

// across makes the margin of variables that no clique has, root by root: the table of a clique over its separator and
// the sought variables at or below it is the sum, over the others, of its law given the separator times those of its
// children.
func (t *tree) across(ctx context.Context, vars []int) ([]float64, error) {
	below := make([]table, len(t.cliques))
	joint := table{cells: []float64{1}}
	for i := len(t.cliques) - 1; i >= 0; i-- {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		q := &t.cliques[i]
		have := table{q.vars, q.cells}
		for _, c := range q.children {
			if child := below[c]; len(child.vars) > len(t.forest.Cliques[c].Separator) {
				var err error
				if have, err = t.product(have, child); err != nil {
					return nil, err
				}
			}
			below[c] = table{}
		}
		sep := q.vars[:len(t.forest.Cliques[i].Separator)]
		keep := slices.Clone(sep)
		for _, v := range have.vars {
			if slices.Contains(vars, v) && !slices.Contains(keep, v) {
				keep = append(keep, v)
			}
		}
		sum := table{keep, make([]float64, junction.Cells(keep, t.levels))}
		scatter(sum.cells, have.cells, places(t.levels, have.vars, keep))
		if q.parent < 0 {
			var err error
			if joint, err = t.product(joint, sum); err != nil {
				return nil, err
			}
			continue
		}
		divide(sum.cells, q.mass)
		below[i] = sum
	}
	out := make([]float64, junction.Cells(vars, t.levels))
	scatter(out, joint.cells, places(t.levels, joint.vars, vars))
	return out, nil
}

// table is a table over variables in some order.
type table struct {
	vars  []int
	cells []float64
}

// product multiplies two tables. Errors: *domain.Error for a table above MaxCells.
func (t *tree) product(a, b table) (table, error) {
	vars := slices.Clone(a.vars)
	for _, v := range b.vars {
		if !slices.Contains(vars, v) {
			vars = append(vars, v)
		}
	}
	cells := junction.Cells(vars, t.levels)
	if cells > MaxCells {
		return table{}, refuse("Margin", "vars", "a table of "+junction.CellText(cells)+" cells between them",
			"variables that fewer others stand between")
	}
	out := table{vars, make([]float64, cells)}
	left, right := places(t.levels, vars, a.vars), places(t.levels, vars, b.vars)
	for i := range out.cells {
		out.cells[i] = a.cells[left[i]] * b.cells[right[i]]
	}
	return out, nil
}

// divide makes a law given the separator of a table whose leading variables are its: rows of mass 0 stay 0.
func divide(cells, mass []float64) {
	rest := len(cells) / len(mass)
	for g, p := range mass {
		if p == 0 {
			continue
		}
		row := cells[g*rest : (g+1)*rest]
		for i := range row {
			row[i] /= p // its inverse may not be finite
		}
	}
}

// infer makes ln Z for the potentials of all tables, one slice for each, and leaves the belief P(x_C) in every clique
// and the margins in every factor.
func (t *tree) infer(theta [][]float64) (logZ float64) {
	t.pairs = nil
	for i := range t.factors {
		copy(t.factors[i].sum, theta[i])
	}
	for _, i := range t.up {
		if f := &t.factors[i]; f.within >= 0 {
			gather(t.factors[f.within].sum, f.sum, f.at)
		}
	}
	for i := len(t.cliques) - 1; i >= 0; i-- {
		q := &t.cliques[i]
		t.collect(q)
		if q.conditional(); q.parent < 0 {
			logZ += q.up[0]
		}
	}
	for i := range t.cliques {
		q := &t.cliques[i]
		if q.parent >= 0 {
			clear(q.mass)
			scatter(q.mass, t.cliques[q.parent].cells, q.above)
			q.weigh()
		}
		for _, k := range q.factors {
			f := &t.factors[k]
			clear(f.sum)
			scatter(f.sum, q.cells, f.at)
		}
	}
	for k := len(t.up) - 1; k >= 0; k-- {
		if f := &t.factors[t.up[k]]; f.within >= 0 {
			clear(f.sum)
			scatter(f.sum, t.factors[f.within].sum, f.at)
		}
	}
	return logZ
}

// collect adds up the logarithms of a clique: what is fixed, its potentials, and what its children say.
func (t *tree) collect(q *clique) {
	if q.fixed != nil {
		copy(q.cells, q.fixed)
	} else {
		clear(q.cells)
	}
	for _, k := range q.factors {
		gather(q.cells, t.factors[k].sum, t.factors[k].at)
	}
	for _, c := range q.children {
		gather(q.cells, t.cliques[c].up, t.cliques[c].above)
	}
}

// conditional turns the logarithms of a clique into its law given each configuration of the separator, and makes the
// message to the parent. A configuration under which nothing can be has message −∞ and law 0.
func (q *clique) conditional() {
	for g := range q.groups {
		row := q.cells[g*q.rest : (g+1)*q.rest]
		top := math.Inf(-1)
		for _, x := range row {
			if x > top {
				top = x
			}
		}
		if math.IsInf(top, -1) {
			clear(row)
			q.up[g] = top
			continue
		}
		sum := expRow(row, top)
		q.up[g] = top + math.Log(sum)
		for i, scale := 0, 1/sum; i < len(row); i++ {
			row[i] *= scale
		}
	}
}

// weigh multiplies the law given the separator by the separator's.
func (q *clique) weigh() {
	for g, p := range q.mass {
		row := q.cells[g*q.rest : (g+1)*q.rest]
		for i := range row {
			row[i] *= p
		}
	}
}
