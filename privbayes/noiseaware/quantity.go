package noiseaware

import "math"

// Quantity is a function of the network with its posterior, as draws. It is immutable.
type Quantity struct {
	Name string
	// RHat is the rank-normalised split R-hat of the chains, below 1.01, and ESS the smaller of the effective sample
	// sizes of bulk and tails, at least 400.
	RHat, ESS float64

	draws  [][]float64 // by chain
	sorted []float64
	mean   float64
	sd     float64
}

// Draws are the values, chain by chain.
func (q *Quantity) Draws() [][]float64 { return clone(q.draws) }

// Mean is the posterior mean, the average of the draws. It says nothing where the posterior has no mean, as of an odds
// ratio one of whose cells may be empty: take Quantile(.5).
func (q *Quantity) Mean() float64 { return q.mean }

// SD is the posterior standard deviation, that of the draws: see Mean.
func (q *Quantity) SD() float64 { return q.sd }

// Quantile is the order statistic at p·(N + 1) of N draws, between two the straight line, for 0 ≤ p ≤ 1; NaN for other
// p. An interval between such quantiles covers a further draw with its nominal probability, which one that is
// interpolated at p·(N − 1) does not.
func (q *Quantity) Quantile(p float64) float64 {
	if !(p >= 0 && p <= 1) {
		return math.NaN()
	}
	n := len(q.sorted)
	h := p * float64(n+1)
	i := int(h)
	switch {
	case i < 1:
		return q.sorted[0]
	case i >= n:
		return q.sorted[n-1]
	}
	lo, hi := q.sorted[i-1], q.sorted[i]
	if lo == hi || math.IsInf(lo, -1) {
		return lo
	}
	if math.IsInf(hi, 1) {
		if h == float64(i) {
			return lo
		}
		return hi
	}
	return lo + (h-float64(i))*(hi-lo)
}

// CredibleInterval is the equal-tailed interval of the given level in (0, 1); NaN for another.
func (q *Quantity) CredibleInterval(level float64) (lower, upper float64) {
	if !(level > 0 && level < 1) {
		return math.NaN(), math.NaN()
	}
	return q.Quantile((1 - level) / 2), q.Quantile((1 + level) / 2)
}
