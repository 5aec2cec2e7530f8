// Package denoise estimates a count from its noisy value: posterior means under a prior on the counts 0 … top that
// falls or rises exponentially, and the tilt of that prior at which the estimates of a group add up to a known total.
// It reads released numbers only.
package denoise

import "math"

// Geometric is Σ f w_f / Σ w_f over f = 0 … top with w_f = e^{−γ|y−f| − τf}, top maybe +Inf: on each side of y, which
// need not be an integer, the weights are powers, summed in closed form.
func Geometric(y, top, gamma, tau float64) float64 {
	below, above := gamma-tau, gamma+tau // decay away from y, downward and upward; either may be negative
	switch {
	case y <= 0:
		s0, s1, _ := powers(above, top)
		return s1 / s0
	case y >= top:
		s0, s1, _ := powers(below, top)
		return top - s1/s0
	}
	floor := math.Floor(y)
	rest := y - floor
	a0, a1, aLog := powers(below, floor)
	b0, b1, bLog := powers(above, math.Max(top-floor-1, 0))
	aLog, bLog = aLog-below*rest, bLog-above*(1-rest) // the first integer on either side is that far from y
	scale := math.Max(aLog, bLog)
	wa, wb := math.Exp(aLog-scale), math.Exp(bLog-scale)
	return floor + (wb*(b0+b1)-wa*a1)/(wa*a0+wb*b0)
}

// powers returns e^{−shift} times Σ_{k=0}^{m} e^{−rate·k} and Σ_{k=0}^{m} k e^{−rate·k}, and shift, which keeps both
// finite when the rate is negative; m may be +Inf for a positive rate. Where the closed form would cancel, it is a
// series.
func powers(rate, m float64) (s0, s1, shift float64) {
	if rate < 0 && !math.IsInf(m, 1) { // mirror: Σ e^{|r|k} = e^{|r|m} Σ e^{−|r|k}
		s0, s1, _ = powers(-rate, m)
		return s0, m*s0 - s1, -rate * m
	}
	if math.IsInf(m, 1) {
		rate = math.Max(rate, 1e-12) // a prior that does not decay has no mean; the bracket never stays there
		one := -math.Expm1(-rate)
		return 1 / one, math.Exp(-rate) / (one * one), 0
	}
	if g := rate * (m + 1); g < 1e-3 {
		s0 = (m + 1) * (1 - rate*m/2 + rate*rate*m*(2*m+1)/12)
		s1 = m * (m + 1) / 2 * (1 - rate*(2*m+1)/3 + rate*rate*m*(m+1)/4)
		return s0, s1, 0
	}
	one, q := -math.Expm1(-rate), math.Exp(-rate)
	s0 = -math.Expm1(-rate*(m+1)) / one
	last := math.Exp(-rate * m)
	s1 = (q*(s0-last) - m*q*last) / one
	return s0, math.Max(s1, 0), 0
}

// Gaussian is Σ f w_f / Σ w_f over f = 0 … top with w_f = exp(−(y−f)²/(2σ²) − τf), which is the same as τ = 0 at y −
// τσ². A sum of more than 128 terms is taken as the integral from −½ to top + ½.
func Gaussian(y, top, sigma2, tau float64) float64 {
	mu, sigma := y-tau*sigma2, math.Sqrt(sigma2)
	mode := math.Min(math.Max(mu, 0), top)
	// beyond the mode the weight falls at least as e^{−z²/(2σ²)} and, where μ lies outside, as e^{−|μ−mode|z/σ²}
	width := 9*sigma + 2
	if d := math.Abs(mu - mode); d > 0 {
		width = math.Min(width, 40*sigma2/d+2)
	}
	weight := func(f float64) float64 { return math.Exp(-((mu-f)*(mu-f) - (mu-mode)*(mu-mode)) / (2 * sigma2)) }
	if first, last := math.Max(0, math.Floor(mode-width)), math.Min(top, math.Ceil(mode+width)); last-first <= 128 {
		var s0, s1 float64
		for f := first; f <= last; f++ {
			w := weight(f)
			s0, s1 = s0+w, s1+w*f
		}
		return s1 / s0
	}
	low, high := math.Max(-0.5, mode-width), math.Min(top+0.5, mode+width)
	var s0, s1 float64
	for _, panel := range [][2]float64{{low, mode}, {mode, high}} {
		half := (panel[1] - panel[0]) / 2
		for i, x := range legendreNodes {
			for _, sign := range []float64{-1, 1} {
				f := panel[0] + half*(1+sign*x)
				w := half * legendreWeights[i] * weight(f)
				s0, s1 = s0+w, s1+w*f
			}
		}
	}
	return s1 / s0
}

// The positive nodes and the weights of 12-point Gauss–Legendre quadrature on [−1, 1] (Abramowitz and Stegun, table
// 25.4).
var (
	legendreNodes = [6]float64{0.125233408511469, 0.367831498998180, 0.587317954286617, 0.769902674194305,
		0.904117256370475, 0.981560634246719}
	legendreWeights = [6]float64{0.249147045813403, 0.233492536538355, 0.203167426723066, 0.160078328543346,
		0.106939325995318, 0.047175336386512}
)

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
