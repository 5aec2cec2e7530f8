package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// GammaPlus is the Lipschitz constant of 1/LS⁺ between neighbours, for every n,
//
//	γ⁺ = T(α_min + 1) − T(α_min),  T(p) = (1 − g(p))^{−1/2},
//
// which is below 1.9646966 and about √(2/α_min) for large α_min. Relative error at most 1e-14. 0 for n = 0.
//
// T grows like √(8p), so that the difference cancels. With z = 1/(4p(p+1)), g(p+1) = g(p)·√(1+z), and with w = 8p(1 −
// g(p)), w₁ = 8p(1 − g(p+1)), which tend to 1,
//
//	γ⁺ = g(p) · 2√(8p)/(p + 1) / [(1 + √(1+z)) · √(w·w₁) · (√w + √w₁)].
func (s *Space) GammaPlus() float64 {
	if s.n == 0 {
		return 0
	}
	p := s.alpha[s.low[0]]
	l, l1 := num.LogGammaHalfRatio(p), num.LogGammaHalfRatio(p+1)
	if p < 1 {
		return 1/math.Sqrt(-math.Expm1(l1)) - 1/math.Sqrt(-math.Expm1(l))
	}
	w, w1 := math.Sqrt(-8*(p*math.Expm1(l))), math.Sqrt(-8*(p*math.Expm1(l1)))
	z := 0.25 / p / (p + 1)
	return math.Exp(l) * (4 * math.Sqrt2 * math.Sqrt(p) / (p + 1)) / ((1 + math.Sqrt(1+z)) * w * w1 * (w + w1))
}

// GammaPlusUpper is a number that is surely not below γ⁺: the upper end of [Space.GammaPlusEnclosure].
func (s *Space) GammaPlusUpper() float64 { return s.GammaPlusEnclosure().Hi }

// GammaPlusEnclosure encloses γ⁺, relative width at most 1e-12, by the formulas of [Space.GammaPlus].
func (s *Space) GammaPlusEnclosure() num.Interval {
	if s.n == 0 {
		return num.Point(0)
	}
	p := num.Point(s.alpha[s.low[0]])
	one, eight := num.Point(1), num.Point(8)
	next := p.Add(one)
	l := num.LogGammaHalfRatioEnclosure(p.Lo)
	// L increases
	l1 := num.Interval{Lo: num.LogGammaHalfRatioEnclosure(next.Lo).Lo, Hi: num.LogGammaHalfRatioEnclosure(next.Hi).Hi}
	v, v1 := l.Expm1().Neg(), l1.Expm1().Neg()
	if p.Lo < 1 {
		return one.Div(v1.Sqrt()).Sub(one.Div(v.Sqrt()))
	}
	w, w1 := eight.Mul(p.Mul(v)).Sqrt(), eight.Mul(p.Mul(v1)).Sqrt()
	z := num.Point(0.25).Div(p).Div(next)
	above := l.Exp().Mul(num.Point(2)).Mul(eight.Sqrt().Mul(p.Sqrt()).Div(next))
	return above.Div(one.Add(one.Add(z).Sqrt()).Mul(w).Mul(w1).Mul(w.Add(w1)))
}
