package num

import "math"

// LogBeta is ln B(a, b) = lnΓ(a) + lnΓ(b) − lnΓ(a+b), a, b > 0, without the cancellation of the three terms; NaN
// outside the domain. Absolute error at most 5e-15·max(1, |value|).
//
// For both parameters ≥ 12, with c = a + b and S the Stirling tail (DLMF 5.11.1 three times),
//
//	ln B = (a − ½) ln(a/c) + b ln(b/c) − ½ ln b + ½ ln 2π + S(a) + S(b) − S(c),  a ≤ b.
func LogBeta(a, b float64) float64 {
	if a > b {
		a, b = b, a
	}
	c := a + b
	switch {
	case !(a > 0) || math.IsInf(c, 1) || math.IsNaN(b):
		return math.NaN()
	case a >= stirlingFrom:
		return -(a-0.5)*math.Log1p(b/a) - b*math.Log1p(a/b) - 0.5*math.Log(b) + halfLog2Pi +
			StirlingTail(a) + StirlingTail(b) - StirlingTail(c)
	case a < 1e-8: // B = (1 + O(a²))/a · exp(−a(ψ(b) + γ)); lnΓ(a) and ln a would cancel for tiny b
		return math.Log(c/a) - math.Log(b) + LogGamma(1+a) - LogGammaDiff(1+b, a)
	}
	return LogGamma(a) - LogGammaDiff(b, a)
}

// LogBetaKernel is ln[x^a (1−x)^b / B(a, b)] at a point given through both x and its complement y = 1 − x, each in [0,
// 1], so that neither end of the interval loses digits. The density of Beta(a, b) is kernel/(x·y). NaN outside the
// domain.
func LogBetaKernel(a, b, x, y float64) float64 {
	if !(a > 0 && b > 0 && x >= 0 && y >= 0) || math.IsInf(a+b, 1) {
		return math.NaN()
	}
	delta := excess(a, b, x, y)
	// small, or so far out that 1 + u or 1 + v loses digits
	if math.Min(a, b) < stirlingFrom || delta < -0.5*a || delta > 0.5*b {
		return a*logUnit(x, y) + b*logUnit(y, x) - LogBeta(a, b)
	}
	return logBetaKernelAt(a, b, delta)
}

// logUnit is ln x for x = 1 − y.
func logUnit(x, y float64) float64 {
	if x > 0.5 {
		return math.Log1p(-y)
	}
	return math.Log(x)
}

// excess is δ = x(a+b) − a, by the smaller of x and y. The rounding error of a + b is added back: at a + b = 1e9 it
// would cost three digits of the kernel.
func excess(a, b, x, y float64) float64 {
	n := a + b
	part := n - a
	lost := (a - (n - part)) + (b - part)
	if x <= y {
		return math.FMA(x, n, -a) + x*lost
	}
	return -(math.FMA(y, n, -b) + y*lost)
}

// logBetaKernelAt is LogBetaKernel at the point x = (a + δ)/(a + b), for −a < δ < b. The three large terms a ln x, b
// ln(1−x) and ln B(a, b) combine to
//
//	a[ln(1+u) − u] + b[ln(1+v) − v] + ½ ln(ab/(2π(a+b))) + S(a+b) − S(a) − S(b),  u = δ/a, v = −δ/b,
//
// because a·u + b·v = 0: the saddle-point form of Loader, "Fast and accurate computation of binomial probabilities"
// (2000).
func logBetaKernelAt(a, b, delta float64) float64 {
	u, v := delta/a, -delta/b
	return a*Log1pMinus(u) + b*Log1pMinus(v) + logBetaPeak(a, b)
}

// logBetaPeak is the part of logBetaKernelAt that does not depend on δ.
func logBetaPeak(a, b float64) float64 {
	lo, hi := math.Min(a, b), math.Max(a, b)
	return 0.5*(math.Log(lo)-math.Log1p(lo/hi)) - halfLog2Pi + StirlingTail(a+b) - StirlingTail(a) - StirlingTail(b)
}
