// Package finite computes the exact privacy of mechanisms with finitely many outputs. It visits every pair of
// neighbouring count vectors and every output. The results are pure ε, bounded range, the privacy profile in both
// directions (δ at ε, ε at δ), Rényi divergences and the worst pairs.
package finite

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// Mechanism is a randomised algorithm on count vectors with finitely many outputs.
type Mechanism interface {
	// Outputs is the number of outputs, the same for every input.
	Outputs() int
	// LogLaw fills out with the log-probability of every output at counts x; −Inf means impossible. It is called from
	// several goroutines at once and must not keep x.
	LogLaw(x []int, out []float64)
}

// Worst is the pair and output at which a supremum is attained.
type Worst struct {
	X, Y   []int
	Output int // −1 where the value is a sum over outputs
}

// Result is the exact privacy of a mechanism on a space. Where several pairs attain a value, the first in lexicographic
// order is named, whatever the number of workers.
type Result struct {
	Epsilon   float64   // pure ε: the greatest |log-ratio|, maybe +Inf
	At        Worst     // where it is attained
	Range     float64   // greatest difference of two log-ratios of one pair: the bounded range
	RangeAt   Worst     // Output −1
	Delta     []float64 // hockey-stick divergence at each asked ε, over ordered pairs
	DeltaAt   []Worst
	EpsilonAt []float64 // least ε ≥ 0 at each asked δ, over ordered pairs, maybe +Inf
	EpsilonOf []Worst   // the pairs of EpsilonAt
	RDP       []float64 // Rényi divergence at each asked order
	RDPAt     []Worst
	Pairs     int64 // ordered pairs visited
	Work      int64 // pairs × outputs
}

// Options says what an audit computes besides pure ε and range.
type Options struct {
	Epsilons []float64               // δ is asked for at these ε
	Deltas   []float64               // ε is asked for at these δ in [0, 1)
	Orders   []float64               // Rényi divergences of these orders > 1
	Workers  int                     // goroutines; 0: one per processor
	Progress func(done, total int64) // inputs visited; called from one goroutine at a time
}

// LawError is a log-probability that is NaN or +Inf. It would compare as no loss at all, and so must not pass.
type LawError struct {
	X      []int
	Output int
	Value  float64
}

func (e *LawError) Error() string {
	return fmt.Sprintf("finite: distribution at x = %v: log-probability of output %d = %v; want a number below +Inf", e.X,
		e.Output, e.Value)
}

// Audit is AuditWith for δ at some ε and Rényi divergences of some orders; both may be empty.
func Audit(ctx context.Context, m Mechanism, s Space, epsilons, orders []float64) (*Result, error) {
	return AuditWith(ctx, m, s, Options{Epsilons: epsilons, Orders: orders})
}

// AuditWith visits every pair of neighbours and every output, in parallel, with bounded memory. Above the work limit of
// ctx (cert.WorkLimit) it returns an error that is cert.ErrWorkLimit before any work; when ctx ends, its error. A law
// with a NaN or +Inf is a *LawError for the first such x that is met.
func AuditWith(ctx context.Context, m Mechanism, s Space, o Options) (*Result, error) {
	if s.Cells < 1 || s.N < 0 {
		return nil, domain.Refuse("finite", "cells, n", [2]int{s.Cells, s.N}, "cells ≥ 1 and n ≥ 0")
	}
	if s.Adjacency != dp.ReplaceOne && s.Adjacency != dp.AddRemove {
		return nil, domain.Refuse("finite", "adjacency", s.Adjacency, "replace-one or add-remove")
	}
	if m.Outputs() < 1 {
		return nil, domain.Refuse("finite", "outputs", m.Outputs(), "at least one")
	}
	for _, d := range o.Deltas {
		if !(d >= 0 && d < 1) {
			return nil, domain.Refuse("finite", "delta", d, "a number in [0, 1)")
		}
	}
	for _, e := range o.Epsilons {
		if !(e >= 0) || math.IsInf(e, 1) {
			return nil, domain.Refuse("finite", "epsilon", e, "a finite number ≥ 0")
		}
	}
	for _, l := range o.Orders {
		if !(l > 1) || math.IsInf(l, 1) {
			return nil, domain.Refuse("finite", "order", l, "a finite number > 1")
		}
	}
	if w := s.Pairs() * float64(m.Outputs()); w > float64(cert.WorkLimit(ctx)) {
		return nil, fmt.Errorf("%w: %.3g pairs × outputs, limit %d; want fewer cells or records, or a higher limit "+
			"(cert.WithWorkLimit)", cert.ErrWorkLimit, w, cert.WorkLimit(ctx))
	}
	if o.Progress == nil {
		o.Progress = cert.ProgressOf(ctx)
	}
	return newStream(m, s, o).run(ctx)
}

