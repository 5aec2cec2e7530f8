package finite

import (
	"math"
	"slices"
)

// tally holds the suprema over the pairs that one worker has seen.
type tally struct {
	o       *Options
	res     Result
	scratch []ratio
}

// ratio is an output's log-ratio with its probabilities under both inputs.
type ratio struct{ loss, p, q float64 }

func newTally(o *Options) *tally {
	return &tally{o: o, res: Result{
		Delta: make([]float64, len(o.Epsilons)), DeltaAt: make([]Worst, len(o.Epsilons)),
		EpsilonAt: make([]float64, len(o.Deltas)), EpsilonOf: make([]Worst, len(o.Deltas)),
		RDP: make([]float64, len(o.Orders)), RDPAt: make([]Worst, len(o.Orders)),
	}}
}

func worstAt(x, y []int, output int) Worst {
	return Worst{append([]int(nil), x...), append([]int(nil), y...), output}
}

// compare takes a pair into account, in both directions; p and q are the log-laws at x and y.
func (t *tally) compare(x, y []int, p, q []float64) {
	r := &t.res
	r.Pairs += 2
	r.Work += 2 * int64(len(p))
	most, least := math.Inf(-1), math.Inf(1)
	q = q[:len(p)]
	for o, lp := range p {
		// an output impossible under both has NaN here, which compares as false; under one only, an infinite loss
		loss := lp - q[o]
		if loss > most {
			most = loss
		}
		if loss < least {
			least = loss
		}
	}
	if most > r.Epsilon {
		r.Epsilon, r.At = most, worstAt(x, y, attained(p, q, most))
	}
	if -least > r.Epsilon {
		r.Epsilon, r.At = -least, worstAt(y, x, attained(p, q, least))
	}
	if d := most - least; d > r.Range {
		r.Range, r.RangeAt = d, worstAt(x, y, -1)
	}
	t.directed(x, y, p, q)
	t.directed(y, x, q, p)
}

// attained is the first output with the given log-ratio.
func attained(p, q []float64, loss float64) int {
	for o, lp := range p {
		if lp-q[o] == loss {
			return o
		}
	}
	return -1
}

// directed takes into account what depends on the direction.
func (t *tally) directed(x, y []int, p, q []float64) {
	r := &t.res
	for i, eps := range t.o.Epsilons {
		if d := hockeyStick(p, q, eps); d > r.Delta[i] {
			r.Delta[i], r.DeltaAt[i] = d, worstAt(x, y, -1)
		}
	}
	for i, delta := range t.o.Deltas {
		if hockeyStick(p, q, r.EpsilonAt[i]) <= delta {
			continue // this pair needs no more than the worst so far
		}
		if e := t.epsilonAt(p, q, delta); e > r.EpsilonAt[i] {
			r.EpsilonAt[i], r.EpsilonOf[i] = e, worstAt(x, y, -1)
		}
	}
	for i, order := range t.o.Orders {
		if d := renyi(p, q, order); d > r.RDP[i] {
			r.RDP[i], r.RDPAt[i] = d, worstAt(x, y, -1)
		}
	}
}

// hockeyStick is Σ (P − e^ε Q)₊ from log-laws.
func hockeyStick(p, q []float64, eps float64) float64 {
	d := 0.0
	for o, lp := range p {
		if gap := eps + q[o] - lp; gap < 0 {
			d += math.Exp(lp) * -math.Expm1(gap)
		}
	}
	return d
}

// epsilonAt is the least ε ≥ 0 with Σ (P − e^ε Q)₊ ≤ δ. With outputs in falling order of loss, between two losses the sum is
// A − e^ε·B over those above, A and B their masses: the first interval on whose far side the sum passes δ holds the solution.
func (t *tally) epsilonAt(p, q []float64, delta float64) float64 {
	t.scratch = t.scratch[:0]
	for o, lp := range p {
		if loss := lp - q[o]; loss > 0 {
			t.scratch = append(t.scratch, ratio{loss, math.Exp(lp), math.Exp(q[o])})
		}
	}
	slices.SortFunc(t.scratch, func(a, b ratio) int {
		switch {
		case a.loss > b.loss:
			return -1
		case a.loss < b.loss:
			return 1
		}
		return 0
	})
	a, b := 0.0, 0.0
	for i, v := range t.scratch {
		a, b = a+v.p, b+v.q
		below := 0.0
		if i+1 < len(t.scratch) {
			below = t.scratch[i+1].loss
		}
		if math.IsInf(v.loss, 1) {
			if a > delta {
				return math.Inf(1)
			}
			continue
		}
		if a-math.Exp(below)*b > delta || below == 0 && a-b > delta {
			return math.Max(below, math.Log((a-delta)/b))
		}
	}
	return 0
}

// renyi is log Σ p^λ q^{1−λ} / (λ−1) from log-laws.
func renyi(p, q []float64, order float64) float64 {
	sum := 0.0
	for o, lp := range p {
		if math.IsInf(lp, -1) {
			continue
		}
		if math.IsInf(q[o], -1) {
			return math.Inf(1)
		}
		sum += math.Exp(order*lp + (1-order)*q[o])
	}
	return math.Log(sum) / (order - 1)
}

// merge adds what a later block of inputs found; on ties the earlier one stays.
func (r *Result) merge(b *Result) {
	if b.Epsilon > r.Epsilon {
		r.Epsilon, r.At = b.Epsilon, b.At
	}
	if b.Range > r.Range {
		r.Range, r.RangeAt = b.Range, b.RangeAt
	}
	greater := func(v, w []float64, at, of []Worst) {
		for i := range v {
			if w[i] > v[i] {
				v[i], at[i] = w[i], of[i]
			}
		}
	}
	greater(r.Delta, b.Delta, r.DeltaAt, b.DeltaAt)
	greater(r.EpsilonAt, b.EpsilonAt, r.EpsilonOf, b.EpsilonOf)
	greater(r.RDP, b.RDP, r.RDPAt, b.RDPAt)
	r.Pairs += b.Pairs
	r.Work += b.Work
}
