package eval

import (
	"math"
	"sort"
)

// AUC is the area under the receiver operating characteristic: the probability that a random positive row scores higher
// than a random negative one, ties counted half. With mid-ranks R_i of the scores (Mann and Whitney 1947),
//
//	AUC = (Σ_{i positive} R_i − P(P+1)/2) / (P·N),   P positive and N negative rows, in O(n log n).
//
// It is unchanged by increasing transformations of the scores. NaN when P or N is 0, when a score is NaN, and when the
// lengths differ; [ROC] gives typed errors for these.
func AUC(scores []float64, positive []bool) float64 {
	if checkScores(scores, positive) != nil {
		return math.NaN()
	}
	order := make([]int, len(scores))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return scores[order[a]] < scores[order[b]] })
	ranks, pos := 0.0, 0.0
	for i := 0; i < len(order); {
		k := i
		for k < len(order) && scores[order[k]] == scores[order[i]] {
			k++
		}
		mid := float64(i+k+1) / 2
		for ; i < k; i++ {
			if positive[order[i]] {
				ranks += mid
				pos++
			}
		}
	}
	return (ranks - pos*(pos+1)/2) / (pos * (float64(len(scores)) - pos))
}

// macroAUC is the mean of the one-versus-rest AUCs, each with p_ij as the score of class j.
func macroAUC(probs [][]float64, labels []int) float64 {
	scores, positive := make([]float64, len(labels)), make([]bool, len(labels))
	sum, present := 0.0, 0.0
	for j := range probs[0] {
		for i := range labels {
			scores[i], positive[i] = probs[i][j], labels[i] == j
		}
		if a := AUC(scores, positive); !math.IsNaN(a) {
			sum += a
			present++
		}
	}
	return sum / present
}
