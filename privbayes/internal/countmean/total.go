package countmean

import "math"

// FitTotal tilts the estimates of a group until they add up to total. fill writes the estimates under the prior ∝ e^{−τf} and returns
// their sum, which falls in τ; scale is the noise's standard deviation in records. The bracket grows by steps of 1/(1 + scale) and is
// then halved; a total that no tilt reaches leaves the estimates at the end of the bracket.
func FitTotal(total, scale float64, fill func(tau float64) (sum float64)) {
	if sum := fill(0); sum == total {
		return
	}
	step := 1 / (1 + scale)
	lo, hi := -step, step
	for range 40 {
		if fill(lo) >= total {
			break
		}
		lo *= 2
	}
	for range 40 {
		if fill(hi) <= total {
			break
		}
		hi *= 2
	}
	for range 50 {
		mid := (lo + hi) / 2
		switch sum := fill(mid); {
		case math.Abs(sum-total) <= 1e-7*(1+total):
			return
		case sum > total:
			lo = mid
		default:
			hi = mid
		}
	}
}
