package hellinger

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a draw by the counts that every level of a row's table may have.
func (e Exponential) Cost(sh *model.Shape, _ dp.Target) mechanism.Cost {
	n, _ := sh.N()
	c := mechanism.Cost{Plan: 6e7, Bytes: 1 << 24}
	for _, k := range sh.Conditionals() {
		rows, levels := float64(k.Rows), float64(k.Levels)
		c.Plan += 1e5 * rows
		c.Draw += rows * (1000 + 100*float64(n)*levels)
		c.Bytes += 16 * float64(n) * levels
	}
	return c
}
