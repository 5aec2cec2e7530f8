package latent

import (
	"cmp"
	"math"
	"slices"
)

// jump is a block move: it takes k records of one row of a CPT from level a of a node v to level b, and draws their
// descendants anew: k log-uniform on 1 … K, K four standard deviations of the noise, the row, a and b uniform. k random
// records with (row, a) are taken out, without replacement; v is set to b; each descendant is drawn by the Pólya urn of
// its row, which takes the records in any order; records that are alike are one group, taken out and drawn at once.
// Over data sets the urn's probabilities cancel the descendants' part of the prior; what is left is
//
//	Γ(α_a + N_a − k)Γ(α_b + N_b + k)/(Γ(α_a + N_a)Γ(α_b + N_b)) · C(N_a, k)/C(N_b + k, k) · the ratio of the noise,
//
// of which the first two are 1 where all α are.
func (c *Chain) jump() {
	p, r := c.p, c.rng
	v := r.IntN(len(p.Levels))
	most := min(c.records(), c.reach)
	if p.Levels[v] < 2 || most == 0 {
		return
	}
	for _, u := range p.Parents[v] {
		c.x[u] = r.IntN(p.Levels[u])
	}
	a := r.IntN(p.Levels[v])
	b := other(r.IntN(p.Levels[v]-1), a)
	k := min(int64(math.Exp(r.Float64()*math.Log(float64(most+1)))), most)
	family := &c.tabs[c.family[v]]
	c.x[v] = b
	nb := c.counts[family.cell(c.x)]
	c.x[v] = a
	na := c.counts[family.cell(c.x)]
	if k > na {
		return
	}
	h := &c.blockMoves[v]
	ratio := c.urnAt(v, a, na-k) - c.urnAt(v, a, na) + c.urnAt(v, b, nb+k) - c.urnAt(v, b, nb)
	ratio += c.takeOut(h, k)
	if ratio += c.putIn(h, v, b); math.Log(1-r.Float64()) >= ratio {
		c.undo(h)
	}
}

// exchange is a swap: all records of levels a and b of one row of a CPT exchange their level, at most as many as a jump
// may move, their descendants drawn anew, first those that had a and then those that had b. The sum of the two counts
// stays. Over data sets it undoes itself, so that it is accepted with
//
//	Γ(α_a + N_b)Γ(α_b + N_a)/(Γ(α_a + N_a)Γ(α_b + N_b)) · the ratio of the noise.
func (c *Chain) exchange() {
	p, r := c.p, c.rng
	v := r.IntN(len(p.Levels))
	if p.Levels[v] < 2 {
		return
	}
	for _, u := range p.Parents[v] {
		c.x[u] = r.IntN(p.Levels[u])
	}
	a := r.IntN(p.Levels[v])
	b := other(r.IntN(p.Levels[v]-1), a)
	family := &c.tabs[c.family[v]]
	c.x[v] = b
	nb := c.counts[family.cell(c.x)]
	c.x[v] = a
	na := c.counts[family.cell(c.x)]
	if na+nb == 0 || na+nb > c.reach {
		return
	}
	h := &c.blockMoves[v] // factorials cancel
	ratio := c.urnAt(v, a, nb) - c.urnAt(v, a, na) + c.urnAt(v, b, na) - c.urnAt(v, b, nb)
	ratio += c.takeOut(h, na)
	c.turn()
	c.x[v] = b
	ratio += c.takeOut(h, nb)
	c.turn()
	ratio += c.putIn(h, v, b)
	c.turn()
	if ratio += c.putIn(h, v, a); math.Log(1-r.Float64()) >= ratio {
		c.undo(h)
		c.turn()
		c.undo(h)
	}
}

// turn is between the two levels of a swap.
func (c *Chain) turn() {
	c.out, c.other.out = c.other.out, c.out
	c.in, c.other.in = c.other.in, c.in
}

// urnAt is ln Γ(α_l + count)/(Γ(α_l)·count!).
func (c *Chain) urnAt(v, level int, count int64) float64 {
	if h := c.shares[v]; h != nil {
		return h.level[level].at(count) + c.factorial.at(count)
	}
	if w := c.urns[v][level]; w != nil {
		return w.at(count)
	}
	return 0
}

// takeOut takes k records of the family's cell that c.x holds out of all tables, and gives the change of the logarithm
// of the noise.
func (c *Chain) takeOut(h *blockMove, k int64) (noise float64) {
	c.take(h.walk, k)
	for i := range c.out.times {
		noise += c.shift(h.all, h.sums, c.out.record(i), -c.out.times[i])
	}
	return noise
}

