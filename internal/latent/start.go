package latent

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/sample"
)

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
	c.start(theta, n)
	return c
}

// Prior draws CPTs from the prior.
func (l *Layout) Prior(src rand.Source) [][]float64 {
	return l.draw(src, func(int, []int64) {})
}

// Draw draws CPTs given the latent tables: Dirichlet(α + count) rows, each node in the order of Chain.Family.
func (c *Chain) Draw() [][]float64 { return c.draw(c.rng, c.Family) }

func (l *Layout) draw(src rand.Source, family func(v int, out []int64)) [][]float64 {
	out := make([][]float64, len(l.p.Levels))
	var counts []int64
	alpha := make([]float64, slices.Max(l.p.Levels))
	for v, r := range l.p.Levels {
		cells := r * len(l.rows[v].configs)
		counts = append(counts[:0], make([]int64, cells)...)
		family(v, counts)
		out[v] = make([]float64, cells)
		for lo := 0; lo < cells; lo += r {
			for i := range r {
				alpha[i] = l.p.Alpha[v][i] + float64(counts[lo+i])
			}
			row := out[v][lo : lo+r]
			sample.LogDirichlet(src, alpha[:r], row)
			total := 0.0
			for i := range row {
				row[i] = math.Exp(row[i])
				total += row[i]
			}
			for i := range row {
				row[i] /= total
			}
		}
	}
	return out
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
