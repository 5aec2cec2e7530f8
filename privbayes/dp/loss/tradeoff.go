package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// TradeOff is a lower bound on the type II error of every test between two neighbouring data sets whose type I error is
// at most type1 in [0, 1]: the convex conjugate of the profile,
//
//	f(a) = max_{ε∈ℝ} {1 − δ(ε) − e^ε a},  δ(−ε) = 1 − e^{−ε}(1 − δ(ε))
//
// (Dong, Roth, Su 2022, Proposition 6). Every ε gives a valid bound, so the search is safe; it is exact up to the
// inflation of the profile. For a [DirichletPair] it is evaluated directly: with I_x(α, α+r) = 1 − a, f(a) = I_x(α+r,
// α). Rounded down; NaN for type1 outside [0, 1].
func TradeOff(p Pair, type1 float64) float64 {
	switch {
	case !(type1 >= 0 && type1 <= 1):
		return math.NaN()
	case type1 == 1:
		return 0
	}
	if d, ok := p.(DirichletPair); ok && type1 > 0 {
		return d.typeII(type1)
	}
	line := func(eps float64) float64 {
		rest := 1 - p.Delta(math.Abs(eps)) // at least 1 − δ(|ε|) of the truth
		if eps >= 0 {
			return rest - math.Exp(eps)*type1
		}
		return math.Exp(eps) * (rest - type1)
	}
	// the objective is concave in e^ε: widen until it falls on both sides, then narrow
	lo, hi := -1.0, 1.0
	for lo > -512 && line(2*lo) > line(lo) {
		lo *= 2
	}
	for hi < 512 && line(2*hi) > line(hi) {
		hi *= 2
	}
	lo, hi = 2*lo, 2*hi
	best := math.Max(0, line(0))
	num.GoldenSection(func(eps float64) float64 {
		v := line(eps)
		best = math.Max(best, v)
		return -v
	}, lo, hi, 1e-9)
	return math.Max(0, best-1e-14)
}

// typeII is f(a) of the pair. The threshold on the logit of w is found by bisection on the upper tail of Beta(α, α+r),
// and taken where that tail is at least a: a larger type I error, hence a smaller type II error.
func (p DirichletPair) typeII(a float64) float64 {
	tail := func(t float64) float64 {
		x, y := num.Logistic(t)
		_, upper := num.BetaTails(p.Shape, p.Shape+p.Rate, x, y)
		return upper
	}
	lo, hi := -700.0, 700.0 // tail(lo) ≥ a
	target := a * (1 + 1e-12)
	for hi-lo > 1e-15*math.Max(1, math.Abs(lo)) {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			break
		}
		if tail(mid) >= target {
			lo = mid
		} else {
			hi = mid
		}
	}
	if tail(lo) < target {
		return 0
	}
	x, y := num.Logistic(lo)
	lower, _ := num.BetaTails(p.Shape+p.Rate, p.Shape, x, y)
	return math.Max(0, lower*(1-1e-9))
}
