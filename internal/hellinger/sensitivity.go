package hellinger

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

// Local is the local sensitivity of the score −H at x and the move that attains it,
//
//	LS(x) = max_r max_{y ~ x} |H(x, r) − H(y, r)| = max_{y ~ x} H(x, y)
//	      = max_{i≠j, x_i ≥ 1} edge(α_i + x_i − 1, α_j + x_j).
//
// (The first equality is the triangle inequality, attained at r = x and r = y only.) L increases, so the two smallest
// of each argument suffice: O(d). For n = 0, where no neighbours exist, 0, −1, −1. Relative error at most 2e-15.
func (s *Space) Local(x []int64) (value float64, from, to int) {
	source, target := noLeast, noLeast
	for i, a := range s.alpha {
		if x[i] >= 1 {
			source.see(i, a+float64(x[i]-1))
		}
		target.see(i, a+float64(x[i]))
	}
	return bestMove(source, target)
}

// LocalPlus is LS without the condition that the cell a record leaves is not empty,
//
//	LS⁺(x) = max_{i≠j} edge(α_i + max(x_i − 1, 0), α_j + x_j) ≥ LS(x),
//
// with the cells that attain it; it is LS for d = 2. Unlike 1/LS, 1/LS⁺ changes by at most [Space.GammaPlus] between
// neighbours.
func (s *Space) LocalPlus(x []int64) (value float64, from, to int) {
	if s.n == 0 {
		return 0, -1, -1
	}
	source, target := noLeast, noLeast
	for i, a := range s.alpha {
		source.see(i, a+float64(max(x[i]-1, 0)))
		target.see(i, a+float64(x[i]))
	}
	return bestMove(source, target)
}

// bestMove maximises edge(p_i, q_j) over i ≠ j: the smallest p with the smallest q unless they are the same cell's,
// when one of the two takes the second.
func bestMove(source, target least) (value float64, from, to int) {
	i, j := source.at[0], target.at[0]
	switch {
	case i < 0:
		return 0, -1, -1
	case i != j:
		return edge(source.val[0], target.val[0]), i, j
	}
	value, from, to = edge(source.val[0], target.val[1]), i, target.at[1]
	if k := source.at[1]; k >= 0 {
		if v := edge(source.val[1], target.val[0]); v > value {
			value, from, to = v, k, j
		}
	}
	return value, from, to
}

// Global is the global sensitivity Δ = max_x LS(x) and neighbours x, y that attain it:
//
//	d = 2: edge(α_min, α_max + n − 1), where every record but one lies in the cell with the larger α;
//	d ≥ 3: edge(α_(1), α_(2)) of the two smallest α, for every n ≥ 1: the other records lie in a third cell.
//
// For n = 0 it is 0, and x = y.
func (s *Space) Global() (value float64, x, y []int64) {
	x, y = make([]int64, len(s.alpha)), make([]int64, len(s.alpha))
	if s.n == 0 {
		return 0, x, y
	}
	i, j := s.low[0], s.low[1]
	if len(s.alpha) == 2 {
		x[j], y[i], y[j] = s.n, 1, s.n-1
		return s.ends[i], x, y
	}
	x[i], y[j] = 1, 1
	if k := s.third(i, j); s.n > 1 {
		x[k], y[k] = s.n-1, s.n-1
	}
	return edge(s.alpha[i], s.alpha[j]), x, y
}

// GlobalUpper is a number that is surely not below the exact global sensitivity: the upper end of
// [Space.GlobalEnclosure].
func (s *Space) GlobalUpper() float64 { return s.GlobalEnclosure().Hi }

// GlobalEnclosure encloses the exact global sensitivity, relative width at most 1e-13.
func (s *Space) GlobalEnclosure() num.Interval {
	if s.n == 0 {
		return num.Point(0)
	}
	p, q := s.alpha[s.low[0]], s.alpha[s.low[1]]
	if len(s.alpha) > 2 {
		return num.HellingerEdgeEnclosure(p, q)
	}
	at := num.Point(q).Add(num.Point(float64(s.n - 1)))
	// edge decreases
	return num.Interval{Lo: num.HellingerEdgeEnclosure(p, at.Hi).Lo, Hi: num.HellingerEdgeEnclosure(p, at.Lo).Hi}
}

// third is the first cell that is neither i nor j; −1 for d = 2.
func (s *Space) third(i, j int) int {
	for k := range min(3, len(s.alpha)) {
		if k != i && k != j {
			return k
		}
	}
	return -1
}

// Rho is the factor of the exponential mechanism's privacy: with S ≥ LS and |1/S(x) − 1/S(y)| ≤ γ for neighbours, and
// distances at most D, the log-ratios of P[r] ∝ exp(−κ·H(x, r)/S(x)) span at most κ·ρ, and the mechanism is κρ-DP,
//
//	ρ(γ, D) = min(2 + γD, 1 + √(1 + 2γ²)),
//
// rounded up. γ ≥ 0, 0 ≤ D ≤ 1; NaN otherwise.
func Rho(gamma, diameter float64) float64 {
	if !(gamma >= 0 && diameter >= 0 && diameter <= 1) {
		return math.NaN()
	}
	up := num.Up
	root := up(1 + up(math.Sqrt(up(1+2*up(gamma*gamma)))))
	if gamma == 0 {
		return 2
	}
	return math.Min(up(2+up(gamma*diameter)), root)
}
