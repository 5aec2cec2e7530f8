package bugs

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// entropy is that of a binary column with the given counts, in nats.
func entropy(zeros, ones int) float64 {
	sum := 0.0
	for _, v := range []int{zeros, ones} {
		if share := float64(v) / float64(zeros+ones); v > 0 {
			sum -= share * math.Log(share)
		}
	}
	return sum
}

// normalisedInformation is the mutual information over the smaller entropy of the two columns, from 0 to 1; 0 where a
// column is constant. One record can move it by 1 whatever the number of records: two columns that are 1 in the same
// single record tell each other fully, and nothing once the record is replaced.
func normalisedInformation(t [2][2]int, n int) float64 {
	h := math.Min(entropy(t[0][0]+t[0][1], t[1][0]+t[1][1]), entropy(t[0][0]+t[1][0], t[0][1]+t[1][1]))
	if h == 0 {
		return 0
	}
	return information(t, n) / h
}

// normalisedScoreAt is the choice of the next edge of a tree among those from one column to 20 others. Records are of
// three kinds:
//
//	a: all columns 0;  b: this column and the first candidate 1;  c: this column and all other candidates 1.
//
// The score is without unit; that it is divided by a sensitivity in bits, as published, is the milder reading.
func normalisedScoreAt(n int) Bug {
	const eps, candidates = 1.0, 20
	b := Bug{
		ID: "normalised-score", Mechanism: fmt.Sprintf("exponential mechanism: the edge of %d that tells most, %d records",
			candidates, n),
		Symptom: "the score is mutual information over entropy, the sensitivity that of mutual information alone, which " +
			"falls with n; the normalised score moves by 1 at every n",
		Claimed: dp.PureDP(eps).Parameters, How: byEnumeration, Counterexample: "counts [9 1 0] and [9 0 1], output 0",
		Remedy: "the plain score, or the sensitivity 1",
	}
	b.check = func(ctx context.Context, defect bool) (verdict, error) {
		rate := eps / (2 * informationSensitivity(n))
		score := information
		if defect {
			score, rate = normalisedInformation, rate*math.Ln2 // the sensitivity in bits
		}
		return enumerated(ctx, audit.Subject{
			Name: b.Mechanism, Space: space(3, n, dp.ReplaceOne), Claim: b.Claimed,
			Mechanism: audit.FromFunc(candidates, func(x []int) []float64 {
				out := make([]float64, candidates)
				out[0] = score([2][2]int{{x[0], 0}, {x[2], x[1]}}, n) // [column][candidate]
				for i := 1; i < candidates; i++ {
					out[i] = score([2][2]int{{x[0], 0}, {x[1], x[2]}}, n)
				}
				return softmax(out, rate)
			}),
		})
	}
	return b
}

func normalisedScore() Bug {
	b := normalisedScoreAt(10)
	b.Spent = level(b.Claimed, 2.007944591536)
	return b
}
