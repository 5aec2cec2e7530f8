package leastsquares

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Osc is osc(B): σ² times the record-level ε (one record replaced) of one draw from the posterior on ‖w‖ ≤ B, the
// supremum over all data sets, sizes and priors,
//
//	osc(B) = 4B        B ≤ 1,
//	         (1+B)²    B ≥ 1, d ≥ 2,
//	         max{4B, ½[(1+B)² − (1−c)² + (B+c)/(B−c)]}   B ≥ 1, d = 1, c the smaller root of (c−1)(B−c)² = B in [1, B−1],
//
// the second term only if that root exists (for B > 1e6 the line above it is used). d counts the coordinates of x, an
// intercept included; a design with an intercept fixed at a constant has less room, and osc is an upper bound for it.
// The answer is rounded up. Errors: *ParameterError.
//
// Proof. The log-ratio of two posteriors whose data differ in z, z′ is g(w) − ln E[e^g], g the difference of the two
// losses; it lies in the oscillation of g, and a prior and data that pile up at the worst points attain that. With p =
// w·x, q = w*·x,
//
//	2·osc = max_{w,w*} A(w, w*) + A(w*, w),   A(w, w*) = max_{x,y} (y−p)² − (y−q)² = max_x 2|p−q| + p² − q².
//
// d ≥ 2: p and q range over [−B, B] and the two maxima attain max 2|p−q| + p² − q² together (x along w, then along w*,
// with w, w* at the angle that makes q = −min(B, 1) there): (1+B)² − (1−min(B, 1))² each. d = 1: x ∈ [0, 1] and, the
// squares being even, w = a and w* = −c, a ≥ c ≥ 0. A(a, −c) = 2(a+c) + a² − c²; A(−c, a) = 2(a+c)x − (a²−c²)x² at x =
// min(1, 1/(a−c)). The sum rises in a, so that a = B; for B−c ≤ 1 it is 4B + 4c ≤ 8B, for B−c ≥ 1 it is (1+B)² − (1−c)²
// + (B+c)/(B−c), with slope 2(1−c) + 2B/(B−c)² in c: a maximum at the first root or at the end c = B−1. Source:
// theory/networks.md §5.2; the case d = 1 here.
func Osc(radius float64, d int) (float64, error) {
	if err := checkPositive("radius", radius); err != nil {
		return 0, err
	}
	if err := checkDim(d); err != nil {
		return 0, err
	}
	b := radius
	switch {
	case b <= 1:
		return 4 * b, nil // exact in binary
	case d >= 2:
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	case b > 1e6: // the interior maximum approaches (1+B)²/2 + O(B); the bound of d ≥ 2 is valid here too
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	}
	slope := func(c float64) float64 { return (1-c)*(b-c)*(b-c) + b } // times 2/(B−c)²
	top := (b + 2) / 3                                                // where (c−1)(B−c)² is largest
	if top <= 1 || top >= b-1 || slope(top) > 0 {
		return 4 * b, nil
	}
	lo, hi, err := num.RootBracket(slope, 1, top, 0)
	if err != nil { // the signs were checked; never reached
		return num.Up(num.Up((1 + b) * (1 + b))), nil
	}
	c := (lo + hi) / 2
	inner := ((1+b)*(1+b) - (1-c)*(1-c) + (b+c)/(b-c)) / 2 * (1 + 1e-14) // flat at c: its rounding does not matter
	return math.Max(4*b, inner), nil
}
