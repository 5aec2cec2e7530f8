package chain

import (
	"math/big"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Law is the law of the package comment.
type Law struct {
	x      *big.Rat
	b      int64
	below  []int64 // b·F(e), not decreasing
	total  int64   // b·n
	gaps   []int64 // τ_0 … τ_m
	levels []level // sums at 64 digits, then 128, 256, …; made when they are needed
}

// level is the sums at one number of digits.
type level interface {
	// locate finds the next position after the positions so far for a uniform number; -1: the digits do not tell.
	locate(l *Law, step, from int, u *uniform) int
}

const (
	maxCandidates = 1 << 22
	maxRanks      = 1 << 10
	maxCells      = 1 << 27 // candidates × ranks
	maxRate       = 1 << 16 // x
)

// New checks x > 0, b ≥ 1, counts F(e) that do not decrease from ≥ 0 to ≤ n, and gaps τ_0, …, τ_m ≥ 0, m ≥ 1. Errors:
// *domain.Error.
func New(x *big.Rat, b int64, below []int64, n int64, gaps []int64) (*Law, error) {
	m := len(gaps) - 1
	switch {
	case x == nil || x.Sign() <= 0 || x.Cmp(new(big.Rat).SetInt64(maxRate)) > 0:
		return nil, domain.Refuse("chain", "x", x, "a rational number in (0, 2^16]")
	case b < 1:
		return nil, domain.Refuse("chain", "b", b, "at least 1")
	case len(below) < 1 || len(below) > maxCandidates:
		return nil, domain.Refuse("chain", "number of candidates", len(below), "1 to 2^22")
	case m < 1 || m > maxRanks || len(below)*m > maxCells:
		return nil, domain.Refuse("chain", "number of ranks", m, "1 to 2^10, times the candidates at most 2^27")
	case n < 0 || !slices.IsSorted(below) || below[0] < 0 || below[len(below)-1] > n:
		return nil, domain.Refuse("chain", "counts", "out of order", "0 ≤ F(e) ≤ F(e+1) ≤ n")
	}
	l := &Law{x: x, b: b, gaps: slices.Clone(gaps)}
	var targets int64
	for _, g := range gaps {
		if g < 0 || g > 1<<60 || targets > 1<<60-g {
			return nil, domain.Refuse("chain", "gap", g, "at least 0, and at most 2^60 in all")
		}
		targets += g
	}
	if n > 1<<60/b {
		return nil, domain.Refuse("chain", "n", n, "at most 2^60/b")
	}
	l.total = b * n
	for _, f := range below {
		l.below = append(l.below, b*f)
	}
	return l, nil
}

// Ranks is m.
func (l *Law) Ranks() int { return len(l.gaps) - 1 }

// Cost is Σ_i |b·(F(e_{i+1}) − F(e_i)) − τ_i| at positions e_1 ≤ … ≤ e_m: the law has log-probability −x·Cost plus a
// constant.
func (l *Law) Cost(positions []int) int64 {
	var cost, at int64
	for i, gap := range l.gaps {
		next := l.total
		if i < len(positions) {
			next = l.below[positions[i]]
		}
		cost += distance(next-at, gap)
		at = next
	}
	return cost
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

// LogProbability is the log-probability of positions in floats, from the sums that draws are made with, for tests and
// for certificates of small laws.
func (l *Law) LogProbability(positions []int) float64 {
	s := sumsOf(l, newQuick(l.x, l.most()))
	first := s.weights(l, 0, 0)
	var total scaled
	for _, w := range first {
		total = total.plus(w)
	}
	x, _ := l.x.Float64()
	return -x*float64(l.Cost(positions)) - logOf(total)
}

// most is the largest exponent that a table of powers must reach.
func (l *Law) most() int64 { return l.total + slices.Max(l.gaps) }
