package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Steps: of the executed theorem on a smaller space; of a candidate that is visited by a draw, by permute-and-flip, and
// by expected errors; of the root of n and of a cell in a mixture's proposals; of a proposal to a cell from the uniform
// law; of a draw in shells.
const (
	smallerSteps  = 1e7
	visitSteps    = 10
	flipSteps     = 200
	expectedSteps = 1000
	recordSteps   = 5e4
	mixtureSteps  = 1e5
	uniformSteps  = 300
	shellSteps    = 1e4
)

// Cost estimates, for every table, a draw by the sampler that its public bound leads to, and a plan by the smaller
// space on which a theorem is executed, by the sensitivity of every cell, and by the candidates where expected errors
// are summed over them.
func (e Exponential) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	n, public := sh.N()
	if !public || t.NominalScale {
		return mechanism.Cost{Plan: 1e9, Draw: 1e9, Bytes: 1 << 28}
	}
	c := mechanism.Cost{Plan: 1e6, Bytes: 1 << 24}
	tables := sh.Tables()
	share := pureShare(t.Parameters, len(tables))
	known := map[int]mechanism.Cost{} // tables of the same size share their proof
	for _, tb := range tables {
		one, ok := known[tb.Cells()]
		if !ok {
			one = e.table(tb.Cells(), int64(n), sh.Model().Prior().At(0), share)
			known[tb.Cells()] = one
			c.Plan += one.Plan
		}
		c.Plan += 1e5
		c.Draw += one.Draw
		c.Bytes += 128 * float64(tb.Cells())
		c.Bytes = math.Max(c.Bytes, one.Bytes)
	}
	return c
}

// table is the cost of one table: its draws, and its part of the plan.
func (e Exponential) table(cells int, n int64, prior, share float64) mechanism.Cost {
	candidates, size := float64(hellingersample.Count(n, cells)), float64(cells)
	c := mechanism.Cost{Plan: smallerSteps + 30*size*size}
	if candidates <= expectedLimit {
		c.Plan += math.Min(expectedSteps*candidates, 5e7)
	}
	switch {
	case e.flip && (candidates > permuteLimit || cells > hellingersample.MaxWalkCells):
		return mechanism.Cost{} // refused at once
	case e.flip:
		c.Draw = flipSteps * candidates
	case cells == 2:
		c.Draw = shellSteps
	case candidates <= hellingersample.MaxCandidates && cells <= hellingersample.MaxWalkCells:
		c.Draw, c.Bytes = visitSteps*candidates, 16*candidates
	default:
		c.Draw = recordSteps*math.Sqrt(float64(n)) + mixtureSteps*size
		alpha := make([]float64, cells)
		for i := range alpha {
			alpha[i] = prior
		}
		s, err := newSpace(alpha, n, e.scale, e.gamma, 0)
		if err != nil {
			return mechanism.Cost{} // refused at once
		}
		rho, proved := s.rho()
		if !proved {
			rho = 2
		}
		if name, _, err := s.sampler(share / rho); err != nil {
			return mechanism.Cost{}
		} else if name == hellingersample.UniformName {
			c.Draw = uniformSteps * size
		}
	}
	return c
}
