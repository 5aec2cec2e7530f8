package num

import (
	"math"
)

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

// quadratureFrom is the smaller parameter from which the incomplete beta function is integrated; below it the continued
// fraction needs fewer steps.
const quadratureFrom = 1000

// RegIncBeta is the regularised incomplete beta function, the distribution function of Beta(a, b):
//
//	I_x(a, b) = ∫_0^x t^{a−1}(1−t)^{b−1} dt / B(a, b),  a, b > 0, 0 ≤ x ≤ 1.
//
// Absolute error below 1e-13 for a, b from 1e-3 to 1e9. Below (a+1)/(a+b+2) I itself, and above it 1 − I, keeps a
// relative error of that size. NaN outside the domain.
func RegIncBeta(a, b, x float64) float64 {
	lower, _ := BetaTails(a, b, x, 1-x)
	return lower
}

// BetaTails is I_x(a, b) and 1 − I_x(a, b), the one on the far side of (a+1)/(a+b+2) computed directly, at a point
// given through x and its complement y = 1 − x. (gonum's mathext.RegIncBeta is not used: at a = b = 5e8, x = ½ it
// answers 1.56.)
func BetaTails(a, b, x, y float64) (lower, upper float64) {
	switch {
	case !(a > 0 && b > 0 && x >= 0 && y >= 0 && x <= 1 && y <= 1) || math.IsInf(a+b, 1):
		return math.NaN(), math.NaN()
	case x == 0:
		return 0, 1
	case y == 0:
		return 1, 0
	}
	// The fraction converges fast below (a+1)/(a+b+2), and there the lower tail is the smaller one up to a factor.
	if x*(b+1) > y*(a+1) {
		upper, lower = BetaTails(b, a, y, x)
		return lower, upper
	}
	if math.Min(a, b) >= quadratureFrom {
		lower = betaTailQuadrature(a, b, excess(a, b, x, y))
	} else {
		lower = math.Exp(LogBetaKernel(a, b, x, y)) / betaFraction(a, b, x, y)
	}
	lower = math.Min(lower, 1)
	return lower, 1 - lower
}

// betaFraction is the f with I_x(a, b) = kernel/f: the even part of DLMF 8.17.22, written with λ = ay − bx so that
// neither x nor y loses digits (DiDonato and Morris, "Algorithm 708", ACM TOMS 18(3), 1992):
//
//	f = β₀ + α₁/(β₁ + α₂/(β₂ + …)),  α_k = (a+k−1)(a+b+k−1)k(b−k)x²/(a+2k−1)²,
//	β_k = k + k(b−k)x/(a+2k−1) + (a+k)(λ + 1 + k(1+y))/(a+2k+1),
//
// evaluated by the modified Lentz method.
func betaFraction(a, b, x, y float64) float64 {
	const tiny = 1e-300
	keep := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	lambda := -excess(a, b, x, y)
	f := keep(a * (lambda + 1) / (a + 1))
	c, d := f, 0.0
	for k := 1.0; k < 20000; k++ {
		odd := a + 2*k - 1
		alpha := (a + k - 1) / odd * ((a + b + k - 1) * x / odd) * (k * (b - k) * x)
		beta := k + k*(b-k)*x/odd + (a+k)/(odd+2)*(lambda+1+k*(1+y))
		d = 1 / keep(beta+alpha*d)
		c = keep(beta + alpha/c)
		step := c * d
		f *= step
		if math.Abs(step-1) < 0x1p-52 {
			break
		}
	}
	return f
}

// betaTailQuadrature is I_x(a, b) at x = (a + δ)/(a + b) for large a and b, x at most about the mean. The density is
// log-concave, so below x it is smaller than exp(−g·w − w²/(2s²)) of its value at x, at distance w in units of 1/(a+b),
// with g the slope of the log-density at x and s the standard deviation at the mode; at the w where that is e^−40 the
// integral is cut, with a relative error below 1e-16, and the rest is integrated in three panels.
func betaTailQuadrature(a, b, delta float64) float64 {
	n := a + b
	s := math.Sqrt(a) * math.Sqrt(b/n)
	x, y := (a+delta)/n, (b-delta)/n
	g := math.Max(0, ((a-1)/x-(b-1)/y)/n)
	// The curvature on the left is at least that of the mode up to a relative 1/s; 10 % covers it.
	width := 1.1 * 80 * s / (g*s + math.Hypot(g*s, math.Sqrt(80)))
	width = math.Min(width, a+delta)
	peak := logBetaPeak(a, b)
	return Integrate24(func(t float64) float64 {
		u, v := t/a, -t/b
		if u <= -1 {
			return 0
		}
		// the density per unit of δ: kernel/(x·y·n) = kernel·n/((a+δ)(b−δ))
		return math.Exp(a*Log1pMinus(u)+b*Log1pMinus(v)+peak) / (a + t) * (n / (b - t))
	}, delta-width, delta, 3)
}

