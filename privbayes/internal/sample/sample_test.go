package sample_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/internal/sample"
	"gonum.org/v1/gonum/mathext"
	"gonum.org/v1/gonum/stat/distuv"
)

func source(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// falseAlarm is the chance that a right sampler fails one goodness-of-fit test here; the seeds are fixed, so a test that passed
// once always passes.
const falseAlarm = 1e-9

// fits tests draws against log-probabilities by Pearson's chi-square, cells with fewer than 20 expected draws pooled.
func fits(n int, draw func() int64, logProb func(int64) float64) bool {
	seen := map[int64]int{}
	for range n {
		seen[draw()]++
	}
	chi, cells, pooledHave, pooledWant := 0.0, -1.0, float64(n), float64(n)
	for z := int64(0); ; z++ {
		want := float64(n) * math.Exp(logProb(z))
		if want < 20 {
			break
		}
		for _, s := range []int64{z, -z} {
			d := float64(seen[s]) - want
			chi += d * d / want
			cells++
			pooledHave, pooledWant = pooledHave-float64(seen[s]), pooledWant-want
			if z == 0 {
				break
			}
		}
	}
	if pooledWant > 5 {
		d := pooledHave - pooledWant
		chi += d * d / pooledWant
		cells++
	} else if pooledHave > 60 {
		return false
	}
	return chi < distuv.ChiSquared{K: math.Max(cells, 1)}.Quantile(1-falseAlarm)
}

const draws = 200_000

func TestTwoSidedGeometricFitsItsLaw(t *testing.T) {
	for i, c := range [][2]uint64{{1, 1}, {1, 3}, {1, 40}, {7, 3}, {5, 1}, {3435973902, 34359738368}, {1 << 31, 1 << 36}} {
		g, err := sample.NewTwoSidedGeometric(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		src := source(byte(i))
		if !fits(draws, func() int64 { return g.Draw(src) }, g.LogProb) {
			t.Errorf("%+v does not fit", g)
		}
		if c[1] > 1 && c[0] < 2*c[1] { // the mutants: a scale 10 % off, and zero counted twice
			wrong := sample.TwoSidedGeometric{Num: 11 * c[0], Den: 10 * c[1]}
			if fits(draws, func() int64 { return wrong.Draw(src) }, g.LogProb) {
				t.Errorf("a rate 10 %% off passes for %+v", g)
			}
			if g.Rate() > 0.2 && fits(draws, func() int64 { return twiceZero(src, g) }, g.LogProb) {
				t.Errorf("a zero counted twice passes for %+v", g)
			}
		}
	}
}

// twiceZero is the usual mistake: a random sign on a one-sided draw, −0 kept.
func twiceZero(src sample.Source, g sample.TwoSidedGeometric) int64 {
	z := int64(0)
	for sample.BernoulliExp(src, g.Num, g.Den) {
		z++
	}
	if src.Uint64()>>63 == 0 {
		return -z
	}
	return z
}

func TestDiscreteGaussianFitsItsLaw(t *testing.T) {
	for i, c := range [][2]uint64{{1, 4}, {1, 1}, {9, 2}, {400, 1}, {3435973902, 1 << 28}, {1 << 40, 1 << 28}} {
		g, err := sample.NewDiscreteGaussian(c[0], c[1])
		if err != nil {
			t.Fatal(err)
		}
		src := source(byte(100 + i))
		if !fits(draws, func() int64 { return g.Draw(src) }, g.LogProb) {
			t.Errorf("%+v does not fit", g)
		}
		wrong := sample.DiscreteGaussian{Num: 5 * c[0], Den: 4 * c[1]}
		if fits(draws, func() int64 { return wrong.Draw(src) }, g.LogProb) {
			t.Errorf("a variance 25 %% off passes for %+v", g)
		}
		if s2 := g.Sigma2(); s2 >= 1 { // the mutant: a rounded continuous normal
			sd := math.Sqrt(s2)
			rounded := func() int64 { return int64(math.Round(sd * sample.Normal(src))) }
			if s2 <= 2 && fits(draws, rounded, g.LogProb) {
				t.Errorf("a rounded normal passes for %+v", g)
			}
		}
	}
}

// The acceptance of BernoulliExp is an alternating series; its frequency must match within 6.5 standard errors, and the first-order
// mutant 1 − x must not.
func TestBernoulliExp(t *testing.T) {
	src := source(9)
	for _, c := range [][2]uint64{{0, 1}, {1, 1}, {1, 2}, {3, 2}, {7, 5}, {5, 1}, {1 << 62, 1<<62 + 1}, {math.MaxUint64, math.MaxUint64}} {
		p := math.Exp(-float64(c[0]) / float64(c[1]))
		hits := 0
		for range draws {
			if sample.BernoulliExp(src, c[0], c[1]) {
				hits++
			}
		}
		se := math.Sqrt(p*(1-p)/draws) + 1e-12
		if d := math.Abs(float64(hits)/draws-p) / se; d > 6.5 {
			t.Errorf("exp(−%d/%d): %v standard errors off", c[0], c[1], d)
		}
		if linear := math.Max(0, 1-float64(c[0])/float64(c[1])); c[0] > 0 && math.Abs(linear-p)/se < 6.5 && p > 1e-3 {
			t.Errorf("1 − x passes for exp(−%d/%d): no power", c[0], c[1])
		}
	}
	if sample.BernoulliExp(src, 1, 0) {
		t.Error("exp(−∞) happened")
	}
}

// Every number of random words gives one of the big-integer and word paths the same law: with parameters that overflow words, the
// fit of the law is tested on the big path.
func TestBigIntegerPath(t *testing.T) {
	g, err := sample.NewDiscreteGaussian(1<<52+1, 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	src := source(77)
	if !fits(20_000, func() int64 { return g.Draw(src) }, g.LogProb) {
		t.Errorf("%+v does not fit", g)
	}
}

func TestLawsAreNormalisedAndConsistent(t *testing.T) {
	type law interface {
		LogProb(int64) float64
		LogTail(int64) float64
		Variance() float64
	}
	laws := []law{
		sample.TwoSidedGeometric{Num: 1, Den: 1}, sample.TwoSidedGeometric{Num: 1, Den: 50}, sample.TwoSidedGeometric{Num: 9, Den: 1},
		sample.DiscreteGaussian{Num: 1, Den: 1000}, sample.DiscreteGaussian{Num: 3, Den: 10}, sample.DiscreteGaussian{Num: 1, Den: 1},
		sample.DiscreteGaussian{Num: 101, Den: 100}, sample.DiscreteGaussian{Num: 10, Den: 1}, sample.DiscreteGaussian{Num: 10000, Den: 1},
	}
	for _, l := range laws {
		sum, second, tail := 0.0, 0.0, 0.0
		for z := int64(6000); z >= -6000; z-- {
			p := math.Exp(l.LogProb(z))
			sum, second = sum+p, second+p*float64(z)*float64(z)
			tail += p
			if z%37 == 0 && z > -100 && z < 200 && tail > 1e-290 {
				if got := math.Exp(l.LogTail(z)); math.Abs(got/tail-1) > 1e-9 {
					t.Errorf("%+v: P(Z ≥ %d) = %v, sum %v", l, z, got, tail)
				}
			}
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%+v: Σ p = %v", l, sum)
		}
		if math.Abs(second/l.Variance()-1) > 1e-9 {
			t.Errorf("%+v: variance %v, sum %v", l, l.Variance(), second)
		}
	}
}

func TestParameterErrors(t *testing.T) {
	var pe *sample.ParameterError
	for _, c := range [][2]uint64{{0, 1}, {1, 0}, {1, 1 << 41}, {1 << 53, 1}, {1, 1 << 40}} {
		if _, err := sample.NewTwoSidedGeometric(c[0], c[1]); !errors.As(err, &pe) {
			t.Errorf("geometric %v: %v", c, err)
		}
	}
	for _, c := range [][2]uint64{{0, 1}, {1, 0}, {1<<62 + 1, 1}, {1, 1<<62 + 1}} {
		if _, err := sample.NewDiscreteGaussian(c[0], c[1]); !errors.As(err, &pe) {
			t.Errorf("Gaussian %v: %v", c, err)
		}
	}
}

// The first draws of seeded streams: releases drawn from a seed must stay the same from version to version.
func TestStreamsAreStable(t *testing.T) {
	src := source(1)
	g, n := sample.TwoSidedGeometric{Num: 1, Den: 10}, sample.DiscreteGaussian{Num: 100, Den: 1}
	var got [12]int64
	for i := range got {
		if i < 6 {
			got[i] = g.Draw(src)
		} else {
			got[i] = n.Draw(src)
		}
	}
	if want := [12]int64{-11, -19, 0, 7, -11, 10, -13, -1, -2, -4, -13, 1}; got != want {
		t.Errorf("draws %v, want %v", got, want)
	}
}

func TestUniformAndPermutation(t *testing.T) {
	src, seen := source(3), [7]int{}
	for range draws {
		seen[sample.Uniform(src, 7)]++
	}
	chi := 0.0
	for _, c := range seen {
		d := float64(c) - draws/7.0
		chi += d * d / (draws / 7.0)
	}
	if chi > (distuv.ChiSquared{K: 6}).Quantile(1-falseAlarm) {
		t.Error("not uniform:", seen)
	}
	if sample.Uniform(src, 0) != 0 || sample.Uniform(src, 1) != 0 {
		t.Error("degenerate ranges")
	}
	orders := map[[3]int]int{}
	for range 60_000 {
		p := sample.Permutation(src, 3)
		orders[[3]int{p[0], p[1], p[2]}]++
	}
	for o, c := range orders {
		if len(orders) != 6 || math.Abs(float64(c)-10_000) > 6.5*math.Sqrt(60_000.0/6*5/6) {
			t.Error("permutations are not uniform:", o, c)
		}
	}
}

// E log Gamma(a) = ψ(a), Var = ψ'(a): within 6.5 standard errors for shapes that underflow in linear space, and a mutant without
// the boost's division by a is rejected.
func TestLogGamma(t *testing.T) {
	for i, a := range []float64{1e-6, 1e-3, 0.3, 1, 2.5, 40, 1e6} {
		src := source(byte(50 + i))
		sum, wrong := 0.0, 0.0
		for range draws {
			sum += sample.LogGamma(src, a)
			wrong += sample.LogGamma(src, 2*a)
		}
		mean, se := mathext.Digamma(a), math.Sqrt(mathext.Zeta(2, a)/draws)
		if d := math.Abs(sum/draws-mean) / se; !(d < 6.5) {
			t.Errorf("shape %v: mean log %v, want %v (%.1f s.e.)", a, sum/draws, mean, d)
		}
		if d := math.Abs(wrong/draws-mean) / se; d < 6.5 {
			t.Errorf("shape %v: twice the shape passes", a)
		}
	}
}

func TestLogDirichlet(t *testing.T) {
	src, alpha, out := source(4), []float64{1e-6, 0.5, 3}, make([]float64, 3)
	mean := make([]float64, 3)
	for range draws {
		sample.LogDirichlet(src, alpha, out)
		total := 0.0
		for i, l := range out {
			if math.IsNaN(l) || l > 1e-12 {
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
		if se := math.Sqrt(m*(1-m)/4.5/draws) + 1e-9; math.Abs(mean[i]-m) > 6.5*se {
			t.Errorf("component %d: mean %v, want %v", i, mean[i], m)
		}
	}
}

func BenchmarkTwoSidedGeometric(b *testing.B) {
	src, g := source(1), sample.TwoSidedGeometric{Num: 1 << 31, Den: 1 << 36}
	for b.Loop() {
		g.Draw(src)
	}
}

func BenchmarkDiscreteGaussian(b *testing.B) {
	src, g := source(1), sample.DiscreteGaussian{Num: 3435973902, Den: 1 << 20}
	for b.Loop() {
		g.Draw(src)
	}
}

func BenchmarkBernoulliExp(b *testing.B) {
	src := source(1)
	for b.Loop() {
		sample.BernoulliExp(src, 3, 7)
	}
}