// putIn puts them back with level b of v and descendants drawn anew, and gives the change of the logarithm of the
// noise.
func (c *Chain) putIn(h *blockMove, v, b int) (noise float64) {
	c.merge(h, v, b)
	for _, w := range h.below {
		noise += c.redraw(w)
	}
	for i := range c.in.times {
		noise += c.shift(h.late, h.sums, c.in.record(i), c.in.times[i])
	}
	return noise
}

// undo puts the tables back as they were.
func (c *Chain) undo(h *blockMove) {
	for i := range c.in.times {
		c.put(h.all, h.sums, c.in.record(i), -c.in.times[i])
	}
	for i := range c.out.times {
		c.put(h.all, h.sums, c.out.record(i), c.out.times[i])
	}
}

// shift adds a record k times to tables and statistics, and gives the change of the logarithm of the noise.
func (c *Chain) shift(tables, sums []int32, x []int, k int64) float64 {
	out := 0.0
	for _, t := range tables {
		tb := &c.tabs[t]
		cell := tb.cell(x)
		n := c.counts[cell]
		c.counts[cell] = n + k
		for _, terms := range tb.terms {
			term := &terms[cell-tb.off]
			out += term.at(n+k) - term.at(n)
		}
	}
	for _, s := range sums {
		n := c.totals[s]
		c.totals[s] = n + k*c.sums[s].value(x)
		out += c.sums[s].Term.at(c.totals[s]) - c.sums[s].Term.at(n)
	}
	return out
}

// put is shift without the noise.
func (c *Chain) put(tables, sums []int32, x []int, k int64) {
	for _, t := range tables {
		c.counts[c.tabs[t].cell(x)] += k
	}
	for _, s := range sums {
		c.totals[s] += k * c.sums[s].value(x)
	}
}

// blockMove is what a block move of a node touches: the tables and statistics with the node or a descendant.
type blockMove struct {
	all    []int32 // tables
	late   []int32 // those but the families of descendants, which count what was drawn so far
	sums   []int32
	below  []int   // the descendants that are drawn anew, parents first
	kept   []int   // the other variables of the tables
	walk   []int32 // picks the variables of the tables, given a cell of the node's family
	merges bool    // configurations of kept are numbers
}

// blockMove is the one of a node; walk goes over all variables, given its family.
func (l *Layout) blockMove(v int, walk []int32) blockMove {
	g := l.group(append([]int{v}, l.below[v]...))
	h := blockMove{all: g.tables, sums: g.sums, below: l.below[v], merges: true}
	needed := l.scope(g)
	h.walk = l.prune(walk, needed)
	for _, t := range h.all {
		if !slices.ContainsFunc(h.below, func(w int) bool { return l.family[w] == int(t) }) {
			h.late = append(h.late, t)
		}
	}
	configs := 1.0
	for _, u := range needed {
		if !slices.Contains(h.below, u) {
			h.kept = append(h.kept, u)
			configs *= float64(l.p.Levels[u])
		}
	}
	h.merges = configs < 1<<62
	return h
}

// block is records in groups that are alike as far as a jump has to know them.
type block struct {
	nodes int
	x     []int
	times []int64 // the records of each group
}

func (b *block) record(i int) []int { return b.x[i*b.nodes : (i+1)*b.nodes] }

func (b *block) reset(nodes int) { b.nodes, b.x, b.times = nodes, b.x[:0], b.times[:0] }

func (b *block) add(x []int, times int64) {
	b.x, b.times = append(b.x, x...), append(b.times, times)
}

// split gives counts[j] records of group i the values codes[j] of vars: one part stays group i, the others are added.
func (b *block) split(i int, counts []int64, vars []int, codes [][]int32) {
	g := i
	for j, n := range counts {
		if n == 0 {
			continue
		}
		if g < 0 {
			g = len(b.times)
			b.add(b.record(i), n)
		}
		b.times[g] = n
		x := b.record(g)
		for k, v := range vars {
			x[v] = int(codes[j][k])
		}
		g = -1
	}
}

// take draws k records of the family's cell that c.x holds, without replacement, clique by clique. The tables stay as
// they are.
func (c *Chain) take(walk []int32, k int64) {
	out := &c.out
	if out.reset(len(c.x)); k == 0 {
		return
	}
	out.add(c.x, k)
	for _, w := range walk {
		s := &c.steps[w]
		if len(s.fresh) == 0 {
			continue
		}
		tb, counts := &c.tabs[s.clique], c.share[:len(s.offsets)]
		for i := range len(out.times) {
			x := out.record(i)
			for _, u := range s.fresh {
				x[u] = 0
			}
			c.without(out.times[i], tb.cell(x), s.offsets, counts)
			out.split(i, counts, s.fresh, s.codes)
		}
		for i, times := range out.times {
			c.counts[tb.cell(out.record(i))] += times
		}
	}
}

