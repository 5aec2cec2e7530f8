package lipschitz

import (
	"container/heap"
	"math"
)

// spread is η's standard deviation at s.
func spread(k density, s float64) float64 {
	_, c := k.eval(s, k.mode(s))
	lo, hi := k.ends()
	_, whole := integral(k, s, 0, lo, hi, one)
	_, first := integral(k, s, 0, lo, hi, func(eta float64) float64 { return eta - c })
	_, second := integral(k, s, 0, lo, hi, func(eta float64) float64 { return (eta - c) * (eta - c) })
	m := first / whole
	return math.Sqrt(math.Max(0, second/whole-m*m))
}

// ceiling is an upper bound, within 2 % unless it runs out of evaluations, of the standard deviation of η over S in
// [first − margin, last + d + margin]. The density of η is log-concave for every S (the coordinate of [betaDensity] is η/r with h concave
// in it, and the rate of [gammaDensity] has θ^{shape−1}e^{−bθ} with shape ≥ 1), so its skewness is at most 2 in absolute value; as
// dΛ″/dS is the third cumulant, |d(1/σ)/dS| = |κ₃|/(2σ³) ≤ 1, and on a cell of half-width w around s
//
//	σ ≤ σ(s)/(1 − w·σ(s)).
//
// It takes cells of thousands of records where pairs of data sets would need one each.
//
// Proof of the skewness bound. Let f be a log-concave density of mean 0 and variance 1, and g(x) = e^{−(x+1)} on [−1, ∞) that of the
// centred exponential law, of third moment 2. Below −1, f ≥ g = 0; above, ln f − ln g is concave, so f − g changes sign at most twice
// there, from − to + and back: with the part below, the signs of f − g run through at most +, −, +, −. The moments of order 0, 1 and 2
// agree, so unless f = g there are at least three changes (else a polynomial of degree 2 with the same signs would have a positive
// integral against f − g), at a < b < c. Then (f − g)·(x−a)(x−b)(x−c) ≤ 0 everywhere, and its integral is E_f x³ − 2 ≤ 0. The mirror
// image of f gives E_f x³ ≥ −2.
func (o oneParameter) ceiling(k density, margin float64) (sigma float64) {
	bounded := func(s, h float64) (sigma, bound float64) {
		sigma = spread(k, s+h/2) * (1 + 1e-9)
		if room := 1 - sigma*h/2; room > 0 {
			return sigma, sigma / room
		}
		return sigma, math.Inf(1)
	}
	margin = o.d * math.Exp2(math.Ceil(math.Log2(math.Max(margin/o.d, 1)))) // few margins, each computed once
	if o.ceilings != nil {
		if v, ok := o.ceilings.Load(margin); ok {
			return v.(float64)
		}
		defer func() { o.ceilings.Store(margin, sigma) }()
	}
	first := o.first - margin
	least, top := bounded(first, o.last+o.d+2*margin-o.first)
	queue := &cells{{first, o.last + o.d + 2*margin - o.first, top}}
	for range worstEvals / 2 {
		c := heap.Pop(queue).(cell)
		if c.bound <= least*1.02 {
			return c.bound
		}
		for _, s := range []float64{c.s, c.s + c.h/2} {
			sigma, bound := bounded(s, c.h/2)
			least = math.Max(least, sigma)
			heap.Push(queue, cell{s, c.h / 2, math.Min(bound, c.bound)})
		}
	}
	return (*queue)[0].bound
}

// manyRecords is a bound of the Rényi divergence of the given order for data sets too large to visit every pair:
//
//	D_λ ≤ λd²/2 · sup Λ″,
//
// since D_λ(S+d ‖ S) is an average of Λ″ over [S, S + λd] with total weight λd²/2.
func (o oneParameter) manyRecords(order float64) float64 {
	c, ok := o.law.(continuous)
	if !ok || math.IsInf(order, 1) {
		return math.Inf(1)
	}
	sigma := o.ceiling(c.density, (order-1)*o.d)
	return order / 2 * o.d * o.d * sigma * sigma
}

// manyRecordsDelta is the profile that follows: TV ≤ ½√J with J = d(E_{S+d}η − E_Sη) ≤ d²·sup Λ″ at ε = 0, and the best order of
//
//	δ ≤ e^{(λ−1)(D_λ − ε)}/λ·(1 − 1/λ)^{λ−1}
//
// (Canonne, Kamath, Steinke 2020, Proposition 12).
func (o oneParameter) manyRecordsDelta(epsilon float64) float64 {
	c, ok := o.law.(continuous)
	if !ok {
		return 1
	}
	const most = 64
	rho := o.ceiling(c.density, most*o.d)
	rho *= rho * o.d * o.d / 2
	best := math.Sqrt(rho / 2) // ½√(2ρ)
	for x := -6.0; x <= 6; x += .05 {
		order := 1 + math.Exp2(x)
		if order <= most {
			best = math.Min(best, math.Exp((order-1)*(order*rho-epsilon)+(order-1)*math.Log1p(-1/order))/order)
		}
	}
	return best
}
