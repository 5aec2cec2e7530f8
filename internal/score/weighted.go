package score

import "math"

// Weighted is the test of a mean of records with weights t in (0, 1], whose sums are linear in what was released:
// T(μ) = Σt(x − μ) and V(μ) = Σt²(x − μ)² with the standard deviations of their noise, what V is at most, Squares = Σt²
// and Size = (Σt)²/Σt², at least 1. Source: theory/survey.md, Intervals.
type Weighted struct {
	Sum, Square   func(mu float64) (value, sd float64)
	Most          func(mu float64) float64
	Squares, Size float64
	Normal        bool
}

// Tail is the probability at a mean μ that T is at least what it is for a side of 1, and at most that for −1: the same
// as of [Mean] where all t are 1.
func (w Weighted) Tail(mu, side float64) float64 {
	m := Mean{sum: w.Sum, square: w.Square, cap: w.Most, squares: w.Squares, size: w.Size, normal: w.Normal}
	return m.tail(mu, side)
}

// Ends are the outermost values in [0, 1] at which the probabilities of T on the sides 1 and −1 are at least alpha:
// those of a scan of 128 places, closer to each other near 0 and 1, then found by bisection. An end within 1e-6 of a
// bound is the bound.
func Ends(alpha float64, tail func(x, side float64) float64) (lower, upper float64) {
	place := func(x float64) float64 { s := math.Sin(math.Pi / 2 * x); return s * s }
	lower = leastOf(func(x float64) float64 { return alpha - tail(x, 1) }, place)
	upper = 1 - leastOf(func(x float64) float64 { return alpha - tail(1-x, -1) }, place)
	return lower, math.Max(lower, upper)
}
