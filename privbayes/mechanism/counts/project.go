package counts

import (
	"math"
	"sort"
)

// project fills est with a composition of total: negative cells become 0, and the excess is taken from the positive
// cells in equal parts, again and again while cells run empty; what does not divide comes from the largest cells, the
// first of equals first. A deficit, which sum-zero noise cannot leave, goes to all cells in equal parts. Source:
// theory/hellinger.md §8, any fixed map will do.
func project(est, raw []float64, total float64) {
	excess := -total
	for i, y := range raw {
		est[i] = math.Max(0, y)
		excess += est[i]
	}
	if excess < 0 {
		for i := range est {
			est[i] -= excess / float64(len(est))
		}
		return
	}
	for excess > 0 {
		var positive []int
		least := math.Inf(1)
		for i, v := range est {
			if v > 0 {
				positive, least = append(positive, i), math.Min(least, v)
			}
		}
		if len(positive) == 0 { // what is left is rounding
			return
		}
		if share := math.Floor(excess / float64(len(positive))); share >= 1 {
			share = math.Min(share, least)
			for _, i := range positive {
				est[i] -= share
			}
			excess -= share * float64(len(positive))
			continue
		}
		sort.SliceStable(positive, func(a, b int) bool { return est[positive[a]] > est[positive[b]] })
		for _, i := range positive {
			step := min(1, excess, est[i])
			est[i], excess = est[i]-step, excess-step
			if excess <= 0 {
				return
			}
		}
	}
}
