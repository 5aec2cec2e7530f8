// Package utility says how far the posterior of a Laplace release of Bayesian network counts lies from the exact one:
// Theorem 1 of Zhang, Rubinstein and Dimitrakakis ("On the Differential Privacy of Bayesian Inference", AAAI 2016).
// Every bound stands in the form printed and in a corrected form, side by side; a printed form that fails is named
// Paper… and says where. What else the paper states is executed by package claims.
//
//   - [ClampedMean]: the expectation of a count that is clamped to [0, n] after noise.
//   - [ExpectedKL], [CornerMax], [PublicTail]: the divergence of the released posterior.
//   - [PaperRange], [PaperExpected], [PaperRefined]: the printed parts.
//
// Throughout, n is the public number of records, b the Laplace scale (density exp(−|x|/b)/(2b)), δ a failure
// probability; divergences are in nats. Neighbours replace one record. What takes no counts is public.
package utility

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("utility", function, args...)
}

func count(name string, x float64, n int) domain.Argument {
	return domain.Arg(name, x, x >= 0 && x <= float64(n), fmt.Sprintf("a count in [0, %d]", n))
}

// Prior is the Beta(Alpha, Beta) prior of one probability: one parent configuration of one two-level node. Both are >
// 0.
type Prior struct{ Alpha, Beta float64 }

// Cell is a prior and the two exact counts that update it, each in [0, n]. The counts are private.
type Cell struct {
	Prior
	A, B float64
}

func (p Prior) arguments() []domain.Argument {
	return []domain.Argument{domain.Positive("alpha", p.Alpha), domain.Positive("beta", p.Beta)}
}

func (c Cell) arguments(n int, b float64) []domain.Argument {
	return append(c.Prior.arguments(), domain.AtLeast("n", n, 1), count("A", c.A, n), count("B", c.B, n),
		domain.Positive("b", b))
}

// Divergence is f(z), the divergence in nats of the posterior on noisy counts z from the one on exact counts:
//
//	f(z) = KL(Beta(α + A, β + B) ‖ Beta(α + z₁, β + z₂)).
//
// It is a Bregman divergence of a log-partition function in its second argument: convex in z, and 0 at z = (A, B). NaN
// where a parameter is not positive.
func (c Cell) Divergence(z1, z2 float64) float64 {
	a, b := c.Alpha+c.A, c.Beta+c.B
	return num.DirichletKL([]float64{c.Alpha + z1, c.Beta + z2}, []float64{a, b}, []float64{z1 - c.A, z2 - c.B})
}

// Moments are the mean and the variance of f(Z) in nats and nats², with Z the two clamped noisy counts of a cell. They
// depend on the exact counts. Private: do not publish.
type Moments struct{ Mean, Variance float64 }

// ExpectedKL is the exact mean and variance of f(Z), where Z₁ and Z₂ are independent min(max(count + Lap(b), 0), n), by
// a two-dimensional quadrature over the two clamped Laplace laws: two atoms and Gauss panels each. Relative error about
// 1e-11, measured against a finer rule for α, β in [0.002, 20], n ≤ 2000 and b in [0.02, 3000].
//
// The result depends on the exact counts: private, do not publish. Domain: α, β, b > 0, n ≥ 1, counts in [0, n];
// otherwise a *domain.Error. Source: the divergence of Theorem 1, whose printed mean fails (see [PaperExpected]).
func ExpectedKL(c Cell, n int, b float64) (Moments, error) {
	if err := check("ExpectedKL", c.arguments(n, b)...); err != nil {
		return Moments{}, err
	}
	x, y := c.Alpha+c.A, c.Beta+c.B
	h1, w1 := clampedRule(c.A, float64(n), b, c.Alpha)
	h2, w2 := clampedRule(c.B, float64(n), b, c.Beta)
	g2 := make([]float64, len(h2))
	for j, h := range h2 {
		g2[j] = num.LogGammaBregman(c.Beta+(c.B+h), y, h)
	}
	var mean, square float64
	for i, h := range h1 {
		if w1[i] == 0 {
			continue
		}
		z := c.A + h // exactly 0 at the lower atom, so a small prior keeps its digits
		g1 := num.LogGammaBregman(c.Alpha+z, x, h)
		var m, s float64
		for j, k := range h2 {
			f := g1 + g2[j] - num.LogGammaBregman(c.Alpha+c.Beta+(z+(c.B+k)), x+y, h+k)
			m += w2[j] * f
			s += w2[j] * f * f
		}
		mean += w1[i] * m
		square += w1[i] * s
	}
	return Moments{mean, max(square-mean*mean, 0)}, nil
}

// CornerMax is the range c of f(Z): f is convex with minimum 0, so its range over [0, n]² is its maximum over the four
// corners,
//
//	c = max f(z), z ∈ {0, n}².
//
// It depends on the exact counts: private, do not publish; [PublicRange] is the data-free range. Domain: α, β > 0, n ≥
// 1, counts in [0, n]; otherwise a *domain.Error.
func CornerMax(c Cell, n int) (float64, error) {
	if err := check("CornerMax", c.arguments(n, 1)...); err != nil {
		return 0, err
	}
	N, most := float64(n), 0.0
	for _, z := range [...][2]float64{{0, 0}, {0, N}, {N, 0}, {N, N}} {
		most = math.Max(most, c.Divergence(z[0], z[1]))
	}
	return most, nil
}

// PublicRange bounds [CornerMax] over all counts of n records, without data, in nats:
//
//	max{ KL(Beta(α+n, β) ‖ Beta(α, β+n)), KL(Beta(α, β+n) ‖ Beta(α+n, β)) },
//
// which is n[ψ(α+n) − ψ(α)] for α = β. Public. Domain: α, β > 0, n ≥ 1; otherwise a *domain.Error.
func PublicRange(p Prior, n int) (float64, error) {
	if err := check("PublicRange", append(p.arguments(), domain.AtLeast("n", n, 1))...); err != nil {
		return 0, err
	}
	N := float64(n)
	return max(Cell{p, N, 0}.Divergence(0, N), Cell{p, 0, N}.Divergence(N, 0)), nil
}

// ClampedMean is the expectation of a count D that is released with Laplace noise and clamped to [0, n], in records:
//
//	E min(max(D + Lap(b), 0), n) = D + (b/2) e^{−D/b} − (b/2) e^{(D−n)/b}.
//
// It lies in [0, n], and is n/2 for D = n/2: clamping pulls towards the middle.
//
// Domain: 0 ≤ D ≤ n, n ≥ 1, b > 0; otherwise a *domain.Error.
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
