package num

import (
	"fmt"
	"math"
)

// BracketError says that RootBracket was given no bracket: the function has the same sign, or is NaN, at both ends or
// at a point between them.
type BracketError struct {
	Lo, Hi   float64 // the bracket reached
	FLo, FHi float64 // the values there
}

func (e *BracketError) Error() string {
	return fmt.Sprintf("num: no sign change on [%g, %g]: values %g and %g; want opposite signs", e.Lo, e.Hi, e.FLo,
		e.FHi)
}

// RootBracket narrows [lo, hi], on whose ends f has opposite signs, to a bracket no wider than tol, or to neighbouring
// floats when tol ≤ 0 or too small. f has opposite signs on the ends of the answer too, unless it is exactly zero at
// both (a == b). f need not be continuous. A missing sign change, a NaN and an infinite end are a *BracketError.
//
// Method: interpolate, truncate, project (Oliveira and Takahashi, "An enhancement of the bisection method average
// performance preserving minmax optimality", ACM TOMS 47(1), 2021): superlinear on smooth functions, never more than a
// couple of evaluations more than bisection.
func RootBracket(f func(float64) float64, lo, hi, tol float64) (a, b float64, err error) {
	if lo > hi {
		lo, hi = hi, lo
	}
	a, b = lo, hi
	fa, fb := f(a), f(b)
	switch {
	case fa == 0:
		return a, a, nil
	case fb == 0:
		return b, b, nil
	case !(fa < 0 && fb > 0 || fa > 0 && fb < 0), math.IsInf(a, 0), math.IsInf(b, 0):
		return a, b, &BracketError{a, b, fa, fb}
	}
	sign := 1.0 // make the function increase through the root
	if fa > 0 {
		sign, fa, fb = -1, -fa, -fb
	}
	eps := math.Max(tol, math.Max(math.Abs(a), math.Abs(b))*0x1p-53) / 2
	steps := math.Max(0, math.Ceil(math.Log2((b-a)/(2*eps)))) + 1 // of bisection, and one in reserve
	k1 := 0.2 / (b - a)
	for j := 0.0; b-a > tol; j++ {
		mid := a + (b-a)/2
		if mid <= a || mid >= b {
			break
		}
		x := itpPoint(a, b, fa, fb, mid, k1, math.Max(0, eps*math.Exp2(steps-j)-(b-a)/2))
		if x <= a || x >= b {
			x = mid
		}
		switch y := sign * f(x); {
		case y > 0:
			b, fb = x, y
		case y < 0:
			a, fa = x, y
		case y == 0:
			return x, x, nil
		default:
			return a, b, &BracketError{a, b, sign * fa, math.NaN()}
		}
	}
	return a, b, nil
}

// itpPoint is the next point to try: the secant's zero, moved toward the middle by k1·(b−a)², and then no further than
// radius from the middle. Infinite values make the secant useless; the middle stands in.
func itpPoint(a, b, fa, fb, mid, k1, radius float64) float64 {
	secant := (fb*a - fa*b) / (fb - fa)
	if math.IsNaN(secant) || math.IsInf(secant, 0) {
		return mid
	}
	toward := math.Copysign(1, mid-secant)
	x := mid
	if shift := k1 * (b - a) * (b - a); shift <= math.Abs(mid-secant) {
		x = secant + toward*shift
	}
	if math.Abs(x-mid) > radius {
		x = mid - toward*radius
	}
	return x
}

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

// Brent gives the best point that it found of [lo, hi] for a minimum of f, with its value, to a width of about 2·tol.
// Where f is smooth it takes a dozen evaluations, by parabolas through three points (Brent 1973, Chapter 5); where a
// parabola does not help, as at a kink, golden sections as [GoldenSection] does.
func Brent(f func(float64) float64, lo, hi, tol float64) (x, fx float64) {
	const g = 0.3819660112501051
	x = lo + g*(hi-lo)
	fx = f(x)
	second, third, f2, f3 := x, x, fx, fx
	step, before := 0., 0. // of the last move, and of that before
	for range 200 {
		middle, least := lo+(hi-lo)/2, max(tol, 1e-14*math.Abs(x))
		if math.Abs(x-middle) <= 2*least-(hi-lo)/2 {
			break
		}
		a, b := (x-second)*(fx-f3), (x-third)*(fx-f2)
		move := ((x-second)*a - (x-third)*b) / (2 * (b - a))
		if at := x + move; at > lo && at < hi && math.Abs(move) < math.Abs(before)/2 {
			if before, step = step, move; at-lo < 2*least || hi-at < 2*least {
				step = math.Copysign(least, middle-x)
			}
		} else {
			if before = hi - x; x >= middle {
				before = lo - x
			}
			step = g * before
		}
		at := x + step
		if math.Abs(step) < least {
			at = x + math.Copysign(least, step)
		}
		v := f(at)
		if v <= fx {
			if at >= x {
				lo = x
			} else {
				hi = x
			}
			second, third, x, f2, f3, fx = x, second, at, fx, f2, v
			continue
		}
		if at < x {
			lo = at
		} else {
			hi = at
		}
		switch {
		case v <= f2 || second == x:
			second, third, f2, f3 = at, second, v, f2
		case v <= f3 || third == x || third == second:
			third, f3 = at, v
		}
	}
	return x, fx
}

// legendre24 holds the positive nodes of the 24-point Gauss–Legendre rule on [−1, 1] and their weights: the zeros of
// the Legendre polynomial P₂₄ and 2/((1 − x²)P₂₄′(x)²), computed to 40 digits.
var legendre24 = [12]struct{ node, weight float64 }{
	{0.99518721999702136018, 0.012341229799987199547},
	{0.9747285559713094982, 0.028531388628933663181},
	{0.93827455200273275852, 0.044277438817419806169},
	{0.88641552700440103421, 0.059298584915436780746},
	{0.82000198597390292195, 0.073346481411080305734},
	{0.74012419157855436424, 0.086190161531953275917},
	{0.64809365193697556925, 0.09761865210411388827},
	{0.54542147138883953566, 0.10744427011596563478},
	{0.43379350762604513849, 0.11550566805372560135},
	{0.31504267969616337439, 0.1216704729278033912},
	{0.19111886747361630916, 0.12583745634682829612},
	{0.064056892862605626085, 0.12793819534675215697},
}

// GaussLegendre24 is the 24-point rule on [−1, 1], nodes ascending; it integrates polynomials up to degree 47 exactly.
func GaussLegendre24() (nodes, weights [24]float64) {
	for i, r := range legendre24 {
		nodes[i], nodes[23-i] = -r.node, r.node
		weights[i], weights[23-i] = r.weight, r.weight
	}
	return nodes, weights
}

// Integrate24 is ∫_a^b f by the 24-point rule on each of panels ≥ 1 equal parts of [a, b]; f is not called at a or b.
func Integrate24(f func(float64) float64, a, b float64, panels int) float64 {
	panels = max(panels, 1)
	half := (b - a) / 2 / float64(panels)
	total := 0.0
	for k := range panels {
		mid := a + half*float64(2*k+1)
		for _, r := range legendre24 {
			total += r.weight * (f(mid-half*r.node) + f(mid+half*r.node))
		}
	}
	return total * half
}
