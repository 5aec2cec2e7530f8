package score

import "math"

// BinnedMean is the mean μ of a bounded variable from noisy counts of bins, each with a value of its own, and a noisy
// sum of what the records add to these values:
//
//	L(μ) = Σ_b Counts_b·(At_b − μ) + Sum
//
// is 0 at the mean of the records but for the noise, whose variance is quadratic in μ, and for the rounding of values.
// At the mean of a population it has the variance of the records, too.
type BinnedMean struct {
	Counts, At   []float64
	Sum          float64
	CountNoise   float64 // the variance of the noise of a count
	SumNoise     float64 // and of the sum
	Deviation    float64 // the standard deviation of a record; 0: of the mean of the records themselves
	Alike        float64 // how many times the variance of independent records
	Room         float64 // how far rounding moves a value
	Normal       bool    // the noise is normal; else its distribution lies between Laplace's and the normal
	Lower, Upper float64 // public bounds
}

// Interval are the μ that are not rejected, a range that contains the bounds where the counts say nothing, as in
// Fieller's theorem: where their sum is within its noise. It is widened by the room, and cut at the bounds.
func (m BinnedMean) Interval(level float64) (lower, upper float64) {
	z := math.Sqrt2 * math.Erfinv(level)
	if !m.Normal {
		z = math.Max(z, -math.Log1p(-level)/math.Sqrt2)
	}
	records, sum, at, squares := 0.0, m.Sum, 0.0, 0.0
	for b, x := range m.At {
		records, sum = records+m.Counts[b], sum+m.Counts[b]*x
		at, squares = at+x, squares+x*x
	}
	// (sum − μ·records)² ≤ z²·(CountNoise·Σ(At_b − μ)² + SumNoise + sampling)
	k := float64(len(m.At))
	sampling := m.Alike * m.Deviation * m.Deviation * (math.Max(records, 0) + math.Sqrt(k*m.CountNoise))
	a := records*records - z*z*m.CountNoise*k
	b := sum*records - z*z*m.CountNoise*at
	c := sum*sum - z*z*(m.CountNoise*squares+m.SumNoise+sampling)
	root := b*b - a*c
	if !(a > 0) || !(records > 0) || !(root >= 0) {
		return m.Lower, m.Upper
	}
	root = math.Sqrt(root)
	within := func(x float64) float64 { return math.Max(m.Lower, math.Min(x, m.Upper)) }
	return within((b-root)/a - m.Room), within((b+root)/a + m.Room)
}