// InvRegIncBeta is the x in [0, 1] with I_x(a, b) = p: the p-quantile of Beta(a, b), a, b > 0, 0 ≤ p ≤ 1; NaN outside
// the domain. Relative error about 1e-13 (of 1 − x, when x > ½, down to the spacing of x). It is 0 when the quantile is
// below the smallest positive number, as for a = 0.001, p = 0.025.
//
// Newton's method on the logarithm of the smaller tail as a function of the logit t = ln(x/(1−x)), in which that tail
// is concave and nearly straight far out: dI/dt is the beta kernel. A bracket is kept and halved whenever a Newton step
// leaves it.
func InvRegIncBeta(a, b, p float64) float64 {
	switch {
	case !(a > 0 && b > 0 && p >= 0 && p <= 1) || math.IsInf(a+b, 1):
		return math.NaN()
	case p == 0 || p == 1:
		return p
	}
	if low, _ := BetaTails(a, b, math.SmallestNonzeroFloat64, 1); low >= p {
		return 0
	}
	lo, hi := -logitEnd, logitEnd
	t := math.Min(math.Max(math.Log(a/b), lo), hi)
	for range 200 {
		x, y := Logistic(t)
		lower, upper := BetaTails(a, b, x, y)
		var step float64
		kernel := math.Exp(LogBetaKernel(a, b, x, y))
		if p <= 0.5 {
			step = math.Log(p/lower) * lower / kernel
		} else {
			step = math.Log(upper/(1-p)) * upper / kernel
		}
		if lower < p || (p > 0.5 && upper > 1-p) {
			lo = t
		} else {
			hi = t
		}
		next := t + step
		if !(next > lo && next < hi) {
			if math.Abs(step) <= 4e-16*math.Max(1, math.Abs(t)) {
				break
			}
			next = lo + (hi-lo)/2
		}
		moved := math.Abs(next - t)
		t = next
		if moved <= 1e-16*math.Abs(t) || moved < 1e-18 {
			break
		}
	}
	x, _ := Logistic(t)
	return x
}

// logitEnd is a logit beyond which 1 − x is no longer a positive number.
const logitEnd = 746.0

// Logistic is x = 1/(1 + e^−t) and its complement y = 1/(1 + e^t), each with full relative accuracy.
func Logistic(t float64) (x, y float64) {
	if t < 0 {
		e := math.Exp(t)
		return e / (1 + e), 1 / (1 + e)
	}
	e := math.Exp(-t)
	return 1 / (1 + e), e / (1 + e)
}

// ClopperPearson is the exact confidence interval of a probability of which k of n independent draws came true, 0 ≤ k ≤
// n and n ≥ 1: each end is wrong with probability at most α, 0 < α < 1/2. The ends are rounded outward.
//
//	lower: I_p(k, n−k+1) = α, or 0 for k = 0;   upper: 1 − I_p(k+1, n−k) = α, or 1 for k = n
//
// Source: Clopper and Pearson 1934. The error is that of [RootBracket].
func ClopperPearson(k, n int, alpha float64) (lower, upper float64, err error) {
	lower, upper = 0, 1
	if k > 0 {
		if lower, _, err = RootBracket(func(p float64) float64 {
			tail, _ := BetaTails(float64(k), float64(n-k+1), p, 1-p)
			return tail - alpha
		}, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	if k < n {
		if _, upper, err = RootBracket(func(p float64) float64 {
			_, tail := BetaTails(float64(k+1), float64(n-k), p, 1-p)
			return tail - alpha
		}, 0, 1, 0); err != nil {
			return 0, 0, err
		}
	}
	return lower, upper, nil
}
