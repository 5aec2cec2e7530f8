package bugs

import (
	"context"
	"math"
	"math/bits"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// permuteFlip is the law of permute-and-flip: candidates are visited in random order, and one is taken with probability
// a_r = exp(rate·(u_r − max u)). By inclusion and exclusion over the sets T of other candidates,
//
//	P(r) = a_r Σ_T (−1)^|T| Π_{t∈T} a_t / (|T| + 1).
//
// For a few candidates only: the sum has 2^{d−1} terms.
func permuteFlip(score []float64, rate float64) []float64 {
	top := math.Inf(-1)
	for _, u := range score {
		top = math.Max(top, u)
	}
	p := make([]float64, len(score))
	for r := range score {
		sum := 0.0
		for set := range 1 << len(score) {
			if set>>r&1 == 1 {
				continue
			}
			size, term := bits.OnesCount(uint(set)), 1.0
			for t := range score {
				if set>>t&1 == 1 {
					term *= -math.Exp(rate * (score[t] - top))
				}
			}
			sum += term / float64(size+1)
		}
		p[r] = math.Exp(rate*(score[r]-top)) * sum
	}
	return p
}

// permuteAndFlip is accounted with the bound of the exponential mechanism. That one has bounded range, the greatest
// less the least loss of a pair is at most ε, which gives ε²/8-zCDP. Permute-and-flip is ε-DP too but its range is up
// to 2ε, and with two candidates it spends 2.7 times as much at ε = 0.5, and four times as ε → 0: all that ε-DP allows.
func permuteAndFlip() Bug {
	const eps = 0.5
	b := Bug{
		ID: "permute-and-flip", Mechanism: "permute-and-flip: the more frequent of 2 categories, ε = 0.5",
		Symptom: "accounted as ε²/8-zCDP, which holds for the exponential mechanism",
		Claimed: dp.ZCDP(eps * eps / 8).Parameters, How: byEnumeration + ", a grid of Rényi orders",
		Counterexample: "counts [3 3] and [2 4]",
		Remedy:         "for the exponential mechanism ε²/8; for permute-and-flip ε·tanh(ε/2)",
	}
	b.Spent = level(b.Claimed, 0.0846909683974)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(2, 6, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(2, func(x []int) []float64 {
				score := []float64{float64(x[0]), float64(x[1])} // Δ = 1
				if defect {
					return permuteFlip(score, eps/2)
				}
				return softmax(score, eps/2)
			}),
		})
	}
	return b
}
