package num

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// The least point of a unimodal function stays inside, smooth or with a kink, inside or at an end.
func TestGoldenSectionKeepsTheLeastPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-100, 100).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 100).Draw(t, "width")
		at := rapid.Float64Range(lo-1, hi+1).Draw(t, "at")
		power := rapid.SampledFrom([]float64{.5, 1, 2}).Draw(t, "power")
		calls := 0
		a, b := GoldenSection(func(x float64) float64 { calls++; return math.Pow(math.Abs(x-at), power) }, lo, hi, 1e-6)
		least := math.Min(math.Max(at, lo), hi)
		if !(b-a <= 1e-6 && least >= a-1e-7 && least <= b+1e-7) || calls > 60 {
			t.Fatalf("[%v, %v] after %d calls, least at %v", a, b, calls, least)
		}
	})
	a, b := GoldenSection(math.Abs, 1e9, 2e9, 0)
	if !(a == 1e9 && b-a <= 3e-5) {
		t.Errorf("no width asked for: [%v, %v]", a, b)
	}
	if a, b := GoldenSection(func(float64) float64 { return math.Inf(1) }, 0, 1, .1); !(a == 0 && b <= .1) {
		t.Errorf("a flat function: [%v, %v], want the lower end", a, b)
	}
}
