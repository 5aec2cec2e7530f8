package hellinger

import (
	"iter"
	"math"
)

// The definitions, by visiting everything: what the rules are tested and certified against. The cost is the number of
// data sets, [Space.Size], times what is said.

// Compositions yields all x ∈ ℕ^d with Σx = n, in lexicographic order. The slice is reused; copy it to keep it.
func Compositions(n int64, d int) iter.Seq[[]int64] {
	return func(yield func([]int64) bool) {
		x := make([]int64, d)
		x[d-1] = n
		for {
			if !yield(x) {
				return
			}
			// Take one record from the last cell that is not empty and give it, with the rest back at the end, to the
			// cell before.
			k := d - 1
			for k > 0 && x[k] == 0 {
				k--
			}
			if k == 0 {
				return
			}
			rest := x[k] - 1
			x[k] = 0
			x[k-1]++
			x[d-1] = rest
		}
	}
}

// Neighbours yields the moves from x, x itself being changed to the neighbour while it is yielded: all i ≠ j with x_i ≥
// 1.
func Neighbours(x []int64) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		for i := range x {
			if x[i] == 0 {
				continue
			}
			for j := range x {
				if i == j {
					continue
				}
				x[i]--
				x[j]++
				more := yield(i, j)
				x[i]++
				x[j]--
				if !more {
					return
				}
			}
		}
	}
}

// LocalBrute is LS(x) as the largest distance from x to a neighbour; O(d²).
func (s *Space) LocalBrute(x []int64) float64 {
	y, worst := append([]int64(nil), x...), 0.0
	for range Neighbours(y) {
		worst = math.Max(worst, s.Distance(x, y))
	}
	return worst
}

// LocalPlusBrute is LS⁺(x) over all pairs of cells; O(d²).
func (s *Space) LocalPlusBrute(x []int64) float64 {
	worst := 0.0
	for i, a := range s.alpha {
		for j, b := range s.alpha {
			if i != j && s.n > 0 {
				worst = math.Max(worst, edge(a+math.Max(float64(x[i]-1), 0), b+float64(x[j])))
			}
		}
	}
	return worst
}

// GlobalBrute is the largest LocalBrute.
func (s *Space) GlobalBrute() float64 {
	worst := 0.0
	for x := range Compositions(s.n, len(s.alpha)) {
		worst = math.Max(worst, s.LocalBrute(x))
	}
	return worst
}

// SmoothBrute is S_β(x) by its definition; O(d²) a data set.
func (s *Space) SmoothBrute(x []int64, beta float64) float64 { return s.maximiseBrute(x, smooth(beta)) }

// ReciprocalBrute is S_γ(x) by its definition; O(d²) a data set.
func (s *Space) ReciprocalBrute(x []int64, gamma float64) float64 {
	return s.maximiseBrute(x, reciprocal(gamma))
}

func (s *Space) maximiseBrute(x []int64, o objective) float64 {
	best := 0.0
	for y := range Compositions(s.n, len(x)) {
		if h := s.LocalBrute(y); h > 0 {
			best = math.Max(best, o.value(h, float64(Dist(x, y))))
		}
	}
	return best
}

// Dist is dist(x, y) = ½‖x − y‖₁, the number of records to replace.
func Dist(x, y []int64) int64 {
	var k int64
	for i := range x {
		k += max(x[i]-y[i], 0)
	}
	return k
}

// RatioRangeBrute is the largest span, over neighbours x, y, of
//
//	E(r) = H(x, r)/S(x) − H(y, r)/S(y),  max_r E − min_r E,
//
// so that the log-ratios of P[r] ∝ exp(−κ·H(x, r)/S(x)) span κ times it, and the mechanism is that much DP; it is at
// most Rho of a Lipschitz constant of 1/S. Visits all r for all pairs.
func (s *Space) RatioRangeBrute(scale func(x []int64) float64) float64 {
	d, worst := len(s.alpha), 0.0
	for x := range Compositions(s.n, d) {
		a := 1 / scale(x)
		y := append([]int64(nil), x...)
		for i, j := range Neighbours(y) {
			if i > j { // the span is the same from the other side
				continue
			}
			b, lo, hi := 1/scale(y), math.Inf(1), math.Inf(-1)
			for r := range Compositions(s.n, d) {
				e := a*s.Distance(x, r) - b*s.Distance(y, r)
				lo, hi = math.Min(lo, e), math.Max(hi, e)
			}
			worst = math.Max(worst, hi-lo)
		}
	}
	return worst
}
