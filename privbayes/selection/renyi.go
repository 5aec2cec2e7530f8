package selection

import (
	"container/heap"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// cell is a rectangle of what a candidate is refused with: b under one data set, b′ under a neighbour.
type cell struct{ low, high, lowOther, highOther, bound float64 }

// cells is a heap, the greatest bound first.
type cells []cell

func (c cells) Len() int           { return len(c) }
func (c cells) Less(i, j int) bool { return c[i].bound > c[j].bound }
func (c cells) Swap(i, j int)      { c[i], c[j] = c[j], c[i] }

// Push adds a cell.
func (c *cells) Push(x any) { *c = append(*c, x.(cell)) }

// Pop takes the last cell.
func (c *cells) Pop() any {
	last := (*c)[len(*c)-1]
	*c = (*c)[:len(*c)-1]
	return last
}

// divergence is the order λ and the level ε of the candidates, and the distribution of G.
type divergence struct {
	order, epsilon float64
	stop           distribution
}

// power is ln(p^λ q^{1−λ}); of p = 0 it is −∞.
func (d divergence) power(p, q float64) float64 {
	if p == 0 {
		return math.Inf(-1)
	}
	return d.order*math.Log(p) - (d.order-1)*math.Log(q)
}

// share is ln of p^λ q^{1−λ} over E, what candidates may have in all.
func (d divergence) share(p, q float64) float64 { return d.power(p, q) - (d.order-1)*d.epsilon }

// both reports whether candidates may have these two shares together. Those that they just may not have are kept.
func both(x, y float64) bool { return math.Exp(x)+math.Exp(y) <= 1+1e-9 }

// value is ln{H(E − y) + Ky}/(λ−1), with H and K taken with b and b′ apart, and y given by its share.
func (d divergence) value(b, other, y float64) float64 {
	none, density := d.stop.generating(b)
	noneOther, densityOther := d.stop.generating(other)
	first := func(f, z float64) float64 { // f(z)/z
		if z == 0 {
			return d.stop.at[0]
		}
		return f / z
	}
	h := d.power(density, densityOther) + math.Log1p(-math.Exp(y))
	k := d.power(first(none, b), first(noneOther, other)) + y
	top := math.Max(h, k)
	return d.epsilon + (top+math.Log(math.Exp(h-top)+math.Exp(k-top)))/(d.order-1)
}

// of bounds a cell from above; −∞ where no candidates of the level are in it.
func (d divergence) of(c cell) float64 {
	x, y := d.share(1-c.high, 1-c.lowOther), d.share(c.low, c.highOther)
	if !both(x, y) || !both(d.share(1-c.highOther, 1-c.low), d.share(c.lowOther, c.high)) {
		return math.Inf(-1)
	}
	most := math.Log1p(-math.Min(math.Exp(x), 1))
	if c.lowOther > 0 {
		most = math.Min(most, d.share(c.high, c.lowOther))
	}
	least, most := math.Min(y, 0), math.Max(most, y)
	return math.Max(d.value(c.high, c.lowOther, least), d.value(c.high, c.lowOther, math.Min(most, 0)))
}

// at is the value in the middle of a cell, where candidates of the level are there.
func (d divergence) at(c cell) float64 {
	b, other := (c.low+c.high)/2, (c.lowOther+c.highOther)/2
	y := d.share(b, other)
	if math.Exp(d.share(1-b, 1-other))+math.Exp(y) > 1 || !both(d.share(1-other, 1-b), d.share(other, b)) {
		return 0
	}
	return d.value(b, other, y)
}

// narrow is how far above the supremum the bound of renyi is, as a part of it, unless more than most cells would have
// to be divided: near λ = 1.
const (
	narrow = 1e-4
	most   = 30_000
)

// renyi bounds the Rényi divergence of order λ > 1 of the selection among candidates that have ε at that order, with
// what decides about them, in either direction:
//
//	sup over b, b′ of ln{H(E − y) + Ky}/(λ−1),  E = e^{(λ−1)ε},  y = b^λ b′^{1−λ},
//	H = h(b)^λ h(b′)^{1−λ},  K = k(b)^λ k(b′)^{1−λ},  k(z) = f(z)/z,
//
// over those with (1−b)^λ (1−b′)^{1−λ} + y ≤ E, and so the other way around. Cells are divided until the greatest bound
// is within a part narrow of a value that is attained. Source: theory/selection.md §3.
func (s Stop) renyi(order, epsilon float64) float64 {
	d := divergence{order, epsilon, s.distribution()}
	list, reached := &cells{{0, 1, 0, 1, math.Inf(1)}}, epsilon
	for range most {
		top := heap.Pop(list).(cell)
		if top.bound <= reached*(1+narrow) {
			heap.Push(list, top)
			break
		}
		for _, part := range top.halves() {
			if part.bound = d.of(part); part.bound > reached {
				heap.Push(list, part)
				reached = math.Max(reached, d.at(part))
			}
		}
		if list.Len() == 0 {
			return reached + d.rounding()
		}
	}
	return math.Max(reached, (*list)[0].bound) + d.rounding()
}

// rounding covers that of sums of at most 1,000 positive terms, and of their logarithms, at this order.
func (d divergence) rounding() float64 { return rounded * (1 + d.order/(d.order-1)) }

// halves divides a cell along its longer side.
func (c cell) halves() [2]cell {
	one, two := c, c
	if c.high-c.low >= c.highOther-c.lowOther {
		one.high = (c.low + c.high) / 2
		two.low = one.high
	} else {
		one.highOther = (c.lowOther + c.highOther) / 2
		two.lowOther = one.highOther
	}
	return [2]cell{one, two}
}

// baseOf is the greatest ε of order λ of candidates under which the selection has at most the total, from below.
func (s Stop) baseOf(order, total float64) float64 {
	lo, hi := 0., total
	for range 22 {
		if mid := (lo + hi) / 2; s.renyi(order, mid) <= total*(1-1.1*narrow) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}

// profile is the privacy profile of a candidate, on a grid of ε.
type profile struct{ at, power, delta []float64 } // ε, e^ε, δ

// profileOf takes the profile of a pair up to ε = top. Every value is an upper bound, and so is what lies between two.
func profileOf(p loss.Pair, top float64) profile {
	const apart = .06 // a chord is 3 % above a profile that falls by a factor e^10 from 0 to 1
	var out profile
	for i := range int(top/apart) + 2 {
		x := apart * float64(i)
		out.at, out.power = append(out.at, x), append(out.power, math.Exp(x))
		out.delta = append(out.delta, math.Min(p.Delta(x), 1))
	}
	return out
}

// value is an upper bound on δ(ε), for every ε. The profile is convex in e^ε and falls, so a chord lies above it.
// Below 0 it is δ(−ε) = 1 − e^{−ε}(1 − δ(ε)).
func (p profile) value(eps float64) float64 {
	if eps < 0 {
		return 1 - math.Exp(eps)*(1-p.value(-eps))
	}
	i := sort.SearchFloat64s(p.at, eps)
	switch {
	case i == len(p.at):
		return p.delta[i-1]
	case i == 0 || p.at[i] == eps:
		return p.delta[i]
	}
	part := (math.Exp(eps) - p.power[i-1]) / (p.power[i] - p.power[i-1])
	return (1-part)*p.delta[i-1] + part*p.delta[i]
}

// reach is the greatest probability under a neighbour of an event of probability a: min over ε of e^ε·a + δ(ε), and of
// 1 − e^{−ε}(1 − a − δ(ε)).
func (p profile) reach(a float64) float64 {
	out := 1.
	for i, e := range p.power {
		out = math.Min(out, math.Min(e*a+p.delta[i], 1-(1-a-p.delta[i])/e))
	}
	return math.Max(out, a)
}

// delta bounds the δ of the selection at ε:
//
//	sup over a of h(b)·min(a, δ_M(x)) + (f(b) − e^ε f(b′))₊,  x = ε + ln(h(b′)/h(b)),
//
// where a is how likely a candidate is accepted, b = 1 − a and b′ = 1 − reach(a). The supremum is over the cells of a
// grid, each bounded by its corners: f and h grow with b. Source: theory/selection.md §3.
func (s Stop) delta(p profile, eps float64) (worst float64) {
	const steps = 12_000
	grid := []float64{0}
	for i := range steps + 1 { // even in ln(a/(1−a))
		grid = append(grid, 1/(1+math.Exp(-28*(2*float64(i)/steps-1))))
	}
	grid = append(grid, 1)
	l, e := s.distribution(), math.Exp(eps)
	for i := 0; i+1 < len(grid); i++ {
		none, density := l.generating(1 - grid[i])
		otherNone, other := l.generating(1 - p.reach(grid[i+1]))
		accepted := density * math.Min(grid[i+1], p.value(eps+math.Log(math.Min(other/density, 1))))
		worst = math.Max(worst, accepted+math.Max(none*(1+rounded)-e*otherNone*(1-rounded), 0))
	}
	return worst * (1 + rounded)
}
