package linear

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a draw by the cube of the number of weights.
func (m NoisyStatistics) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	d := float64(len(sh.Linear().Weights()))
	draw := 100 * d * d * d
	if !m.plain {
		draw += 2.5e5 // the steps of a Gibbs sampler, whatever d is
	}
	return mechanism.Cost{Plan: 1e6 + 10*d*d*d, Draw: 1e4 + draw, Bytes: 1<<20 + 100*d*d}
}

// Cost estimates a plan by the profiles of the draws, and a draw by the cube of the number of weights.
func (m PosteriorSampler) Cost(sh *model.Shape, t dp.Request) mechanism.Cost {
	d, plan := float64(len(sh.Linear().Weights())), 1e6
	if t.Notion == dp.Approximate {
		plan = 5e6 // a profile at many orders
	}
	return mechanism.Cost{Plan: plan, Draw: 1e4 + 2*d*d*d + 5*float64(m.draws)*d*d,
		Bytes: 1<<20 + 100*d*d + 8*float64(m.draws)*d}
}