// atOnce is how many records for each value it pays to draw by numbers and not one by one: the law is the same.
const atOnce = 4

// without draws k of the records in cells, and takes them out.
func (c *Chain) without(k int64, base int, cells []int32, out []int64) {
	total := int64(0)
	for _, o := range cells {
		total += c.counts[base+int(o)]
	}
	if k > c.atOnce*int64(len(cells)-1) {
		for j, o := range cells {
			n := &c.counts[base+int(o)]
			d := c.urn(k, -float64(*n), -float64(total-*n))
			total -= *n
			*n -= d
			k -= d
			out[j] = d
		}
		return
	}
	clear(out)
	for ; k > 0; k-- {
		j, u := 0, c.rng.Int64N(total)
		for ; j < len(cells)-1; j++ {
			if u -= c.counts[base+int(cells[j])]; u < 0 {
				break
			}
		}
		out[j]++
		c.counts[base+int(cells[j])]--
		total--
	}
}

// merge makes of the records taken out those to put in: v is set to b, and groups that differ in descendants only,
// which are to be drawn, are one.
func (c *Chain) merge(h *blockMove, v, b int) {
	out, in := &c.out, &c.in
	in.reset(out.nodes)
	if !h.merges || len(h.below) == 0 {
		in.x, in.times = append(in.x, out.x...), append(in.times, out.times...)
		for i := range in.times {
			in.record(i)[v] = b
		}
		return
	}
	c.keys = c.keys[:0]
	for i := range out.times {
		key, x := uint64(0), out.record(i)
		for _, u := range h.kept {
			key = key*uint64(c.p.Levels[u]) + uint64(x[u])
		}
		c.keys = append(c.keys, groupKey{key, i})
	}
	slices.SortFunc(c.keys, func(a, b groupKey) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.group, b.group))
	})
	for i, k := range c.keys {
		if i > 0 && k.key == c.keys[i-1].key {
			in.times[len(in.times)-1] += out.times[k.group]
			continue
		}
		in.add(out.record(k.group), out.times[k.group])
		in.record(len(in.times) - 1)[v] = b
	}
}

// groupKey is the configuration of a group as a number.
type groupKey struct {
	key   uint64
	group int
}

// redraw draws a descendant in all groups by the urns of its family, which has what it drew so far, and gives the
// change of the logarithm of the noise of the family's table.
func (c *Chain) redraw(w int) (noise float64) {
	in, t := &c.in, c.family[w]
	tb, stride := &c.tabs[t], c.rows[w].stride
	alpha, counts := c.Alpha(w), c.share[:c.p.Levels[w]]
	vars := [1]int{w}
	for i := range len(in.times) {
		x, k := in.record(i), in.times[i]
		x[w] = 0
		base := tb.cell(x)
		c.deal(k, base, stride, alpha, counts)
		for l, d := range counts {
			if d == 0 {
				continue
			}
			cell := base + l*stride
			n := c.counts[cell]
			c.counts[cell] = n + d
			for _, terms := range tb.terms {
				term := &terms[cell-tb.off]
				noise += term.at(n+d) - term.at(n)
			}
		}
		in.split(i, counts, vars[:], c.levels)
	}
	return noise
}

// deal draws k levels by the urn of a row: each with probability (α_l + count)/(their sum), and one more in the count.
func (c *Chain) deal(k int64, base, stride int, alpha []float64, out []int64) {
	total, least := 0.0, alpha[0]
	for l, a := range alpha {
		total += a + float64(c.counts[base+l*stride])
		least = min(least, a+float64(c.counts[base+l*stride]))
	}
	if k > c.atOnce*int64(len(alpha)-1) && least >= 1 {
		for l, a := range alpha {
			a += float64(c.counts[base+l*stride])
			total -= a
			d := k
			if l < len(alpha)-1 {
				d = c.urn(k, a, total)
			}
			k -= d
			out[l] = d
		}
		return
	}
	clear(out)
	for ; k > 0; k-- {
		l, u := 0, c.rng.Float64()*total
		for ; l < len(alpha)-1; l++ {
			if u -= alpha[l] + float64(c.counts[base+l*stride]+out[l]); u < 0 {
				break
			}
		}
		out[l]++
		total++
	}
}
