package eval

import "math"

// MeanSE is a mean with its standard error, s/√N with s² = Σ(x−mean)²/(N−1). The zero value is empty and ready for Accumulate.
type MeanSE struct {
	Mean, SE float64 // SE is NaN below two values
	N        int
	squares  float64 // Σ (x − mean)²
}

// Accumulate takes values in, one at a time and without keeping them (Welford 1962): no cancellation for values far from 0. An
// infinite value makes the mean infinite and SE NaN; with its opposite, or with a NaN, the mean is NaN.
func (m *MeanSE) Accumulate(values ...float64) {
	for _, x := range values {
		m.N++
		n := float64(m.N)
		if !math.IsInf(m.Mean, 0) || x == -m.Mean || math.IsNaN(x) { // else it stays infinite
			d := x - m.Mean
			m.Mean += d / n
			m.squares += d * (x - m.Mean)
		}
		m.SE = math.NaN()
		if m.N > 1 {
			m.SE = math.Sqrt(m.squares / (n - 1) / n)
		}
	}
}

// TwoWay splits the variation of values[split][repeat], S splits of R repeats each, into its parts. With m_s and v_s the mean and
// variance within split s, W = mean v_s, and B the variance of the m_s,
//
//	mean      = (1/S) Σ_s m_s
//	overNoise  = √(W / (S·R))
//	overSplits = √(max(0, B − W/R) / S)
//
// the one-way random-effects estimates: B − W/R is free of the noise in expectation. With one repeat W is unknown and taken as 0,
// so overSplits holds both; with one split overSplits is 0. All three are NaN without values and when splits have different
// numbers of repeats.
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
