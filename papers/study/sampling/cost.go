package sampling

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Cost is one point of Theorem 17: the prior restricted to Θ_L, N posterior samples, and what both give and cost.
type Cost struct {
	L       float64
	Samples int

	PaperEpsilon float64 // 2LN, at ρ = 1
	Epsilon      float64 // N times the exact ε of one sample over data sets within distance 1

	Removed float64 // 1 − ξ*(Θ_L)
	Regret  float64 // exact expected regret: over data from the marginal of ξ*, and over samples
	Bound   float64 // of it: Removed + ξ*(Θ_L)·ExpectedBar, at most 1
	// regret ≤ this with probability 1 − δ at every data set: the largest 1 − ξ*(Θ_L|x) + ξ*(Θ_L|x)·FixedBar, at most 1
	HighChance float64
	Paper      float64 // (b) of the theorem with its own constants, 2·2(1−ξ*(Θ_L)) + PaperBar: false per data set
}

// Cost runs Theorem 17 on a query: the belief ξ* of f is ideal, the samples come from the posterior under ξ* restricted
// to Θ_L, and the response is the best one on N samples, ties broken against us. Exact, by enumeration of samples.
//
// The printed part (b) bounds the distance of the priors, the responses use posteriors; per data set the regret is at
// most
//
//	1 − ξ*(Θ_L|x) + ξ*(Θ_L|x)·[FixedBar],
//
// where 1 − ξ*(Θ_L|x) can be near 1 for a Θ_L of prior mass near 1. On average over x it is 1 − ξ*(Θ_L), as printed,
// without a factor.
//
// Domain: data sets whose probabilities add up to 1 for every θ, L at least the lowest level, utilities in [0, 1], 0 <
// δ < 1, N ≥ 1 and at most 20 million compositions of N into the parameters left; otherwise a *ParameterError; or the
// error of the context. Source: theory/sampling.md §21.
func (f *Family) Cost(ctx context.Context, u Utility, l float64, samples int, delta float64) (Cost, error) {
	const name = "Cost"
	if err := u.validate(name, len(f.logPrior)); err != nil {
		return Cost{}, err
	}
	if err := f.complete(name); err != nil {
		return Cost{}, err
	}
	g, err := f.Restrict(l)
	if err != nil {
		return Cost{}, err
	}
	c := Cost{L: l, Samples: samples, PaperEpsilon: 2 * l * float64(samples)}
	left := 0
	for i := range g.logPrior {
		if g.support(i) {
			left++
		}
	}
	if err := check(name, enumerable(left, samples)); err != nil {
		return Cost{}, err
	}
	responses := len(u[0])
	fixed, err := FixedBar(responses, samples, delta)
	if err != nil {
		return Cost{}, err
	}
	printed, err := PaperBar(samples, delta)
	if err != nil {
		return Cost{}, err
	}
	average, err := ExpectedBar(responses, samples)
	if err != nil {
		return Cost{}, err
	}
	kept := 0.0
	for x, w := range f.Marginal() {
		if err := ctx.Err(); err != nil {
			return Cost{}, err
		}
		inside := 0.0
		for i, p := range f.post[x] {
			if g.support(i) {
				inside += p
			}
		}
		kept += w * inside
		c.Regret += w * sampledRegret(g.post[x], f.post[x], u, samples)
		c.HighChance = math.Max(c.HighChance, 1-inside+inside*fixed)
	}
	c.Removed = math.Max(0, 1-kept)
	c.Bound = math.Min(1, up(c.Removed+kept*average))
	c.HighChance = math.Min(1, up(c.HighChance))
	c.Paper = 4*c.Removed + printed
	c.Epsilon = up(float64(samples) * g.epsilonWithin(1))
	return c, nil
}

// sampledRegret is the expected regret under ideal of the response that is best on n samples of used.
func sampledRegret(used, ideal []float64, u Utility, n int) float64 {
	var p []float64
	var rows [][]float64
	for i, w := range used {
		if w > 0 {
			p, rows = append(p, w), append(rows, u[i])
		}
	}
	values := u.expected(ideal)
	scores := make([]float64, len(values))
	sum := 0.0
	compositions(p, n, func(counts []int, probability float64) {
		clear(scores)
		for i, k := range counts {
			if k > 0 {
				for r, v := range rows[i] {
					scores[r] += float64(k) * v
				}
			}
		}
		for r := range scores {
			scores[r] /= float64(n)
		}
		sum += probability * loss(scores, values)
	})
	return sum
}

// epsilonWithin is the largest log-ratio of posteriors of data sets within distance rho.
func (f *Family) epsilonWithin(rho float64) float64 {
	worst := 0.0
	for x := range f.post {
		for y := range x {
			if f.rho[x][y] <= rho {
				worst = math.Max(worst, compare(f.post[x], f.post[y]).ratio)
			}
		}
	}
	return worst
}

// Costs is [Family.Cost] at every L and N, N the faster index. progress, unless nil, is called after each. Errors:
// those of Cost.
func (f *Family) Costs(ctx context.Context, u Utility, ls []float64, samples []int, delta float64,
	progress func(done, total int64)) ([]Cost, error) {
	if err := check("Costs", domain.Between("values of L", len(ls), 1, 1000),
		domain.Between("values of N", len(samples), 1, 1000)); err != nil {
		return nil, err
	}
	var all []Cost
	for _, l := range ls {
		for _, n := range samples {
			c, err := f.Cost(ctx, u, l, n, delta)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
			if progress != nil {
				progress(int64(len(all)), int64(len(ls)*len(samples)))
			}
		}
	}
	return all, nil
}
