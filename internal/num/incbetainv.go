package num

import "math"

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
