package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// twoRounds is the law of two choices among three candidates, scored by how many records are theirs, each by the
// exponential mechanism at η. The third may not be chosen in the first round, and may in the second. The sampler asks
// whether a candidate may be chosen only where it needs the answer: about the best first. With kept, what was refused
// in the first round is not asked about again. Outputs: 2i + k, candidate i of the first two, then the other of them
// (k = 0) or the third.
func twoRounds(x []int, eta float64, kept bool) []float64 {
	refused := kept && x[2] > max(x[0], x[1])
	weight := func(i int) float64 { return math.Exp(eta * float64(x[i])) }
	law := make([]float64, 4)
	for i := range 2 {
		first, third := weight(i)/(weight(0)+weight(1)), weight(2)
		if refused {
			third = 0
		}
		law[2*i] = first * weight(1-i) / (weight(1-i) + third)
		law[2*i+1] = first * third / (weight(1-i) + third)
	}
	return law
}

// keptRefusal keeps what the sampler was told over rounds: which candidates it asked about depends on private scores.
// This library's own learner did it, in an early state.
func keptRefusal() Bug {
	const eps, rounds = 1.0, 2
	b := Bug{
		ID: "kept-refusal", Mechanism: "2 choices among 3 candidates, each at ε/2; one may be chosen in the second round " +
			"only",
		Symptom: "a candidate that was asked about and refused in one round is left out of the next, where it may be chosen",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [1 1 1] and [0 1 2], output 1",
		Remedy:         "what may be chosen is found out in every round from what was released alone",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(3, 3, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(4, func(x []int) []float64 { return twoRounds(x, eps/rounds/2, defect) }),
		})
	}
	return b
}
