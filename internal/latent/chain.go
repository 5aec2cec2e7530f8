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
	out    block                   // what a block move takes out
	in     block                   // and puts in
	other  struct{ out, in block } // of a swap's other level
	shares []*centre               // of nodes whose rows share one; nil of others
	sweeps int
	keys   []groupKey
	share  []int64   // of a group
	higher []float64 // of urns
	lower  []float64
	atOnce int64
	since  int // moves since stop was asked
}

// Kernel is a set of moves; a sweep makes those of its kernel.
type Kernel uint8

// The moves: each alone is a kernel for the same posterior. Directions, Picks and Jumps reach every state of a fixed
// number of records and fixed centres.
const (
	Directions Kernel = 1 << iota // slices along directions drawn without looking
	Picks                         // slices that move records like one picked from the tables
	Jumps                         // records of one CPT row change their level, and descendants are drawn anew
	Sizes                         // of a latent number of records: copies of one record come or go
	Records                       // the same, the record picked from the tables
	Swaps                         // two levels of one CPT row exchange their records, and descendants are drawn anew
	Centres                       // slices of the centres
	Every      = Directions | Picks | Jumps | Sizes | Records | Swaps | Centres
)

// records is the number of records.
func (c *Chain) records() int64 { return c.counts[c.tabs[c.empty].off] }

// N is the number of records.
func (c *Chain) N() int64 { return c.records() }

