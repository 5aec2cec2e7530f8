package maxent

import (
	"context"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

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
