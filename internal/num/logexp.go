package num

import "math"

// LogSumExp is ln Σ e^{x_i} without overflow; −Inf for no terms, +Inf when one is +Inf, NaN when one is NaN. Unlike
// that of gonum it keeps the digits of terms far below the greatest, by ln(1 + x), and takes no terms at all.
func LogSumExp(x []float64) float64 {
	top, at := math.Inf(-1), -1
	for i, v := range x {
		if math.IsNaN(v) {
			return v
		}
		if v > top {
			top, at = v, i
		}
	}
	if math.IsInf(top, 0) {
		return top
	}
	rest := 0.0
	for i, v := range x {
		if i != at {
			rest += math.Exp(v - top)
		}
	}
	return top + math.Log1p(rest)
}
