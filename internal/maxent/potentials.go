package maxent

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Potentials are the potentials that the last fit ended at: the cells of every set of variables that was measured, in
// the order in which the sets were first added, each with its variables ascending and the last running fastest.
func (m *Model) Potentials() [][]float64 {
	out := make([][]float64, len(m.tables))
	for i, t := range m.tables {
		out[i] = slices.Clone(t.theta)
	}
	return out
}

// Take puts potentials in the place of a fit and makes the margins there. Its residual is how far they are from the
// minimum: the largest scaled derivative, which [Model.FitTo] takes below a given number. Where a fit ends depends on
// the machine; what its potentials say does not, but for rounding.
//
// Scaled derivatives g_i bound more than themselves. Since the margins of an exponential family grow with its
// potentials, (N·p − N·p*)·(θ − θ*) ≥ 0, and a derivative is N(p − p*) + λσ²(θ − θ*), the margins of the tables are
// within Σ (N·p_i − N·p*_i)²/σ_i² ≤ Σ g_i²/σ_i² of those at the minimum, g unscaled.
//
// Errors: those of Fit; *domain.Error for potentials that are not one finite number for each cell, of at most 1e9, or
// not 0 where the forbidden cells leave no record. The model then has no margins.
func (m *Model) Take(ctx context.Context, potentials [][]float64) (Quality, error) {
	if len(potentials) != len(m.tables) {
		return Quality{}, refuse("Take", "potentials", fmt.Sprintf("%d tables", len(potentials)),
			fmt.Sprintf("%d, one for each set of variables", len(m.tables)))
	}
	for i, t := range m.tables {
		if len(potentials[i]) != len(t.theta) {
			return Quality{}, refuse("Take", "potentials", fmt.Sprintf("%d cells of table %d", len(potentials[i]), i+1),
				fmt.Sprint(len(t.theta)))
		}
		for _, x := range potentials[i] {
			if !(math.Abs(x) <= mostPotential) {
				return Quality{}, refuse("Take", "potentials", x, fmt.Sprintf("numbers of at most %g", mostPotential))
			}
		}
		clear(t.theta)
	}
	m.tree = nil // its margins at potentials 0 say which cells can be
	if err := m.prepare(ctx); err != nil {
		return Quality{}, err
	}
	for i, t := range m.tables {
		copy(t.theta, potentials[i])
	}
	o := m.objective()
	if x := floats.Distance(o.flat, slices.Concat(potentials...), math.Inf(1)); x > 0 {
		m.tree = nil
		return Quality{}, refuse("Take", "potentials", x, "0 in cells that cannot be")
	}
	slope := make([]float64, len(o.flat))
	value := o.here(slope)
	q := Quality{Evaluations: 1, Residual: o.gap(o.start, slope), Largest: m.tree.largest}
	for i := range m.tree.cliques {
		q.Cells += len(m.tree.cliques[i].cells)
	}
	if math.IsNaN(value) || math.IsInf(value, 0) || floats.HasNaN(slope) {
		m.tree = nil
		return Quality{}, refuse("Take", "potentials", value, "potentials of a distribution")
	}
	return q, ctx.Err()
}

// mostPotential is far above those of any fit, and so small that sums of them keep seven digits.
const mostPotential = 1e9
