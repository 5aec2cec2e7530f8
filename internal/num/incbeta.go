package num

import "math"

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
