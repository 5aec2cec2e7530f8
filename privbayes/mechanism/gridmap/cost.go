package gridmap

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// calibrated is the steps of one pair and candidate in an exact calibration: some forty audits.
const calibrated = 900

// Cost estimates a plan by its candidates, which distributions of as many levels share, and by pairs × candidates where
// they are enumerated; a draw weighs every candidate of every row. Where there is no grid it is refused at once.
func (m MAP) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	n, _ := sh.N()
	conds := sh.Conditionals()
	c.Plan = 5e4
	known := map[int]bool{}
	for _, k := range conds {
		levels := float64(k.Levels)
		size := candidates(k.Levels, m.steps, m.floor) * levels
		if size == 0 {
			return mechanism.Cost{}
		}
		c.Draw += float64(k.Rows) * (2*size + 2000*levels)
		c.Bytes += 64 * float64(k.Rows) * levels
		if c.Plan += 3e3; !known[k.Levels] {
			known[k.Levels] = true
			c.Plan += 15 * size
			c.Bytes += 2 * (8*size + 40*size/levels)
		}
	}
	if len(conds) == 1 {
		visits := finite.Space{Cells: conds[0].Levels, N: n,
			Adjacency: dp.ReplaceOne}.Pairs() * candidates(conds[0].Levels, m.steps, m.floor)
		if visits <= calibrationWork {
			c.Plan += calibrated * visits
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
