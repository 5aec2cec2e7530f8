package latent

import (
	"math"
	"math/rand/v2"
	"slices"
)

// Chain is a Markov chain on the latent tables, stationary for their posterior. Not safe for concurrent use.
type Chain struct {
	*Layout
	src    *rand.ChaCha8
	rng    *rand.Rand
	counts []int64 // of all tables
	totals []int64 // of the linear statistics
	x, to  []int   // records
	line   line
	kernel Kernel
	wide   bool // slices start from the whole range
	taken  [kinds]scale
	out    block // what a jump takes out
	in     block // and puts in
	keys   []groupKey
	share  []int64   // of a group
	higher []float64 // of urns
	lower  []float64
	atOnce int64
	since  int // moves since stop was asked
}

// Kernel is a set of moves; a sweep makes those of its kernel.
type Kernel uint8

// The moves: each alone is a kernel for the same posterior, and all but Records and Size reach every state of a fixed
// number of records.
const (
	Directions Kernel = 1 << iota // slices along directions drawn without looking
	Picks                         // slices that move records like one picked from the tables
	Jumps                         // records of one CPT row change their level, and descendants are drawn anew
	Sizes                         // of a latent number of records: copies of one record come or go
	Records                       // the same, the record picked from the tables
	Every      = Directions | Picks | Jumps | Sizes | Records
)

// records is the number of records.
func (c *Chain) records() int64 { return c.counts[c.tabs[c.empty].off] }

// N is the number of records.
func (c *Chain) N() int64 { return c.records() }

// LogWeight is the logarithm of the posterior probability of the state, up to a constant.
func (c *Chain) LogWeight() float64 {
	out := 0.0
	for t := range c.tabs {
		tb := &c.tabs[t]
		for i, n := range c.counts[tb.off : tb.off+tb.size] {
			if tb.weight != nil {
				out += tb.weight.at(n)
			}
			if tb.each != nil && tb.each[i] != nil {
				out += tb.each[i].at(n)
			}
			for _, terms := range tb.terms {
				out += terms[i].at(n)
			}
		}
	}
	for s := range c.sums {
		out += c.sums[s].Term.at(c.totals[s])
	}
	return out
}

// Family copies the counts of a node's family into out: parent configuration by configuration, the last parent fastest,
// and level by level.
func (c *Chain) Family(v int, out []int64) {
	tb, r, i := &c.tabs[c.family[v]], &c.rows[v], 0
	for _, o := range r.configs {
		for x := range c.p.Levels[v] {
			out[i] = c.counts[tb.off+int(o)+x*r.stride]
			i++
		}
	}
}

// pick draws a record from the tables by a walk; x holds what the walk takes as known.
func (c *Chain) pick(walk []int32, x []int) {
	for _, w := range walk {
		s := &c.steps[w]
		tb := &c.tabs[s.clique]
		for _, v := range s.fresh {
			x[v] = 0
		}
		base := tb.cell(x)
		total := int64(0)
		for _, o := range s.offsets {
			total += c.counts[base+int(o)]
		}
		at, u := 0, c.rng.Int64N(total)
		for ; at < len(s.offsets)-1; at++ {
			if u -= c.counts[base+int(s.offsets[at])]; u < 0 {
				break
			}
		}
		for i, v := range s.fresh {
			x[v] = int(s.codes[at][i])
		}
	}
}

// progress is how many slices, or records of jumps, are made between two looks at whether to stop.
const progress = 4096

// Sweep makes the moves of the kernel: slices twice as many as the cliques have cells, and two jumps a node. It looks
// at stop now and then, and is false where it was told to: then the chain stands between two moves.
func (c *Chain) Sweep(stop func() bool) bool {
	if !c.terminal && !c.p.Latent {
		return true
	}
	due := func(cost int) bool {
		if c.since += cost; c.since < progress {
			return false
		}
		c.since = 0
		return stop()
	}
	if c.kernel&^Jumps != 0 {
		for range c.slices {
			if c.slice(); due(1) {
				return false
			}
		}
	}
	if c.kernel&Jumps != 0 {
		for range c.jumps {
			if c.jump(); due(1 + len(c.out.times) + len(c.in.times)) {
				return false
			}
		}
	}
	return true
}

// Clone is a chain in the same state that goes the same way.
func (c *Chain) Clone() *Chain {
	d, src := *c, *c.src
	d.src, d.rng = &src, rand.New(&src)
	d.counts, d.totals = slices.Clone(c.counts), slices.Clone(c.totals)
	d.x, d.to, d.share = slices.Clone(c.x), slices.Clone(c.to), slices.Clone(c.share)
	d.out, d.in, d.keys, d.higher, d.lower, d.line = block{}, block{}, nil, nil, nil, line{}
	return &d
}

// Moves is the number of slices and jumps of a sweep.
func (l *Layout) Moves() int { return l.slices + l.jumps }

// Families appends the counts of all nodes' families, node by node as Family gives them.
func (c *Chain) Families(out []int64) []int64 {
	for v, r := range c.p.Levels {
		k := r * len(c.rows[v].configs)
		out = append(out, make([]int64, k)...)
		c.Family(v, out[len(out)-k:])
	}
	return out
}

// slice makes one slice move of the kernel. Which one is a throw of dice that knows nothing of the state: a move that
// needs a record is none where there is no record.
func (c *Chain) slice() {
	has := func(k Kernel) bool { return c.kernel&k != 0 }
	one := func(a, b Kernel) bool { return has(a) && (!has(b) || c.rng.IntN(2) == 0) }
	within := has(Directions | Picks)
	switch {
	case c.p.Latent && has(Sizes|Records) && (!within || c.rng.IntN(4) == 0):
		if one(Records, Sizes) {
			if c.records() > 0 {
				c.resize(true)
			}
		} else {
			c.resize(false)
		}
	case one(Picks, Directions):
		if c.records() > 0 {
			c.picked()
		}
	case has(Directions):
		c.direction()
	}
}

// scale is how far the moves of one kind go: see Adapt.
type scale struct {
	width int64
	sum   float64
	moves int
}

// The kinds of lines that have a width of their own.
const (
	alongOne  = iota // a direction of one variable
	alongTwo         // the difference of two such
	alongPick        // from a picked record to one with another level
	alongAll         // from a picked record to one with other levels in a group
	alongSize        // copies of a record
	kinds
)

// Adapt fits the width of each kind of slice to the moves made since the last call: three times the mean distance. It
// must not be called while draws are kept, since a kernel that looks back is not one.
func (c *Chain) Adapt() {
	for k := range c.taken {
		s := &c.taken[k]
		if s.moves >= 100 {
			s.width = int64(math.Round(min(max(1, 3*s.sum/float64(s.moves)), maxCount)))
			s.sum, s.moves = 0, 0
		}
	}
}

// Wide lets slices start from the whole range of counts, or from the width.
func (c *Chain) Wide(wide bool) { c.wide = wide }

// Use sets the moves.
func (c *Chain) Use(k Kernel) { c.kernel = k }
