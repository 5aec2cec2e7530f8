package quantiles

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		mechanism.Describe(Histogram(), "HistogramQuantiles", "histogram-quantiles", "Noisy histogram"),
		mechanism.Describe(EM(), "QuantileEM", "quantile-em", "Exponential mechanism"),
		mechanism.Describe(Joint(), "JointQuantiles", "joint-quantiles", "Joint exponential"),
	}
}

// Cost estimates a plan by its enumerations, and a draw by the passes over the points or the candidates.
func (m Exponential) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	r := ranksOf(sh)
	if len(r.a) == 0 {
		return mechanism.Cost{}
	}
	p := float64(sh.Lattice().Steps + 1)
	c.Plan = 3e5 * float64(len(r.a))
	if !m.joint {
		c.Draw, c.Bytes = 60*p*float64(len(r.a)), 64*p
		return c
	}
	c.Plan += 20 * min(jointWork, r.jointChanges(14))
	candidates := p * float64(cellsOf(int64(p))+1)
	n, _ := sh.N()
	c.Draw = 150*candidates*float64(len(r.a)) + 10*float64(n)
	c.Bytes = 16*candidates*float64(len(r.a)+6) + 8*p
	return c
}

// Cost estimates a plan by its enumerations and the search for its noise, and a draw by its counts.
func (m Counting) Cost(sh *model.Shape, _ dp.Request) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	p := float64(sh.Lattice().Steps + 1)
	counts := 2 * min(p, maxLeaves)
	return mechanism.Cost{Plan: 1e7 + 200*p, Draw: 3*p + 500*counts, Bytes: 8*p + 64*counts}
}
