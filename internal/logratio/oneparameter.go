package logratio

import (
	"container/heap"
	"math"
)

// Posteriors is Theorem A of theory/sampling.md §22: a one-parameter exponential family in its natural parameter η with
// essential support [a, b], posteriors indexed by the statistic S. Neighbours are S and S + d with S in [first, last],
// d the range of one record's statistic; on a lattice S moves in steps of d.
type Posteriors struct {
	name        string
	law         law
	first, last float64 // range of the smaller statistic of a pair
	d           float64
	lattice     bool
	n           int
	stop        func() bool // when it says true, searches give up; nil never
	spreads     spreads     // nil for a prior on finitely many points
}

// Oscillation is (b − a)·d, upward.
func (o Posteriors) Oscillation() float64 {
	a, b := o.law.support()
	return (b - a) * o.d * (1 + 1e-14)
}

// Epsilon is the greatest log-ratio of two neighbours, attained for this prior, the pure ε of one draw:
//
//	max( b·d − [Λ(first + d) − Λ(first)], [Λ(last + d) − Λ(last)] − a·d ).
//
// The log-ratio η·d − (Λ(S + d) − Λ(S)) is affine in η, so its extremes are at a and b; they are ∫(b − E_t η)dt and
// ∫(E_t η − a)dt over [S, S + d], and E_t η increases with t: the worst S are the ends.
func (o Posteriors) Epsilon() float64 {
	a, b := o.law.support()
	var r [1]float64
	shift := [1]float64{o.d}
	c := o.law.ratios(o.first, shift[:], r[:])
	e := o.d*(b-c) - r[0]
	if o.last != o.first {
		c = o.law.ratios(o.last, shift[:], r[:])
	}
	e = math.Max(e, r[0]-o.d*(a-c))
	return math.Min(Inflated(e, o.n), o.Oscillation())
}

// delta is the profile: the greatest hockey-stick divergence over all pairs, in both directions.
func (o Posteriors) delta(epsilon float64) float64 {
	pair := func(s, d float64) float64 {
		up, down := o.law.excess(s, d, epsilon)
		return math.Max(up, down)
	}
	switch {
	case o.short():
		return math.Min(1, Inflated(o.scan(pair), o.n))
	case o.spreads != nil:
		fallback := BoundedRange(o.Oscillation()).Delta(epsilon)
		return math.Min(fallback, math.Min(1, Inflated(o.search(o.deltaRegion(epsilon)), o.n)))
	}
	return math.Min(1, Inflated(o.worst(pair), o.n))
}

// renyi is the greatest Rényi divergence over all pairs, in both directions:
//
//	D_λ(S+d ‖ S) = [Λ(S+λd) − λΛ(S+d) − (1−λ)Λ(S)]/(λ−1), and D_λ(S ‖ S+d) with the shift (1−λ)d.
//
// Source: theory/sampling.md §22 C.
func (o Posteriors) renyi(order float64) float64 {
	if osc := o.Oscillation(); math.IsInf(order, 1) || order*osc > steepest && !math.IsInf(osc, 1) {
		return o.Epsilon()
	}
	pair := func(s, d float64) float64 {
		p := o
		p.d = d
		return math.Max(p.renyiAt(order, s))
	}
	switch {
	case o.short():
		return Inflated(o.scan(pair), o.n)
	case o.spreads != nil:
		return Inflated(o.search(o.renyiRegion(order)), o.n)
	}
	return Inflated(o.worst(pair), o.n)
}

const (
	worstGap   = 5e-3 // relative gap at which the search by pairs stops
	worstEvals = 6000 // evaluations after which it stops with a wider gap
	steepest   = 2e5  // λ·osc up to which the integrands are resolved; beyond, D_λ is bounded by ε
)

// cell is a range of S, [s, s + h], with an upper bound of the divergence over it.
type cell struct {
	s, h     float64
	bound    float64
	measured bool
}

type cells []cell

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }
func (c *cells) Push(x any)        { *c = append(*c, x.(cell)) }
func (c *cells) Pop() any {
	old := *c
	last := old[len(old)-1]
	*c = old[:len(old)-1]
	return last
}

// short reports whether all pairs are visited.
func (o Posteriors) short() bool { return o.lattice && math.Round((o.last-o.first)/o.d) <= scanPairs }

func (o Posteriors) stopped() bool { return o.stop != nil && o.stop() }

// scan is the greatest value over the pairs of a lattice.
func (o Posteriors) scan(pair func(s, d float64) float64) float64 {
	most := 0.0
	for i := 0.0; i <= math.Round((o.last-o.first)/o.d); i++ {
		if o.stopped() {
			return math.Inf(1)
		}
		most = math.Max(most, pair(o.first+i*o.d, o.d))
	}
	return most
}

// worst is an upper bound of pair(S, d) over all S, within worstGap unless it runs out of evaluations. The posteriors
// are ordered by likelihood ratio in S, so the pair (S, S + d) lies inside the pair (s, s + h + d) for every S in [s, s
// + h], and every divergence of the inner pair is at most that of the outer: pair(s, d + h) bounds a cell, and cells
// are halved, greatest bound first. The cells of a lattice shrink to single points.
func (o Posteriors) worst(pair func(s, d float64) float64) float64 {
	span := math.Max(0, o.last-o.first)
	least := math.Max(pair(o.first, o.d), pair(o.first+span, o.d))
	queue := &cells{{s: o.first, h: span, bound: pair(o.first, o.d+span)}}
	for evals := 0; evals < worstEvals; evals += 3 {
		if o.stopped() {
			break
		}
		top := heap.Pop(queue).(cell)
		if top.h == 0 || top.bound <= least*(1+worstGap) {
			return math.Max(top.bound, least)
		}
		left := cell{s: top.s, h: top.h / 2}
		right := cell{s: top.s + top.h/2, h: top.h / 2}
		if o.lattice { // [i, j] splits into [i, m] and [m+1, j]
			m := math.Floor(top.h / o.d / 2)
			left.h, right.s = m*o.d, top.s+(m+1)*o.d
			right.h = top.h - (m+1)*o.d
		}
		least = math.Max(least, pair(right.s, o.d))
		for _, c := range []cell{left, right} {
			c.bound = math.Min(top.bound, pair(c.s, o.d+c.h))
			heap.Push(queue, c)
		}
	}
	return math.Max(least, (*queue)[0].bound)
}
