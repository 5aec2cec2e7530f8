package finite

import (
	"cmp"
	"math"
	"slices"
)

// tally holds the suprema over the pairs that one worker has seen.
type tally struct {
	o       *Options
	res     Result
	scratch []ratio
	err     error // a bad law
}

// ratio is an output's log-ratio with its probability under the first input.
type ratio struct{ loss, p float64 }

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
		best := r.EpsilonAt[i]
		if delta == 0 { // decided by losses alone, where probabilities may underflow
			for o, lp := range p {
				if loss := lp - q[o]; loss > r.EpsilonAt[i] {
					r.EpsilonAt[i], r.EpsilonOf[i] = loss, worstAt(x, y, -1)
				}
			}
			continue
		}
		if math.IsInf(best, 1) || hockeyStick(p, q, math.Max(0, best-1e-9*(1+best))) <= delta {
			continue // below the worst so far by more than rounding, so that blocks in any cut give the same digits
		}
		if e := t.epsilonAt(p, q, delta); e > best {
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

// epsilonAt is the least ε ≥ 0 with Σ (P − e^ε Q)₊ ≤ δ, δ > 0. With losses l₁ ≥ l₂ ≥ … and R_k = Σ_{i≤k} p_i e^{l_k −
// l_i}, the sum grows from l_k down to ε by R_k(1 − e^{ε−l_k}): only positive terms, and the crossing of δ is at l_k +
// log(1 − (δ − sum)/R_k). Nothing depends on Q, which may underflow.
func (t *tally) epsilonAt(p, q []float64, delta float64) float64 {
	t.scratch = t.scratch[:0]
	sum := 0.0
	for o, lp := range p {
		switch loss := lp - q[o]; {
		case math.IsInf(loss, 1):
			sum += math.Exp(lp)
		case loss > 0:
			t.scratch = append(t.scratch, ratio{loss, math.Exp(lp)})
		}
	}
	if sum > delta {
		return math.Inf(1)
	}
	slices.SortFunc(t.scratch, func(a, b ratio) int { // ties too, for sums to be the same always
		return cmp.Or(cmp.Compare(b.loss, a.loss), cmp.Compare(b.p, a.p))
	})
	r, at := 0.0, math.Inf(1)
	for i := 0; i <= len(t.scratch); i++ {
		to := 0.0
		if i < len(t.scratch) {
			to = t.scratch[i].loss
		}
		if fall := math.Expm1(to - at); r > 0 && fall < 0 {
			if sum-r*fall > delta {
				return math.Max(0, at+math.Log1p(-(delta-sum)/r))
			}
			sum -= r * fall
			r *= 1 + fall
		}
		if at = to; i < len(t.scratch) {
			r += t.scratch[i].p
		}
	}
	return 0
}

// renyi is log Σ p^λ q^{1−λ} / (λ−1) from log-laws, with the greatest term taken out: the sum may be beyond float64
// where its logarithm is small, as it is for Gaussian laws at high orders.
func renyi(p, q []float64, order float64) float64 {
	top := math.Inf(-1)
	for o, lp := range p {
		// NaN or −∞ where p = 0, which is never the greatest
		if v := lp + (order-1)*(lp-q[o]); v > top {
			top = v
		}
	}
	if math.IsInf(top, 0) {
		return top
	}
	sum := 0.0
	for o, lp := range p {
		if v := lp + (order-1)*(lp-q[o]) - top; v > -745 {
			sum += math.Exp(v)
		}
	}
	return (top + math.Log(sum)) / (order - 1)
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
