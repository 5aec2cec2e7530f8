package sample

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// DiscreteGaussian is the law
//
//	P(Z = z) = exp(−z²/(2σ²)) / Σ_k exp(−k²/(2σ²)) on the integers,  σ² = Num/Den > 0
//
// (Canonne, Kamath, Steinke 2020). Values come from [NewDiscreteGaussian] or satisfy what it checks; the methods do not
// check again.
type DiscreteGaussian struct{ Num, Den uint64 }

// NewDiscreteGaussian checks σ²: 1 ≤ num ≤ 2^62 and 1 ≤ den ≤ 2^62. Errors: *[ParameterError].
func NewDiscreteGaussian(num, den uint64) (DiscreteGaussian, error) {
	switch {
	case num == 0 || num > 1<<62:
		return DiscreteGaussian{}, domain.Refuse("sample", "num", num, "1 ≤ num ≤ 2^62")
	case den == 0 || den > 1<<62:
		return DiscreteGaussian{}, domain.Refuse("sample", "den", den, "1 ≤ den ≤ 2^62")
	}
	return DiscreteGaussian{num, den}, nil
}

// Sigma2 is σ², the variance parameter.
func (g DiscreteGaussian) Sigma2() float64 { return float64(g.Num) / float64(g.Den) }

// scale is t = ⌊σ⌋ + 1 ≤ 2^31 + 1: the scale of the discrete Laplace proposal. Any t ≥ 1 gives the right law, this one
// keeps the acceptance rate high. The float64 root is a guess, put right by integers: (s+1)² ≤ (2^31 + 2)² does not
// overflow.
func (g DiscreteGaussian) scale() uint64 {
	q := g.Num / g.Den // ⌊σ⌋ = ⌊√⌊σ²⌋⌋
	s := uint64(math.Sqrt(float64(q)))
	for s*s > q {
		s--
	}
	for (s+1)*(s+1) <= q {
		s++
	}
	return s + 1
}

// Draw is exact (Canonne, Kamath, Steinke 2020, Algorithm 3): a discrete Laplace proposal Y at scale t is kept with
// probability exp(−(|Y| − σ²/t)²/(2σ²)). Expanding the square, P(Y = y)·P(keep | y) ∝ exp(−|y|/t)·exp(−y²/(2σ²) +
// |y|/t): the law is right for every t.
//
// |Z| is below t·(2^22 + 1) ≤ 2^54, the proposal's bound: it cuts proposals of probability e^{−2^22} and leaves int64
// far away.
func (g DiscreteGaussian) Draw(src rand.Source) int64 {
	t := g.scale()
	proposal := TwoSidedGeometric{1, t}
	for {
		y := proposal.Draw(src)
		if g.accept(src, uint64(max(y, -y)), t) {
			return y
		}
	}
}

// accept is true with probability exp(−exponent), in 64-bit arithmetic when numerator and denominator fit.
func (g DiscreteGaussian) accept(src rand.Source, y, t uint64) bool {
	num, den := g.exponent(y, t)
	if num.isWord() && den.isWord() {
		return BernoulliExp(src, num.lo, den.lo)
	}
	return bernoulliExpWide(src, num, den)
}

// exponent is (y − σ²/t)²/(2σ²) as a fraction: with σ² = a/b,
//
//	(y·t·b − a)² / (2·a·b·t²).
//
// Bounds for a, b ≤ 2^62, from t ≤ σ + 1:
//
//   - t·b ≤ √(ab) + b ≤ 2^63: one word;
//   - t²·b ≤ a + 2√(ab) + b ≤ 2^64: times 2a ≤ 2^63 it is at most 2^127, the denominator, two words;
//   - y·t·b ≤ (2^22 + 1)·t²·b < 2^87 for proposals y ≤ (2^22 + 1)·t: its distance from a is two words with a high one
//     below 2^23, and the numerator, its square, is below 2^174: three words.
func (g DiscreteGaussian) exponent(y, t uint64) (num, den wide) {
	tb := t * g.Den
	hi, lo := bits.Mul64(y, tb)
	lo, borrow := bits.Sub64(lo, g.Num, 0)
	hi, borrow = bits.Sub64(hi, 0, borrow)
	if borrow != 0 { // y·t·b < a: the difference is −(hi, lo) modulo 2^128
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	num = squared128(hi, lo)
	upper, lower := bits.Mul64(t, tb)
	carry, low := bits.Mul64(lower, 2*g.Num)
	return num, wide{mid: upper*2*g.Num + carry, lo: low}
}