// LogWeight is the logarithm of the posterior probability of the state, up to a constant; of a centre the density of
// its coordinates' logarithms.
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
			if tb.centre >= 0 {
				out += c.shared(tb, i).at(n)
			}
			for _, terms := range tb.terms {
				out += terms[i].at(n)
			}
		}
	}
	for s := range c.sums {
		out += c.sums[s].Term.at(c.totals[s])
	}
	for v, h := range c.shares {
		if h != nil {
			out += h.logPrior(c.p.Alpha[v])
		}
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

// Sweep makes the moves of the kernel: one or two slices for every cell of a clique, two jumps and two swaps a node,
// and, every second time, a slice of the centre's every coordinate but one. It looks at stop now and then, and is false
// where it was told to: then the chain stands between two moves.
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
	if c.kernel&(Directions|Picks|Sizes|Records) != 0 {
		for range c.slices {
			if c.slice(); due(1) {
				return false
			}
		}
	}
	for _, block := range [...]struct {
		kind Kernel
		move func()
	}{{Jumps, c.jump}, {Swaps, c.exchange}} {
		if c.kernel&block.kind == 0 {
			continue
		}
		for range c.jumps {
			if block.move(); due(1 + len(c.out.times) + len(c.in.times)) {
				return false
			}
		}
	}
	if c.sweeps++; c.kernel&Centres != 0 && c.sweeps%2 == 0 {
		c.moveCentres()
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
	d.other.out, d.other.in, d.shares = block{}, block{}, nil
	for _, h := range c.shares {
		d.shares = append(d.shares, h.clone())
	}
	return &d
}

// Moves is the number of slices, jumps and swaps of a sweep.
func (l *Layout) Moves() int { return l.slices + 2*l.jumps }

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

// NewChain starts a chain at n records drawn from the network with the given CPTs, each in the order of Chain.Family:
// the tables of a sample, but for a normal approximation of large binomial counts. A public number of records is the
// problem's own whatever n is. All kernels are in use.
func (l *Layout) NewChain(theta [][]float64, n int64, seed [32]byte) *Chain {
	k := len(l.p.Levels)
	src := rand.NewChaCha8(seed)
	c := &Chain{Layout: l, src: src, rng: rand.New(src), counts: make([]int64, l.cells),
		totals: make([]int64, len(l.sums)), x: make([]int, k), to: make([]int, k), kernel: Every,
		share: make([]int64, l.widest), atOnce: atOnce}
	for i := range c.taken {
		c.taken[i].width = max(l.width, 1)
	}
	if !l.p.Latent {
		n = l.p.N
	}
	for v, r := range l.p.Levels {
		c.shares = append(c.shares, nil)
		if l.p.shared(v) {
			c.shares[v] = newCentre(slices.Repeat([]float64{-math.Log(float64(r))}, r))
		}
	}
	c.start(theta, n)
	return c
}

// start fills the tables: a root's counts are multinomial, a child's given the counts of its separator.
func (c *Chain) start(theta [][]float64, n int64) {
	laws := c.calibrate(theta)
	for q, cl := range c.forest.Cliques {
		tb := &c.tabs[c.tableOf(cl.Vars)]
		counts := c.counts[tb.off : tb.off+tb.size]
		sep := &c.tabs[c.tableOf(cl.Separator)]
		cells := make([][]int, sep.size) // of the clique, by separator cell
		c.each(tb, func(i int) { cells[sep.cell(c.x)-sep.off] = append(cells[sep.cell(c.x)-sep.off], i) })
		for s, list := range cells {
			total := n
			if cl.Parent >= 0 {
				total = c.counts[sep.off+s]
			}
			mass := 0.0
			for _, i := range list {
				mass += laws[q][i]
			}
			for j, i := range list {
				share := 1.0
				if j < len(list)-1 && mass > 0 {
					share = min(laws[q][i]/mass, 1)
				} else if j < len(list)-1 {
					share = 1 / float64(len(list)-j)
				}
				counts[i] = binomial(c.rng, total, share)
				total -= counts[i]
				mass = max(mass-laws[q][i], 0)
			}
		}
		for d, child := range c.forest.Cliques { // margins that the children will need
			if child.Parent == q && d > q {
				c.marginal(tb, c.tableOf(child.Separator))
			}
		}
	}
	isClique := map[int]bool{}
	for _, cl := range c.forest.Cliques {
		isClique[c.tableOf(cl.Vars)] = true
	}
	for t := range c.tabs {
		if !isClique[t] {
			home := c.forest.Holding(c.tabs[t].vars)
			c.marginal(&c.tabs[c.tableOf(c.forest.Cliques[home].Vars)], t)
		}
	}
	for s := range c.sums {
		tb := &c.tabs[c.tableOf(c.forest.Cliques[c.forest.Holding(slices.Sorted(slices.Values(c.sums[s].Vars)))].Vars)]
		c.totals[s] = 0
		c.each(tb, func(i int) { c.totals[s] += c.counts[tb.off+i] * c.sums[s].value(c.x) })
	}
}

// tableOf is the table over ascending variables.
func (l *Layout) tableOf(vars []int) int {
	return slices.IndexFunc(l.tabs, func(t tab) bool { return slices.Equal(t.vars, vars) })
}

// each visits the cells of a table with their levels in x.
func (c *Chain) each(tb *tab, visit func(i int)) {
	for i := range tb.size {
		for j, v := range tb.vars {
			c.x[v] = i / tb.stride[j] % c.p.Levels[v]
		}
		visit(i)
	}
}

// marginal sums a clique's table over the variables that table t does not have.
func (c *Chain) marginal(clique *tab, t int) {
	out := &c.tabs[t]
	clear(c.counts[out.off : out.off+out.size])
	c.each(clique, func(i int) { c.counts[out.cell(c.x)] += c.counts[clique.off+i] })
}

// calibrate is the law of every clique's cells in the network with CPTs theta: families multiplied into cliques that
// hold them, messages to the roots and back.
func (c *Chain) calibrate(theta [][]float64) [][]float64 {
	cliques := c.forest.Cliques
	laws, tables := make([][]float64, len(cliques)), make([]*tab, len(cliques))
	for q, cl := range cliques {
		tables[q] = &c.tabs[c.tableOf(cl.Vars)]
		laws[q] = make([]float64, tables[q].size)
		for i := range laws[q] {
			laws[q][i] = 1
		}
	}
	for v, r := range c.p.Levels {
		q := c.forest.Holding(slices.Sorted(slices.Values(c.p.family(v))))
		c.each(tables[q], func(i int) {
			at := 0
			for _, u := range c.p.Parents[v] {
				at = at*c.p.Levels[u] + c.x[u]
			}
			laws[q][i] *= theta[v][at*r+c.x[v]]
		})
	}
	margin := func(q int, sep *tab) []float64 {
		out := make([]float64, sep.size)
		c.each(tables[q], func(i int) { out[sep.cell(c.x)-sep.off] += laws[q][i] })
		return out
	}
	for q := len(cliques) - 1; q >= 0; q-- {
		if p := cliques[q].Parent; p >= 0 {
			sep := &c.tabs[c.tableOf(cliques[q].Separator)]
			m := margin(q, sep)
			c.each(tables[p], func(i int) { laws[p][i] *= m[sep.cell(c.x)-sep.off] })
		}
	}
	for q, cl := range cliques {
		if cl.Parent >= 0 {
			sep := &c.tabs[c.tableOf(cl.Separator)]
			to, from := margin(cl.Parent, sep), margin(q, sep)
			c.each(tables[q], func(i int) {
				if s := sep.cell(c.x) - sep.off; from[s] > 0 {
					laws[q][i] *= to[s] / from[s]
				}
			})
		}
	}
	return laws
}

// binomial draws about Binomial(n, p): by counting up to 64 trials, by rounding a normal draw beyond. Starts need no
// more.
func binomial(r *rand.Rand, n int64, p float64) int64 {
	if n > 64 {
		mean := float64(n) * p
		return min(max(int64(math.Round(mean+math.Sqrt(mean*(1-p))*r.NormFloat64())), 0), n)
	}
	out := int64(0)
	for range n {
		if r.Float64() < p {
			out++
		}
	}
	return out
}

// direction slices along a direction drawn without looking at the state: k records move from level a of a variable to
// level b, their other values u drawn uniformly; or, half of the time, as many move back where one neighbour w of the
// variable has another value, so that only tables with both change and the margins stay.
func (c *Chain) direction() {
	p, r := c.p, c.rng
	v := r.IntN(len(p.Levels))
	if p.Levels[v] < 2 {
		return
	}
	near := c.near[v]
	for _, w := range near {
		c.x[w] = r.IntN(p.Levels[w])
	}
	a := r.IntN(p.Levels[v])
	b := other(r.IntN(p.Levels[v]-1), a)
	c.x[v] = a
	c.line.reset(fixed)
	if len(near) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(near))
		w := near[i]
		here := c.x[w]
		there := other(r.IntN(p.Levels[w]-1), here)
		for k, t := range c.both[v][i] {
			tb, steps := &c.tabs[t], &c.bothSteps[v][i][k]
			at := c.swap(tb, steps[0], a, b, 1)
			c.swapAt(tb, at+(there-here)*steps[1], steps[0], a, b, -1)
		}
		for _, s := range c.sumsOf[v] {
			if _, in := c.sums[s].by[w]; in {
				c.x[w] = here
				step := c.change(s, v, a, b)
				c.x[w] = there
				c.tally(s, step-c.change(s, v, a, b))
			}
		}
		c.move(alongTwo)
		return
	}
	for k, t := range c.of[v] {
		c.swap(&c.tabs[t], c.ofSteps[v][k], a, b, 1)
	}
	for _, s := range c.sumsOf[v] {
		c.tally(s, c.change(s, v, a, b))
	}
	c.move(alongOne)
}

