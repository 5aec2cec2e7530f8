package model

import "math"

// ClassMargin estimates the class counts of naive Bayes from its class × feature tables: the mean of the K row sums of each class
// weighted 1/C_k (the variance of a sum of C_k noisy cells grows with C_k), shifted to add up to n where n is public, and cut to
// [0, n]. Tables are laid out as sh.Tables and may be noisy or negative. For other models it is nil.
func ClassMargin(sh *Shape, tables [][]float64) []float64 {
	if sh.model.Kind != KindNaiveBayes {
		return nil
	}
	out := make([]float64, sh.Classes())
	weights := 0.0
	for k, t := range sh.tables {
		levels := t.Levels[1]
		w := 1 / float64(levels)
		weights += w
		for i, y := range tables[k] {
			out[i/levels] += w * y
		}
	}
	total := 0.0
	for j := range out {
		out[j] /= weights
		total += out[j]
	}
	top := math.Inf(1)
	if sh.publicN {
		top = float64(sh.n)
		for j := range out {
			out[j] += (top - total) / float64(len(out))
		}
	}
	for j := range out {
		out[j] = math.Min(math.Max(out[j], 0), top)
	}
	return out
}
