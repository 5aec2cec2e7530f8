package latent

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
	c.line.reset(fixed)
	if len(near) > 0 && r.IntN(2) == 0 {
		i := r.IntN(len(near))
		w := near[i]
		here := c.x[w]
		there := other(r.IntN(p.Levels[w]-1), here)
		for _, t := range c.both[v][i] {
			tb := &c.tabs[t]
			c.x[w] = here
			c.swap(tb, v, a, b, 1)
			c.x[w] = there
			c.swap(tb, v, a, b, -1)
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
	for _, t := range c.of[v] {
		c.swap(&c.tabs[t], v, a, b, 1)
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

// swap touches the cells of a table where records go from level a of v to b.
func (c *Chain) swap(tb *tab, v, a, b int, sign int8) {
	c.x[v] = a
	c.touch(tb, tb.cell(c.x), -sign)
	c.x[v] = b
	c.touch(tb, tb.cell(c.x), sign)
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
	kind, tables, sums := alongAll, c.all.tables, c.all.sums
	switch u := r.IntN(32); {
	case u < 16:
		v := r.IntN(len(p.Levels))
		if p.Levels[v] < 2 {
			return
		}
		kind, tables, sums = alongPick, c.of[v], c.sumsOf[v]
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
	for _, t := range tables {
		tb := &c.tabs[t]
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
