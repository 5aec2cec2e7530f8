package loss_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// The golden values, and the exact Kullback–Leibler divergence at ε = 1, which is not 1/8.
func TestSelectionPairGolden(t *testing.T) {
	for _, c := range []struct{ eps, rho, d2, d5, at, zero, half float64 }{
		{.05, 0.0003124891499083349, 0.0006249349066820287, 0.0015613620045892077, .025, 0.012499348999020922, 0.003164019267561674},
		{.2, 0.004997224688979451, 0.00998337764329335, 0.024713668275018266, .1, 0.049958374957880025, 0.013121746103765809},
		{1, 0.12330156148224447, 0.24022901391655505, 0.4992002669380614, .5, 0.24491866240370916, 0.07740468631569081},
		{4, 1.669849633509319, 2.6500054947157285, 3.379118442242476, 2, 0.761594155955765, 0.40703144179806217},
	} {
		p := loss.SelectionPair{Epsilon: c.eps}
		for name, v := range map[string][2]float64{
			"ρ": {p.ZCDP(), c.rho}, "D₂": {p.RDP(2), c.d2}, "D₅": {p.RDP(5), c.d5},
			"δ(0)": {p.Delta(0), c.zero}, "δ(ε/2)": {p.Delta(c.at), c.half}, "ε": {p.PureEpsilon(), c.eps},
		} {
			if v[0] < v[1]*(1-1e-12) || v[0] > v[1]*(1+1e-7) {
				t.Errorf("ε = %v: %s = %.17g, want %.17g", c.eps, name, v[0], v[1])
			}
		}
	}
}

// brute is the profile of a sum of independent losses with the pair's density, each on a fine grid.
func brute(eps float64, times, cells int, at float64) float64 {
	h := 2 * eps / float64(cells)
	law := []float64{1}
	for range times {
		next := make([]float64, len(law)+cells-1)
		for i, p := range law {
			for j := range cells {
				l := -eps + (float64(j)+.5)*h
				next[i+j] += p * math.Exp(l/2) * 2 * math.Sinh(h/4) / (2 * math.Sinh(eps/2))
			}
		}
		law = next
	}
	delta := 0.0
	for i, p := range law {
		if l := float64(times)*(-eps+.5*h) + float64(i)*h; l > at {
			delta += p * -math.Expm1(at-l)
		}
	}
	return delta
}

// The product of pairs by the transform is that of their densities; with the density of the other law, or of a uniform
// loss, it would not be.
func TestSelectionPairsCompose(t *testing.T) {
	for _, c := range []struct {
		eps   float64
		times int
		at    float64
	}{{1, 3, .5}, {1, 3, 2}, {.2, 6, .3}, {3, 4, 5}} {
		d := must.Get(loss.Declare(loss.Repeat{Pair: loss.SelectionPair{Epsilon: c.eps}, Times: c.times}))(t)
		got, want := d.Compose(c.at), brute(c.eps, c.times, 600, c.at)
		if math.IsNaN(got.Exact) || math.Abs(got.Exact/want-1) > 2e-5 || got.Delta > got.Exact {
			t.Errorf("%+v: %+v, want %v", c, got, want)
		}
		if wrong := brute(c.eps*1.01, c.times, 600, c.at); math.Abs(got.Exact/wrong-1) < 1e-3 {
			t.Errorf("%+v: a wider loss passes", c)
		}
	}
}

// The note's example: tables and 14 choices at ρ = 0.014973 and δ = 1e-9, of which the choices have a sixth. Added up
// by ρ they are at ε = 1, as products of pairs at .971: lower, by what the Gaussian parts' own pairs give, too.
func TestSelectionsBesideNoise(t *testing.T) {
	const rho, delta = 0.014973, 1e-9
	eps := math.Sqrt(8 * rho / 6 / 14)
	for range 60 { // Newton's steps on ρ₁
		eps *= math.Sqrt(rho / 6 / 14 / loss.SelectionPair{Epsilon: eps}.ZCDP())
	}
	noise := loss.DiscreteGaussianPair{Sigma2: 1 / (rho * 5 / 6), Cells: 2, Shift: 1}
	d := must.Get(loss.Declare(loss.Repeat{Pair: noise, Times: 1},
		loss.Repeat{Pair: loss.SelectionPair{Epsilon: eps}, Times: 14}))(t)
	pairs := loss.EpsilonFor(d, delta)
	curves, _ := loss.EpsilonFromRDP(d.RDP, delta)
	byRho, _ := loss.EpsilonFromRDP(func(order float64) float64 { return order * d.ZCDP() }, delta)
	if math.Abs(byRho-1) > 2e-4 || curves > byRho || pairs > curves || pairs < .9700 || pairs > .9725 {
		t.Errorf("ε = %v by ρ, %v by curves, %v by pairs; want 1.0000, .9981, .9714", byRho, curves, pairs)
	}
}
