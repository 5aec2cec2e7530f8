package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// withoutExp is an exponential mechanism that draws in proportion to εu/(2Δ) and not to its exponential. The score is
// the number of records in a category, Δ = 1. An empty category has weight 0: seeing it proves that somebody is in it.
func withoutExp() Bug {
	const eps = 1.0
	b := Bug{
		ID: "without-exp", Mechanism: "exponential mechanism: the most frequent of 3 categories",
		Symptom: "draws in proportion to εu/(2Δ), where exp(εu/(2Δ)) is meant",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [1 0 5] and [0 0 6], output 0",
		Remedy:         "weights exp(εu/(2Δ))",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		const cells, n = 3, 6
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(cells, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(cells, func(x []int) []float64 {
				p := make([]float64, cells)
				for r := range p {
					p[r] = eps / 2 * float64(x[r])
				}
				if defect {
					return normalised(p)
				}
				return softmax(p, 1)
			}),
		})
	}
	return b
}
