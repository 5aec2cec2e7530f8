package noiseaware

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// farLogit is a logit beyond which a quantile counts as 0 or 1: e^{−700} = 1e-304.
const farLogit = 700

// Quantile is the x with P(θ ≤ x | y) = p, 0 ≤ p ≤ 1; NaN for other p. Relative error about 1e-12 for p in [1e-9, 1 −
// 1e-9]; 0 or 1 where the quantile is within 1e-304 of it, and above ½ no closer than the spacing of float64.
//
// Newton's method on the logarithm of the smaller tail as a function of t = ln(θ/(1−θ)), in a bracket that is halved
// whenever a step leaves it.
func (m *Mixture) Quantile(p float64) float64 {
	switch {
	case !(p >= 0 && p <= 1):
		return math.NaN()
	case p == 0 || p == 1:
		return p
	}
	lo, hi := -float64(farLogit), float64(farLogit)
	spread := math.Sqrt2 * math.Erfinv(2*p-1) * m.sd / (m.mean * (1 - m.mean))
	t := math.Log(m.mean/(1-m.mean)) + math.Min(math.Max(spread, -5), 5)
	if !(t > lo && t < hi) {
		t = 0
	}
	for range 300 {
		x, y := num.Logistic(t)
		lower, upper, slope := m.tails(x, y)
		var step float64
		if p <= 0.5 {
			step = -math.Log(lower/p) * lower / slope
		} else {
			step = math.Log(upper/(1-p)) * upper / slope
		}
		if lower < p { // the quantile is above
			lo = t
		} else {
			hi = t
		}
		next := t + step
		if !(next > lo && next < hi) {
			if math.Abs(step) <= 1e-14*(1+math.Abs(t)) {
				break
			}
			next = (lo + hi) / 2
		}
		done := math.Abs(next-t) <= 1e-14*(1+math.Abs(t)) || hi-lo <= 1e-14*(1+math.Abs(t))
		if t = next; done {
			break
		}
	}
	switch {
	case t <= -farLogit+1e-9:
		return 0
	case t >= farLogit-1e-9:
		return 1
	}
	x, _ := num.Logistic(t)
	return x
}

// CredibleInterval is the equal-tailed interval of the given level, 0 < level < 1: the quantiles at (1 ∓ level)/2. NaN
// for another level.
func (m *Mixture) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	return m.Quantile((1 - level) / 2), m.Quantile((1 + level) / 2)
}
