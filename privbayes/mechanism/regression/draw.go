package regression

import (
	"context"
	"math"
	"math/big"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// statisticsSampler draws the noisy stacked moments: the diagonal of XᵀX and √2 times the entries above it, row by row,
// Xᵀy, yᵀy.
type statisticsSampler struct {
	*perturbing
	shipped
	laws []sample.WideGaussian // of integer moments

	pure    pureNoise // for pure ε
	weights []int64
	spread  []float64 // deviations of integer moments

	last *sampled
}

// stack is the vector whose norm the sensitivity is about.
func stack(xx *mat.SymDense, xy []float64, yy float64) []float64 {
	var out []float64
	for i := range xy {
		for j := i; j < len(xy); j++ {
			v := xx.At(i, j)
			if j > i {
				v *= math.Sqrt2
			}
			out = append(out, v)
		}
	}
	return append(append(out, xy...), yy)
}

// Draw reads the moments once.
func (d *statisticsSampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	if d.integer() {
		return mechanism.Output{Real: [][]float64{drawMoments(d.whole, d.weights, d.draw(src), d.spread,
			data.Moments())}}, nil
	}
	out := stack(d.shape.Linear().Moments(data.Sums()))
	for i, v := range out {
		out[i] = v + d.Sigma*sample.Normal(src)
	}
	return mechanism.Output{Real: [][]float64{out}}, nil
}

// draw is the noise on the integers.
func (d *statisticsSampler) draw(src *dp.Stream) []*big.Int {
	if d.laws == nil {
		return d.pure.draw(len(d.whole), src)
	}
	out := make([]*big.Int, len(d.whole))
	for k := range out {
		out[k] = d.laws[k].Draw(src)
	}
	return out
}
