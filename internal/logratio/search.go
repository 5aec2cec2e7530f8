package logratio

import (
	"container/heap"
	"math"
)

const (
	scanPairs   = 256  // lattices with at most that many pairs are scanned
	latticeGap  = 1e-4 // relative gap at which the search of a longer lattice stops
	realGap     = 2e-3 // and that over real S, to which tailGap·(ln²δ − tailFrom), at most ½, is added for a small δ
	tailGap     = 2e-3
	tailFrom    = 9
	negligible  = 1e-30 // a divergence below which there is nothing to find
	searchEvals = 2000  // cells after which it stops with a wider gap
)

// region is what a search over S needs. The cells are closed intervals that share their ends.
type region struct {
	tail  bool                       // a tail probability
	at    func(s float64) float64    // the divergence at S
	cheap func(a, b float64) float64 // a bound over [a, b] from the spread alone
	// a bound that tends to the divergence as the cell shrinks; one below the goal will do
	fine func(a, b, goal float64) float64
}

// search is an upper bound of at over all S in [first, last], within the gap unless it runs out of cells: cells are
// bounded and divided, the one with the greatest bound first. A cell of a lattice without inner points is its two ends.
func (o Posteriors) search(r region) float64 {
	known := map[float64]float64{}
	least := 0.0
	at := func(s float64) float64 {
		v, ok := known[s]
		if !ok {
			v = r.at(s)
			known[s] = v
			least = math.Max(least, v)
		}
		return v
	}
	last := math.Max(o.first, o.last)
	at(o.first)
	at(last)
	queue := &cells{}
	for _, c := range o.spreads.cover(o.first, last) {
		if o.lattice { // outwards to points
			a, b := math.Floor(c.s), math.Min(last, math.Ceil(c.s+c.h))
			c.s, c.h = a, b-a
		}
		c.bound = r.cheap(c.s, c.s+c.h)
		*queue = append(*queue, c)
	}
	heap.Init(queue)
	gap := 1 + realGap
	if o.lattice {
		gap = 1 + latticeGap
	}
	enough := func() float64 {
		v := least * gap
		// ln δ is about −½z²: a share of that is a share of the noise
		if r.tail && !o.lattice && least > negligible && least < 1 {
			v += least * math.Min(.5, tailGap*math.Max(0, math.Log(least)*math.Log(least)-tailFrom))
		}
		return math.Max(v, negligible)
	}
	measured := func(a, b, bound float64) {
		c := cell{s: a, h: b - a, bound: bound, measured: true}
		if o.lattice && c.h <= 1 {
			c.bound = math.Max(at(a), at(b))
		} else if c.bound > enough() {
			c.bound = math.Min(c.bound, r.fine(a, b, enough()))
		}
		if !(c.bound <= least) {
			heap.Push(queue, c)
		}
	}
	evals := searchEvals
	if !o.lattice {
		evals /= 3
	}
	for range evals {
		if o.stopped() {
			return math.Inf(1)
		}
		if queue.Len() == 0 || (*queue)[0].bound <= enough() {
			break
		}
		c := heap.Pop(queue).(cell)
		a, b := c.s, c.s+c.h
		if !c.measured {
			measured(a, b, c.bound)
			continue
		}
		mid := a + c.h/2
		if o.lattice {
			if c.h <= 1 { // nothing inside: its bound is attained
				heap.Push(queue, c)
				break
			}
			mid = math.Floor(mid)
		}
		if !(mid > a && mid < b) {
			heap.Push(queue, c)
			break
		}
		at(mid)
		measured(a, mid, c.bound)
		measured(mid, b, c.bound)
	}
	if queue.Len() > 0 {
		return math.Max(least, (*queue)[0].bound)
	}
	return least
}

// renyiRegion bounds the Rényi divergence of the given order, d the shift between neighbours. With K(S) = D_λ(S+d ‖ S),
//
//	K = ∫ Λ″(S + u) w(u) du,  w ≥ 0 on [0, λd] of total weight λd²/2,
//
// so that K ≤ λd²/2 · sup σ², and likewise on the other side of S + d for D_λ(S ‖ S+d). Between S = a and b, K lies
// below the greater of its ends by all but h²/8 · sup(−K″), h = b − a, and
//
//	−K″ ≤ λd² sup σ⁴            since Λ⁗ = E(η−Eη)⁴ − 3σ⁴ ≥ −2σ⁴,
//	−K″ ≤ 2d sup σ³ + sup σ²/(λ−1)   since K″ = [Λ″(S+λd) + (λ−1)Λ″(S) − λΛ″(S+d)]/(λ−1) and |Λ‴| ≤ 2σ³,
//
// with the supremum over all that the order reaches in the first, and over [a, b + d] in the second.
func (o Posteriors) renyiRegion(order float64) region {
	d := o.d
	wide := func(a, b float64) float64 { return o.spreads.sup(a-(order-1)*d, b+order*d) }
	at := func(s float64) float64 { return math.Max(o.renyiAt(order, s)) }
	return region{
		at: at,
		cheap: func(a, b float64) float64 {
			v := d * wide(a, b)
			return order / 2 * v * v
		},
		fine: func(a, b, _ float64) float64 {
			return math.Max(at(a), at(b)) + o.bend(order, a, b)*(b-a)*(b-a)/8
		},
	}
}

// bend is the bound of −K″ over [a, b].
func (o Posteriors) bend(order, a, b float64) float64 {
	near, far := o.spreads.sup(a, b+o.d), o.spreads.sup(a-(order-1)*o.d, b+order*o.d)
	return math.Min(2*o.d*near*near*near+near*near/(order-1), order*o.d*o.d*far*far*far*far)
}

// renyiAt is both Rényi divergences of S and S + d: D_λ(S+d ‖ S) and D_λ(S ‖ S+d).
func (o Posteriors) renyiAt(order, s float64) (up, down float64) {
	var r [3]float64
	o.law.ratios(s, []float64{o.d, order * o.d, (1 - order) * o.d}, r[:])
	const ratioError = 3e-15 // of ratios, amplified near order 1
	slack := ratioError * (1 + 2*order) / (order - 1)
	return (r[1]-order*r[0])/(order-1) + slack, (r[2]-(1-order)*r[0])/(order-1) + slack
}
