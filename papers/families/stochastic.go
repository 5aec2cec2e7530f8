package families

import "math"

// bestC is the largest c with ξ(ℓ ≤ L) ≥ 1 − e^{−c(L−L0)} for all L > L0:
//
//	c*(L0) = inf_{L > L0} −ln ξ(ℓ > L)/(L − L0),
//
// for an ℓ with a density on [least, most]; mass gives ξ(ℓ ≤ L0 + gap) and ξ(ℓ > L0 + gap), each to full relative
// accuracy. The objective is quasi-convex when ℓ has a log-concave density; it is scanned first in any case. The answer
// is taken down by 1e-8.
func bestC(family string, l0, least, most float64, mass func(gap float64) (below, above float64)) (float64, error) {
	switch {
	case math.IsNaN(l0) || l0 < least:
		return 0, &ParameterError{Of: "families: " + family, Parameter: "L0", Value: l0, Want: "at least the infimum " +
			"of ℓ(θ), see LeastL0"}
	case l0 >= most:
		return math.Inf(1), nil
	}
	slope := func(x float64) float64 {
		gap := math.Exp(x)
		below, above := mass(gap)
		if below < .5 {
			return -math.Log1p(-below) / gap
		}
		return -math.Log(above) / gap
	}
	span := math.Min(most-l0, 700)
	lo, hi := math.Log(span)-30, math.Log(span)
	const scan = 256
	best, value := lo, math.Inf(1)
	for i := 0.0; i <= scan; i++ {
		if x := lo + (hi-lo)*i/scan; slope(x) < value {
			best, value = x, slope(x)
		}
	}
	for width := (hi - lo) / scan; width > 1e-7; width /= 2 {
		for _, x := range []float64{best - width/2, best + width/2} {
			if v := slope(x); x >= lo && x <= hi && v < value {
				best, value = x, v
			}
		}
	}
	return value * (1 - 1e-8), nil
}

// logConstant is an upper bound of ln C = max_S [M(S) − ln φ(S)], M(S) = max_η ln p_η(S), over S in [first, last]. Both
// M and ln φ are convex in S: on a cell M is below its chord and ln φ above its tangents, so the difference is bounded
// at the ends of the cell. evidence gives ln φ and its slope E_S η. A lattice with no more points than cells is
// evaluated exactly.
func logConstant(first, last float64, lattice bool, peak func(s float64) float64,
	evidence func(s float64) (value, slope float64)) float64 {
	const cells = 1024
	count := float64(cells)
	if lattice {
		count = math.Min(count, last-first)
	}
	exact := lattice && count == last-first
	step := (last - first) / math.Max(count, 1)
	best := math.Inf(-1)
	var m0, v0, e0 float64
	for i := 0.0; i <= count; i++ {
		s := first + step*i
		m1 := peak(s)
		v1, e1 := evidence(s)
		best = math.Max(best, m1-v1)
		if i > 0 && !exact {
			left := math.Max(m0-v0, m1-v0-e0*step)
			right := math.Max(m1-v1, m0-v1+e1*step)
			best = math.Max(best, math.Min(left, right))
		}
		m0, v0, e0 = m1, v1, e1
	}
	return best
}
