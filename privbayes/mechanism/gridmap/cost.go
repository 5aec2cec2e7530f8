package gridmap

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a plan by its candidates, and by pairs × candidates of some sixty audits where they calibrate; a draw weighs every candidate of
// every row. Where there is no grid it is refused at once.
func (m Mechanism) Cost(sh *model.Shape, _ dp.Target) (c mechanism.Cost) {
	n, _ := sh.N()
	conds := sh.Conditionals()
	c.Plan = 1e6
	for _, k := range conds {
		size := candidates(k.Levels, m.steps, m.floor) * float64(k.Levels)
		if size == 0 {
			return mechanism.Cost{}
		}
		c.Plan += 150 * size
		c.Draw += float64(k.Rows) * (4*size + 2000*float64(k.Levels))
		c.Bytes += 2*(8*size+40*size/float64(k.Levels)) + 64*float64(k.Rows)*float64(k.Levels)
	}
	if len(conds) == 1 {
		visits := finite.Space{Cells: conds[0].Levels, N: n, Adjacency: dp.ReplaceOne}.Pairs() * candidates(conds[0].Levels, m.steps, m.floor)
		if visits <= calibrationWork {
			c.Plan += math.Min(1500*visits, 3e8+100*visits)
		} else {
			c.Plan += 4e7
		}
	}
	return c
}

// candidates is the size of the grid that newGrid makes; 0 where it refuses.
func candidates(levels, steps, floor int) float64 {
	for m := steps; m > levels*floor; m-- {
		if size := binomial(m-levels*floor+levels-1, levels-1); size <= maxCandidates {
			return size
		}
	}
	return 0
}
