package sample

import (
	"math"
)

// TwoSidedGeometric is the law of discrete Laplace noise,
//
//	P(Z = z) = (1−q)/(1+q) · q^|z|,  q = exp(−γ),  γ = Num/Den > 0.
type TwoSidedGeometric struct{ Num, Den uint64 }

// NewTwoSidedGeometric checks the rate: 1 ≤ num < 2^53 and 1 ≤ den ≤ 2^40, with num/den ≥ 2^−31. Errors: *ParameterError.
func NewTwoSidedGeometric(num, den uint64) (TwoSidedGeometric, error) {
	switch {
	case num == 0 || num >= 1<<53:
		return TwoSidedGeometric{}, &ParameterError{"num", num, "1 ≤ num < 2^53"}
	case den == 0 || den > 1<<40:
		return TwoSidedGeometric{}, &ParameterError{"den", den, "1 ≤ den ≤ 2^40"}
	case den>>31 > num:
		return TwoSidedGeometric{}, &ParameterError{"num/den", float64(num) / float64(den), "a rate of at least 2^−31"}
	}
	return TwoSidedGeometric{num, den}, nil
}

// Rate is γ.
func (g TwoSidedGeometric) Rate() float64 { return float64(g.Num) / float64(g.Den) }

// Draw is exact (Canonne, Kamath, Steinke 2020, Algorithm 2).
//
// U uniform on {0, …, Den−1} accepted with probability exp(−U/Den), plus Den times a geometric variable at e^{−1}, is geometric at
// e^{−1/Den}; its quotient by Num is geometric at e^{−Num/Den}. A random sign is added and −0 rejected, so that 0 is not counted
// twice. U + Den·V stays below 2^63 unless V ≥ 2^22, which has probability e^{−2^22}; V is cut there.
func (g TwoSidedGeometric) Draw(src Source) int64 {
	for {
		u := Uniform(src, g.Den)
		if !bernoulliExpUnit(src, u, g.Den) {
			continue
		}
		v := uint64(0)
		for v < 1<<22 && bernoulliExpUnit(src, 1, 1) {
			v++
		}
		z := int64((u + g.Den*v) / g.Num)
		if src.Uint64()>>63 == 0 {
			return z
		}
		if z != 0 {
			return -z
		}
	}
}

// LogProb is log P(Z = z) = log tanh(γ/2) − γ|z|.
func (g TwoSidedGeometric) LogProb(z int64) float64 {
	return g.logMiddle() - g.Rate()*math.Abs(float64(z))
}

// logMiddle is log((1−q)/(1+q)).
func (g TwoSidedGeometric) logMiddle() float64 {
	γ := g.Rate()
	return math.Log(-math.Expm1(-γ)) - math.Log1p(math.Exp(-γ))
}

// LogTail is log P(Z ≥ z): −γz − log(1+q) for z ≥ 1, and the complement of P(Z ≥ 1−z) otherwise.
func (g TwoSidedGeometric) LogTail(z int64) float64 {
	γ := g.Rate()
	upper := func(k float64) float64 { return -γ*k - math.Log1p(math.Exp(-γ)) }
	if z >= 1 {
		return upper(float64(z))
	}
	return math.Log1p(-math.Exp(upper(1 - float64(z))))
}

// Variance is 2q/(1−q)² = 1/(cosh γ − 1).
func (g TwoSidedGeometric) Variance() float64 {
	s := math.Sinh(g.Rate() / 2)
	return 1 / (2 * s * s)
}
