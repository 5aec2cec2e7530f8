package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a draw by the counts that every level of a row's table may have.
func (e Exponential) Cost(sh *model.Shape, _ dp.Target) mechanism.Cost {
	n, _ := sh.N()
	conds := sh.Conditionals()
	c := mechanism.Cost{Plan: math.Min(6e7, 1e6+6e4*float64(n)), Bytes: 1 << 24}
	for _, k := range conds {
		rows, levels := float64(k.Rows), float64(k.Levels)
		c.Plan += 1e5 * rows
		c.Draw += rows * (1000 + 100*float64(n)*levels)
		c.Bytes += 128 * rows * levels
	}
	if len(conds) == 1 && conds[0].Levels == 2 { // a single count, by bisection
		c.Draw = math.Min(c.Draw, 2e5)
	}
	return c
}
