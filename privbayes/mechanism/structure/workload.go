package structure

import "slices"

// A workload multiplies the score of every candidate by a whole public number u. Where L moves by at most 2 (by 1 under
// add-remove), u·L moves by 2u, so that two weighted scores move apart by at most u_max times what two scores do: the
// rate of a choice is divided by u_max (theory/structure.md §7).

// mostWeight is the largest weight. Tests put a wrong one in its place.
var mostWeight = func(weights []int64) int64 {
	if len(weights) == 0 {
		return 1
	}
	return slices.Max(weights)
}

// weighted is a score times a weight.
func weighted(u, score int64) int64 { return u * score }

// weight is that of a candidate's pair.
func (s *learner) weight(c candidate) int64 {
	if s.weights == nil || c.stop {
		return 1
	}
	if c.pair > 0 {
		return s.weights[c.pair-1]
	}
	a, b := min(c.columns[0], c.columns[1]), max(c.columns[0], c.columns[1])
	i := slices.Index(s.pairs, [2]int{a, b})
	if i < 0 {
		return 0
	}
	return s.weights[i]
}

// mostCorrection bounds corrections, so that weighted scores are numbers of 64 bits: records are at most 1e15, and
// weights 1000.
func (s *learner) mostCorrection() float64 {
	if s.weights == nil {
		return 1e17
	}
	return 4e15
}

// formula of a score.
func (q *problem) formula() string {
	if q.weights == nil {
		return "L = ‖N − M‖₁ − round(c)"
	}
	return "u·L, L = ‖N − M‖₁ − round(c), u a public weight"
}

// someWeights are those that checks enumerate: the largest weight and the least in turn; nil without a workload.
func (q *problem) someWeights(many int) (out []int64) {
	if q.weights == nil {
		return nil
	}
	least := q.weights[0]
	for _, u := range q.weights {
		if u > 0 && (u < least || least == 0) {
			least = u
		}
	}
	for i := range many {
		out = append(out, []int64{slices.Max(q.weights), least}[i%2])
	}
	return out
}

// weightInFile is the largest weight as certificates have it: none without a workload.
func (q *problem) weightInFile() int64 {
	if q.weights == nil {
		return 0
	}
	return q.top
}
