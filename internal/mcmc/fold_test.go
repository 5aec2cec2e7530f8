package mcmc

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Folded draws are those that sorting anew gives, with ties, infinities and any median between two draws.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := rapid.Map(rapid.IntRange(-2, 2), func(i int) float64 { return float64(i) })
		x := rapid.SliceOfN(rapid.OneOf(rapid.Float64Range(-3, 3), whole,
			rapid.SampledFrom([]float64{math.Inf(1), math.Inf(-1)})), 1, 40).Draw(t, "draws")
		d := draws{x: slices.Clone(x), order: make([]int32, len(x))}
		d.sort()
		median := (d.at((len(x)-1)/2) + d.at(len(x)/2)) / 2
		if math.IsInf(median, 0) || math.IsNaN(median) {
			t.Skip("no median")
		}
		d.fold(median)
		want := draws{order: make([]int32, len(x))}
		for _, v := range x {
			want.x = append(want.x, math.Abs(v-median))
		}
		want.sort()
		seen := make([]bool, len(x))
		for i := range x {
			if d.x[i] != want.x[i] || d.at(i) != want.at(i) || seen[d.order[i]] {
				t.Fatalf("%v folded at %v: %v in the order %v", x, median, d.x, d.order)
			}
			seen[d.order[i]] = true
		}
	})
}

// R-hat alone is that of the whole diagnosis.
func TestRHatAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 30).Draw(t, "length")
		chains := rapid.SliceOfN(rapid.SliceOfN(rapid.Float64(), n, n), 1, 4).Draw(t, "chains")
		if got, want := RHat(chains), Diagnose(chains).RHat; got != want {
			t.Fatalf("%v, want %v", got, want)
		}
	})
}
