package sample_test

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
)

type law interface {
	LogProb(int64) float64
	LogTail(int64) float64
	Variance() float64
}

var laws = []law{
	sample.TwoSidedGeometric{Num: 1, Den: 1}, sample.TwoSidedGeometric{Num: 1, Den: 50},
	sample.TwoSidedGeometric{Num: 9, Den: 1}, sample.TwoSidedGeometric{Num: 60, Den: 1},
	sample.DiscreteGaussian{Num: 1, Den: 1000}, sample.DiscreteGaussian{Num: 3, Den: 10},
	sample.DiscreteGaussian{Num: 1, Den: 1},
	sample.DiscreteGaussian{Num: 101, Den: 100}, sample.DiscreteGaussian{Num: 10, Den: 1},
	sample.DiscreteGaussian{Num: 10000, Den: 1},
	sample.DiscreteGaussian{Num: 60000, Den: 1}, sample.DiscreteGaussian{Num: 160000, Den: 1},
}

func TestLawsAreNormalisedAndConsistent(t *testing.T) {
	for _, l := range laws {
		half, second, tail := 0.0, 0.0, 0.0
		for z := int64(6000); z >= 1; z-- {
			p := math.Exp(l.LogProb(z))
			if l.LogProb(-z) != l.LogProb(z) {
				t.Fatalf("%+v is not symmetric at %d", l, z)
			}
			half, second = half+p, second+2*p*float64(z)*float64(z)
			if tail += p; z < 3000 && (z%37 == 0 || z < 10) && tail > 1e-290 {
				// exp turns a rounding of the logarithm into |log p| roundings of p.
				tol := 1e-13 + 1e-15*math.Abs(math.Log(tail))
				if got := math.Exp(l.LogTail(z)); math.Abs(got/tail-1) > tol {
					t.Errorf("%+v: P(Z ≥ %d) = %v, sum %v", l, z, got, tail)
				}
				if got := math.Exp(l.LogTail(1 - z)); math.Abs(got-(1-tail)) > tol {
					t.Errorf("%+v: P(Z ≥ %d) = %v, complement %v", l, 1-z, got, 1-tail)
				}
			}
		}
		if sum := 2*half + math.Exp(l.LogProb(0)); math.Abs(sum-1) > 1e-14 {
			t.Errorf("%+v: Σ p − 1 = %v", l, sum-1)
		}
		if v := l.Variance(); math.Abs(second-v) > 1e-12*v {
			t.Errorf("%+v: variance %v, sum %v", l, v, second)
		}
		if l.LogTail(math.MinInt64) != 0 || l.LogTail(math.MinInt64+1) != 0 || math.IsNaN(l.LogTail(math.MaxInt64)) {
			t.Errorf("%+v: tails at the ends of int64", l)
		}
	}
}

// Wide laws are summed to 8.5σ on one side, small terms first: the rest is below 1e-16.
func TestWideGaussiansSumToOne(t *testing.T) {
	for _, g := range []sample.DiscreteGaussian{{Num: 1e6, Den: 1}, {Num: 1e12, Den: 1}} {
		sum, carry := 0.0, 0.0 // Kahan's sum: eight million terms
		for z := int64(8.5 * math.Sqrt(g.Sigma2())); z >= 0; z-- {
			p := math.Exp(g.LogProb(z))
			if z > 0 {
				p *= 2
			}
			y := p - carry
			next := sum + y
			sum, carry = next, next-sum-y
		}
		if math.Abs(sum-1) > 1e-14 {
			t.Errorf("%+v: Σ p − 1 = %v", g, sum-1)
		}
	}
}

func TestGaussianVarianceIsAtMostSigma2(t *testing.T) {
	for s2 := 1e-3; s2 < 1e7; s2 *= 1.07 {
		g := sample.DiscreteGaussian{Num: uint64(s2 * 1e6), Den: 1e6}
		if v := g.Variance(); !(v > 0 && v <= g.Sigma2()) {
			t.Errorf("%+v: variance %v above σ² %v", g, v, g.Sigma2())
		}
	}
}

