package bugs

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// informationSensitivity is the greatest change of the mutual information, in nats, of two columns of which one is
// binary, when one of n ≥ 2 records is replaced: (1/n) ln n + ((n−1)/n) ln(n/(n−1)).
func informationSensitivity(n int) float64 {
	m := float64(n)
	return math.Log(m)/m + (m-1)/m*math.Log(m/(m-1))
}

// information is the mutual information, in nats, of two binary columns with counts t[a][b] of n records.
func information(t [2][2]int, n int) float64 {
	sum := 0.0
	for a := range 2 {
		for b := range 2 {
			if t[a][b] > 0 {
				row, column := t[a][0]+t[a][1], t[0][b]+t[1][b]
				sum += float64(t[a][b]) / float64(n) * math.Log(float64(t[a][b]*n)/float64(row*column))
			}
		}
	}
	return sum
}

// bitsAndNats is the choice of a feature by its mutual information with the class, computed with log₂, while Δ is the
// formula with ln: every score is 1/ln 2 = 1.44 times too large for its sensitivity. Records are of three kinds:
//
//	a: class 1, the first feature 0, all others 1;  b: class 0, all features 1;
//	c: class 1, the first feature 1, all others 0.
//
// With a and b only the first feature tells the class, with c and b all the others do.
func bitsAndNats() Bug {
	const eps, features, n = 1.0, 20, 2
	b := Bug{
		ID: "bits-and-nats", Mechanism: fmt.Sprintf("exponential mechanism: the feature of %d that tells most about "+
			"the class", features),
		Symptom: "the score is in bits, the sensitivity in nats: scores are 1.44 times too large",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration, Counterexample: "counts [1 1 0] and [0 1 1], output 0",
		Remedy: "score and sensitivity in one unit",
	}
	b.Spent = level(b.Claimed, 1.36515355792)
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		rate := eps / (2 * informationSensitivity(n))
		if defect {
			rate /= math.Ln2 // u in bits, Δ in nats
		}
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(3, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(features, func(x []int) []float64 {
				first := [2][2]int{{0, x[0]}, {x[1], x[2]}} // [feature][class]
				other := [2][2]int{{0, x[2]}, {x[1], x[0]}}
				score := make([]float64, features)
				score[0] = information(first, n)
				for f := 1; f < features; f++ {
					score[f] = information(other, n)
				}
				return softmax(score, rate)
			}),
		})
	}
	return b
}
