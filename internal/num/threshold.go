package num

import "math"

// Threshold prepares a bisection for the place in [lo, hi] from which on f ≤ 0; f(hi) ≤ 0. Secants find it first, and
// the predicate it returns, f(x) ≤ 0, evaluates f only where they and later calls leave it open. So the bisection ends
// at the same number as without it, after a third of the evaluations; where f is not smooth it saves less. Where lo is
// positive the search is in ln x.
func Threshold(lo, hi float64, f func(x float64) float64) (below func(x float64) bool) {
	over, under := lo, hi // above 0 up to there, not above 0 from there on
	eval := func(x float64) float64 {
		v := f(x)
		if v <= 0 {
			under = math.Min(under, x)
		} else {
			over = math.Max(over, x)
		}
		return v
	}
	at, a, b := math.Exp, math.Log(lo), math.Log(hi)
	if lo <= 0 {
		at, a, b = func(t float64) float64 { return t }, lo, hi
	}
	secants(func(t float64) float64 { return eval(at(t)) }, a, b)
	return func(x float64) bool { return x > over && (x >= under || eval(x) <= 0) }
}

// secants evaluates f near its threshold in [a, b]: at the zeros of secants through the last two points, or halfway
// where such a zero is not inside what is left, and in every third step that did not leave half of it. The last two
// points are close by on both sides.
func secants(f func(t float64) float64, a, b float64) {
	const near, beside, most = 1e-7, 3e-11, 60
	t0, v0, t1, v1 := a, math.NaN(), b, math.NaN()
	width := b - a
	for k := range most {
		t := t1 - v1*(t1-t0)/(v1-v0)
		if k%3 == 0 {
			if b-a > width/2 {
				t = math.NaN()
			}
			width = b - a
		}
		if !(t > a && t < b) {
			t = a + (b-a)/2
		}
		if unit := math.Max(1, math.Abs(t)); math.Abs(t-t1) < near*unit {
			f(math.Max(a, t-beside*unit))
			f(math.Min(b, t+beside*unit))
			return
		}
		v := f(t)
		if v <= 0 {
			b = t
		} else {
			a = t
		}
		t0, v0, t1, v1 = t1, v1, t, v
	}
}
