package eval

import "math"

// TwoWay splits the variation of values[split][repeat], S splits of R repeats each, into its parts. With m_s and v_s
// the mean and variance within split s, W = mean v_s, and B the variance of the m_s,
//
//	mean      = (1/S) Σ_s m_s
//	overNoise  = √(W / (S·R))
//	overSplits = √(max(0, B − W/R) / S)
//
// the one-way random-effects estimates: B − W/R is free of the noise in expectation. With one repeat W is unknown and
// taken as 0, so overSplits holds both; with one split overSplits is 0. All three are NaN without values and when
// splits have different numbers of repeats.
func TwoWay(values [][]float64) (mean, overSplits, overNoise float64) {
	if len(values) == 0 || len(values[0]) == 0 {
		return math.NaN(), math.NaN(), math.NaN()
	}
	splits, repeats := float64(len(values)), float64(len(values[0]))
	means := make([]float64, len(values))
	within := 0.0
	for s, v := range values {
		if len(v) != len(values[0]) {
			return math.NaN(), math.NaN(), math.NaN()
		}
		for _, x := range v {
			means[s] += x / repeats
		}
		for _, x := range v {
			within += (x - means[s]) * (x - means[s])
		}
		mean += means[s] / splits
	}
	between := 0.0
	for _, m := range means {
		between += (m - mean) * (m - mean)
	}
	if repeats > 1 {
		within /= splits * (repeats - 1)
	}
	if splits > 1 {
		between = math.Max(0, between/(splits-1)-within/repeats)
	}
	return mean, math.Sqrt(between / splits), math.Sqrt(within / (splits * repeats))
}
