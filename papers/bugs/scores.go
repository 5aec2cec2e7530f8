package bugs

import (
	"context"
	"fmt"
	"math"
	"math/bits"

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
