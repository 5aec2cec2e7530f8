package structure

import "math"

// A fit has no negative cells. Of the noise Z on a cell where the public table has m records it keeps
//
//	κ(m) = E|max(m + Z, 0) − m|:  κ(0) = E|Z|/2,  κ(∞) = E|Z|.
//
// So a table with many empty cells costs less than E|Z| for each of its free cells. M is public and so is κ(M); κ of
// the private counts would move a score by more than a record does (theory/structure.md §8).

// keptGaussian is κ of the normal distribution, u = m/σ: σ(2φ(0) − φ(u) + u·Φ(−u)). The discrete one is close to it;
// what is public may be approximate.
func keptGaussian(sigma2, m float64) float64 {
	sigma := math.Sqrt(sigma2)
	u := m / sigma
	if u > 39 { // both below are 0 there
		return sigma * 2 / math.Sqrt(2*math.Pi)
	}
	return sigma*(2-math.Exp(-u*u/2))/math.Sqrt(2*math.Pi) + m*math.Erfc(u/math.Sqrt2)/2
}

// keptGeometric is κ of two-sided geometric noise, q = e^{−γ}: (2q − q^{m+1})/(1 − q²).
func keptGeometric(rate, m float64) float64 {
	return (2*math.Exp(-rate) - math.Exp(-rate*(m+1))) / -math.Expm1(-2*rate)
}

// noiseCost is what the noise of a table adds to a distance from the public table M: κ of every possible cell, times
// the share of possible cells that are free.
func (l phaseLaw) noiseCost(m []int64, free, forbidden float64) float64 {
	if free <= 0 {
		return 0
	}
	sum := -forbidden * l.kept(0) // of cells that no record can be in, M is 0
	for _, v := range m {
		sum += l.kept(float64(v))
	}
	return math.Max(sum, 0) * free / (float64(len(m)) - forbidden)
}

// keptNoise is κ at a parameter or, in files from before it was used, E|Z| of every cell.
func (z *added) keptNoise(parameter float64, kept bool) func(m float64) float64 {
	if !kept {
		return func(float64) float64 { return z.meanAbsolute(parameter) }
	}
	return func(m float64) float64 { return z.kept(parameter, m) }
}
