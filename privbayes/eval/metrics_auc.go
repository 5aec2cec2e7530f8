package eval

import (
	"cmp"
	"math"
	"slices"
)

// AUC is the area under the receiver operating characteristic: the probability that a random positive row scores higher
// than a random negative one, ties counted half. With mid-ranks R_i of the scores (Mann and Whitney 1947),
//
//	AUC = (Σ_{i positive} R_i − P(P+1)/2) / (P·N),   P positive and N negative rows,
//
// in O(n + k log k) for k different scores. It is unchanged by increasing transformations of the scores. NaN when P or
// N is 0, when a score is NaN, and when the lengths differ; [ROC] gives typed errors for these.
func AUC(scores []float64, positive []bool) float64 {
	if checkScores(scores, positive) != nil {
		return math.NaN()
	}
	g := &grouped{classes: 1, slots: make([]int32, 1<<10)}
	var all []scored
	for i, s := range scores {
		k := g.find(scores[i : i+1])
		if k == len(all) {
			all = append(all, scored{score: s})
		}
		if positive[i] {
			all[k].positive++
		} else {
			all[k].negative++
		}
	}
	return auc(all)
}

// scored counts the rows that have a score.
type scored struct{ score, positive, negative float64 }

// auc is AUC of counted scores, which it sorts. They may be listed several times.
func auc(all []scored) float64 {
	slices.SortFunc(all, func(a, b scored) int { return cmp.Compare(a.score, b.score) })
	wins, pos, neg := 0.0, 0.0, 0.0
	for i := 0; i < len(all); {
		p, n, at := 0.0, 0.0, all[i].score
		for ; i < len(all) && all[i].score == at; i++ {
			p += all[i].positive
			n += all[i].negative
		}
		wins += p * (neg + n/2)
		pos += p
		neg += n
	}
	return wins / (pos * neg)
}
