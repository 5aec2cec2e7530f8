package num

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A bisection with the predicate ends at the number where it ends without, and evaluates less.
func TestThresholdEndsWhereBisectionEnds(t *testing.T) {
	bisected := func(lo, hi float64, ok func(float64) bool) float64 {
		for hi-lo > hi*1e-11 {
			mid := lo + (hi-lo)/2
			if lo > 0 {
				mid = math.Sqrt(lo) * math.Sqrt(hi)
			}
			if mid <= lo || mid >= hi {
				break
			}
			if ok(mid) {
				hi = mid
			} else {
				lo = mid
			}
		}
		return hi
	}
	total, plain := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		at := math.Exp(rapid.Float64Range(-8, 15).Draw(t, "ln x"))
		lo := rapid.SampledFrom([]float64{0, 1e-5}).Draw(t, "lo")
		shape := rapid.SampledFrom([]func(x float64) float64{
			func(x float64) float64 { return at - x },
			func(x float64) float64 { return math.Log(at / x) },
			func(x float64) float64 { return math.Min(14, 1e3*math.Log(at/x)) }, // flat, then steep
			func(x float64) float64 { // δ of Gaussian noise, which is 1 on the left and 0 on the right
				return math.Log(math.Erfc(x/at)) - math.Log(math.Erfc(1))
			},
			func(x float64) float64 { return math.Log(at/x) + 1e-3*math.Floor(at/x*5) }, // with steps
			func(x float64) float64 {
				if x < at {
					return math.Inf(1)
				}
				return math.Inf(-1)
			},
			func(x float64) float64 {
				if x < at {
					return math.NaN()
				}
				return -x
			},
		}).Draw(t, "f")
		calls := 0
		f := func(x float64) float64 { calls++; return shape(x) }
		want := bisected(lo, 1e9, func(x float64) bool { return f(x) <= 0 })
		without := calls
		calls = 0
		if got := bisected(lo, 1e9, Threshold(lo, 1e9, f)); got != want {
			t.Fatalf("%v, without it %v", got, want)
		}
		total, plain = total+calls, plain+without
	})
	if total > plain*3/4 {
		t.Errorf("%d evaluations, %d without it", total, plain)
	}
}

// Of unimodal functions, smooth or with a kink, Brent finds the least point, in fewer steps where they are smooth.
func TestBrentFindsTheLeastPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lo := rapid.Float64Range(-100, 100).Draw(t, "lo")
		hi := lo + rapid.Float64Range(1e-3, 100).Draw(t, "width")
		at := rapid.Float64Range(lo-1, hi+1).Draw(t, "at")
		smooth := rapid.Bool().Draw(t, "smooth")
		calls := 0
		x, fx := Brent(func(x float64) float64 {
			if calls++; !(x >= lo && x <= hi) {
				t.Fatalf("%v is outside of [%v, %v]", x, lo, hi)
			}
			if smooth {
				return math.Cosh((x - at) / 50)
			}
			return math.Abs(x - at)
		}, lo, hi, 1e-6)
		least := math.Min(math.Max(at, lo), hi)
		within, most := 3e-6, 120
		if smooth { // near the least point values are equal, to the last digit
			within, most = 50*1e-7, 50
		}
		if math.Abs(x-least) > within || calls > most || math.IsNaN(fx) {
			t.Fatalf("%v (%v) after %d calls, least at %v", x, fx, calls, least)
		}
	})
	if x, fx := Brent(func(float64) float64 { return math.Inf(1) }, 0, 1, .1); !(x >= 0 && x <= 1 && math.IsInf(fx, 1)) {
		t.Errorf("infinite everywhere: %v, %v", x, fx)
	}
	calls := 0
	x, _ := Brent(func(x float64) float64 { calls++; return math.Exp(x) - 2*x }, 0, 10, 1e-8)
	if calls > 20 || math.Abs(x-math.Ln2) > 1e-7 {
		t.Errorf("smooth: %v after %d calls", x, calls)
	}
}

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
