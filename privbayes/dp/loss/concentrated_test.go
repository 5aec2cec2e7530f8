package loss

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// What spends at most ρ on every path has the curve and the profile of shifted Gaussian noise of that ρ or more, adds
// up with other releases, and has no pure ε.
func TestConcentratedPair(t *testing.T) {
	p, gaussian := ConcentratedPair{.08}, GaussianPair{.4} // μ²/2 = ρ
	if !math.IsInf(p.PureEpsilon(), 1) || math.Abs(p.ZCDP()/.08-1) > 1e-9 || math.Abs(p.RDP(3)/.24-1) > 1e-9 {
		t.Errorf("ε = %v, ρ = %v, order 3: %v", p.PureEpsilon(), p.ZCDP(), p.RDP(3))
	}
	for _, e := range []float64{.1, .5, 1, 2, 4} {
		if got, least := p.Delta(e), gaussian.Delta(e); got < least || got > 20*least {
			t.Errorf("δ(%v) = %v; that of the Gaussian is %v", e, got, least)
		}
	}
	both := must.Get(Declare(Repeat{Pair: p, Times: 2}, Repeat{Pair: DiscreteGaussianPair{100, 3, 2}, Times: 1}))(t)
	rho := .16 + 3*4./200
	if math.Abs(both.ZCDP()/rho-1) > 1e-9 {
		t.Errorf("ρ = %v; want %v", both.ZCDP(), rho)
	}
	c := both.Compose(3)
	if want := zcdpDelta(rho, 3); c.Method != byRenyi || math.Abs(c.Delta/want-1) > 1e-6 {
		t.Errorf("δ(3) = %v, by %s; want %v", c.Delta, c.Method, want)
	}
}
