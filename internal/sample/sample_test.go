package sample_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

func TestParameterErrors(t *testing.T) {
	var pe *domain.Error
	for _, c := range [][2]uint64{{0, 1}, {1, 0}, {1, 1 << 41}, {1 << 53, 1}, {1, 1 << 40}, {1, 1<<31 + 1}} {
		if _, err := sample.NewTwoSidedGeometric(c[0], c[1]); !errors.As(err, &pe) || pe.Parameter == "" ||
			pe.Want == "" {
			t.Errorf("geometric %v: %v", c, err)
		}
	}
	for _, c := range [][2]uint64{{0, 1}, {1, 0}, {1<<62 + 1, 1}, {1, 1<<62 + 1}} {
		if _, err := sample.NewDiscreteGaussian(c[0], c[1]); !errors.As(err, &pe) || pe.Parameter == "" ||
			pe.Want == "" {
			t.Errorf("Gaussian %v: %v", c, err)
		}
	}
	for _, c := range [][2]uint64{{1, 1}, {1, 1 << 31}, {512, 1 << 40}, {1<<53 - 1, 1 << 40}} {
		if _, err := sample.NewTwoSidedGeometric(c[0], c[1]); err != nil {
			t.Error(err)
		}
	}
	for _, c := range [][2]uint64{{1, 1}, {1, 1 << 62}, {1 << 62, 1}, {1 << 62, 1 << 62}} {
		if _, err := sample.NewDiscreteGaussian(c[0], c[1]); err != nil {
			t.Error(err)
		}
	}
}

func TestUniformIsUniform(t *testing.T) {
	src := source(3)
	fair := func(pick func() uint64) bool {
		var seen [7]int
		for range draws {
			seen[pick()]++
		}
		chi := 0.0
		for _, c := range seen {
			d := float64(c) - draws/7.0
			chi += d * d / (draws / 7.0)
		}
		return chi < distuv.ChiSquared{K: 6}.Quantile(1-falseAlarm)
	}
	if !fair(func() uint64 { return sample.Uniform(src, 7) }) {
		t.Error("not uniform")
	}
	if fair(func() uint64 { return src.Uint64() >> 56 % 7 }) {
		t.Error("the mutant that reduces a byte modulo 7 passes")
	}
	if sample.Uniform(src, 0) != 0 || sample.Uniform(src, 1) != 0 {
		t.Error("degenerate ranges")
	}
}

// words is a source that plays a script, then fails the test by running out.
type words struct {
	script []uint64
	read   int
}

func (w *words) Uint64() uint64 {
	w.read++
	return w.script[w.read-1]
}

// Each value of Uniform must own the same number of words: the words kept for j are those with j·2^64 ≤ w·n <
// (j+1)·2^64 less the rejected ones, and the first and last kept word of each value are where the count ⌊2^64/n⌋ says.
// Checked at the edges.
func TestUniformOwnsEqualShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.OneOf(rapid.Uint64Range(2, 1000), rapid.Uint64Range(2, math.MaxUint64)).Draw(t, "n")
		j := rapid.Uint64Range(0, n-1).Draw(t, "j")
		share, left := math.MaxUint64/n, math.MaxUint64%n+1
		if left == n {
			share, left = share+1, 0 // n divides 2^64
		}
		// The first kept word w of j has w·n = j·2^64 + r with left ≤ r < left + n; j·2^64 = n·q + s puts it at q +
		// ⌈(left+s)/n⌉.
		q, s := divide(j, n)
		first := q + (left+s+n-1)/n
		if sum := left + s; sum < left || sum+n-1 < sum {
			t.Skip("the edge itself overflows a word")
		}
		last := first + share - 1
		const next = 1 << 63 // a word that is accepted as a second try, or nearly always
		for _, c := range []struct {
			word uint64
			kept bool
		}{{first, true}, {last, true}, {first - 1, false}, {last + 1, false}} {
			if !c.kept && (c.word > first && c.word < last || c.word == math.MaxUint64 || c.word == 0) {
				continue
			}
			w := &words{script: []uint64{c.word, next, next + 1, next + 2, next + 3}}
			got := sample.Uniform(w, n)
			if kept := got == j && w.read == 1; kept != c.kept {
				t.Fatalf("Uniform(%d) of word %#x is %d after %d words; kept for %d: want %v", n, c.word, got, w.read,
					j, c.kept)
			}
		}
	})
}

func TestPermutation(t *testing.T) {
	src, orders := source(3), map[[3]int]int{}
	for range 60_000 {
		p := sample.Permutation(src, 3)
		orders[[3]int{p[0], p[1], p[2]}]++
	}
	for o, c := range orders {
		if len(orders) != 6 || math.Abs(float64(c)-10_000) > tooFar*math.Sqrt(60_000.0/6*5/6) {
			t.Error("permutations are not uniform:", o, c)
		}
	}
	if len(sample.Permutation(src, 0))+len(sample.Permutation(src, -1)) != 0 {
		t.Error("degenerate lengths")
	}
}

// The first draws of seeded streams: releases drawn from a seed must stay the same from version to version.
func TestStreamsAreStable(t *testing.T) {
	for _, c := range []struct {
		law interface{ Draw(rand.Source) int64 }
		z   [10]int64
	}{
		{sample.TwoSidedGeometric{Num: 1, Den: 1}, [10]int64{-1, 0, 1, 1, 2, 1, 1, 0, 0, 1}},
		{sample.TwoSidedGeometric{Num: 1, Den: 10}, [10]int64{-11, -19, 0, 7, -11, 10, -12, -16, -2, 1}},
		{sample.TwoSidedGeometric{Num: 512, Den: 1 << 40},
			[10]int64{-2381635239, -87724784, -4256430472, 125887219, 1591363821, -2506823404, 2195294334, -2656842393,
				-3513988513, -98882119}},
		{sample.DiscreteGaussian{Num: 1, Den: 4}, [10]int64{-1, 0, 0, 0, 0, 0, 0, 1, 0, -1}},
		{sample.DiscreteGaussian{Num: 100, Den: 1}, [10]int64{8, 1, 8, -21, -1, -2, -4, -13, 1, 10}},
		{sample.DiscreteGaussian{Num: 3435973902, Den: 1 << 20}, [10]int64{-64, 47, 12, 10, 42, -1, -71, -94, 27, 5}},
		{sample.DiscreteGaussian{Num: 1 << 62, Den: 3},
			[10]int64{-1375037747, 1013053502, 271942366, 223871622, 918774331, -23665221, -127852949, -2028802215,
				590426960, -630476447}},
	} {
		src, got := source(1), [10]int64{}
		for i := range got {
			got[i] = c.law.Draw(src)
		}
		if got != c.z {
			t.Errorf("%+v draws %v, want %v", c.law, got, c.z)
		}
	}
}
