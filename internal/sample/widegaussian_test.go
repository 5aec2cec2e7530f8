package sample_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Draws follow the law of DiscreteGaussian where both exist, and not that of another variance.
func TestWideGaussianFitsItsLaw(t *testing.T) {
	for i, c := range [][2]int64{{1, 4}, {9, 2}, {400, 1}} {
		g := must.Get(sample.NewWideGaussian(big.NewInt(c[0]), big.NewInt(c[1])))(t)
		src := source(byte(200 + i))
		draw := func() int64 { return g.Draw(src).Int64() }
		law := sample.DiscreteGaussian{Num: uint64(c[0]), Den: uint64(c[1])}
		if !fits(draws, draw, law.LogProb) {
			t.Errorf("%v does not fit", c)
		}
		if fits(draws, draw, sample.DiscreteGaussian{Num: 5 * law.Num, Den: 4 * law.Den}.LogProb) {
			t.Errorf("a variance 25 %% off passes for %v", c)
		}
	}
}

// Beyond 64 bits, draws over σ have the moments and the middle of a standard normal number, within 6.5 standard errors,
// and use their last bits.
func TestWideGaussianOfManyBits(t *testing.T) {
	const n = 20000
	for _, bits := range []uint{90, 200} {
		g := must.Get(sample.NewWideGaussian(new(big.Int).Lsh(big.NewInt(5), bits), big.NewInt(3)))(t)
		sigma := math.Sqrt(5. / 3 * math.Ldexp(1, int(bits)))
		src, odd, middle, sum, square := source(90), 0, 0, 0.0, 0.0
		for range n {
			z := g.Draw(src)
			odd += int(z.Bit(0))
			x, _ := new(big.Float).SetInt(z).Float64()
			x /= sigma
			if math.Abs(x) < .6744897501960817 {
				middle++
			}
			sum += x
			square += x * x
		}
		for name, off := range map[string]float64{"odd": (float64(odd) - n/2) / math.Sqrt(n/4), "mean": sum / math.Sqrt(n),
			"middle": (float64(middle) - n/2) / math.Sqrt(n/4), "square": (square - n) / math.Sqrt(2*n)} {
			if math.Abs(off) > 6.5 {
				t.Errorf("2^%d: %s is %.1f standard errors off", bits, name, off)
			}
		}
	}
}

func TestWideGaussianRefuses(t *testing.T) {
	huge := new(big.Int).Lsh(big.NewInt(1), 600)
	for _, c := range [][2]*big.Int{{big.NewInt(0), big.NewInt(1)}, {big.NewInt(1), big.NewInt(-1)}, {huge, big.NewInt(1)},
		{big.NewInt(1), huge}} {
		if _, err := sample.NewWideGaussian(c[0], c[1]); err == nil {
			t.Errorf("%v are taken", c)
		}
	}
}

func BenchmarkWideGaussian(b *testing.B) {
	g := must.Get(sample.NewWideGaussian(new(big.Int).Lsh(big.NewInt(5), 90), big.NewInt(3)))(b)
	src := source(1)
	for b.Loop() {
		g.Draw(src)
	}
}
