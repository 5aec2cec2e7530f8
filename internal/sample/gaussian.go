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
// keeps the acceptance rate high. The root is a guess, put right by integers: (s+1)² ≤ (2^31 + 2)² does not overflow.
func (g DiscreteGaussian) scale() uint64 {
	q := g.Num / g.Den // ⌊σ⌋ = ⌊√⌊σ²⌋⌋
	s := nearRoot(q)
	for s*s > q {
		s--
	}
	for (s+1)*(s+1) <= q {
		s++
	}
	return s + 1
}

// nearRoot is near √q, in float64; below 2^32 for q ≤ 2^62.
func nearRoot(q uint64) uint64 { return uint64(math.Sqrt(float64(q))) }

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

// LogProb is log P(Z = z) = −z²/(2σ²) − log Σ_k exp(−k²/(2σ²)), within 1e-15·(1 + 1/σ²) for |z| < 2^53
// when σ² is a float64.
func (g DiscreteGaussian) LogProb(z int64) float64 {
	v := float64(z)
	return -v*v/(2*g.Sigma2()) - g.logNorm()
}

// logNorm is log Σ_z exp(−z²/(2σ²)) ≥ 0: the sum itself for σ² ≤ 1, and by Poisson summation √(2πσ²)(1 + 2Σ_k
// exp(−2π²σ²k²)) above, whose first term is enough. The first terms left out, exp(−13²/2) and exp(−8π²), are far below
// the rounding.
func (g DiscreteGaussian) logNorm() float64 {
	s2, sum := g.Sigma2(), 0.0
	if s2 > 1 {
		return 0.5*math.Log(2*math.Pi*s2) + math.Log1p(2*math.Exp(-2*math.Pi*math.Pi*s2))
	}
	for z := 12.0; z >= 1; z-- {
		sum += 2 * math.Exp(-z*z/(2*s2))
	}
	return math.Log1p(sum)
}

// maxTerms bounds the work of LogTail; summation by integrals takes over when more terms would count.
const maxTerms = 2048

// LogTail is log P(Z ≥ z), any z. Below 1 it is the complement of P(Z ≥ 1−z) < ½.
//
// Case few terms: relative to the first, term j is exp(−j(2z+j)/(2σ²)), below e^{−40} from j = 80σ²/(z + √(z²+80σ²))
// on; the terms before that are added from the far side, smallest first.
//
// Case many terms (then σ > 200 and z/σ² < 0.02): summation by integrals, see logTailIntegral.
//
// The relative error of the tail is below 1e-13 + 2^−51·z²/σ², the second part from rounding z²/(2σ²).
func (g DiscreteGaussian) LogTail(z int64) float64 {
	if z <= 0 {
		if z < -math.MaxInt64+1 { // 1 − z would overflow; the complement is 0 in any case, σ being at most 2^31
			return 0
		}
		return math.Log1p(-math.Exp(g.LogTail(1 - z)))
	}
	s2, v := g.Sigma2(), float64(z)
	terms := 80 * s2 / (v + math.Sqrt(v*v+80*s2))
	if terms > maxTerms {
		return logTailIntegral(v, s2)
	}
	sum := 0.0
	for j := math.Ceil(terms); j >= 0; j-- {
		sum += math.Exp(-j * (2*v + j) / (2 * s2))
	}
	return g.LogProb(z) + math.Log(sum)
}

