package linear

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Cost estimates a draw by the cube of the number of weights.
func (m NoisyStatistics) Cost(sh *model.Shape, _ dp.Target) mechanism.Cost {
	d := float64(len(sh.Weights()))
	each := 100.0
	if m.plain {
		each = 1000
	}
	return mechanism.Cost{Plan: 1e6 + 10*d*d*d, Draw: 1e4 + each*d*d*d, Bytes: 1<<20 + 100*d*d}
}

// Cost estimates a plan by the profiles of the draws, and a draw by the cube of the number of weights.
func (m PosteriorSampler) Cost(sh *model.Shape, _ dp.Target) mechanism.Cost {
	d := float64(len(sh.Weights()))
	return mechanism.Cost{Plan: 4e7, Draw: 1e4 + 10*d*d*d + 100*float64(m.draws)*d*d, Bytes: 1<<20 + 100*d*d + 8*float64(m.draws)*d}
}
