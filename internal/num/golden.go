package num

import "math"

// GoldenSection narrows [lo, hi] around a minimum of f to a width of at most tol, one evaluation a step, each narrower
// by 0.618. For an f that is not unimodal the interval is some part of [lo, hi]; of equal values the lower point is
// kept. tol is taken as at least 1e-14 of the larger end, where floats end the search.
func GoldenSection(f func(float64) float64, lo, hi, tol float64) (a, b float64) {
	const g = 0.6180339887498949
	tol = max(tol, 1e-14*max(math.Abs(lo), math.Abs(hi)))
	a, b = hi-g*(hi-lo), lo+g*(hi-lo)
	fa, fb := f(a), f(b)
	for hi-lo > tol {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - g*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + g*(hi-lo)
			fb = f(b)
		}
	}
	return lo, hi
}
