package sums

import (
	"math"
	"slices"

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

// groupUnitMoments are the moments of the rows that a unit has in a group, for every group,
//
//	a², c², 2ac, ae, ce,  e = kJ − a − c,
//
// which add up to k·J² for every row: e, which another group may share, is in each with half the weight of UnitMoments.
const groupUnitMoments = UnitMoments + " by group"

// ByUnit releases the moments of units in place of the rows' sums, for Mean and GroupMeans under a schema with a
// unit key: its intervals take units as the sample, and are up to √k times narrower than those that allow for rows of a
// unit being all alike, where they are not. Rows must be in memory: sources do not bring those of a unit together.
func (m Noisy) ByUnit() Noisy { m.byUnit = true; return m.made() }

// hasUnits refuses shapes that have no unit moments: *mechanism.UnsupportedError.
func (p *problem) hasUnits() error {
	if !p.shape.CountsUnits() {
		return mechanism.Unsupported(p.shape.Model().String()+" by unit", "Mean or GroupMeans under a schema with "+
			"a \"unit_key\"; NoisySums(), which allows for rows of a unit being all alike")
	}
	return nil
}

// byUnits makes the problem one of units, each one record of the design.
func (p *problem) byUnits() {
	l := p.shape.Lattice()
	p.design = design{Kind: UnitMoments, Steps: p.Steps, Coarse: l.Coarse, Unit: int64(p.rows)}
	if l.Form == model.PerGroup {
		p.Kind, p.Width, p.Omit = groupUnitMoments, l.Groups, l.Omits
	}
	p.rows = 1
}

// moments are those of a unit's rows, of one group: see model.Statistics.OpenUnits.
func (d design) moments(a, c, e int64) [5]int64 {
	if d.Kind == groupUnitMoments {
		return model.GroupUnitMoments(a, c, e)
	}
	return model.UnitMoments(a, c, e)
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

// units are the moments of every possible unit, group by group.
func (d design) units() (out [][]int64) {
	groups := max(d.Width, 1)
	unit := make([]int64, 5*groups)
	var visit func(group int, left int64)
	visit = func(group int, left int64) {
		if group == groups {
			out = append(out, slices.Clone(unit))
			return
		}
		for n := range left + 1 {
			for a := range n*d.Coarse + 1 {
				z := d.moments(a, n*d.Coarse-a, (d.Unit-n)*d.Coarse)
				copy(unit[5*group:], z[:])
				visit(group+1, left-n)
			}
		}
	}
	visit(0, d.Unit)
	return out
}

// ofUnits are points of the posterior of the means, Σa/(Σa + Σc), the moments flat on what is possible of each.
func (d *sampler) ofUnits(noisy []int64) [][]float64 {
	return d.averages(func(point, g int) float64 {
		ones, zeros := d.unitMoments(func(i int) float64 {
			return d.between(5*g+i, noisy[5*g+i], 0, math.Inf(1), share(point, 5*g+i+1))
		}).Totals()
		return d.shape.Lattice().Value(0, part(ones, ones+zeros)*float64(d.Steps))
	}, max(d.Width, 1))
}

// unitMoments are moments of a mean from their places among its five.
func (d *sampler) unitMoments(at func(i int) float64) score.Units {
	u := score.Units{Cross: .5, K: int(d.Unit)}
	if d.Kind == groupUnitMoments {
		u.Cross = 1
	}
	for i := range u.Moments {
		u.Moments[i] = at(i)
	}
	return u
}

// unitTest is the test of mean g, units as the sample.
func (d *sampler) unitTest(g int, raw []int64) score.Mean {
	j2 := float64(d.Coarse) * float64(d.Coarse)
	u := d.unitMoments(func(i int) float64 { return float64(raw[5*g+i]) / j2 })
	return u.Mean(math.Sqrt(d.law.variance(0))/j2, d.law.law == gaussianLaw)
}

// Accepts refuses statistics without the moments that are released: *mechanism.StatisticsError.
func (d *sampler) Accepts(st *model.Statistics) error {
	if d.Unit > 0 {
		return mechanism.AcceptsUnits(d.shape, st)
	}
	return nil
}
