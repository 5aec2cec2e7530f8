package logratio

import "math"

// BoundedRange bounds divergences from the range alone: the log-ratio of two laws has a range of at most w, as that of
// two posteriors has with w = osc, and that of two outputs of an exponential mechanism. Every method is the supremum
// over all pairs of laws with that range, attained by two-point laws, for w ≥ 0; with w = 2Lρ it is the tight form of
// Theorems 7.1 and 8.1 of the paper. Source: theory/sampling.md §22 D.
type BoundedRange float64

// Epsilon is the greatest log-ratio, w.
func (w BoundedRange) Epsilon() float64 { return float64(w) }

// TV is the total variation distance tanh(w/4): w/4 for small w, where Theorem 8.1 and Pinsker give more than w/2.
func (w BoundedRange) TV() float64 { return math.Tanh(float64(w) / 4) }

// KL is the Kullback–Leibler divergence in nats,
//
//	κ(w) = u − 1 − ln u,  u = w/(e^w − 1),  ≤ w²/8,
//
// where Theorem 7.1 says w.
func (w BoundedRange) KL() float64 {
	x := float64(w)
	switch {
	case math.IsInf(x, 1):
		return x
	case math.Abs(x) < 1e-2:
		// κ = x²/8 − x⁴/576 + x⁶/25920 − …, to 1e-15 of it
		return x * x / 8 * (1 - x*x/72*(1-x*x/45))
	}
	u := x / math.Expm1(x)
	logU := math.Log(x) - x - math.Log(-math.Expm1(-x))
	return u - 1 - logU
}

// ZCDP is w²/8, the least ρ with D_λ ≤ ρλ for every order.
func (w BoundedRange) ZCDP() float64 { return float64(w) * float64(w) / 8 }

// Delta is the hockey-stick divergence at ε ≥ 0:
//
//	δ(ε) = (e^{w/2} − e^{ε/2})²/(e^w − 1), 0 from ε = w on,
//
// the maximum of p(1 − e^{ε−b}) over two-point laws with losses b and b − w. NaN for ε < 0.
func (w BoundedRange) Delta(epsilon float64) float64 {
	x := float64(w)
	switch {
	case !(epsilon >= 0):
		return math.NaN()
	case epsilon >= x:
		return 0
	case math.IsInf(x, 1):
		return 1
	}
	root := -math.Expm1((epsilon - x) / 2) // 1 − e^{(ε−w)/2}
	return math.Min(1, root*root/-math.Expm1(-x)*(1+1e-14))
}

// Renyi is the Rényi divergence of order λ > 1, in nats, the maximum over two-point laws with losses b and b − w:
//
//	ln(p·e^{(λ−1)b} + (1−p)·e^{(λ−1)(b−w)})/(λ−1),  p = (1 − e^{b−w})/(1 − e^{−w}),
//
// never more than λw²/8 and w. NaN for λ ≤ 1.
func (w BoundedRange) Renyi(order float64) float64 {
	x := float64(w)
	switch {
	case !(order > 1):
		return math.NaN()
	case x == 0 || math.IsInf(x, 1) || math.IsInf(order, 1):
		return x
	}
	value := func(b float64) float64 {
		p := -math.Expm1(b-x) / -math.Expm1(-x)
		return b + math.Log1p((1-p)*math.Expm1(-(order-1)*x))/(order-1)
	}
	limit := math.Min(x, order*x*x/8)
	// Cells are halved around the best of a grid; the maximum is smooth, so its value is exact to the square of the
	// final width.
	best, width := x/2, x/2
	for range 60 {
		centre := best
		for i := -8.0; i <= 8; i++ {
			if b := centre + width*i/8; b >= 0 && b <= x && value(b) > value(best) {
				best = b
			}
		}
		width /= 2
	}
	return math.Min(limit, value(best)*inflation)
}
