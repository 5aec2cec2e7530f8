package utility

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// ClampedMean is the expectation of a count D that is released with Laplace noise and clamped to [0, n], in records:
//
//	E min(max(D + Lap(b), 0), n) = D + (b/2) e^{−D/b} − (b/2) e^{(D−n)/b}.
//
// It lies in [0, n], and is n/2 for D = n/2: clamping pulls towards the middle.
//
// Domain: 0 ≤ D ≤ n, n ≥ 1, b > 0; otherwise a *ParameterError.
func ClampedMean(d float64, n int, b float64) (float64, error) {
	if err := check("ClampedMean", domain.AtLeast("n", n, 1), count("D", d, n), domain.Positive("b", b)); err != nil {
		return 0, err
	}
	N := float64(n)
	// e^{−D/b} − e^{−(n−D)/b} as one difference, which keeps its digits when b is far above n.
	lo, hi := d, N-d
	diff := math.Exp(-lo/b) * -math.Expm1((lo-hi)/b)
	if lo > hi {
		diff = -math.Exp(-hi/b) * -math.Expm1((hi-lo)/b)
	}
	return min(max(d+b/2*diff, 0), N), nil
}

// PaperClampedMean is the same expectation as printed in the proof of Theorem 1:
//
//	D + (b/2) e^{−D/b} + ((n−b)/2) e^{(D−n)/b}.
//
// It is wrong: the part n·P(D + Lap(b) ≥ n) is counted twice, which adds (n/2) e^{(D−n)/b}. Already n = 1, D = 1, b = 1
// gives 1.18, above the largest value 1 of the clamped count.
//
// Domain: as [ClampedMean].
func PaperClampedMean(d float64, n int, b float64) (float64, error) {
	if err := check("PaperClampedMean", domain.AtLeast("n", n, 1), count("D", d, n),
		domain.Positive("b", b)); err != nil {
		return 0, err
	}
	N := float64(n)
	return d + b/2*math.Exp(-d/b) + (N-b)/2*math.Exp((d-N)/b), nil
}

// beyond is the number of scales after which the mass e^{−45}/2 of a Laplace tail is left out of a quadrature.
const beyond = 45

// clampedRule is a discrete law that stands for min(max(D + Lap(b), 0), n) in expectations of functions of z that are
// analytic for z > −prior, as lnΓ(prior + z) is. Its nodes are the steps h = z − D, which keep their digits when b is
// far below D. The two atoms, ½e^{−D/b} at z = 0 and ½e^{−(n−D)/b} at z = n, are exact; the density between is covered
// by 24-point Gauss panels. Panels end at D, where the density has a corner, at 10b, 24b and 45b from it, and grow by a
// factor 5 from the singular point −prior: each then converges to the last digits.
func clampedRule(d, n, b, prior float64) (steps, weights []float64) {
	steps, weights = []float64{-d, n - d}, []float64{math.Exp(-d/b) / 2, math.Exp(-(n-d)/b) / 2}
	edges := []float64{}
	for e := 4 * prior; e < n; e = 5*e + 4*prior {
		edges = append(edges, e-d)
	}
	x, w := num.GaussLegendre24()
	panel := func(lo, hi float64) {
		half, mid := (hi-lo)/2, (hi+lo)/2
		for i := range x {
			h := mid + half*x[i]
			steps = append(steps, h)
			weights = append(weights, half*w[i]*math.Exp(-math.Abs(h)/b)/(2*b))
		}
	}
	cuts := [...]float64{-beyond * b, -24 * b, -10 * b, 0, 10 * b, 24 * b, beyond * b}
	for i, hi := range cuts[1:] {
		lo := max(cuts[i], -d)
		hi = min(hi, n-d)
		for _, e := range edges {
			if lo < e && e < hi {
				panel(lo, e)
				lo = e
			}
		}
		if lo < hi {
			panel(lo, hi)
		}
	}
	return steps, weights
}
