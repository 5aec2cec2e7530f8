package sample_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/internal/sample"
)

type constant uint64

func (c constant) Uint64() uint64 { return uint64(c) }

func TestFloat64StaysInside(t *testing.T) {
	for _, w := range []uint64{0, 1, 1<<11 - 1, 1 << 63, math.MaxUint64 - 1<<11, math.MaxUint64} {
		if u := sample.Float64(constant(w)); !(u > 0 && u < 1) {
			t.Errorf("word %#x gives %v", w, u)
		}
	}
}

func TestNormalMoments(t *testing.T) {
	src, mean, square := source(30), 0.0, 0.0
	for range draws {
		x := sample.Normal(src)
		mean, square = mean+x/draws, square+x*x/draws
	}
	if d := math.Abs(mean) * math.Sqrt(draws); d > tooFar {
		t.Errorf("the mean is %v standard errors off", d)
	}
	if d := math.Abs(square-1) / math.Sqrt(2.0/draws); d > tooFar {
		t.Errorf("the second moment is %v standard errors off", d)
	}
}

// E log Gamma(a) = ψ(a), Var = ψ′(a): within 6.5 standard errors for shapes that underflow in linear space; twice the
// shape and, below 1, the boost without its division by a, are rejected.
func TestLogGamma(t *testing.T) {
	for i, a := range []float64{1e-6, 1e-3, 0.3, 1, 2.5, 40, 1e6} {
		src := source(byte(50 + i))
		sum, twice, unboosted := 0.0, 0.0, 0.0
		for range draws {
			sum += sample.LogGamma(src, a)
			twice += sample.LogGamma(src, 2*a)
			unboosted += sample.LogGamma(src, a+1) + math.Log(sample.Float64(src))
		}
		mean, se := mathext.Digamma(a), math.Sqrt(mathext.Zeta(2, a)/draws)
		z := func(total float64) float64 { return math.Abs(total/draws-mean) / se }
		if d := z(sum); !(d < tooFar) {
			t.Errorf("shape %v: mean log %v, want %v (%.1f s.e.)", a, sum/draws, mean, d)
		}
		if z(twice) < tooFar || a < 1 && z(unboosted) < tooFar {
			t.Errorf("shape %v: a mutant passes", a)
		}
	}
}

func TestLogGammaOutsideItsDomain(t *testing.T) {
	src := source(60)
	for _, a := range []float64{-1, math.Inf(1), math.Inf(-1), math.NaN()} {
		if l := sample.LogGamma(src, a); !math.IsNaN(l) {
			t.Errorf("shape %v gives %v", a, l)
		}
	}
	if l := sample.LogGamma(src, 0); !math.IsInf(l, -1) {
		t.Errorf("shape 0 gives %v", l)
	}
}

func TestLogDirichlet(t *testing.T) {
	src, alpha, out := source(4), []float64{1e-6, 0.5, 3}, make([]float64, 3)
	mean := make([]float64, 3)
	for range draws {
		sample.LogDirichlet(src, alpha, out)
		total := 0.0
		for i, l := range out {
			if math.IsNaN(l) || math.IsInf(l, 0) || l > 1e-12 {
				t.Fatal("a log-probability of", l)
			}
			total += math.Exp(l)
			mean[i] += math.Exp(l) / draws
		}
		if math.Abs(total-1) > 1e-12 {
			t.Fatal("a draw adds up to", total)
		}
	}
	for i, a := range alpha {
		m := a / 3.500001
		if se := math.Sqrt(m*(1-m)/4.500001/draws) + 1e-9; math.Abs(mean[i]-m) > tooFar*se {
			t.Errorf("component %d: mean %v, want %v", i, mean[i], m)
		}
	}
	tiny := []float64{1e-6, 1e-6, 1e-6}
	for range 1000 {
		sample.LogDirichlet(src, tiny, out)
		for _, l := range out {
			if math.IsNaN(l) || math.IsInf(l, 0) {
				t.Fatal("shapes of 1e-6 collapse:", out)
			}
		}
	}
}

func BenchmarkLogGamma(b *testing.B) {
	for name, shape := range map[string]float64{"shape<1": 0.5, "shape>1": 20} {
		b.Run(name, func(b *testing.B) {
			src := source(1)
			for b.Loop() {
				sample.LogGamma(src, shape)
			}
		})
	}
}
