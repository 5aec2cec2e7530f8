package study

import (
	"math"
	"slices"
)

// law is a finite output law: outcome k has distances h[k] and l1[k] from the truth and probability p[k]. Σp = 1 to
// rounding.
type law struct{ h, l1, p []float64 }

// quantiles5 are the levels an Outcome reports.
var quantiles5 = []float64{0.05, 0.25, 0.5, 0.75, 0.95}

// tie is the slack of a quantile: levels that the cumulative sum reaches up to rounding count as reached.
const tie = 1e-12

// outcome sums the law up.
func (l law) outcome(name string) Outcome {
	mean := func(v []float64) float64 {
		return total(func(yield func(float64) bool) {
			for k, p := range l.p {
				if p > 0 && !yield(p*v[k]) {
					return
				}
			}
		})
	}
	o := Outcome{Name: name, MeanH: mean(l.h), MeanL1: mean(l.l1)}
	o.SDH = math.Sqrt(total(func(yield func(float64) bool) {
		for k, p := range l.p {
			if d := l.h[k] - o.MeanH; p > 0 && !yield(p*d*d) {
				return
			}
		}
	}))
	q := quantiles(l.h, l.p, quantiles5)
	o.Q05, o.Q25, o.Q50, o.Q75, o.Q95 = q[0], q[1], q[2], q[3], q[4]
	q = quantiles(l.l1, l.p, quantiles5)
	o.Q05L1, o.Q25L1, o.Q50L1, o.Q75L1, o.Q95L1 = q[0], q[1], q[2], q[3], q[4]
	o.ProbTruth = total(func(yield func(float64) bool) {
		for k, h := range l.l1 {
			if h == 0 && !yield(l.p[k]) {
				return
			}
		}
	})
	return o
}

// tail is P[H ≥ t].
func (l law) tail(t float64) float64 {
	return total(func(yield func(float64) bool) {
		for k, h := range l.h {
			if h >= t && !yield(l.p[k]) {
				return
			}
		}
	})
}

// quantiles are the smallest values v with P[V ≤ v] ≥ level, for ascending levels. Values are thrown into bins first,
// so that only the few bins that hold a quantile are sorted: millions of outcomes take a linear pass.
func quantiles(v, p, levels []float64) []float64 {
	top := slices.Max(v)
	out := make([]float64, len(levels))
	if top == 0 {
		return out
	}
	const bins = 1 << 12
	place := func(x float64) int { return min(int(x/top*bins), bins-1) }
	mass := make([]float64, bins)
	for k, x := range v {
		mass[place(x)] += p[k]
	}
	type item struct{ v, p float64 }
	sorted := map[int][]item{}
	for i, level := range levels {
		below, bin := 0.0, 0
		for bin < bins-1 && below+mass[bin] < level-tie {
			below += mass[bin]
			bin++
		}
		items, ok := sorted[bin]
		if !ok {
			for k, x := range v {
				if p[k] > 0 && place(x) == bin {
					items = append(items, item{x, p[k]})
				}
			}
			slices.SortFunc(items, func(a, b item) int {
				switch {
				case a.v < b.v:
					return -1
				case a.v > b.v:
					return 1
				}
				return 0
			})
			sorted[bin] = items
		}
		for _, it := range items {
			out[i] = it.v
			if below += it.p; below >= level-tie {
				break
			}
		}
	}
	return out
}
