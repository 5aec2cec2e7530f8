package finite

import (
	"context"
	"math"
	"runtime"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

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
