package hellingersample_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	hs "github.com/privbayes/privbayes-go/internal/hellingersample"
	"github.com/privbayes/privbayes-go/internal/must"
)

func source(seed byte) *rand.ChaCha8 { return rand.NewChaCha8([32]byte{seed}) }

// falseAlarm is for all tests of this package together: each of at most 200 gets its share.
const falseAlarm = 1e-9 / 200

// agrees is Pearson's chi-square of counts against log-weights, cells with fewer than 20 expected draws pooled.
func agrees(seen []int, logWeights []float64) bool {
	total, n := 0.0, 0
	for i, c := range seen {
		total += math.Exp(logWeights[i])
		n += c
	}
	chi, cells, have, want := 0.0, -1.0, 0.0, 0.0
	for i, c := range seen {
		e := float64(n) * math.Exp(logWeights[i]) / total
		if e < 20 {
			have, want = have+float64(c), want+e
			continue
		}
		chi += (float64(c) - e) * (float64(c) - e) / e
		cells++
	}
	if want > 5 {
		chi += (have - want) * (have - want) / want
		cells++
	} else if have > 60 {
		return false
	}
	return chi < distuv.ChiSquared{K: math.Max(cells, 1)}.Quantile(1-falseAlarm)
}

type instance struct {
	alpha []float64
	x     []int64
	a     float64
}

func (c instance) n() (n int64) {
	for _, v := range c.x {
		n += v
	}
	return n
}

// logWeights is −A·H in the order of Unrank, and its index.
func (c instance) logWeights(t testing.TB) ([]float64, map[string]int) {
	t.Helper()
	out := make([]float64, hs.Count(c.n(), len(c.x)))
	must.Do(t, hs.Exponents(c.alpha, c.x, c.a, out))
	index := make(map[string]int, len(out))
	for i := range out {
		out[i] = -out[i]
		index[fmt.Sprint(hs.Unrank(i, c.n(), len(c.x)))] = i
	}
	return out, index
}

func tally(t testing.TB, s hs.Sampler, seed byte, draws int, index map[string]int) []int {
	t.Helper()
	src, seen := source(seed), make([]int, len(index))
	for range draws {
		r := must.Get(s.Draw(src))(t)
		i, ok := index[fmt.Sprint(r)]
		if !ok {
			t.Fatalf("%s: %v is no candidate", s.Name(), r)
		}
		seen[i]++
	}
	return seen
}

// checkFit requires that draws agree with the enumerated law, and that mutants of the same sampler do not. A rate 20 %
// off is asked for only where it differs enough to be told apart by so many draws; checkFit tells whether it was.
func checkFit(t *testing.T, c instance, seed byte, draws int,
	build func(instance) (hs.Sampler, error), mutants ...func(hs.Sampler)) bool {
	t.Helper()
	logs, index := c.logWeights(t)
	sampler := func(c instance) hs.Sampler {
		return must.Get(build(c))(t)
	}
	s := sampler(c)
	if !agrees(tally(t, s, seed, draws, index), logs) {
		t.Errorf("%s %+v does not fit", s.Name(), c)
	}
	if !(s.Slack() > 0 && s.Slack() < 1e-6) {
		t.Errorf("%s %+v: slack %v", s.Name(), c, s.Slack())
	}
	for i, mutate := range mutants {
		s = sampler(c)
		if mutate(s); agrees(tally(t, s, seed, draws, index), logs) {
			t.Errorf("%s %+v: mutant %d passes", s.Name(), c, i)
		}
	}
	off := c
	off.a *= 1.2
	if power(logs, 1.2)*float64(draws) < 300+10*math.Sqrt(float64(len(logs))) {
		return false
	}
	if agrees(tally(t, sampler(off), seed, draws, index), logs) {
		t.Errorf("%s %+v: a rate 20 %% off passes", s.Name(), c)
	}
	return true
}

// power is Σ (q − p)²/p for q the law of rate factor·A.
func power(logs []float64, factor float64) float64 {
	zp, zq := 0.0, 0.0
	for _, l := range logs {
		zp, zq = zp+math.Exp(l), zq+math.Exp(factor*l)
	}
	sum := 0.0
	for _, l := range logs {
		p, q := math.Exp(l)/zp, math.Exp(factor*l)/zq
		sum += (q - p) * (q - p) / p
	}
	return sum
}

func mixture(c instance) (hs.Sampler, error) {
	return hs.Mixture(context.Background(), c.alpha, c.x, c.a, nil)
}

func shells(c instance) (hs.Sampler, error) {
	return hs.Shells([2]float64(c.alpha), [2]int64(c.x), c.a)
}

func enumerated(c instance) (hs.Sampler, error) { return hs.Enumerated(c.alpha, c.x, c.a) }

func uniform(c instance) (hs.Sampler, error) { return hs.Uniform(c.alpha, c.x, c.a) }
