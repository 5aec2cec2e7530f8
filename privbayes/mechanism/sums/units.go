package sums

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// UnitMoments names the release of [Noisy.ByUnit]: summed over the units of a schema with a unit key, the squares and
// products of a unit of up to k rows with places j_i in {0, …, J},
//
//	a², c², 2ac, 2ae, 2ce,  a = Σj_i, c = Σ(J − j_i), e = kJ − a − c ≥ 0.
//
// These and e², which is not released, add up to (kJ)². A unit that comes or goes changes the five by at most (kJ)² in
// all, one that is replaced by twice as much. From them follow the mean of the rows and how far units are from it,
// whatever the rows of a unit have in common: a mean's interval needs no factor k. Source: theory/intervals.md §1.
const UnitMoments = "unit moments"

// momentsOf are the moments of one unit.
func momentsOf(a, c, e int64) [5]int64 { return model.UnitMoments(a, c, e) }

// ByUnit releases the moments of units in place of the rows' sums, for Mean under a schema with a unit key: its
// intervals take units as the sample, and are up to √k times narrower than those that allow for rows of a unit being
// all alike, where they are not. Rows must be in memory: sources do not bring those of a unit together.
func (m Noisy) ByUnit() Noisy { m.byUnit = true; return m.made() }

// hasUnits refuses shapes that have no unit moments: *mechanism.UnsupportedError.
func (p *problem) hasUnits() error {
	if l := p.shape.Lattice(); l != nil && l.Omits {
		return mechanism.Unsupported(p.shape.Model().String()+" by unit", "a column without missing values: Present, or "+
			`"on_missing": "impute"`)
	}
	if !p.shape.CountsUnits() {
		return mechanism.Unsupported(p.shape.Model().String()+" by unit", `Mean under a schema with a "unit_key"; `+
			"NoisySums(), which allows for rows of a unit being all alike")
	}
	return nil
}

// byUnits makes the problem one of units, each one record of the design.
func (p *problem) byUnits() {
	p.design = design{Kind: UnitMoments, Steps: p.Steps, Coarse: p.shape.Lattice().Coarse, Unit: int64(p.rows)}
	p.rows = 1
}

// unitChange is what a unit changes: the moments are ≥ 0, so that ℓ₂ of a difference of two is at most √2 times the
// larger, and ℓ₁ the sum.
func (d design) unitChange(adj dp.Adjacency) change {
	all := d.Unit * d.Coarse * d.Unit * d.Coarse
	c := change{l1: all, most: all, cells: 1, shift: all}
	if adj != dp.AddRemove {
		c.l1, c.cells = 2*all, 2
	}
	return c
}

// smallUnit has at most so many steps and rows.
func (d design) smallUnit(steps, rows int64) design {
	d.Coarse = min(d.Coarse, steps)
	d.Steps, d.Unit = d.Coarse, min(d.Unit, rows)
	return d
}

// units are the moments of every possible unit.
func (d design) units() (out [][]int64) {
	for all := int64(0); all <= d.Unit*d.Coarse; all += d.Coarse {
		for a := range all + 1 {
			z := momentsOf(a, all-a, d.Unit*d.Coarse-all)
			out = append(out, z[:])
		}
	}
	return out
}

// ofUnits are points of the posterior of the mean, Σa/(Σa + Σc), the moments flat on what is possible of each.
func (d *sampler) ofUnits(noisy []int64) [][]float64 {
	return d.averages(func(point, _ int) float64 {
		var b [5]float64
		for i := range b {
			b[i] = d.between(i, noisy[i], 0, math.Inf(1), share(point, i+1))
		}
		ones, zeros := score.UnitTotals(b)
		return d.shape.Lattice().Value(0, part(ones, ones+zeros)*float64(d.Steps))
	}, 1)
}

// unitTest is the test of the mean, units as the sample.
func (d *sampler) unitTest(raw []int64) score.Mean {
	j2 := float64(d.Coarse) * float64(d.Coarse)
	var b [5]float64
	for i := range b {
		b[i] = float64(raw[i]) / j2
	}
	return score.OfUnits(b, math.Sqrt(d.law.variance(0))/j2, d.law.law == gaussianLaw, int(d.Unit))
}

// Accepts refuses statistics without the moments that are released: *mechanism.StatisticsError.
func (d *sampler) Accepts(st *model.Statistics) error {
	if d.Kind == UnitMoments && !st.HasUnits() {
		return &mechanism.StatisticsError{Have: "rows that are not known by their units, as those of a source",
			Want: fmt.Sprintf("rows in memory under the schema's \"unit_key\" %q", d.shape.Schema().UnitKey)}
	}
	return nil
}
