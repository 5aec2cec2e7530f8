package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// edges and edgeRecords are the size of chosenEdge.
const edges, edgeRecords = 21, 4

// chosenEdge is one step of a structure learner: the exponential mechanism P(C) ∝ e^{ηq_C} takes the pair whose table N
// is farthest from a public one M, q = ½‖N − M‖₁. The pairs are those of one column with 21 others, all binary, and M
// has one record in every cell. Replacing a record moves every score by −1, 0 or 1, and one may rise while another
// falls. In all records the one column is 0; they are of three kinds by the first of the others, and by the 20 that
// remain, which are equal:
//
//	a: 0 and 1;  b: 1 and 1;  c: 0 and 0.
func chosenEdge(eta float64) audit.Subject {
	return audit.Subject{
		Space: space(3, edgeRecords, dp.ReplaceOne),
		Mechanism: audit.FromFunc(edges, func(x []int) []float64 {
			score := make([]float64, edges)
			score[0] = tableDistance([4]int{x[0] + x[2], x[1]})
			for i := 1; i < edges; i++ {
				score[i] = tableDistance([4]int{x[2], x[0] + x[1]})
			}
			if math.IsInf(eta, 1) {
				return best(score)
			}
			return softmax(score, eta)
		}),
	}
}

// tableDistance is ½‖N − M‖₁ of a table of four records and the table M of ones: a whole number.
func tableDistance(n [4]int) float64 {
	sum := 0
	for _, v := range n {
		sum += max(v-1, 1-v)
	}
	return float64(sum) / 2
}

// best is a uniform choice among the highest scores: the limit of e^{ηq} at η → ∞.
func best(score []float64) []float64 {
	top := math.Inf(-1)
	for _, u := range score {
		top = math.Max(top, u)
	}
	p := make([]float64, len(score))
	for i, u := range score {
		if u == top {
			p[i] = 1
		}
	}
	return normalised(p)
}

// oneDirection drops the factor 2 of the exponential mechanism. That is right under add-remove, where a record moves
// all scores one way (the part that differs in sign is common to all of them and cancels); under replace-one it is not.
func oneDirection() Bug {
	const eps = 1.0
	b := Bug{
		ID: "one-direction", Mechanism: "exponential mechanism: the pair of 21 whose table is farthest from a public one",
		Symptom: "η = ε under replace-one, where one score may rise while another falls; that is the η of add-remove",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration, Counterexample: "counts [3 0 1] and [3 1 0], output 0",
		Remedy: "η = ε/2 under replace-one",
	}
	b.Spent = level(b.Claimed, 1.89078915552)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		eta := eps / 2
		if defect {
			eta = eps
		}
		s := chosenEdge(eta)
		s.Name, s.Claim = b.Mechanism, b.Claimed
		return enumerated(ctx, s)
	}
	return b
}

// zeroSensitivity has the score as a share of the n records, and its sensitivity 1/n in whole numbers, which is 0: the
// rate ε/(2·0) is infinite and the best pair is chosen for sure.
func zeroSensitivity() Bug {
	const eps = 1.0
	b := Bug{
		ID: "zero-sensitivity", Mechanism: "exponential mechanism: the same pair, by its distance as a share of records",
		Symptom: "the sensitivity 1/n is computed in whole numbers: it is 0, and the best pair is chosen for sure",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [0 0 4] and [1 0 3], output 1",
		Remedy:         "scores in records, whose sensitivity 1 needs no division",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		n := edgeRecords
		sensitivity := 1 / float64(n) // of a share
		if defect {
			sensitivity = float64(1 / n)
		}
		s := chosenEdge(eps / (2 * sensitivity) / float64(n)) // per record
		s.Name, s.Claim = b.Mechanism, b.Claimed
		return enumerated(ctx, s)
	}
	return b
}
