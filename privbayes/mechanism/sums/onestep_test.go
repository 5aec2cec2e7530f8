package sums

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// On a grid of one step with a private n the δ of a plan of three means is that of its noise, by the exact distribution
// of the loss. Squares would all be one there: their noise has another variance than the sums', so that the profile of
// equal counts by which a plan charges is too small for them.
func TestPlansOnOneStepAreCharged(t *testing.T) {
	sh := shapeOf(t, model.Means("age", "wage", "visits").WithResolution(1), 60, 1)
	for _, c := range []struct{ epsilon, delta float64 }{{16.7, 5e-4}, {23, 4.6e-10}, {32.5, 2e-6}} {
		target := dp.ApproxDP(c.epsilon, c.delta).Under(dp.AddRemove)
		p := plan(t, New().Gaussian(), sh, target)
		var q params
		must.Do(t, mechanism.DecodeParams(kind, p.Params(), &q))
		pose := must.Get(New().Gaussian().prepare(t.Context(), sh, target))(t).of(q)
		if got := spent(t, pose, q, c.epsilon, 1); got > c.delta*(1+1e-9) {
			t.Errorf("%s at ε = %v: δ is %.4g, charged as %g", pose.Kind, c.epsilon, got, c.delta)
		}
		pose.Kind, pose.Coarse = countedSquares, 1 // a mutant: with squares
		q.Sigma2 = &noise.Rational{Num: 1, Den: 4}
		charged := pose.pair(q, dp.AddRemove, 1, dp.Approximate).(loss.DiscreteGaussianPair).Delta(38)
		if got := spent(t, pose, q, 38, 1); got < 2*charged {
			t.Errorf("squares: δ is %.4g, charged as %.4g: the test tells nothing", got, charged)
		}
	}
}

// spent is δ at ε of a record whose integers are all k.
func spent(t *testing.T, p *problem, q params, epsilon float64, k int64) (delta float64) {
	t.Helper()
	z := must.Get(p.noise(q))(t)
	dist := map[float64]float64{0: 1}
	for i := range p.dims() {
		next, v := map[float64]float64{}, z.variance(i)
		far, sum := math.Ceil(12*math.Sqrt(v))+6, 0.0
		for x := -far; x <= far; x++ {
			sum += math.Exp(-x * x / 2 / v)
		}
		for loss, w := range dist {
			for x := -far; x <= far; x++ {
				next[math.Round((loss+float64(k)*(float64(k)+2*x)/2/v)*1e9)/1e9] += w * math.Exp(-x*x/2/v) / sum
			}
		}
		dist = next
	}
	for loss, w := range dist {
		delta += w * math.Max(0, -math.Expm1(epsilon-loss))
	}
	return delta
}
