package latent

import "math"

// jump moves k records of one row of a CPT from level a of a node v to level b, and draws their descendants anew: k
// log-uniform on 1 … K, K four standard deviations of the noise, the row, a and b uniform. k random records with (row,
// a) are taken out, without replacement; v is set to b; each descendant is drawn, record after record, by the Pólya urn
// of its row. Over data sets the urn's probabilities cancel the descendants' part of the prior; what is left is
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
	nodes := len(p.Levels)
	c.moved = c.moved[:0]
	for range k {
		c.pick(c.from[v], c.x)
		c.moved = append(c.moved, c.x...)
		ratio += c.shift(c.x, -1)
	}
	for i := range int(k) {
		copy(c.to, c.moved[i*nodes:(i+1)*nodes])
		c.to[v] = b
		for _, w := range c.below[v] {
			c.to[w] = c.drawn(w, c.to)
		}
		c.moved = append(c.moved, c.to...)
		ratio += c.shift(c.to, 1)
	}
	if math.Log(1-r.Float64()) < ratio {
		return
	}
	for i := range int(k) {
		c.add(c.moved[i*nodes:(i+1)*nodes], 1)
		c.add(c.moved[(int(k)+i)*nodes:(int(k)+i+1)*nodes], -1)
	}
}

// drawn is a level of node w by the urn of its row in record x: (α_l + count)/(their sum).
func (c *Chain) drawn(w int, x []int) int {
	tb, stride := &c.tabs[c.family[w]], c.rows[w].stride
	x[w] = 0
	base, total := tb.cell(x), 0.0
	urn := c.urn[:c.p.Levels[w]]
	for l := range urn {
		total += c.p.Alpha[w][l] + float64(c.counts[base+l*stride])
		urn[l] = total
	}
	u := c.rng.Float64() * total
	for l, up := range urn {
		if u < up {
			return l
		}
	}
	return len(urn) - 1
}

// shift adds a record k times to all tables and gives the change of the logarithm of the noise.
func (c *Chain) shift(x []int, k int64) float64 {
	out := 0.0
	for t := range c.tabs {
		tb := &c.tabs[t]
		cell := tb.cell(x)
		n := c.counts[cell]
		c.counts[cell] = n + k
		for _, terms := range tb.terms {
			term := &terms[cell-tb.off]
			out += term.at(n+k) - term.at(n)
		}
	}
	for s := range c.sums {
		n := c.totals[s]
		c.totals[s] = n + k*c.sums[s].value(x)
		out += c.sums[s].Term.at(c.totals[s]) - c.sums[s].Term.at(n)
	}
	return out
}
