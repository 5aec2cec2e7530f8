package posteriorsample

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/truncated"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Plans of very many records, or of a prior as heavy, pass their own check: the log-ratio of two laws is not a
// difference of logarithms of the size of their counts. That difference, the mutant, has no digits left there.
func TestLargeCountsPassTheirCheck(t *testing.T) {
	for _, c := range []struct {
		n     int
		prior float64
		m     Sample
		t     dp.Request
	}{
		{10_000, 1e9, New(1_000_000), dp.RenyiDP(2, 1)},
		{10_000, 1e9, New(1).ByDraws(), dp.RenyiDP(1e6, 8)},
		{2, 1e9, New(5000).ByBounds(), dp.TCDP(300, 16)},
		{1_000_000_000_000_000, 1, New(1).ForAnyN(), dp.PureDP(1)},
	} {
		s := &frame.Schema{Dataset: "large", Columns: []frame.Column{frame.Categorical("x", "a", "b")}}
		sh := must.Get(model.NewShape(s, model.Categorical("x").WithPrior(c.prior), c.n, true, ""))(t)
		p, err := c.m.Plan(t.Context(), sh, c.t)
		if err != nil {
			t.Errorf("n = %d, prior %g, %s: %v", c.n, c.prior, c.m.Title(), err)
			continue
		}
		if v := p.Certificate().Verify(t.Context()); !v.OK() {
			t.Errorf("n = %d, prior %g: %s", c.n, c.prior, v)
		}
	}
}

// What apart finds is the difference of the log-densities where that has digits, and exceeds no ε where it has none.
func TestApartIsTheLogRatio(t *testing.T) {
	for _, n := range []int{2, 50, 3000} {
		l, s := law{N: n, Alpha: []float64{.7, 1.3}, binary: true}, setting{draws: 1, power: .8, floors: []float64{.03}}
		for _, k := range []int{0, n / 3, n - 1} {
			low, high := must.Get2(l.apart(s, k))(t)
			x, errX := l.beta(s, int64(n-k), int64(k), 0)
			y, errY := l.beta(s, int64(n-k-1), int64(k+1), 0)
			if errX != nil || errY != nil {
				t.Fatal(errX, errY)
			}
			for i, at := range []float64{.03, .97} {
				want, got := math.Abs(y.LogDensity(at)-x.LogDensity(at)), []float64{low, high}[i]
				if math.Abs(got-want) > 1e-9 {
					t.Errorf("n = %d, k = %d, θ = %g: %.12g, by densities %.12g", n, k, at, got, want)
				}
			}
		}
	}
	mutant := 0.0 // the difference of log-densities at a prior of 1e9: off by more than the check's margin
	for k := range 100 {
		x, errX := truncated.NewBeta(1e9+float64(k), 1e9+float64(100-k), .05, .95)
		y, errY := truncated.NewBeta(1e9+float64(k+1), 1e9+float64(99-k), .05, .95)
		if errX != nil || errY != nil {
			t.Fatal(errX, errY)
		}
		mutant = math.Max(mutant, math.Abs(y.LogDensity(.95)-x.LogDensity(.95)-2*math.Log(19))-math.Log(19))
	}
	if mutant < 1e-8 {
		t.Errorf("the difference is within %g: this test has no power", mutant)
	}
}
