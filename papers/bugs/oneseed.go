package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// oneSeed releases the count of ones of two features with noise at ε/2 each, and gives the same seed to both: the noise
// is the same, and the difference of the two noisy counts is that of the true ones. A cell of the space is one record
// with two binary features.
func oneSeed() Bug {
	const eps, n = 1.0, 4
	b := Bug{
		ID: "one-seed", Mechanism: "geometric noise on the counts of 2 features, each ε/2",
		Symptom: "every feature's noise starts from one seed: the difference of two noisy counts is exact",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)),
		How: byEnumeration + "; " + bySampling, Counterexample: "counts [0 0 0 4] and [0 1 0 3], output (1, 1)",
		Remedy: "one stream for a release, never started again",
	}
	noisy := func(counts [2]int, defect bool, src *dp.Stream) ([2]int64, error) {
		g, err := sample.NewTwoSidedGeometric(1, 2) // ε/2
		if err != nil {
			return [2]int64{}, err
		}
		var out [2]int64
		seed := src.Uint64()
		for f, count := range counts {
			from := src
			if defect {
				from = dp.Seeded(seed)
			}
			out[f] = int64(count) + g.Draw(from)
		}
		return out, nil
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		v, err := enumeratedJoint(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(4, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc((n+1)*(n+1), func(x []int) []float64 {
				counts := [2]int{x[1] + x[3], x[2] + x[3]}
				if defect {
					return sameNoise(counts, n, eps/2)
				}
				p, first := make([]float64, 0, (n+1)*(n+1)), geometric(counts[0], n, eps/2)
				second := geometric(counts[1], n, eps/2)
				for _, a := range first {
					for _, c := range second {
						p = append(p, a*c)
					}
				}
				return p
			}),
		}, n+1, 2)
		if err != nil {
			return verdict{}, err
		}
		// x: four records (0, 0); y: one of them (1, 0). The event is an equal pair of noisy counts.
		bound, t, err := sampled(ctx, "noisy counts are equal; x has none, y has one 1 in the first feature",
			func(neighbour bool, src *dp.Stream) (bool, error) {
				counts := [2]int{}
				if neighbour {
					counts[0] = 1
				}
				out, err := noisy(counts, defect, src)
				return out[0] == out[1], err
			}, 1)
		if err != nil {
			return verdict{}, err
		}
		v.holds, v.evidence = v.holds && bound <= eps, append(v.evidence, t)
		return v, nil
	}
	return b
}

// sameNoise is the joint law of two counts with one noise, each clamped to 0 … top. Noise beyond ±top clamps both to an
// end.
func sameNoise(counts [2]int, top int, rate float64) []float64 {
	p, q := make([]float64, (top+1)*(top+1)), math.Exp(-rate)
	clamp := func(y int) int { return min(max(y, 0), top) }
	for z := -top; z <= top; z++ {
		weight := (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(z)))
		if z == -top || z == top {
			weight = math.Pow(q, float64(top)) / (1 + q) // with the tail beyond
		}
		p[clamp(counts[0]+z)*(top+1)+clamp(counts[1]+z)] += weight
	}
	return p
}
