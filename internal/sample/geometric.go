package sample

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// TwoSidedGeometric is the law of discrete Laplace noise,
//
//	P(Z = z) = (1−q)/(1+q) · q^|z|,  q = exp(−γ),  γ = Num/Den > 0
//
// (Ghosh, Roughgarden, Sundararajan 2012). Values come from [NewTwoSidedGeometric] or satisfy what it checks; the
// methods do not check again.
type TwoSidedGeometric struct{ Num, Den uint64 }

// NewTwoSidedGeometric checks the rate: 1 ≤ num < 2^53 and 1 ≤ den ≤ 2^40, with num/den ≥ 2^−31, so that draws keep
// within about 2^53 (see Draw). Errors: *[ParameterError].
func NewTwoSidedGeometric(num, den uint64) (TwoSidedGeometric, error) {
	switch {
	case num == 0 || num >= 1<<53:
		return TwoSidedGeometric{}, domain.Refuse("sample", "num", num, "1 ≤ num < 2^53")
	case den == 0 || den > 1<<40:
		return TwoSidedGeometric{}, domain.Refuse("sample", "den", den, "1 ≤ den ≤ 2^40")
	case num < (den+1<<31-1)>>31:
		return TwoSidedGeometric{}, domain.Refuse("sample", "num/den", float64(num)/float64(den), "a rate of at "+
			"least 2^−31")
	}
	return TwoSidedGeometric{num, den}, nil
}

// Rate is γ.
func (g TwoSidedGeometric) Rate() float64 { return float64(g.Num) / float64(g.Den) }

// maxUnits cuts the number V of whole units in a draw: P(V ≥ 2^22) = e^{−2^22}.
const maxUnits = 1 << 22

// Draw is exact but for a cut of probability e^{−2^22} (Canonne, Kamath, Steinke 2020, Algorithm 2).
//
// U uniform on {0, …, Den−1}, kept with probability exp(−U/Den), plus Den times V, geometric at e^{−1}, is geometric at
// e^{−1/Den}; its quotient by Num is geometric at e^{−Num/Den}: P(⌊X/Num⌋ ≥ k) = P(X ≥ k·Num) = e^{−k·Num/Den}. A
// random sign is added and −0 rejected, so that 0 is not counted twice.
//
// Overflow: U + Den·V < Den·(2^22 + 1) < 2^63 for Den ≤ 2^40, with V cut at 2^22. At rates ≥ 2^−31 this gives |Z| ≤
// 2^53 + 2^31, with P(|Z| ≥ 2^53) < e^{−2^22 + 1}: a draw never reaches the ends of int64.
func (g TwoSidedGeometric) Draw(src rand.Source) int64 {
	for {
		z := g.oneSided(src)
		if src.Uint64()>>63 == 0 {
			return z
		}
		if z != 0 {
			return -z
		}
	}
}

// oneSided is geometric on 0, 1, …: P(X = x) ∝ e^{−γx}.
func (g TwoSidedGeometric) oneSided(src rand.Source) int64 {
	for {
		u := Uniform(src, g.Den)
		if !bernoulliExpUnit(src, u, g.Den) {
			continue
		}
		v := uint64(0)
		for v < maxUnits && bernoulliExpUnit(src, 1, 1) {
			v++
		}
		return int64((u + g.Den*v) / g.Num)
	}
}

// LogProb is log P(Z = z) = log tanh(γ/2) − γ|z|, within 1e-15 relative when γ is a float64. Otherwise the rounding of
// γ adds up to 2^−53·γ relative at z = 0.
func (g TwoSidedGeometric) LogProb(z int64) float64 {
	return g.logMiddle() - g.Rate()*math.Abs(float64(z))
}

// logMiddle is log P(Z = 0) = log((1−q)/(1+q)). For q ≤ ½ it is the sum of two terms of one sign, −2·artanh(q); taking
// log(1−q) there from a rounded 1−q would lose the digits of q. For q > ½ it is 1−q that must come from expm1.
func (g TwoSidedGeometric) logMiddle() float64 {
	γ := g.Rate()
	q := math.Exp(-γ)
	if γ > math.Ln2 {
		return math.Log1p(-q) - math.Log1p(q)
	}
	return math.Log(-math.Expm1(-γ)) - math.Log1p(q)
}

// LogTail is log P(Z ≥ z): −γz − log(1+q) for z ≥ 1, and the complement of P(Z ≥ 1−z) ≤ ½ otherwise.
func (g TwoSidedGeometric) LogTail(z int64) float64 {
	γ := g.Rate()
	upper := func(k float64) float64 { return -γ*k - math.Log1p(math.Exp(-γ)) }
	if z >= 1 {
		return upper(float64(z))
	}
	return math.Log1p(-math.Exp(upper(1 - float64(z))))
}

// Variance is 2q/(1−q)² = 1/(cosh γ − 1) = 1/(2 sinh²(γ/2)).
func (g TwoSidedGeometric) Variance() float64 {
	s := math.Sinh(g.Rate() / 2)
	return 1 / (2 * s * s)
}
