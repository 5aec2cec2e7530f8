package hellingersample_test

import (
	"errors"
	"math"
	"testing"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

var two = []instance{
	{[]float64{1, 1}, []int64{10, 10}, 5}, {[]float64{1, 1}, []int64{20, 0}, 8},
	{[]float64{0.5, 100}, []int64{3, 17}, 12},
	{[]float64{7, 4}, []int64{60, 40}, 30}, {[]float64{0.5, 0.5}, []int64{0, 50}, 3},
	{[]float64{2, 3}, []int64{5, 4}, 0},
	{[]float64{1, 1}, []int64{500, 500}, 21.7},
}

var more = []instance{
	{[]float64{1, 1, 1}, []int64{7, 7, 6}, 5}, {[]float64{1, 1, 1}, []int64{20, 0, 0}, 6},
	{[]float64{0.5, 3, 100}, []int64{2, 9, 4}, 10},
	{[]float64{7, 4, 5}, []int64{10, 8, 2}, 25}, {[]float64{0.5, 1, 2, 3}, []int64{3, 1, 0, 2}, 4},
	{[]float64{1, 1, 1, 1, 1}, []int64{1, 2, 0, 3, 0}, 9},
	{[]float64{100, 0.5, 20}, []int64{0, 12, 0}, 11}, {[]float64{1, 1, 1}, []int64{3, 3, 3}, 0},
}

// requirePower fails a test in which no instance could tell a rate 20 % off.
func requirePower(t *testing.T, told int) {
	t.Helper()
	if told == 0 {
		t.Error("no instance has the power to reject a rate 20 % off")
	}
}

func TestShellsFit(t *testing.T) {
	told := 0
	for i, c := range two {
		mutants := []func(hs.Sampler){hs.WithoutAcceptance}
		if c.a == 0 {
			mutants = nil
		}
		if checkFit(t, c, byte(i), 100_000, shells, mutants...) {
			told++
		}
	}
	requirePower(t, told)
}

func TestEnumeratedFits(t *testing.T) {
	told := 0
	for i, c := range append(more[:3:3], two[:3]...) {
		if checkFit(t, c, byte(20+i), 150_000, enumerated) {
			told++
		}
	}
	requirePower(t, told)
}

func TestUniformFits(t *testing.T) {
	told := 0
	for i, c := range []instance{more[0], more[4], more[7], two[0], two[4], {more[6].alpha, more[6].x, 2}} {
		mutants := []func(hs.Sampler){hs.WithoutAcceptance}
		if c.a == 0 {
			mutants = nil
		}
		if checkFit(t, c, byte(40+i), 15_000, uniform, mutants...) {
			told++
		}
	}
	requirePower(t, told)
}

func TestMixtureFits(t *testing.T) {
	told := 0
	for i, c := range append(more[:len(more):len(more)], two[:6]...) {
		var mutants []func(hs.Sampler)
		if c.a >= 8 {
			mutants = append(mutants, hs.WithoutLastCell, hs.WithoutNormalisers)
		}
		if c.a >= 25 {
			mutants = append(mutants, hs.WithoutThinning)
		}
		if checkFit(t, c, byte(60+i), 60_000, mixture, mutants...) {
			told++
		}
	}
	requirePower(t, told)
}

// The law that the mixture's tables imply, term by term, against exp(−A·H): within Slack and the rounding of this sum,
// for every candidate; a rate off by 1e-9 is outside.
func TestMixtureImpliesTheLaw(t *testing.T) {
	for _, c := range append(append(more[:len(more):len(more)], two...),
		instance{[]float64{1, 1, 1}, []int64{4, 3, 2}, 300}, instance{[]float64{1, 0.01}, []int64{0, 9}, 600},
		instance{[]float64{1, 2, 0.5, 1, 9, 1, 3, 40}, []int64{2, 0, 0, 1, 0, 0, 0, 1}, 22}) {
		logs, _ := c.logWeights(t)
		s := must.Get(mixture(c))(t)
		base, worst, mutant := math.NaN(), 0.0, 0.0
		for i, l := range logs {
			if i > 200 && i%7 > 0 {
				continue
			}
			w := math.Log(hs.ImpliedWeight(s, hs.Unrank(i, c.n(), len(c.x))))
			if math.IsNaN(base) {
				base = w - l
			}
			worst = math.Max(worst, math.Abs(w-l-base))
			mutant = math.Max(mutant, math.Abs(w-(1+1e-8)*l-base))
		}
		if tol := 2*s.Slack() + 1e-12*(1+c.a); worst > tol {
			t.Errorf("%+v: a weight is off by %v, slack %v", c, worst, s.Slack())
		} else if c.a > 20 && mutant < tol {
			t.Errorf("%+v: a rate 1e-8 off passes", c)
		}
	}
}

// Twenty cells with 500 records each. Near x, H is √(Σt²/(8c)) on d − 1 dimensions, so that A·H is Gamma(d − 1): E A·H
// = 19 up to the curvature of H, half a percent. A rate 5 % off and mutants are outside; the thinning inside blocks,
// whose ratio is 1.05, moves it too little to be seen here.
func TestMixtureOfLargeData(t *testing.T) {
	const draws, rate = 4000, 150
	c := flat(20, 1, 10_000)
	mean := func(rate float64, mutants ...func(hs.Sampler)) float64 {
		c.a = rate
		s := must.Get(mixture(c))(t)
		for _, mutate := range mutants {
			mutate(s)
		}
		src, sum := source(9), 0.0
		for range draws {
			r := must.Get(s.Draw(src))(t)
			l := 0.0
			for i, v := range r {
				l += hs.LogBC(1, c.x[i], v)
			}
			sum += math.Sqrt(-math.Expm1(l))
		}
		return sum / draws
	}
	const want = 19.1 / rate
	fits := func(got float64) bool {
		return math.Abs(got/want-1) < 6.5/math.Sqrt(19*draws)+0.01
	}
	if got := mean(rate); !fits(got) {
		t.Errorf("E H = %v, want %v", got, want)
	}
	for name, got := range map[string]float64{
		"a rate 5 % off": mean(1.05 * rate), "no last cell": mean(rate, hs.WithoutLastCell),
		"no normalisers": mean(rate, hs.WithoutNormalisers),
	} {
		if fits(got) {
			t.Errorf("the mutant with %s passes: E H = %v", name, got)
		}
	}
}

// Tables give the very numbers of Exponents.
func TestTablesAreExponents(t *testing.T) {
	for _, alpha := range [][]float64{{7, 4}, {1, 1, 1}, {.5, 2, 2, 30}} {
		const n = 7
		tables, ok := hs.NewTables(alpha, n)
		if !ok {
			t.Fatal("refused")
		}
		x := make([]int64, len(alpha))
		x[0], x[1] = 5, 2
		a, b := make([]float64, hs.Count(n, len(alpha))), make([]float64, hs.Count(n, len(alpha)))
		must.Do(t, errors.Join(hs.Exponents(alpha, x, 3.7, a), tables.Exponents(x, 3.7, b)))
		for i := range a {
			if a[i] != b[i] {
				t.Fatalf("%v: candidate %d: %v and %v", alpha, i, a[i], b[i])
			}
		}
		if err := tables.Exponents(append([]int64(nil), x[1:]...), 1, a); err == nil {
			t.Error("another space accepted")
		}
	}
	if _, ok := hs.NewTables([]float64{1, 1}, 1e6); ok {
		t.Error("2e12 entries accepted")
	}
}
