package loss_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// logSumGaussian is the logarithm of the law of the sum of m discrete Gaussians on [−w, w], by convolving logarithms.
func logSumGaussian(sigma2 float64, m, w int) func(s int) float64 {
	total := 0.0
	for z := -w; z <= w; z++ {
		total += math.Exp(-float64(z*z) / (2 * sigma2))
	}
	one := func(z int) float64 { return -float64(z*z)/(2*sigma2) - math.Log(total) }
	law := map[int]float64{0: 0}
	for range m {
		next := map[int]float64{}
		for s := -w; s <= w; s++ {
			top := math.Inf(-1)
			for at, l := range law {
				top = math.Max(top, l+one(s-at))
			}
			sum := 0.0
			for at, l := range law {
				sum += math.Exp(l + one(s-at) - top)
			}
			next[s] = top + math.Log(sum)
		}
		law = next
	}
	return func(s int) float64 { return law[s] }
}

// However small δ is, the profile of a discrete Gaussian is above the true one, summed in logarithms, and within 1e-6
// of it; a tail that does not shrink with it is not.
func TestDiscreteGaussianAtTinyDelta(t *testing.T) {
	for _, c := range []struct {
		sigma2 float64
		cells  int
	}{{.1, 1}, {.3, 2}, {2, 1}, {2, 3}, {2.7, 4}, {3, 1}, {10, 2}, {400, 1}} {
		p := loss.DiscreteGaussianPair{Sigma2: c.sigma2, Cells: c.cells, Shift: 1}
		w := 4*c.cells + int(42*math.Sqrt(c.sigma2*float64(c.cells)))
		law := logSumGaussian(c.sigma2, c.cells, w)
		for _, delta := range []float64{1e-6, 1e-12, 1e-20, 1e-30, 1e-42, 1e-44, 1e-60, 1e-100, 1e-200, 1e-290} {
			rho := p.ZCDP() // by the looser bound, so that the ε is one of about this δ
			epsilon := rho + 1.9*math.Sqrt(rho*math.Log(1/delta))
			truth := 0.0
			for s := -w; s <= w; s++ {
				if gap := epsilon - (float64(c.cells)+2*float64(s))/(2*c.sigma2); gap < 0 {
					truth += math.Exp(law(s)) * -math.Expm1(gap)
				}
			}
			have := p.Delta(epsilon)
			if !(have >= truth && have <= truth*(1+1e-6)) {
				t.Errorf("%s, ε = %.4g: δ = %g, and truly %g", p, epsilon, have, truth)
			}
			if mutant := have + 2*math.Exp(-98); delta < 1e-44 && mutant <= truth*(1+1e-6) {
				t.Errorf("%s, ε = %.4g: a constant tail is not seen", p, epsilon)
			}
		}
	}
}

// At every δ the ε of a pair is at most what its zero-concentrated privacy gives it, and its pure ε: no pair has a
// floor under which a δ costs more.
func TestNoPairHasAFloorOfDelta(t *testing.T) {
	compose := func(parts ...loss.Repeat) loss.Pair {
		return must.Get(loss.Declare(parts...))(t)
	}
	for _, p := range []loss.Pair{
		loss.DiscreteGaussianPair{Sigma2: 400, Cells: 1, Shift: 1}, loss.DiscreteGaussianPair{Sigma2: 2, Cells: 3, Shift: 1},
		loss.DiscreteGaussianPair{Sigma2: .3, Cells: 2, Shift: 1}, loss.DiscreteGaussianPair{Sigma2: 2, Cells: 40, Shift: 1},
		loss.DiscreteGaussianPair{Sigma2: 1e12, Cells: 4, Shift: 1}, loss.DiscreteGaussianPair{Sigma2: 400, Cells: 2, Shift: 3},
		loss.GaussianPair{Mu: .1}, loss.GaussianPair{Mu: 3}, loss.GeometricPair{Rate: .1, Cells: 40},
		loss.ShiftedGeometricPair{Rate: .1, Shift: 3, Cells: 40}, loss.LaplacePair{Scale: 20, Cells: 40},
		loss.PurePair{Epsilon: 1}, loss.IntegerSumPair{Sigma2: 400, Shift: 7}, loss.IntegerSumPair{Sigma2: .3, Shift: 2},
		loss.IntegerSumPair{Sigma2: 1e12, Shift: 4e5}, compose(loss.Repeat{Pair: loss.IntegerSumPair{Sigma2: 400, Shift: 2},
			Times: 3}, loss.Repeat{Pair: loss.PurePair{Epsilon: .11}, Times: 2},
			loss.Repeat{Pair: loss.DiscreteGaussianPair{Sigma2: 4e3, Cells: 1, Shift: 9}, Times: 1}),
		compose(loss.Repeat{Pair: loss.GaussianPair{Mu: .1}, Times: 3},
			loss.Repeat{Pair: loss.DiscreteGaussianPair{Sigma2: 400, Cells: 2, Shift: 1}, Times: 2}),
	} {
		before := 0.0
		for _, delta := range []float64{1e-6, 1e-20, 1e-40, 1e-44, 1e-100, 1e-200, 1e-300} {
			rho, have := p.ZCDP(), loss.EpsilonFor(p, delta)
			if most := rho + 2*math.Sqrt(rho*math.Log(1/delta)); !(have <= most*(1+1e-9)) || have > p.PureEpsilon()*(1+1e-9) ||
				have < before {
				t.Errorf("%s, δ = %g: ε = %v, after %v; by ρ %v", p, delta, have, before, most)
			}
			before = have
		}
	}
}
