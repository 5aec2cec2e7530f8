package regression

import "math"

// ReplaceOne is the L2 sensitivity of the stacked moments (Moments.Stack) when one record is replaced by another:
//
//	Δ² = max ‖xxᵀ − zzᵀ‖_F² + ‖xy − zy′‖²  = 4.5 for d ≥ 2,  4 for d = 1.
//
// Proof. Convex in y and in y′: they are ±1, and opposite signs serve after changing the sign of z. With r = ‖x‖, s = ‖z‖, k = r·s·cos
// of the angle, the value is r⁴ + s⁴ − 2k² + r² + s² + 2k. As a function of r it is h(r) = r⁴ + (1−2κ²)r² + 2κr + const, κ = s·cos
// ∈ [0, 1] (the other sign is smaller), and (h(1) − h(r))/(1−r) = (1+r)(2 + r² − 2κ²) + 2κ ≥ 0: r = 1, likewise s = 1. What is left,
// 4 − 2c² + 2c in the cosine c, is largest at c = ½, which needs d ≥ 2; for d = 1, c = ±1 leaves 4. The triangle inequality alone
// would give 2√2. Stacking the triangle without the √2 has the same sensitivity (x, z symmetric about a diagonal) and more noise
// off the diagonal. yᵀy moves by at most 1 and is not part of it. The answer is rounded up. Errors: *ParameterError.
func ReplaceOne(d int) (float64, error) {
	if err := checkDim(d); err != nil {
		return 0, err
	}
	if d == 1 {
		return 2, nil
	}
	return 3 / math.Sqrt2 * (1 + 1e-15), nil
}

// AddRemove is the L2 sensitivity of the stacked moments when one record is added or removed: max √(‖x‖⁴ + ‖x‖²y²) = √2, at any
// ‖x‖ = |y| = 1. The answer is rounded up. Errors: *ParameterError.
func AddRemove(d int) (float64, error) {
	if err := checkDim(d); err != nil {
		return 0, err
	}
	return math.Sqrt2 * (1 + 1e-15), nil
}
