package quantiles

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/sample"
)

// far is how many nats below the best point every point is taken to lie at most: min(D(v), least + far/x) changes by no
// more than D does, and keeps the rounding of exponents small.
const far = 700

// weights is the law of one quantile: e^{−min(x·(D(v) − least), far)}, x = rate/s.
func (r ranks) weights(i int, counts []int64, rate float64, s int64) (*sample.Weights, error) {
	costs := make([]int64, len(counts))
	least := r.costs(i, counts, costs)
	exponents := make([]float64, len(costs))
	x := rate / float64(s)
	for v, d := range costs {
		exponents[v] = math.Min(far, x*float64(d-least))
	}
	return sample.NewWeights(exponents)
}

// rounding bounds what floating point adds to a log-ratio of two laws of one quantile: an exponent has three roundings
// of at most far·2^−53 each, a weight [sample.RelativeError]; a log-probability has one of each in the weight and one
// in the normaliser, and a ratio has two.
func rounding() float64 { return 4 * (3*far*0x1p-53 + sample.RelativeError(far)) }

// joint is the law of all quantiles given the places of the records.
func (r ranks) joint(below []int64, n int64, rate float64, s int64) (*jointDistribution, error) {
	gaps := r.gaps()
	for i := range gaps {
		gaps[i] *= n
	}
	return newJointDistribution(exponent(rate, s), r.b, below, n, gaps)
}

// drawOne draws one quantile's point.
func (r ranks) drawOne(i int, counts []int64, rate float64, s int64, src rand.Source) (int64, error) {
	w, err := r.weights(i, counts, rate, s)
	if err != nil {
		return 0, err
	}
	return int64(w.Draw(src)), nil
}

// drawJoint places the records and draws all quantiles' points.
func (r ranks) drawJoint(ctx context.Context, counts []int64, cells int, rate float64, s int64,
	src rand.Source) ([]int64, error) {
	below, n := placed(ctx, counts, cells, func(k uint64) uint64 { return sample.Uniform(src, k) })
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	law, err := r.joint(below, n, rate, s)
	if err != nil {
		return nil, err
	}
	out := make([]int64, 0, len(r.a))
	for _, e := range law.draw(src) {
		out = append(out, int64(e/(cells+1)))
	}
	return out, nil
}
