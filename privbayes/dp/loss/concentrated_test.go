package loss

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
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

// The δ of ρ at ε is that of the best order, as a search over all of them finds it. No ρ at all proves nothing.
func TestBestOrder(t *testing.T) {
	for r := -18.; r < 6; r += .9 {
		for e := -9.; e < 7; e += .7 {
			rho, eps := math.Exp(r), math.Exp(e)
			_, least := num.Minimum(-10, 40, func(t float64) float64 {
				a := math.Exp(t)
				return a*((1+a)*rho-eps) + (1+a)*math.Log(a/(1+a)) - t
			})
			if want, have := math.Min(1, math.Exp(least)), zcdpDelta(rho, eps); want > 1e-300 &&
				math.Abs(have/want-1) > 1e-8 {
				t.Errorf("ρ = %v, ε = %v: %v; want %v", rho, eps, have, want)
			}
		}
	}
	if zcdpDelta(math.Inf(1), 1) != 1 || zcdpDelta(0, 1) > 1e-300 {
		t.Error(zcdpDelta(math.Inf(1), 1), zcdpDelta(0, 1))
	}
}

// Of a small ρ, where 1 − 1/λ is next to 1, the δ is not below what the best order proves.
func TestBestOrderOfSmallRho(t *testing.T) {
	for _, rho := range []float64{1e-9, 1e-13, 3e-16, 1e-18, 1e-24} {
		for k := 1.; k < 50; k += .37 {
			eps := k * math.Sqrt(rho)
			_, least := num.Minimum(-10, 40, func(t float64) float64 {
				a := math.Exp(t)
				return a*((1+a)*rho-eps) - (1+a)*math.Log1p(1/a) - t
			})
			if want, have := math.Exp(least), zcdpDelta(rho, eps); want > 1e-300 && (have < want || have > want*(1+1e-6)) {
				t.Errorf("ρ = %v, ε = %v: %v, by the best order %v", rho, eps, have, want)
			}
		}
	}
}
