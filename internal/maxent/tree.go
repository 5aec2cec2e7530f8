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
	cliques []*clique
	factors []*factor // of the model's tables, in their order
	largest int       // cells of the largest clique
	pairs   *pairing  // of the last inference
	room    *room
}

// newTree triangulates and lays out the messages. Errors: *junction.WidthError for a clique above the limit, before it
// is allocated; the context's.
func newTree(ctx context.Context, m *Model) (*tree, error) {
	f, err := junction.Build(ctx, m.levels, m.scopes(), m.limit)
	if err != nil {
		return nil, err
	}
	m.room.begin()
	t := &tree{levels: m.levels, forest: f, room: &m.room}
	for i, c := range f.Cliques {
		q := newClique(m.levels, c, &m.room)
		t.cliques, t.largest = append(t.cliques, q), max(t.largest, len(q.cells))
		if q.parent >= 0 {
			above := t.cliques[q.parent]
			above.children = append(above.children, i)
			above.add(m.levels, c.Separator, q.up, q.mass, &m.room)
		} else {
			q.mass[0] = 1
		}
	}
	for _, z := range m.zeros {
		logs := make([]float64, len(z.no))
		for i, no := range z.no {
			if no {
				logs[i] = math.Inf(-1)
			}
		}
		t.cliques[t.smallest(z.vars)].add(m.levels, z.vars, logs, m.room.take(len(logs)), &m.room)
	}
	for _, a := range m.tables {
		q := t.cliques[t.smallest(a.vars)]
		t.factors = append(t.factors, q.add(m.levels, a.vars, a.theta, m.room.take(len(a.y)), &m.room))
	}
	return t, nil
}

// smallest is the clique of fewest cells that has the variables, −1 if none has.
func (t *tree) smallest(vars []int) int {
	best := -1
	for i := range t.cliques {
		if q := t.cliques[i]; (best < 0 || len(q.cells) < len(t.cliques[best].cells)) && contains(q.vars, vars) {
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
		q := m.tree.cliques[i]
		return q.margin(m.levels, vars), nil
	}
	if len(vars) == 2 {
		p, err := m.Pair(vars[0], vars[1])
		return slices.Clone(p), err
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
		q := t.cliques[i]
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
		sumOver(sum.cells, t.levels, have.cells, have.vars, keep)
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
	sumOver(out, t.levels, joint.cells, joint.vars, vars)
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
	for i, f := range t.factors {
		f.theta = theta[i]
	}
	for _, q := range slices.Backward(t.cliques) {
		if q.collect(); q.parent < 0 {
			logZ += q.up[0]
		}
	}
	for _, q := range t.cliques { // a parent's margins have the mass of its children's separators
		q.spread()
	}
	return logZ
}
