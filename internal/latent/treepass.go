package latent

import (
	"context"
	"math"
)

// gather finds a node's G: which states are kept, the rows of its children given each, and their messages. ok is false
// where that takes more than the limit of work.
func (t *Tree) gather(ctx context.Context, b *branch, limit float64) (ok bool, err error) {
	n := t.n
	if b.plain = b.own == nil && len(b.children) == 0; b.plain {
		b.lo, b.g = 0, nil
		return true, nil
	}
	rho := make([]float64, n+1) // ln of a bound of G over the largest of the children's
	copy(rho, b.own)
	for _, w := range b.children {
		for a, r := range t.nodes[w].reach {
			rho[a] += r
		}
	}
	lo, hi, far := kept(rho, 0, farCut)
	if t.Work += float64(hi-lo+1) * float64(n+2) * float64(len(b.children)); t.Work > limit {
		return false, nil
	}
	t.Work -= float64(hi-lo+1) * float64(n+2) * float64(len(b.children)) // counted again as rows are made
	for _, w := range b.children {
		c := t.nodes[w]
		c.rows, c.from = make([]pairRow, hi-lo+1), lo
		for i := range c.rows {
			if err := ctx.Err(); err != nil {
				return false, err
			}
			a := lo + i
			s1, one, cut1 := t.row(c, 1, a)
			s0, zero, cut0 := t.row(c, 0, n-a)
			c.rows[i] = pairRow{one: one, zero: zero, cut: cut1/one.sum + cut0/zero.sum + cut1/one.sum*cut0/zero.sum,
				rho: s1 + s0 + math.Log(one.sum) + math.Log(zero.sum)}
			if t.size > treeRows {
				return false, nil
			}
			rho[a] += c.rows[i].rho + math.Log1p(c.rows[i].cut) - c.reach[a]
		}
	}
	from, to, near := kept(rho[lo:hi+1], lo, stateCut)
	work := 0.0
	for _, w := range b.children {
		c := t.nodes[w]
		c.rows, c.from = c.rows[from-lo:to-lo+1], from
		for _, r := range c.rows {
			work += float64(len(r.one.p)) * float64(min(len(r.zero.p), max(len(c.g), 1)))
		}
	}
	if t.Work += 4 * work; t.Work > limit { // twice, and the second time is slower
		return false, nil
	}
	b.lo, b.g = from, make([]float64, to-from+1)
	return true, t.messages(ctx, b, math.Max(far, near))
}

// messages multiplies the children's messages to G, scaled to 1, and bounds what is missing. outside is ln of a bound
// of G beyond the states kept, over the children's largest.
func (t *Tree) messages(ctx context.Context, b *branch, outside float64) error {
	missing := make([]float64, len(b.g)) // relative to g: ln(1 + …)
	high := make([]float64, len(b.g))    // ln of the bound, for where nothing meets
	for i := range b.g {
		if err := ctx.Err(); err != nil {
			return err
		}
		if b.own != nil {
			b.g[i], high[i] = b.own[b.lo+i], b.own[b.lo+i]
		}
		for _, w := range b.children {
			c := t.nodes[w]
			r := &c.rows[i]
			all := r.one.sum * r.zero.sum
			m, above := all, (c.gain+r.cut*(1+c.gain))*all
			if !c.plain {
				m = c.meet(r)
			}
			r.message = m
			b.g[i] += r.rho + math.Log(m/all)
			high[i] += r.rho + math.Log((m+above)/all)
			missing[i] += math.Log1p(above / m)
		}
	}
	best := math.Inf(-1)
	for _, x := range b.g {
		best = max(best, x)
	}
	rise := 1.0
	for _, w := range b.children {
		rise *= 1 + t.nodes[w].gain
	}
	b.gain = math.Exp(outside-best) * rise
	for i, x := range b.g {
		if b.g[i] = math.Exp(x - best); b.g[i] == 0 {
			b.gain = math.Max(b.gain, math.Exp(high[i]-best))
		} else {
			b.gain = math.Max(b.gain, b.g[i]*math.Expm1(missing[i]))
		}
	}
	return nil
}

// meet is Σ_t Σ_s one(t)·zero(s)·G(t + s).
func (b *branch) meet(r *pairRow) (sum float64) {
	for i, p := range r.one.p {
		zero, g := b.overlap(r, i)
		inner := 0.0
		for k, q := range zero {
			inner += q * g[k]
		}
		sum += p * inner
	}
	return sum
}

// overlap is the zeros s and the G(t + s) of one t where both are kept.
func (b *branch) overlap(r *pairRow, i int) (zero, g []float64) {
	shift := r.one.lo + i + r.zero.lo - b.lo // place in g of the first zero
	from, to := max(0, -shift), min(len(r.zero.p), len(b.g)-shift)
	if from >= to {
		return nil, nil
	}
	return r.zero.p[from:to], b.g[shift+from : shift+to]
}

// kept is the hull of the states whose x is within cut of the largest, with the largest x outside it.
func kept(x []float64, base int, cut float64) (lo, hi int, outside float64) {
	best := math.Inf(-1)
	for _, v := range x {
		best = max(best, v)
	}
	lo, hi, outside = 0, len(x)-1, math.Inf(-1)
	for x[lo] < best-cut {
		outside = max(outside, x[lo])
		lo++
	}
	for x[hi] < best-cut {
		outside = max(outside, x[hi])
		hi--
	}
	return base + lo, base + hi, outside
}

// root is the posterior of a root's count, and adds to Short what the root's part of the forest misses.
func (t *Tree) root(b *branch) {
	if b.plain {
		b.lo, b.g = 0, make([]float64, t.n+1)
		for i := range b.g {
			b.g[i] = 1
		}
	}
	b.p = make([]float64, len(b.g))
	sum := 0.0
	for i, g := range b.g {
		a := b.lo + i
		b.p[i] = g * math.Exp(b.cells[0][1][a]+b.cells[0][0][t.n-a]+b.norm[t.n])
		sum += b.p[i]
	}
	for i := range b.p {
		b.p[i] /= sum
	}
	t.Short += b.gain / (sum + b.gain)
	b.after[0] = []Law{{t.n, b.lo, b.p}}
}

// spread takes the posterior of a node's parent to the node's two rows and its own count.
func (t *Tree) spread(ctx context.Context, b *branch) error {
	up := t.nodes[b.parent]
	b.p = make([]float64, len(b.g))
	for i := range b.rows {
		if err := ctx.Err(); err != nil {
			return err
		}
		r, a := &b.rows[i], b.from+i
		one := Law{a, r.one.lo, make([]float64, len(r.one.p))}
		zero := Law{t.n - a, r.zero.lo, make([]float64, len(r.zero.p))}
		if b.plain {
			for k, p := range r.one.p {
				one.P[k] = up.p[i] * p / r.one.sum
			}
			for k, p := range r.zero.p {
				zero.P[k] = up.p[i] * p / r.zero.sum
			}
		} else {
			t.share(b, r, up.p[i], one.P, zero.P)
		}
		b.after[1], b.after[0] = append(b.after[1], one), append(b.after[0], zero)
	}
	return nil
}

// share adds P(t, s | a, y)·P(a | y) to the laws of t, s and t + s.
func (t *Tree) share(b *branch, r *pairRow, p float64, one, zero []float64) {
	for i, x := range r.one.p {
		cells, g := b.overlap(r, i)
		shift := r.one.lo + i + r.zero.lo - b.lo
		from := max(0, -shift)
		x *= p / r.message
		for k, q := range cells {
			y := x * q * g[k]
			one[i] += y
			zero[from+k] += y
			b.p[shift+from+k] += y
		}
	}
}
