package counts

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// UnitWays compare the intervals of the share of a cell by rows and by unit: with the noise of both at the target, and
// the same count in every cell.
func (c *countSampler) UnitWays(ctx context.Context) (w mechanism.UnitWays, ok bool) {
	if c.otherWay == nil || !c.shape.CountsUnits() {
		return w, false
	}
	other, ok := c.otherWay(ctx)
	if !ok {
		return w, false
	}
	byUnit, byRows := c, other
	if c.unitNoise == nil {
		byUnit, byRows = other, c
	}
	w = mechanism.UnitWays{Guess: fmt.Sprintf("as many in each of %d cells", c.shape.Cells()),
		Rows: mechanism.GuessedRows(c.shape), Chosen: c.unitNoise != nil}
	w.ByRows = byRows.guessedWidth(w.Rows, 0)
	w.ByUnit = func(correlation float64) float64 { return byUnit.guessedWidth(w.Rows, correlation) }
	return w, true
}

// guessedWidth is the width of the 95 % interval of the share of one of d cells with n/d rows each and no noise.
func (c *countSampler) guessedWidth(rows int, correlation float64) float64 {
	_, k := c.shape.Unit()
	n, d := float64(rows), float64(c.shape.Cells())
	counts := make([]float64, c.shape.Cells())
	floats.AddConst(n/d, counts)
	_, public := c.shape.N()
	s := mechanism.Shares{N: n, Alike: float64(k), Level: .95, Fixed: public, Variance: c.cell(0),
		Normal: noise.FormOf(c.laws[0]).Sigma2 > 0}
	if c.unitNoise != nil {
		all := n * float64(k)
		same := all/d + n*(1-1/d)*(1+float64(k-1)*correlation)
		s.Alike = c.alike(counts, []int64{int64(math.Round(same)), int64(math.Round(all - same))}, public)
	}
	r := s.Share(counts, 0, 1).Population
	return r.Upper - r.Lower
}

// other is the sampler of the release by unit of one by rows at the same target, and the other way round.
func (m Noise) other(q noiseProblem) func(ctx context.Context) (*countSampler, bool) {
	return func(ctx context.Context) (*countSampler, bool) {
		by := Geometric()
		if by.byUnit = !m.byUnit; by.byUnit && by.hasUnits(q.shape) != nil {
			return nil, false
		}
		q, err := by.prepare(ctx, q.shape, q.target)
		if err != nil {
			return nil, false
		}
		p, err := by.mathematics().Calibrate(ctx, q)
		if err != nil {
			return nil, false
		}
		d := by.sampler(q, p.Noise)
		if p.Units != nil {
			if d.unitNoise, err = noise.NewGeometric(*p.Units); err != nil {
				return nil, false
			}
		}
		return d, true
	}
}

// sampler is the one of counts alone.
func (m Noise) sampler(q noiseProblem, z noise.Distribution) *countSampler {
	return &countSampler{shape: q.shape, measured: m.measured(q.shape, q.target.Adjacency),
		laws: slices.Repeat([]noise.Distribution{z}, len(q.shape.Tables())), unit: z.Unit(), post: m.post}
}
