package num

import "math"

// Interval is a closed interval [Lo, Hi] of real numbers that surely holds the exact result of the operations that made
// it: every end is moved outward by one float64 after it was rounded to nearest. Ends may be infinite. An operation
// outside its domain gives NaN ends, one without information the whole line.
//
// Only +, −, ×, ÷, √ (correctly rounded by IEEE 754) and exponent manipulation are trusted: logarithm and exponential
// are summed here, with bounds for the terms left out.
type Interval struct{ Lo, Hi float64 }

// Point is [x, x].
func Point(x float64) Interval { return Interval{x, x} }

// Contains reports whether Lo ≤ v ≤ Hi.
func (x Interval) Contains(v float64) bool { return x.Lo <= v && v <= x.Hi }

// Width is Hi − Lo, rounded up.
func (x Interval) Width() float64 { return Up(x.Hi - x.Lo) }

// Neg is −x, exactly.
func (x Interval) Neg() Interval { return Interval{-x.Hi, -x.Lo} }

// Add is x + y.
func (x Interval) Add(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	return outward(x.Lo+y.Lo, x.Hi+y.Hi)
}

// Sub is x − y, for independent x and y.
func (x Interval) Sub(y Interval) Interval { return x.Add(y.Neg()) }

// Mul is x·y, for independent x and y; 0 times an infinite end is 0.
func (x Interval) Mul(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	a, b, c, d := times(x.Lo, y.Lo), times(x.Lo, y.Hi), times(x.Hi, y.Lo), times(x.Hi, y.Hi)
	return outward(min(a, b, c, d), max(a, b, c, d))
}

// Div is x/y, for independent x and y; the whole line when y holds 0.
func (x Interval) Div(y Interval) Interval {
	if x.isNaN() || y.isNaN() {
		return nanInterval
	}
	if y.Contains(0) {
		return wholeLine
	}
	a, b, c, d := x.Lo/y.Lo, x.Lo/y.Hi, x.Hi/y.Lo, x.Hi/y.Hi
	return outward(min(a, b, c, d), max(a, b, c, d))
}

// Sqrt is √x over the part of x that is not negative; NaN ends when there is none.
func (x Interval) Sqrt() Interval {
	if !(x.Hi >= 0) {
		return nanInterval
	}
	return Interval{math.Max(0, Down(math.Sqrt(math.Max(0, x.Lo)))), Up(math.Sqrt(x.Hi))}
}

var (
	nanInterval = Interval{math.NaN(), math.NaN()}
	wholeLine   = Interval{math.Inf(-1), math.Inf(1)}
)

func (x Interval) isNaN() bool { return math.IsNaN(x.Lo) || math.IsNaN(x.Hi) }

// outward moves two ends that were rounded to nearest outward. An end that is NaN, as of ∞ − ∞, says nothing.
func outward(lo, hi float64) Interval {
	if math.IsNaN(lo) || math.IsNaN(hi) {
		return wholeLine
	}
	return Interval{Down(lo), Up(hi)}
}

// times is a·b with 0·∞ = 0, the limit that the ends of an interval need.
func times(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	return a * b
}

// clampLo raises the lower end to a bound that is known for other reasons.
func (x Interval) clampLo(bound float64) Interval { return Interval{math.Max(x.Lo, bound), x.Hi} }

// clampHi lowers the upper end likewise.
func (x Interval) clampHi(bound float64) Interval { return Interval{x.Lo, math.Min(x.Hi, bound)} }

// increasing is f of an interval for an increasing f, given enclosures at points.
func (x Interval) increasing(f func(float64) Interval) Interval {
	if x.Lo == x.Hi {
		return f(x.Lo)
	}
	return Interval{f(x.Lo).Lo, f(x.Hi).Hi}
}
