// Package finite computes the exact privacy of mechanisms with finitely many outputs: pure ε, the privacy profile δ(ε), Rényi
// divergences and the worst pair, by visiting every pair of neighbouring count vectors and every output.
package finite

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Mechanism is a randomised algorithm on count vectors with finitely many outputs.
type Mechanism interface {
	// Outputs is the number of outputs, the same for every input.
	Outputs() int
	// LogLaw fills out with the log-probability of every output at counts x; −Inf means impossible.
	LogLaw(x []int, out []float64)
}

// Space is the set of inputs: the histograms of n records over Cells kinds of record. Under ReplaceOne neighbours differ by moving
// one record; under AddRemove by one record more or less, and all totals 0 … N are visited.
type Space struct {
	Cells, N  int
	Adjacency dp.Adjacency
}

// Worst is the pair and output at which a supremum is attained.
type Worst struct {
	X, Y   []int
	Output int // −1 where the value is a sum over outputs
}

// Result is the exact privacy of a mechanism on a space.
type Result struct {
	Epsilon float64   // pure ε: the greatest |log-ratio|, maybe +Inf
	At      Worst     // where it is attained
	Range   float64   // greatest difference of two log-ratios of one pair: the bounded range
	Delta   []float64 // hockey-stick divergence at each asked ε, over ordered pairs
	DeltaAt []Worst
	RDP     []float64 // Rényi divergence at each asked order
	RDPAt   []Worst
	Pairs   int64 // ordered pairs visited
	Work    int64 // pairs × outputs
}

// SpaceError is a space that cannot be enumerated.
type SpaceError struct {
	Field string
	Value any
	Want  string
}

func (e *SpaceError) Error() string {
	return fmt.Sprintf("finite: %s = %v; want %s", e.Field, e.Value, e.Want)
}

// Audit visits every ordered pair of neighbours and every output. It asks for the profile at epsilons and the Rényi divergence at
// orders (> 1); both may be empty. Above the work limit of ctx (cert.WorkLimit) it returns cert.ErrWorkLimit before any work.
func Audit(ctx context.Context, m Mechanism, s Space, epsilons, orders []float64) (*Result, error) {
	if s.Cells < 1 || s.N < 0 {
		return nil, &SpaceError{"cells, n", [2]int{s.Cells, s.N}, "cells ≥ 1 and n ≥ 0"}
	}
	if s.Adjacency != dp.ReplaceOne && s.Adjacency != dp.AddRemove {
		return nil, &SpaceError{"adjacency", s.Adjacency, "replace-one or add-remove"}
	}
	if m.Outputs() < 1 {
		return nil, &SpaceError{"outputs", m.Outputs(), "at least one"}
	}
	if w := s.pairs() * float64(m.Outputs()); w > float64(cert.WorkLimit(ctx)) {
		return nil, fmt.Errorf("%w: %.3g pairs × outputs, limit %d", cert.ErrWorkLimit, w, cert.WorkLimit(ctx))
	}
	a := &auditor{m: m, epsilons: epsilons, orders: orders, laws: map[string][]float64{}, res: &Result{
		Delta: make([]float64, len(epsilons)), DeltaAt: make([]Worst, len(epsilons)),
		RDP: make([]float64, len(orders)), RDPAt: make([]Worst, len(orders)),
	}}
	first := s.N
	if s.Adjacency == dp.AddRemove {
		first = 0
	}
	for n := first; n <= s.N; n++ {
		var err error
		Histograms(s.Cells, n, func(x []int) bool {
			if err = ctx.Err(); err != nil {
				return false
			}
			s.neighbours(x, n, func(y []int) { a.compare(x, y) })
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return a.res, nil
}

// pairs is the number of ordered pairs visited.
func (s Space) pairs() float64 {
	if s.Adjacency == dp.AddRemove {
		total := 0.0
		for n := range s.N {
			total += 2 * binomial(n+s.Cells-1, s.Cells-1) * float64(s.Cells)
		}
		return total
	}
	return binomial(s.N+s.Cells-1, s.Cells-1) * float64(s.Cells*(s.Cells-1))
}

func binomial(n, k int) float64 {
	b := 1.0
	for i := 1; i <= k; i++ {
		b *= float64(n-k+i) / float64(i)
	}
	return b
}

// neighbours calls visit with every neighbour of x; y is reused.
func (s Space) neighbours(x []int, n int, visit func(y []int)) {
	y := append([]int(nil), x...)
	for i := range x {
		if x[i] > 0 {
			y[i]--
			if s.Adjacency == dp.AddRemove {
				visit(y)
			} else {
				for j := range x {
					if j != i {
						y[j]++
						visit(y)
						y[j]--
					}
				}
			}
			y[i]++
		}
		if s.Adjacency == dp.AddRemove && n < s.N {
			y[i]++
			visit(y)
			y[i]--
		}
	}
}

// Histograms calls visit with every vector of cells counts that add up to n, in lexicographic order, until it returns false. The
// vector is reused.
func Histograms(cells, n int, visit func(x []int) bool) {
	x := make([]int, cells)
	var fill func(i, left int) bool
	fill = func(i, left int) bool {
		if i == cells-1 {
			x[i] = left
			return visit(x)
		}
		for c := 0; c <= left; c++ {
			x[i] = c
			if !fill(i+1, left-c) {
				return false
			}
		}
		return true
	}
	fill(0, n)
}

// auditor keeps the laws already computed and the suprema so far.
type auditor struct {
	m                Mechanism
	epsilons, orders []float64
	laws             map[string][]float64
	kept             int
	res              *Result
}

// keepLaws bounds the memory of cached laws, in log-probabilities.
const keepLaws = 1 << 25

func (a *auditor) law(x []int) []float64 {
	key := fmt.Sprint(x)
	if l, ok := a.laws[key]; ok {
		return l
	}
	l := make([]float64, a.m.Outputs())
	a.m.LogLaw(x, l)
	if a.kept += len(l); a.kept > keepLaws {
		a.laws, a.kept = map[string][]float64{}, len(l)
	}
	a.laws[key] = l
	return l
}

// compare takes the pair (x, y) into account, in the direction of the loss under x.
func (a *auditor) compare(x, y []int) {
	p, q := a.law(x), a.law(y)
	r := a.res
	r.Pairs++
	r.Work += int64(len(p))
	at := func(o int) Worst {
		return Worst{append([]int(nil), x...), append([]int(nil), y...), o}
	}
	worst, where := r.Epsilon, -1
	most, least := math.Inf(-1), math.Inf(1)
	q = q[:len(p)]
	for o, lp := range p {
		// an impossible output under x has loss −∞ or NaN, which never exceeds the worst so far
		loss := lp - q[o]
		if loss > worst {
			worst, where = loss, o
		}
		if loss > most {
			most = loss
		}
		if loss < least {
			least = loss
		}
	}
	r.Range = math.Max(r.Range, most-least)
	if where >= 0 {
		r.Epsilon, r.At = worst, at(where)
	}
	for i, eps := range a.epsilons {
		d := 0.0
		for o, lp := range p {
			if gap := eps + q[o] - lp; gap < 0 {
				d += math.Exp(lp) * -math.Expm1(gap)
			}
		}
		if d > r.Delta[i] {
			r.Delta[i], r.DeltaAt[i] = d, at(-1)
		}
	}
	for i, order := range a.orders {
		if d := renyi(p, q, order); d > r.RDP[i] {
			r.RDP[i], r.RDPAt[i] = d, at(-1)
		}
	}
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
