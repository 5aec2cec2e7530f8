package sample_test

import (
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

func TestTwoSidedGeometricFitsItsLaw(t *testing.T) {
	for i, c := range [][2]uint64{{1, 1}, {1, 3}, {1, 40}, {7, 3}, {5, 1}, {3435973902, 34359738368},
		{1 << 31, 1 << 36}} {
		g := must.Get(sample.NewTwoSidedGeometric(c[0], c[1]))(t)
		src := source(byte(i))
		if !fits(draws, func() int64 { return g.Draw(src) }, g.LogProb) {
			t.Errorf("%+v does not fit", g)
		}
		if c[1] == 1 || c[0] >= 2*c[1] {
			continue
		}
		mutants := map[string]func() int64{
			"scale halved":        sampler(src, sample.TwoSidedGeometric{Num: 2 * c[0], Den: c[1]}),
			"scale 10 % too low":  sampler(src, sample.TwoSidedGeometric{Num: 11 * c[0], Den: 10 * c[1]}),
			"uniform not thinned": func() int64 { return unthinned(src, g) },
		}
		if g.Rate() > 0.2 {
			mutants["zero counted twice"] = func() int64 { return twiceZero(src, g) }
		}
		for name, mutant := range mutants {
			if fits(draws, mutant, g.LogProb) {
				t.Errorf("%+v: the mutant with %s passes", g, name)
			}
		}
	}
}

// twiceZero is the usual mistake: a random sign on a one-sided draw, −0 kept.
func twiceZero(src rand.Source, g sample.TwoSidedGeometric) int64 {
	z := int64(0)
	for sample.BernoulliExp(src, g.Num, g.Den) {
		z++
	}
	return signed(src, z)
}

// unthinned forgets to accept the remainder U with probability exp(−U/Den).
func unthinned(src rand.Source, g sample.TwoSidedGeometric) int64 {
	for {
		x := sample.Uniform(src, g.Den)
		for sample.BernoulliExp(src, 1, 1) {
			x += g.Den
		}
		z := int64(x / g.Num)
		if s := signed(src, z); z != 0 || sample.Uniform(src, 2) == 0 {
			return s
		}
	}
}

func signed(src rand.Source, z int64) int64 {
	if src.Uint64()>>63 == 0 {
		return z
	}
	return -z
}

func BenchmarkTwoSidedGeometric(b *testing.B) {
	src, g := source(1), sample.TwoSidedGeometric{Num: 1 << 31, Den: 1 << 36}
	for b.Loop() {
		g.Draw(src)
	}
}

func sampler(src rand.Source, law interface{ Draw(rand.Source) int64 }) func() int64 {
	return func() int64 { return law.Draw(src) }
}