// other is a level that is not a, from the number among the others.
func other(i, a int) int {
	if i >= a {
		return i + 1
	}
	return i
}

// swap touches the cells of a table where records like x go from level a of a variable, x's own, to b; stride is that
// of the variable in the table. It gives the first cell.
func (c *Chain) swap(tb *tab, stride, a, b int, sign int8) int {
	at := tb.cell(c.x)
	c.swapAt(tb, at, stride, a, b, sign)
	return at
}

// swapAt is swap where the first cell is known.
func (c *Chain) swapAt(tb *tab, at, stride, a, b int, sign int8) {
	c.touch(tb, at, -sign)
	c.touch(tb, at+(b-a)*stride, sign)
}

// change is what a linear statistic gains where a record goes from level a of v to b.
func (c *Chain) change(s int32, v, a, b int) int64 {
	c.x[v] = b
	gain := c.sums[s].value(c.x)
	c.x[v] = a
	return gain - c.sums[s].value(c.x)
}

// picked moves records like one that is picked uniformly, x, to x', which has another level in one variable, or levels
// drawn uniformly in a clique or a family, or, rarely, in all variables; x is drawn as far as tables that change know
// it. The pair {x, x'} is picked with probability
// q(x, x')·(H_x + H_x'), q symmetric and free of the state, H_x = ∏_C g_C(x)/∏_S g_S(x) the share of records like x: so
// the slice is on the posterior times H_x + H_x' as they are after the move.
func (c *Chain) picked() {
	p, r := c.p, c.rng
	kind, tables, sums, one := alongAll, c.all.tables, c.all.sums, -1
	switch u := r.IntN(32); {
	case u < 16:
		v := r.IntN(len(p.Levels))
		if p.Levels[v] < 2 {
			return
		}
		kind, tables, sums, one = alongPick, c.of[v], c.sumsOf[v], v
		c.pick(c.at[v], c.x)
		copy(c.to, c.x)
		c.to[v] = other(r.IntN(p.Levels[v]-1), c.x[v])
	case u < 31:
		g := &c.groups[r.IntN(len(c.groups))]
		tables, sums = g.tables, g.sums
		c.pick(g.walk, c.x)
		copy(c.to, c.x)
		for _, v := range g.vars {
			c.to[v] = r.IntN(p.Levels[v])
		}
	default:
		c.pick(c.down, c.x)
		for v := range c.to {
			c.to[v] = r.IntN(p.Levels[v])
		}
	}
	c.line.reset(oneOfTwo)
	for k, t := range tables {
		tb := &c.tabs[t]
		if one >= 0 {
			c.swap(tb, c.ofSteps[one][k], c.x[one], c.to[one], 1)
			continue
		}
		if from, to := tb.cell(c.x), tb.cell(c.to); from != to {
			c.touch(tb, from, -1)
			c.touch(tb, to, 1)
		}
	}
	for _, s := range sums {
		c.tally(s, c.sums[s].value(c.to)-c.sums[s].value(c.x))
	}
	if len(c.line.cells) > 0 {
		c.move(kind)
	}
}

// resize slices along copies of a record, which changes the latent number of records: of a configuration drawn
// uniformly, on the posterior; or of a record picked uniformly, which happens with probability H_x, on the posterior
// times H_x after the move.
func (c *Chain) resize(pick bool) {
	if pick {
		c.line.reset(oneOnly)
		c.pick(c.down, c.x)
	} else {
		c.line.reset(fixed)
		for v, r := range c.p.Levels {
			c.x[v] = c.rng.IntN(r)
		}
	}
	for t := range c.tabs {
		c.touch(&c.tabs[t], c.tabs[t].cell(c.x), 1)
	}
	for s := range c.sums {
		c.tally(int32(s), c.sums[s].value(c.x))
	}
	c.line.hi = min(c.line.hi, maxCount-c.records()) // where nothing else bounds them
	c.move(alongSize)
}
