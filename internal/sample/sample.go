// Package sample draws exactly from discrete distributions with integer arithmetic, and from continuous ones in log
// space.
//
// The integer samplers follow Canonne, Kamath and Steinke, "The Discrete Gaussian for Differential Privacy" (2020),
// Algorithms 1–3: parameters are rational, no floating-point number enters a draw, so the distribution is the stated
// one and not an approximation of it. Probabilities, tails and variances are floating point, with stated errors;
// nothing is drawn from them.
//
// The words a draw reads are part of the contract: the same parameters on the same stream give the same value in every
// version.
package sample

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Uniform is uniform on {0, …, n−1}, exactly; n = 0 is taken as 1. It multiplies a word by n and rejects the few words
// that would favour a value (Lemire, "Fast Random Integer Generation in an Interval", 2019). n ≤ 1 reads no word.
func Uniform(src rand.Source, n uint64) uint64 {
	if n <= 1 {
		return 0
	}
	hi, lo := bits.Mul64(src.Uint64(), n)
	if lo < n {
		for threshold := -n % n; lo < threshold; {
			hi, lo = bits.Mul64(src.Uint64(), n)
		}
	}
	return hi
}

// Permutation is a uniformly random order of 0, …, n−1 (Fisher and Yates, inside out); empty for n ≤ 0.
func Permutation(src rand.Source, n int) []int {
	p := make([]int, max(n, 0))
	for i := range p {
		j := int(Uniform(src, uint64(i)+1))
		p[i], p[j] = p[j], i
	}
	return p
}

