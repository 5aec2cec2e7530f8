// Package num holds the basic numerics: gamma-function ratios that keep their relative accuracy when the arguments are
// large or close to each other, the incomplete beta function, log-space sums, outward rounding, bracketed roots and
// quadrature.
//
// Nothing here panics or returns an error for a real argument: outside its domain a function answers NaN. ε below is
// the unit roundoff 2^-53 ≈ 1.1e-16; the accuracies stated were measured against 50-digit arithmetic.
package num

import (
	"math"
)

// Up is the next float64 above x: at least the exact value that x is the rounding of. +Inf stays.
func Up(x float64) float64 { return math.Nextafter(x, math.Inf(1)) }

// Down is the next float64 below x: at most the exact value that x is the rounding of. −Inf stays.
func Down(x float64) float64 { return math.Nextafter(x, math.Inf(-1)) }

// Slack covers, relatively, the rounding of the few elementary operations behind one reported number, and SlackGamma
// that of a number computed from gamma functions.
const (
	Slack      = 1e-12
	SlackGamma = 1e-9
)

// Inflate rounds a bound up by Slack.
func Inflate(x float64) float64 { return x * (1 + Slack) }

// InflateGamma rounds a bound that was computed from gamma functions up by SlackGamma.
func InflateGamma(x float64) float64 { return x * (1 + SlackGamma) }

// Minimum gives a point of [lo, hi] near a minimum of f, with its value.
func Minimum(lo, hi float64, f func(float64) float64) (x, fx float64) {
	a, b := GoldenSection(f, lo, hi, 0)
	x = (a + b) / 2
	return x, f(x)
}

// ResponseDivergence is the Rényi divergence of order λ of binary randomised response at ε, the dominating pair of
// ε-DP:
//
//	RR_λ(ε) = log( cosh((2λ−1)ε/2) / cosh(ε/2) ) / (λ−1).
func ResponseDivergence(eps, order float64) float64 {
	return (logCosh((2*order-1)*eps/2) - logCosh(eps/2)) / (order - 1)
}

// logCosh is log cosh x without overflow, and with full relative accuracy near 0.
func logCosh(x float64) float64 {
	x = math.Abs(x)
	if x < 0.3 {
		s := math.Sinh(x / 2)
		return math.Log1p(2 * s * s)
	}
	return x + math.Log1p(math.Exp(-2*x)) - math.Ln2
}
