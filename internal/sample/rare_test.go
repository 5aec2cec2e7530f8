package sample_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// The number of draws above a cut is binomial, with the tail's probability; n one by one would be, too. Probabilities
// that are nearly right are not.
func TestExceedingIsBinomial(t *testing.T) {
	src := source(11)
	for _, c := range []struct {
		num, den uint64
		z        int64
		n        uint64
	}{{1, 1, 1, 5}, {1, 4, 1, 70}, {1, 4, 2, 3}, {3, 2, 1, 40}, {7, 2, 1, 300}, {1, 3, 7, 64}, {1, 2, 15, 20_000}} {
		g := must.Get(sample.NewTwoSidedGeometric(c.num, c.den))(t)
		p := math.Exp(g.LogTail(c.z))
		prob := func(k int64) float64 {
			if k < 0 || k > int64(c.n) {
				return math.Inf(-1)
			}
			return distuv.Binomial{N: float64(c.n), P: p}.LogProb(float64(k))
		}
		fitted := func(draw func() int64) bool { return fitsEach(draws/8, draw, prob) }
		if !fitted(func() int64 { return int64(g.Exceeding(src, c.n, c.z)) }) {
			t.Errorf("%+v: not binomial", c)
		}
		oneByOne := func(hit func() bool) func() int64 {
			return func() (k int64) {
				for range c.n {
					if hit() {
						k++
					}
				}
				return k
			}
		}
		if c.n > 70 {
			continue
		}
		if !fitted(oneByOne(func() bool { return g.Draw(src) >= c.z })) {
			t.Errorf("%+v: draws one by one do not fit", c)
		}
		for name, hit := range map[string]func() bool{
			"the tail of |Z|":    func() bool { z := g.Draw(src); return max(z, -z) >= c.z },
			"the cut one lower":  func() bool { return g.Draw(src) >= c.z-1 },
			"the one-sided tail": func() bool { return sample.BernoulliExp(src, g.Num*uint64(c.z), g.Den) },
		} {
			if fitted(oneByOne(hit)) {
				t.Errorf("%+v: %s passes", c, name)
			}
		}
	}
	if g := (sample.TwoSidedGeometric{Num: 1 << 52, Den: 1}); g.Exceeding(src, 1<<40, 1<<40) != 0 ||
		g.Exceeding(src, 0, 1) != 0 {
		t.Error("far beyond the tail")
	}
}

// fitsEach is a chi-square over all numbers that are expected at least 20 times.
func fitsEach(n int, draw func() int64, logProb func(int64) float64) bool {
	seen := map[int64]int{}
	for range n {
		seen[draw()]++
	}
	chi, cells, rest, pooled := 0., -1., float64(n), float64(n)
	for k := int64(0); k < 100_000; k++ {
		if want := float64(n) * math.Exp(logProb(k)); want >= 20 {
			d := float64(seen[k]) - want
			chi, cells = chi+d*d/want, cells+1
			rest, pooled = rest-float64(seen[k]), pooled-want
		}
	}
	if pooled > 5 {
		chi, cells = chi+(rest-pooled)*(rest-pooled)/pooled, cells+1
	}
	return chi < distuv.ChiSquared{K: math.Max(cells, 1)}.Quantile(1-falseAlarm) && (pooled > 5 || rest < 60)
}

// What a draw exceeds a cut by does not depend on the cut.
func TestExcess(t *testing.T) {
	src, g := source(12), sample.TwoSidedGeometric{Num: 2, Den: 5}
	want := func(k int64) float64 { return g.LogTail(1+k) + math.Log(-math.Expm1(-g.Rate())) - g.LogTail(1) }
	if !fitsEach(draws, func() int64 { return g.Excess(src) }, want) {
		t.Error("not geometric")
	}
	for _, z := range []int64{1, 3} {
		if !fitsEach(draws/8, func() int64 {
			for {
				if x := g.Draw(src); x >= z {
					return x - z
				}
			}
		}, want) {
			t.Error("not the tail", z)
		}
	}
}

// Every set of m of n numbers is as likely; the mutant that draws m numbers and drops what repeats is not one.
func TestSubset(t *testing.T) {
	src := source(13)
	for _, c := range [][2]uint64{{5, 2}, {5, 3}, {4, 4}, {6, 1}, {4, 0}} {
		n, m := c[0], c[1]
		seen, sets := map[string]int{}, math.Round(math.Exp(lnChoose(n, m)))
		for range draws / 4 {
			s := sample.Subset(src, n, m)
			if uint64(len(s)) != m {
				t.Fatal(c, s)
			}
			seen[fmt.Sprint(s)]++
		}
		chi := 0.
		for _, have := range seen {
			want := draws / 4 / sets
			chi += (float64(have) - want) * (float64(have) - want) / want
		}
		if float64(len(seen)) != sets || sets > 1 && chi > (distuv.ChiSquared{K: sets - 1}).Quantile(1-falseAlarm) {
			t.Error(c, seen)
		}
	}
	if got := sample.Subset(src, 3, 9); fmt.Sprint(got) != "[0 1 2]" {
		t.Error(got)
	}
}

func lnChoose(n, m uint64) float64 {
	a, _ := math.Lgamma(float64(n + 1))
	b, _ := math.Lgamma(float64(m + 1))
	c, _ := math.Lgamma(float64(n - m + 1))
	return a - b - c
}

func BenchmarkExceeding(b *testing.B) {
	g, src := sample.TwoSidedGeometric{Num: 1, Den: 1}, rand.NewChaCha8([32]byte{1})
	for b.Loop() {
		g.Exceeding(src, 1<<32, 25)
	}
}