// The tail by integrals against the sum of its terms; the mutant without the correction terms is far outside the
// tolerance.
func TestGaussianTailOfWideLaws(t *testing.T) {
	for _, c := range []struct {
		sigma float64
		z     int64
	}{{250, 1}, {250, 300}, {1000, 1}, {1000, 4000}, {1000, 9000}, {10_000, 5}, {10_000, 100_000}, {10_000, 240_000},
		{10_000, 260_000}, {10_000, 300_000}, {10_000, 1_900_000}} {
		g := sample.DiscreteGaussian{Num: uint64(c.sigma * c.sigma), Den: 1}
		s2, v, sum := g.Sigma2(), float64(c.z), 0.0
		for j := 9 * c.sigma; j >= 0; j-- {
			sum += math.Exp(-j * (2*v + j) / (2 * s2))
		}
		want, got := g.LogProb(c.z)+math.Log(sum), g.LogTail(c.z)
		tol := 1e-13 + v*v/s2*0x1p-51
		if math.Abs(got-want) > tol {
			t.Errorf("σ = %v: log P(Z ≥ %d) = %v, sum %v, off by %v", c.sigma, c.z, got, want, got-want)
		}
		if x := (v - 0.5) / c.sigma; x > 1 && x < 25 {
			if plain := math.Log(math.Erfc(x/math.Sqrt2) / 2); math.Abs(plain-want) < 1000*tol {
				t.Errorf("σ = %v, z = %d: the uncorrected integral passes", c.sigma, c.z)
			}
		}
	}
}

const precision = 300

func float(x float64) *big.Float { return new(big.Float).SetPrec(precision).SetFloat64(x) }

// exp is e^x in 300 bits: the series at x/2^k, |x/2^k| < 2^−20, squared k times.
func exp(x *big.Float) *big.Float {
	k := max(0, x.MantExp(nil)+20)
	y := new(big.Float).SetMantExp(x, -k)
	sum, term := float(1), float(1)
	for n := 1.0; n < 16; n++ {
		term.Mul(term, y).Quo(term, float(n))
		sum.Add(sum, term)
	}
	for range k {
		sum.Mul(sum, sum)
	}
	return sum
}

func ratio(num, den uint64) *big.Float {
	return new(big.Float).SetPrec(precision).SetRat(new(big.Rat).SetFrac(new(big.Int).SetUint64(num),
		new(big.Int).SetUint64(den)))
}

// off is |ℓ − log p| relative to |log p|, from p/e^ℓ − 1.
func off(p *big.Float, l float64) float64 {
	d := new(big.Float).Quo(p, exp(float(l)))
	e, _ := d.Sub(d, float(1)).Float64()
	return math.Abs(math.Log1p(e) / l)
}

func TestGeometricLogProbToFullPrecision(t *testing.T) {
	for _, c := range [][2]uint64{{1, 1 << 31}, {1, 1 << 10}, {1, 10}, {1, 2}, {11, 16}, {45, 64}, {1, 1}, {9, 1},
		{30, 1}, {60, 1}} {
		g := sample.TwoSidedGeometric{Num: c[0], Den: c[1]}
		q := exp(new(big.Float).Neg(ratio(c[0], c[1])))
		p := new(big.Float).Quo(new(big.Float).Sub(float(1), q), new(big.Float).Add(float(1), q))
		for z := range int64(4) {
			if e := off(p, g.LogProb(z)); e > 1e-15 {
				t.Errorf("%+v: log P(%d) is off by %v relative", g, z, e)
			}
			p.Mul(p, q)
		}
		if γ := g.Rate(); γ >= 9 { // the mutant that forms 1 − q first
			naive := math.Log(-math.Expm1(-γ)) - math.Log1p(math.Exp(-γ))
			p0 := new(big.Float).Quo(new(big.Float).Sub(float(1), q), new(big.Float).Add(float(1), q))
			if off(p0, naive) < 1e-14 {
				t.Errorf("γ = %v: log(1 − q) from a rounded 1 − q passes", γ)
			}
		}
	}
}

func TestGaussianLogProbToFullPrecision(t *testing.T) {
	for _, c := range [][2]uint64{{1, 1000}, {3, 10}, {1, 1}, {5, 4}, {10, 1}, {1e4, 1}} {
		g := sample.DiscreteGaussian{Num: c[0], Den: c[1]}
		at := func(z int64) *big.Float {
			x := ratio(c[1], 2*c[0])
			return exp(x.Mul(x, float(-float64(z*z))))
		}
		norm := float(1)
		for z := int64(1); float64(z*z) < 300*g.Sigma2() || z < 3; z++ { // the rest is below e^−150
			norm.Add(norm, new(big.Float).Mul(float(2), at(z)))
		}
		for _, z := range []int64{0, 1, 2, 7} {
			tol := 1e-15 * (1 + 1/g.Sigma2())
			if e := off(at(z).Quo(at(z), norm), g.LogProb(z)); e > tol {
				t.Errorf("%s: log P(%d) is off by %v relative", fmt.Sprint(c), z, e)
			}
		}
	}
}
