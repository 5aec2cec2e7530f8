package sample_test

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// agrees is Pearson's chi-square of counts against log-weights, cells with fewer than 20 expected draws pooled, at
// falseAlarm.
func agrees(seen []int, logWeight func(int) float64) bool {
	total, n := 0.0, 0
	for i, c := range seen {
		total += math.Exp(logWeight(i))
		n += c
	}
	chi, cells, have, want := 0.0, -1.0, 0.0, 0.0
	for i, c := range seen {
		e := float64(n) * math.Exp(logWeight(i)) / total
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

func tally(m int, draw func() int) []int {
	seen := make([]int, m)
	for range draws {
		seen[draw()]++
	}
	return seen
}

func ramp(m int, step float64) []float64 {
	e := make([]float64, m)
	for i := range e {
		e[i] = step * float64((i*37)%m)
	}
	return e
}

func TestWeightsFitTheirLaw(t *testing.T) {
	for i, e := range [][]float64{
		{0}, {0, 0, 0}, {0.1, 0.5, 0.69, 0.7, 1.4}, ramp(200, 0.02), ramp(50, 0.4), {0, 1e5, 1, 1e5, 1e6, 2},
		{9e5, 9e5 + 1, 1e6, 9e5 + 0.25},
	} {
		w := must.Get(sample.NewWeights(e))(t)
		src := source(byte(i))
		seen := tally(len(e), func() int { return w.Draw(src) })
		least := math.Inf(1)
		for _, x := range e {
			least = math.Min(least, x)
		}
		law := func(i int) float64 { return w.LogWeight(i) + least }
		if !agrees(seen, law) {
			t.Errorf("%d: the draws do not fit", i)
		}
		if len(e) > 3 {
			if agrees(seen, func(i int) float64 { return 0.95 * law(i) }) {
				t.Errorf("%d: a rate 5 %% off passes", i)
			}
			if agrees(seen, func(i int) float64 { return math.Floor(law(i)/math.Ln2) * math.Ln2 }) {
				t.Errorf("%d: powers of two without the thinning pass", i)
			}
		}
	}
}

func TestMultipleWeightsFitTheirLaw(t *testing.T) {
	e, c := []float64{0, 3, 1, 0.5, 1e5}, []uint64{1, 20, 4, 1, 1 << 61}
	w := must.Get(sample.NewMultipleWeights(e, c))(t)
	src := source(3)
	seen := tally(len(e), func() int { return w.Draw(src) })
	if !agrees(seen, func(i int) float64 { return w.LogWeight(i) + math.Log(float64(c[i])) }) {
		t.Error("the draws do not fit")
	}
	if agrees(seen, w.LogWeight) {
		t.Error("the law without multiplicities passes")
	}
}

// |ln w + E| is within RelativeError and the rounding of the logarithm, for every size of E.
func TestWeightsAreTheirExponents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.Float64Range(0, 2), rapid.Custom(func(t *rapid.T) float64 {
			return float64(rapid.IntRange(0, 1_000_000).Draw(t, "k")) * math.Ln2
		})).Draw(t, "e")
		if e > sample.MaxExponent {
			t.Skip()
		}
		w := must.Get(sample.NewWeights([]float64{e}))(t)
		if off := math.Abs(w.LogWeight(0) + e); off > sample.RelativeError(e)+0x1p-53*(1+e) {
			t.Fatalf("E = %v: ln w is off by %v", e, off)
		}
	})
}

func TestWeightsRefuse(t *testing.T) {
	var pe *domain.Error
	for _, e := range [][]float64{nil, {-1}, {math.NaN()}, {1e6 + 1}, {math.Inf(1)}} {
		if _, err := sample.NewWeights(e); !errors.As(err, &pe) {
			t.Errorf("%v: %v", e, err)
		}
		if _, err := sample.NewMultipleWeights(e, make([]uint64, len(e))); !errors.As(err, &pe) {
			t.Errorf("%v: %v", e, err)
		}
	}
	for _, c := range [][]uint64{{0, 1}, {1}, {1 << 61, 1 << 61}, {math.MaxUint64, 1}} {
		if _, err := sample.NewMultipleWeights([]float64{0, 1}, c); !errors.As(err, &pe) {
			t.Errorf("counts %v: %v", c, err)
		}
	}
}

func BenchmarkNewWeights(b *testing.B) {
	e := ramp(1_000_003, 2e-4)
	b.ReportAllocs()
	for b.Loop() {
		must.Get(sample.NewWeights(e))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(len(e)), "ns/entry")
}

func BenchmarkWeightsDraw(b *testing.B) {
	w, _ := sample.NewWeights(ramp(1_000_003, 2e-4))
	src := source(1)
	for b.Loop() {
		w.Draw(src)
	}
}
