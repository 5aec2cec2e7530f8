package denoise

import "math"

// FitTotal tilts the estimates of a group until they add up to total. fill writes the estimates under the prior ∝
// e^{−τf} and returns their sum, which falls in τ; scale is the noise's standard deviation in records. The bracket
// grows by steps of 1/(1 + scale) and is then narrowed by false position; a total that no tilt reaches leaves the
// estimates at the end of the bracket.
func FitTotal(total, scale float64, fill func(tau float64) (sum float64)) {
	if sum := fill(0); sum == total {
		return
	}
	step := 1 / (1 + scale)
	lo, hi := -step, step
	var above, below float64 // sum − total at lo and at hi
	for range 40 {
		if above = fill(lo) - total; above >= 0 {
			break
		}
		lo *= 2
	}
	for range 40 {
		if below = fill(hi) - total; below <= 0 {
			break
		}
		hi *= 2
	}
	for range 50 {
		mid := (lo + hi) / 2
		if above > 0 && below < 0 { // false position; the weight of an end that stays is halved (Illinois)
			mid = lo + (hi-lo)*(above/(above-below))
		}
		switch diff := fill(mid) - total; {
		case math.Abs(diff) <= 1e-7*(1+total):
			return
		case diff > 0:
			lo, above, below = mid, diff, below/2
		default:
			hi, below, above = mid, diff, above/2
		}
	}
}
