package latent

import (
	"math/rand/v2"
	"slices"
)

// Rows are the laws of a row of a node's table, at the parent's level x (0 of a root): for every number of records of
// the row, how many are at the node's level 1. Their probabilities add up to 1 in all.
func (t *Tree) Rows(v, x int) []Law { return t.nodes[v].after[x] }

// Counts draws the tables: the families of all nodes, node by node as Chain.Family gives them. Draws are independent.
func (t *Tree) Counts(r *rand.Rand) []int64 {
	state := make([]int, len(t.nodes))
	out := make([][]int64, len(t.nodes))
	for _, v := range t.l.order {
		b := t.nodes[v]
		if b.parent < 0 {
			state[v] = b.lo + pick(r, b.p)
			out[v] = []int64{int64(t.n - state[v]), int64(state[v])}
			continue
		}
		a := state[b.parent]
		row := &b.rows[a-b.from]
		one, zero := b.pair(r, row, a)
		state[v] = one + zero
		out[v] = []int64{int64(t.n - a - zero), int64(zero), int64(a - one), int64(one)}
	}
	return slices.Concat(out...)
}

// Draw draws the tables' counts and CPTs given them, each node in the order of Chain.Family.
func (t *Tree) Draw(src rand.Source) (counts []int64, theta [][]float64) {
	counts = t.Counts(rand.New(src))
	at := 0
	starts := make([]int, len(t.nodes))
	for v, b := range t.nodes {
		starts[v] = at
		if at += 2; b.parent >= 0 {
			at += 2
		}
	}
	return counts, t.l.draw(src, func(v int, out []int64) { copy(out, counts[starts[v]:]) })
}

// pair draws t and s given the parent's count a: t from its law given a, s given both.
func (b *branch) pair(r *rand.Rand, row *pairRow, a int) (one, zero int) {
	i := pick(r, b.after[1][a-b.from].P)
	one = row.one.lo + i
	if b.plain {
		return one, row.zero.lo + pick(r, row.zero.p)
	}
	cells, g := b.overlap(row, i)
	w := make([]float64, len(cells))
	for k, q := range cells {
		w[k] = q * g[k]
	}
	from := max(0, b.lo-one-row.zero.lo)
	return one, row.zero.lo + from + pick(r, w)
}

// pick draws a place with the given weights.
func pick(r *rand.Rand, w []float64) int {
	total := 0.0
	for _, x := range w {
		total += x
	}
	u := r.Float64() * total
	last := 0
	for i, x := range w {
		if x > 0 {
			last = i
			if u -= x; u < 0 {
				return i
			}
		}
	}
	return last
}