// stream visits the inputs in blocks of consecutive ranks. Every unordered pair is visited at its first input; a law is
// kept from when it is first needed until its own input has been visited, within a bound on memory, beyond which it is
// computed again.
type stream struct {
	m      Mechanism
	s      Space
	o      Options
	levels []ranks // by total, only the totals that are visited
	mu     sync.Mutex
	done   int64
	total  int64
}

// keepLaws bounds the cached log-probabilities of all workers: 192 MB.
const keepLaws = 3 << 23

// blocksPerWorker evens out the work; more blocks compute more laws twice.
const blocksPerWorker = 4

func newStream(m Mechanism, s Space, o Options) *stream {
	st := &stream{m: m, s: s, o: o}
	first := s.N
	if s.Adjacency == dp.AddRemove {
		first = 0
	}
	all := newRanks(s.Cells, s.N)
	for n := first; n <= s.N; n++ {
		st.levels = append(st.levels, ranks{n: n, choose: all.choose}) // one table serves all totals
		st.total += int64(st.levels[len(st.levels)-1].size())
	}
	return st
}

// block is a range of ranks at one total.
type block struct{ level, lo, hi int }

func (st *stream) run(ctx context.Context) (*Result, error) {
	workers := st.o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	var blocks []block
	for l, r := range st.levels {
		parts := min(workers*blocksPerWorker, r.size())
		if workers == 1 || r.size()*st.m.Outputs() < 1<<14 {
			parts = 1 // not worth a goroutine each
		}
		for i := range parts {
			blocks = append(blocks, block{l, i * r.size() / parts, (i + 1) * r.size() / parts})
		}
	}
	results := make([]*tally, len(blocks))
	jobs := make(chan int)
	var wg sync.WaitGroup
	for range min(workers, len(blocks)) {
		wg.Go(func() {
			for i := range jobs {
				results[i] = st.visit(ctx, blocks[i], keepLaws/workers/st.m.Outputs())
			}
		})
	}
	for i := range blocks {
		jobs <- i
	}
	close(jobs)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := newTally(&st.o)
	for _, t := range results {
		if t.err != nil {
			return nil, t.err // of the first block: workers take blocks in order, and none is given up once begun
		}
		out.res.merge(&t.res)
	}
	return &out.res, nil
}

// laws caches the log-laws that a block still needs, by total and rank.
type laws struct {
	m     Mechanism
	keep  int
	held  map[[2]int][]float64
	spare [][]float64
	err   error // the first bad law
}

// get is the law at x, cached unless the cache is full.
func (c *laws) get(key [2]int, x []int) (law []float64, cached bool) {
	if l, ok := c.held[key]; ok {
		return l, true
	}
	l := c.buffer()
	c.m.LogLaw(x, l)
	for o, lp := range l {
		if !(lp <= math.MaxFloat64) && c.err == nil {
			c.err = &LawError{append([]int(nil), x...), o, lp}
		}
	}
	if len(c.held) < c.keep {
		c.held[key] = l
		return l, true
	}
	return l, false
}

func (c *laws) buffer() []float64 {
	if k := len(c.spare); k > 0 {
		l := c.spare[k-1]
		c.spare = c.spare[:k-1]
		return l
	}
	return make([]float64, c.m.Outputs())
}

func (c *laws) drop(key [2]int, law []float64) {
	delete(c.held, key)
	c.spare = append(c.spare, law)
}

// visit compares every input of a block with its later neighbours.
func (st *stream) visit(ctx context.Context, b block, keep int) *tally {
	t := newTally(&st.o)
	r := st.levels[b.level]
	up := b.level
	if st.s.Adjacency == dp.AddRemove {
		if up++; up == len(st.levels) {
			st.step(int64(b.hi - b.lo))
			return t // the largest total has no later neighbours
		}
	}
	cache := &laws{m: st.m, keep: max(keep, 1), held: map[[2]int][]float64{}}
	x, y := make([]int, st.s.Cells), make([]int, st.s.Cells)
	r.at(b.lo, x)
	for rank := b.lo; rank < b.hi && cache.err == nil && ctx.Err() == nil; rank++ {
		own := [2]int{b.level, rank}
		p, _ := cache.get(own, x)
		st.s.forward(x, y, func(y []int) {
			key := [2]int{up, st.levels[up].of(y)}
			q, cached := cache.get(key, y)
			t.compare(x, y, p, q)
			if !cached {
				cache.spare = append(cache.spare, q)
			}
		})
		cache.drop(own, p)
		next(x)
		st.step(1)
	}
	t.err = cache.err
	return t
}

// step reports progress.
func (st *stream) step(inputs int64) {
	if st.o.Progress == nil {
		return
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	st.done += inputs
	st.o.Progress(st.done, st.total)
}
