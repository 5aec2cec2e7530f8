package chain

import (
	"math"
	"math/big"
	"sort"
)

// sums are the weights of all ways to go on from a candidate.
type sums[T any] struct {
	arithmetic[T]
	after [][]T // after[i][e]: i+1 positions are placed, the last at e; the sum over the rest
}

// sumsOf forms the sums from the last position to the first.
func sumsOf[T any](l *Law, with arithmetic[T]) *sums[T] {
	m := l.Ranks()
	s := &sums[T]{arithmetic: with, after: make([][]T, m)}
	last := make([]T, len(l.below))
	for e, f := range l.below {
		last[e] = s.power(distance(l.total-f, l.gaps[m]))
	}
	s.after[m-1] = last
	for i := m - 2; i >= 0; i-- {
		s.after[i] = s.step(l, l.gaps[i+1], s.after[i+1])
	}
	return s
}

// step sums e^{−x|below(e′) − below(e) − gap|}·next(e′) over e′ ≥ e, for every e. Below the turn, the first e′ with
// below(e′) ≥ below(e) + gap, the weight is e^{−x(below(e) + gap)}·e^{x·below(e′)}, from it on e^{x(below(e) +
// gap)}·e^{−x·below(e′)}.
func (s *sums[T]) step(l *Law, gap int64, next []T) []T {
	near, far := make([]T, len(next)), make([]T, len(next)+1)
	for e := len(next) - 1; e >= 0; e-- {
		near[e] = s.times(s.power(-l.below[e]), next[e])
		far[e] = s.plus(far[e+1], s.times(s.power(l.below[e]), next[e]))
	}
	w := newWindow(s.arithmetic, near)
	out := make([]T, len(next))
	turn := 0
	for e, f := range l.below {
		for turn < e || turn < len(next) && l.below[turn] < f+gap {
			turn++
		}
		out[e] = s.plus(s.times(s.power(f+gap), w.move(e, turn)), s.times(s.power(-f-gap), far[turn]))
	}
	return out
}

// weights are those of every candidate from one on as the position of a step.
func (s *sums[T]) weights(l *Law, step, from int) []T {
	at := int64(0)
	if step > 0 {
		at = l.below[from]
	}
	out := make([]T, len(l.below)-from)
	for i := range out {
		e := from + i
		out[i] = s.times(s.power(distance(l.below[e]-at, l.gaps[step])), s.after[step][e])
	}
	return out
}

// operations bounds how many errors of 2^{−digits()} a sum of weights carries: along each step the two powers, two
// products and at most 2C additions of a stretch, and the last sum.
func (s *sums[T]) operations(l *Law) int64 {
	return int64(l.Ranks()+1) * int64(4*len(l.below)+64)
}

// locate implements level.
func (s *sums[T]) locate(l *Law, step, from int, u *uniform) int {
	weights := s.weights(l, step, from)
	var sum T
	for i, w := range weights {
		sum = s.plus(sum, w)
		weights[i] = sum
	}
	prec := uint(s.digits() + 64)
	slack := new(big.Float).SetMantExp(new(big.Float).SetInt64(s.operations(l)), -s.digits())
	one := new(big.Float).SetPrec(prec).SetInt64(1)
	more, less := new(big.Float).Add(one, slack), new(big.Float).Sub(one, slack)
	// The share of the total lies between low and high, with room for the errors of both sums and for the rounding of
	// these few operations.
	low, high := u.bounds(prec)
	low.Mul(low, less).Mul(low, less).Mul(low, less)
	high.Mul(high, more).Mul(high, more).Mul(high, more)
	total := s.wide(sum)
	share := func(i int) *big.Float { return s.wide(weights[i]).over(total, prec) }
	i := sort.Search(len(weights), func(i int) bool { return share(i).Cmp(low) > 0 })
	if i == len(weights) || share(i).Cmp(high) < 0 {
		return -1
	}
	return from + i // the sum before it is at most low
}

func logOf(a scaled) float64 { return math.Log(float64(a.m)) + float64(a.e)*math.Ln2 }
