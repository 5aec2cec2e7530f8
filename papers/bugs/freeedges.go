package bugs

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// chosenForest is the law of up to two edges on three binary columns, one after the other, each by the exponential
// mechanism at η on the distance of its table from the public table of ones, four records. The rows are of four kinds:
// 000, 001, 011 and 111. Learning stops at edges that score less than enough: by a stop among the candidates, with that
// public score, or, with free, by looking. Outputs: 0, no edge; 1 + i, edge i alone; 4 + 2i + k, edge i and then the
// k-th of the others.
func chosenForest(x []int, eta float64, free bool) []float64 {
	const enough = 2
	var score [3]float64
	for i, pair := range [3][2]int{{0, 1}, {0, 2}, {1, 2}} {
		var n [4]int
		for kind, row := range [4][3]int{{0, 0, 0}, {0, 0, 1}, {0, 1, 1}, {1, 1, 1}} {
			n[2*row[pair[0]]+row[pair[1]]] += x[kind]
		}
		score[i] = tableDistance(n)
	}
	round := func(left ...int) []float64 { // the chances of those left, then of the stop
		weights, worth := make([]float64, len(left)+1), false
		for k, i := range left {
			weights[k], worth = math.Exp(eta*score[i]), worth || score[i] >= enough
		}
		if weights[len(left)] = math.Exp(eta * enough); free {
			weights[len(left)] = 0
			if !worth {
				clear(weights)
				weights[len(left)] = 1
			}
		}
		return normalised(weights)
	}
	law := make([]float64, 10)
	first := round(0, 1, 2)
	law[0] = first[3]
	for i := range 3 {
		second := round((i+1)%3, (i+2)%3)
		law[1+i] = first[i] * second[2]
		for k := range 2 {
			law[4+2*i+k] = first[i] * second[k]
		}
	}
	return law
}

// freeEdges counts the edges that are worth having from the data, and draws as many: the choices are private, and their
// number is not.
func freeEdges() Bug {
	const eps, rounds = 1.0, 2
	b := Bug{
		ID: "free-edges", Mechanism: "up to 2 edges on 3 columns, each chosen at ε/2",
		Symptom: "how many edges there are is counted from the data and not paid for",
		Claimed: dp.PureDP(eps).Parameters, Spent: level(dp.PureDP(eps).Parameters, math.Inf(1)), How: byEnumeration,
		Counterexample: "counts [0 0 1 3] and [1 0 1 2], output 8",
		Remedy:         "a public number of rounds, with a stop among the candidates at a public score",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(4, 4, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(10, func(x []int) []float64 { return chosenForest(x, eps/rounds/2, defect) }),
		})
	}
	return b
}
