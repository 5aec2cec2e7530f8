package num

import "math"

// Log1mExp is ln(1 − e^−x), x ≥ 0, relative error about 2ε: by expm1 up to ln 2, by log1p above. −Inf at 0, NaN for x < 0.
// Source: Mächler, "Accurately computing log(1 − exp(−|a|))" (2012).
func Log1mExp(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x <= math.Ln2:
		return math.Log(-math.Expm1(-x))
	}
	return math.Log1p(-math.Exp(-x))
}

// LogSumExp is ln Σ e^{x_i} without overflow; −Inf for no terms, +Inf when one is +Inf, NaN when one is NaN.
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

// LogDiffExp is ln(e^a − e^b), a ≥ b; −Inf for a = b, NaN for a < b.
func LogDiffExp(a, b float64) float64 {
	switch {
	case a == b || math.IsInf(b, -1):
		if a == b {
			return math.Inf(-1)
		}
		return a
	case math.IsInf(a, 1):
		return a
	}
	return a + Log1mExp(a-b)
}
