package sample

import (
	"math"
	"math/big"
	"math/bits"
)

// DiscreteGaussian is the law P(Z = z) ∝ exp(−z²/(2σ²)) on the integers, σ² = Num/Den > 0.
type DiscreteGaussian struct{ Num, Den uint64 }

// NewDiscreteGaussian checks σ²: 1 ≤ num ≤ 2^62, 1 ≤ den ≤ 2^40. Errors: *ParameterError.
func NewDiscreteGaussian(num, den uint64) (DiscreteGaussian, error) {
	switch {
	case num == 0 || num > 1<<62:
		return DiscreteGaussian{}, &ParameterError{"num", num, "1 ≤ num ≤ 2^62"}
	case den == 0 || den > 1<<40:
		return DiscreteGaussian{}, &ParameterError{"den", den, "1 ≤ den ≤ 2^40"}
	}
	return DiscreteGaussian{num, den}, nil
}

// Sigma2 is σ², the variance parameter.
func (g DiscreteGaussian) Sigma2() float64 { return float64(g.Num) / float64(g.Den) }

// scale is t = ⌊σ⌋ + 1: the scale of the discrete Laplace proposal.
func (g DiscreteGaussian) scale() uint64 {
	q := g.Num / g.Den
	t := uint64(math.Sqrt(float64(q)))
	for t*t > q {
		t--
	}
	for (t+1)*(t+1) <= q {
		t++
	}
	return t + 1
}

// Draw is exact (Canonne, Kamath, Steinke 2020, Algorithm 3): a discrete Laplace proposal Y at scale t is kept with probability
// exp(−(|Y| − σ²/t)²/(2σ²)). With σ² = a/b the exponent is (|Y|·t·b − a)² / (2·a·b·t²); it is handed to BernoulliExp as integers
// when they fit 64 bits, else as big integers.
func (g DiscreteGaussian) Draw(src Source) int64 {
	t := g.scale()
	proposal := TwoSidedGeometric{1, t}
	for {
		y := proposal.Draw(src)
		if g.accept(src, uint64(max(y, -y)), t) {
			return y
		}
	}
}

func (g DiscreteGaussian) accept(src Source, y, t uint64) bool {
	if num, den, ok := g.exponent(y, t); ok {
		return BernoulliExp(src, num, den)
	}
	return g.acceptBig(src, y, t)
}

// exponent is the exponent's numerator and denominator, when both fit in 64 bits.
func (g DiscreteGaussian) exponent(y, t uint64) (num, den uint64, ok bool) {
	hi1, tb := bits.Mul64(t, g.Den)
	hi2, ytb := bits.Mul64(y, tb)
	if hi1|hi2 != 0 {
		return 0, 0, false
	}
	diff := ytb - g.Num
	if ytb < g.Num {
		diff = g.Num - ytb
	}
	hi3, num := bits.Mul64(diff, diff)
	hi4, a := bits.Mul64(2*g.Num, t)
	hi5, den := bits.Mul64(a, tb)
	return num, den, hi3|hi4|hi5 == 0
}

// acceptBig is BernoulliExp of the same exponent in big integers: whole units first, then the fraction by the alternating run.
func (g DiscreteGaussian) acceptBig(src Source, y, t uint64) bool {
	u := func(x uint64) *big.Int { return new(big.Int).SetUint64(x) }
	num := u(y)
	num.Mul(num, u(t)).Mul(num, u(g.Den)).Sub(num, u(g.Num))
	num.Mul(num, num)
	den := u(2)
	den.Mul(den, u(g.Num)).Mul(den, u(g.Den)).Mul(den, u(t)).Mul(den, u(t))
	one := big.NewInt(1)
	for ; num.Cmp(den) > 0; num.Sub(num, den) {
		if !bernoulliExpBig(src, one, one) {
			return false
		}
	}
	return bernoulliExpBig(src, num, den)
}

func bernoulliExpBig(src Source, num, den *big.Int) bool {
	bound := new(big.Int)
	for k := int64(1); ; k++ {
		if bound.Add(bound, den); uniformBig(src, bound).Cmp(num) >= 0 {
			return k%2 == 1
		}
	}
}

// uniformBig is uniform on {0, …, n−1}: the fewest words that cover n, the top ones masked, rejected when too large. For n below
// 2^64 it draws as Uniform does, so that both paths read the same stream.
func uniformBig(src Source, n *big.Int) *big.Int {
	if n.IsUint64() {
		return new(big.Int).SetUint64(Uniform(src, n.Uint64()))
	}
	length := new(big.Int).Sub(n, big.NewInt(1)).BitLen()
	x, word := new(big.Int), new(big.Int)
	for {
		x.SetInt64(0)
		for left := length; left > 0; left -= 64 {
			w := src.Uint64()
			if left < 64 {
				w >>= 64 - left
			}
			x.Lsh(x, uint(min(left, 64)))
			x.Or(x, word.SetUint64(w))
		}
		if x.Cmp(n) < 0 {
			return x
		}
	}
}

// LogProb is log P(Z = z).
func (g DiscreteGaussian) LogProb(z int64) float64 {
	v := float64(z)
	return -v*v/(2*g.Sigma2()) - g.logNorm()
}

// logNorm is log Σ_z exp(−z²/(2σ²)): the sum itself for σ² ≤ 1, and by Poisson summation √(2πσ²)(1 + 2Σ_k exp(−2π²σ²k²)) above;
// both need at most a dozen terms for full accuracy.
func (g DiscreteGaussian) logNorm() float64 {
	s2, sum := g.Sigma2(), 0.0
	if s2 <= 1 {
		for z := 12.0; z >= 1; z-- {
			sum += 2 * math.Exp(-z*z/(2*s2))
		}
		return math.Log1p(sum)
	}
	for k := 4.0; k >= 1; k-- {
		sum += 2 * math.Exp(-2*math.Pi*math.Pi*s2*k*k)
	}
	return 0.5*math.Log(2*math.Pi*s2) + math.Log1p(sum)
}

// LogTail is log P(Z ≥ z). Positive terms are summed from z outward until they no longer count; beyond σ = 10^4 the sum is the
// integral from z − ½, right to 1e-9 relative within 12σ.
func (g DiscreteGaussian) LogTail(z int64) float64 {
	if z <= 0 {
		return math.Log1p(-math.Exp(g.LogTail(1 - z)))
	}
	sigma := math.Sqrt(g.Sigma2())
	first := g.LogProb(z)
	if sigma > 1e4 {
		x := (float64(z) - 0.5) / sigma
		if x > 35 {
			return -x*x/2 - math.Log(x*math.Sqrt(2*math.Pi))
		}
		return math.Log(math.Erfc(x/math.Sqrt2) / 2)
	}
	sum := 0.0
	for k := z; ; k++ {
		term := math.Exp(g.LogProb(k) - first)
		if sum += term; term < 1e-18*sum {
			return first + math.Log(sum)
		}
	}
}

// Variance is the variance of the discrete law, Σ z² P(Z = z): below σ² when σ is small, equal to it but for 4π²σ⁴e^{−2π²σ²}
// relative terms when large.
func (g DiscreteGaussian) Variance() float64 {
	s2 := g.Sigma2()
	if s2 > 4 {
		return s2
	}
	sum := 0.0
	for z := int64(40); z >= 1; z-- {
		sum += 2 * float64(z*z) * math.Exp(g.LogProb(z))
	}
	return sum
}
