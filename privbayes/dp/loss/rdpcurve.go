package loss

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Curve is a Rényi curve: an upper bound on the Rényi divergence of each order λ > 1, +Inf where there is none. The
// method RDP of every [Pair] is one.
type Curve = func(order float64) float64

// EpsilonFromRDP is the least ε that Lemma 3 proves at δ in (0, 1) from a whole Rényi curve, and the order that proves
// it:
//
//	ε = min_{λ>1} R(λ) + ln(1 − 1/λ) − ln(λδ)/(λ−1), and at least 0.
//
// Every order proves its own ε, so the search is safe however the curve behaves; it is exact to about 1e-10 where
// (λ−1)R(λ) is convex, as it is for every Rényi divergence. NaN for δ outside (0, 1); +Inf where no order has a finite
// bound. Source: Canonne, Kamath, Steinke 2020, Proposition 12; theory/dirichlet.md §2.4.
func EpsilonFromRDP(curve Curve, delta float64) (epsilon, order float64) {
	if !(delta > 0 && delta < 1) {
		return math.NaN(), math.NaN()
	}
	order, least := bestOrder(func(c float64) float64 {
		// (c·R + κ(c) − ln δ)/c, written so that nothing cancels for large c
		return curve(1+c) - math.Log1p(1/c) - (math.Log1p(c)+math.Log(delta))/c
	})
	if least <= 0 {
		return 0, order
	}
	return num.Inflate(least), order
}

// DeltaFromRDP is the least δ that Lemma 3 proves at ε ≥ 0 from a whole Rényi curve, at most 1, and the order that
// proves it:
//
//	ln δ = min_{λ>1} (λ−1)(R(λ) − ε) + (λ−1) ln(1 − 1/λ) − ln λ.
//
// NaN for ε < 0.
func DeltaFromRDP(curve Curve, epsilon float64) (delta, order float64) {
	if !(epsilon >= 0) {
		return math.NaN(), math.NaN()
	}
	order, least := bestOrder(func(c float64) float64 { return renyiLogDelta(curve(1+c), c, epsilon) })
	return math.Min(1, num.InflateGamma(math.Exp(least))), order
}

// renyiLogDelta is the ln δ that divergence R of order 1 + c proves at ε.
func renyiLogDelta(r, c, epsilon float64) float64 { return c*(r-epsilon) + kappa(c) }

// bestOrder minimises an objective of c = λ − 1 over (4e-7, 5e10): a scan on a logarithmic grid, which finds the valley
// whatever infinities surround it, and golden section inside it.
func bestOrder(objective func(c float64) float64) (order, least float64) {
	f := func(t float64) float64 {
		v := objective(math.Exp(t))
		if math.IsNaN(v) {
			return math.Inf(1)
		}
		return v
	}
	const lo, hi, steps = -14.75, 24.65, 40
	const step = (hi - lo) / steps
	at, least := lo, math.Inf(1)
	for k := 0; k <= steps; k++ {
		if v := f(lo + step*float64(k)); v < least {
			at, least = lo+step*float64(k), v
		}
	}
	num.GoldenSection(func(t float64) float64 {
		v := f(t)
		if v < least {
			at, least = t, v
		}
		return v
	}, at-step, at+step, 1e-7)
	return 1 + math.Exp(at), least
}
