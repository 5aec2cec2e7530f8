package latent

import (
	"math"
	"slices"
)

// jump is a block move: it takes k records of one row of a CPT from level a of a node v to level b, and draws their
// descendants anew: k log-uniform on 1 … K, K four standard deviations of the noise, the row, a and b uniform. k random records with (row,
// a) are taken out, without replacement; v is set to b; each descendant is drawn by the Pólya urn of its row, which
// takes the records in any order; records that are alike are one group, taken out and drawn at once. Over data sets the
// urn's probabilities cancel the descendants' part of the prior; what is left is
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
	ratio := 0.0
	if w := c.urns[v][a]; w != nil {
		ratio += w.at(na-k) - w.at(na)
	}
	if w := c.urns[v][b]; w != nil {
		ratio += w.at(nb+k) - w.at(nb)
	}
	h := &c.blockMoves[v]
	c.take(h.walk, k)
	for i := range c.out.times {
		ratio += c.shift(h.all, h.sums, c.out.record(i), -c.out.times[i])
	}
	c.merge(h, v, b)
	for _, w := range h.below {
		ratio += c.redraw(w)
	}
	for i := range c.in.times {
		ratio += c.shift(h.late, h.sums, c.in.record(i), c.in.times[i])
	}
	if math.Log(1-r.Float64()) < ratio {
		return
	}
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