// logTailIntegral is log Σ_{k≥z} φ(k/σ)/σ by the Euler–Maclaurin formula at midpoints. With x = (z−½)/σ and Q the
// normal tail,
//
//	Σ = ∫_{z−½}^∞ f + f′(z−½)/24 − 7f‴(z−½)/5760 + …
//	  = Q(x) − φ(x)·(x/(24σ²) − 7(x³−3x)/(5760σ⁴)) + …
//
// The next term is 31f⁗′/967680, relative to the sum below 4e-5·(z/σ²)⁶ + 4e-4/σ⁶: under 1e-14 where this is used.
//
// Far out (x > 25), where Q underflows, Q(x) = φ(x)/x·S(x), S = 1 − 1/x² + 3/x⁴ − 15/x⁶ + …, whose ninth term is below
// 1e-16.
func logTailIntegral(z, s2 float64) float64 {
	x := (z - 0.5) / math.Sqrt(s2)
	logDensity := -x*x/2 - 0.5*math.Log(2*math.Pi)
	var logQ, hazard float64 // hazard = φ/Q
	if x <= 25 {
		q := math.Erfc(x/math.Sqrt2) / 2
		logQ, hazard = math.Log(q), math.Exp(logDensity)/q
	} else {
		s, term := 1.0, 1.0
		for k := 1.0; k <= 8; k++ {
			term *= -(2*k - 1) / (x * x)
			s += term
		}
		logQ, hazard = logDensity+math.Log(s/x), x/s
	}
	return logQ + math.Log1p(-hazard*(x/(24*s2)-7*x*(x*x-3)/(5760*s2*s2)))
}

// Variance is the variance of the discrete law, Σ z² P(Z = z) ≤ σ²: below σ² when σ is small, equal to it but for a
// relative 8π²σ²e^{−2π²σ²} (under 1e-30 for σ² > 4) when large.
func (g DiscreteGaussian) Variance() float64 {
	s2 := g.Sigma2()
	if s2 > 4 {
		return s2
	}
	sum := 0.0
	for z := int64(40); z >= 1; z-- {
		sum += 2 * float64(z*z) * math.Exp(g.LogProb(z))
	}
	return math.Min(sum, s2) // the sum of rounded terms may pass σ² in its last digit
}

// Float64 is uniform on the midpoints of 2^53 cells of (0, 1), rounded to float64: never 0, and the top midpoint, which
// would round to 1, is 1 − 2^−53.
func Float64(src rand.Source) float64 {
	return math.Min((float64(src.Uint64()>>11)+0.5)*0x1p-53, 1-0x1p-53)
}

// Normal is a standard normal draw, by Marsaglia's polar method.
func Normal(src rand.Source) float64 {
	for {
		u, v := 2*Float64(src)-1, 2*Float64(src)-1
		if s := u*u + v*v; s < 1 && s > 0 {
			return u * math.Sqrt(-2*math.Log(s)/s)
		}
	}
}

// LogGamma is the logarithm of a Gamma(shape, 1) draw, 0 < shape < ∞. A draw at shape a + 1 is Marsaglia and Tsang's
// ("A Simple Method for Generating Gamma Variables", 2000); Gamma(a) = Gamma(a+1)·U^{1/a} is taken in log space,
// because for small a the draw itself underflows. Shape 0 is a point mass at 0, −Inf; a negative, infinite or NaN shape
// gives NaN.
func LogGamma(src rand.Source, shape float64) float64 {
	if !(shape >= 0) || math.IsInf(shape, 1) {
		return math.NaN()
	}
	if shape < 1 {
		return LogGamma(src, shape+1) + math.Log(Float64(src))/shape
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := Normal(src)
		v := 1 + c*x
		if v <= 0 {
			continue
		}
		v = v * v * v
		if math.Log(Float64(src)) < x*x/2+d-d*v+d*math.Log(v) {
			return math.Log(d) + math.Log(v)
		}
	}
}

// LogDirichlet fills out with the logarithms of a Dirichlet(alpha) draw: log-Gammas, normalised by log-sum-exp, so that
// components far below the smallest float64 keep their logarithm. alpha and out have the same length; every alpha ≥ 0,
// one of them > 0.
func LogDirichlet(src rand.Source, alpha, out []float64) {
	top := math.Inf(-1)
	for i, a := range alpha {
		out[i] = LogGamma(src, a)
		top = math.Max(top, out[i])
	}
	sum := 0.0
	for _, l := range out {
		sum += math.Exp(l - top)
	}
	norm := top + math.Log(sum)
	for i := range out {
		out[i] -= norm
	}
}