// BernoulliExp is true with probability exp(−num/den), exactly (Canonne, Kamath, Steinke 2020, Algorithm 1). den = 0 is
// taken as an exponent of +∞: never true.
//
// Case num ≤ den: the number K of the first failure in a run of Bernoulli(x/k), k = 1, 2, …, x = num/den, has
// P(K > k) = x^k/k!, so P(K odd) = Σ_j (x^{2j}/(2j)! − x^{2j+1}/(2j+1)!) = e^{−x}.
//
// Case num > den: exp(−num/den) is a product of factors exp(−1) and one of exp(−fraction); the run stops at the first
// false, after 1.6 factors in the mean whatever the exponent.
func BernoulliExp(src rand.Source, num, den uint64) bool {
	if den == 0 {
		return false
	}
	for ; num > den; num -= den {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	return bernoulliExpUnit(src, num, den)
}

// bernoulliExpUnit is BernoulliExp for num ≤ den. The k-th trial is Bernoulli(num/(k·den)): uniform on {0, …, k·den−1}
// below num. Where k·den passes 2^64 the trial is the product of Bernoulli(1/k) and Bernoulli(num/den), which has the
// same law.
func bernoulliExpUnit(src rand.Source, num, den uint64) bool {
	for k := uint64(1); ; k++ {
		var ok bool
		if over, n := bits.Mul64(k, den); over == 0 {
			ok = Uniform(src, n) < num
		} else {
			ok = Uniform(src, k) == 0 && Uniform(src, den) < num
		}
		if !ok {
			return k%2 == 1
		}
	}
}

// bernoulliExpWide is BernoulliExp for 192-bit integers, 1 ≤ den < 2^128. It reads the same words as BernoulliExp where
// both fit in one: whole units first, then the fraction, by the word routine as soon as den fits in a word (the
// fraction's num ≤ den does too).
func bernoulliExpWide(src rand.Source, num, den wide) bool {
	for ; den.less(num); num = num.minus(den) {
		if !bernoulliExpUnit(src, 1, 1) {
			return false
		}
	}
	if den.isWord() {
		return bernoulliExpUnit(src, num.lo, den.lo)
	}
	// k·den < 2^192 while k < 2^64, and the run passes k with probability at most 1/k!.
	var n wide
	for k := uint64(1); ; k++ {
		n = n.plus(den)
		if u := uniformWide(src, n); !u.less(num) {
			return k%2 == 1
		}
	}
}

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

// Staircase is the law of two-sided steps of width Period on the integers,
//
//	P(Z = z) ∝ e^{−ε(⌊|z|/Period⌋ + 1{|z| mod Period ≥ Low})},  ε = Num/Den > 0, 1 ≤ Low ≤ Period
//
// (Geng, Viswanath 2014). Moving z by at most Period changes the exponent by at most ε. Values come from [NewStaircase]
// or satisfy what it checks.
type Staircase struct{ Period, Low, Num, Den uint64 }

// NewStaircase checks 1 ≤ low ≤ period ≤ 2^40 and ε = num/den as NewTwoSidedGeometric checks its rate, with ε ≥ 2^−8.
// Errors: *[ParameterError].
func NewStaircase(period, low, num, den uint64) (Staircase, error) {
	if _, err := NewTwoSidedGeometric(num, den); err != nil {
		return Staircase{}, err
	}
	switch {
	case period == 0 || period > 1<<40:
		return Staircase{}, domain.Refuse("sample", "period", period, "1 ≤ period ≤ 2^40")
	case low == 0 || low > period:
		return Staircase{}, domain.Refuse("sample", "low", low, "1 ≤ low ≤ period")
	case float64(num)/float64(den) < 1.0/256:
		return Staircase{}, domain.Refuse("sample", "ε", float64(num)/float64(den), "at least 2^−8")
	}
	return Staircase{period, low, num, den}, nil
}

// BestLow is the width of the higher part of a step that has the least variance in the limit of wide steps,
//
//	Period·[−b/(1−b) + ((b − 2b² + 2b⁴ − b⁵)/2)^{1/3}/(1−b)²],  b = e^{−ε}
//
// (Geng, Viswanath 2014, Theorem 6), rounded, at least 1.
func BestLow(period uint64, epsilon float64) uint64 {
	b := math.Exp(-epsilon)
	share := -b/(1-b) + math.Cbrt((b-2*b*b+2*b*b*b*b-b*b*b*b*b)/2)/((1-b)*(1-b))
	return uint64(math.Min(math.Max(1, math.Round(float64(period)*share)), float64(period)))
}

// Draw is exact. The step is geometric at ε; the place in it is uniform, kept with probability e^{−ε} from Low on; a
// random sign is added and −0 rejected. Steps above 2^22, of probability below e^{−2^14}, are drawn again, so that |Z|
// ≤ 2^40·(2^22 + 1) < 2^63.
func (s Staircase) Draw(src rand.Source) int64 {
	step := TwoSidedGeometric{s.Num, s.Den}
	for {
		g := step.oneSided(src)
		if g > 1<<22 {
			continue
		}
		u := Uniform(src, s.Period)
		if u >= s.Low && !BernoulliExp(src, s.Num, s.Den) {
			continue
		}
		z := g*int64(s.Period) + int64(u)
		if src.Uint64()>>63 == 0 {
			return z
		}
		if z != 0 {
			return -z
		}
	}
}

// Epsilon is ε.
func (s Staircase) Epsilon() float64 { return float64(s.Num) / float64(s.Den) }

// exponent is ⌊|z|/Period⌋ + 1{|z| mod Period ≥ Low}.
func (s Staircase) exponent(z int64) float64 {
	a := uint64(max(z, -z))
	e := float64(a / s.Period)
	if a%s.Period >= s.Low {
		e++
	}
	return e
}

// total is Σ_z of the unnormalised law: twice the sum over z ≥ 0, less the 1 of z = 0.
func (s Staircase) total() float64 { return 2*s.perStep()/-math.Expm1(-s.Epsilon()) - 1 }

// perStep is the weight of the first step, Low + (Period − Low)·e^{−ε}.
func (s Staircase) perStep() float64 {
	return float64(s.Low) + float64(s.Period-s.Low)*math.Exp(-s.Epsilon())
}

// LogProb is log P(Z = z), within 1e-14 relative.
func (s Staircase) LogProb(z int64) float64 { return -s.Epsilon()*s.exponent(z) - math.Log(s.total()) }

// LogTail is log P(Z ≥ z).
func (s Staircase) LogTail(z int64) float64 {
	if z < 1 {
		return math.Log1p(-math.Exp(s.LogTail(1 - z)))
	}
	q := math.Exp(-s.Epsilon())
	g, u := uint64(z)/s.Period, uint64(z)%s.Period
	// what is left of step g from u on, then all later steps
	left := float64(s.Period-max(u, s.Low)) * q
	if u < s.Low {
		left += float64(s.Low - u)
	}
	return -s.Epsilon()*float64(g) + math.Log(left+q*s.perStep()/(1-q)) - math.Log(s.total())
}

// Variance is E Z²: over step g of weight e^{−εg}, z = g·Period + u.
func (s Staircase) Variance() float64 {
	q := math.Exp(-s.Epsilon())
	sums := func(n float64) (one, two float64) { return n * (n - 1) / 2, n * (n - 1) * (2*n - 1) / 6 }
	a1, a2 := sums(float64(s.Low))
	b1, b2 := sums(float64(s.Period))
	s0, s1, s2 := s.perStep(), a1+q*(b1-a1), a2+q*(b2-a2)
	k := float64(s.Period)
	g0, g1, g2 := 1/(1-q), q/((1-q)*(1-q)), q*(1+q)/((1-q)*(1-q)*(1-q)) // Σ q^g g^j
	return 2 * (k*k*g2*s0 + 2*k*g1*s1 + g0*s2) / s.total()
}
