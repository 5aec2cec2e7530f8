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
