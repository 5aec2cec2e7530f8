package latent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
)

// Tree is the exact posterior of the tables of a forest of two-level nodes, each with at most one parent, given noisy
// counts of single nodes and of pairs of parent and child, n public. A parent with a records at its level 1 and n − a
// at level 0 leaves its child two free counts: t of the a, and s of the n − a, that are at the child's level 1. With
// the Beta-binomial law B(t; a) = C(a,t)·Γ(α_1+t)Γ(α_0+a−t)Γ(A)/(Γ(α_1)Γ(α_0)Γ(A+a)) and the noise N of each cell,
//
//	M(a) = Σ_t Σ_s B(t; a)·N_11(t)N_10(a−t) · B(s; n−a)·N_01(s)N_00(n−a−s) · G(t+s)
//
// is the message to the parent, a vector over one integer, G(b) the child's own noise times the messages of its
// children. All terms are positive.
//
// Tails are cut where rows and states are improbable. As B is a law and N ≤ 1, a message is at most what its two rows
// weigh times the largest G; so each message has a bound from above, too, and 1 − lower/upper at the root bounds the
// total variation distance of the law with cut tails from the posterior: Short.
type Tree struct {
	// Short bounds the total variation distance of the tree's law, without rounding, from the posterior.
	Short float64
	// Work is how many products were formed and terms looked at.
	Work float64

	l     *Layout
	n     int
	nodes []*branch
	size  int // of all rows
}

// branch is a node with what is known of the records at its level 1.
type branch struct {
	parent   int
	children []int
	own      []float64       // ln N of the node's own noisy counts, by the records at level 1; nil where there are none
	cells    [2][2][]float64 // [parent's level][level]: ln Γ(α_l + c)/(Γ(α_l)·c!) + ln N(c)
	norm     []float64       // ln m!·Γ(A)/Γ(A + m) of a row of m records
	reach    []float64       // ln of a bound of N over all tables with a records at the parent's level 1

	lo    int // states that are kept: lo, lo + 1, …
	g     []float64
	gain  float64 // a bound of G outside lo …, and of what is missing inside: G is scaled to 1
	plain bool    // nothing is known: G = 1
	rows  []pairRow
	from  int       // the parent's state of rows[0]
	p     []float64 // posterior of lo, lo + 1, …
	after [2][]Law  // by the parent's level; of a root the first
}

// pairRow are the two rows of a child's table given the parent's count.
type pairRow struct {
	one, zero line1 // of the parent's levels 1 and 0
	rho       float64
	cut       float64
	message   float64
}

// line1 is weights of counts lo, lo + 1, …, the largest 1.
type line1 struct {
	lo  int
	p   []float64
	sum float64
}

// Law is a law of the records at level 1 of a row of Total records: P[i] is the probability of Lo + i and of Total.
type Law struct {
	Total, Lo int
	P         []float64
}

// What is cut, in natural logarithms below the largest, and the limits of the work.
const (
	rowCut   = 65.0
	stateCut = 55.0
	farCut   = 85.0
	// TreeWork bounds products formed and terms looked at: about a second. TreeShort is the largest Short.
	TreeWork  = 6e8
	TreeShort = 1e-15
	// treeCells bounds the numbers of states of all nodes, and treeRows the weights of rows that are kept: 200 MB.
	treeCells = 3e6
	treeRows  = 1e7
)

// NewTree is the exact posterior of a layout's problem; nil where it has none: other nodes, tables of nodes that are
// not parent and child, linear statistics, a latent number of records, or more than limit of work or than 200 MB. It
// does not depend on how fast the machine is. Errors: the context's.
func NewTree(ctx context.Context, l *Layout, limit float64) (*Tree, error) {
	p := l.p
	if p.Latent || len(p.Sums) > 0 || float64(p.N+1)*float64(len(p.Levels)) > treeCells {
		return nil, nil
	}
	for v, r := range p.Levels {
		if r != 2 || len(p.Parents[v]) > 1 || p.shared(v) {
			return nil, nil
		}
	}
	t := &Tree{l: l, n: int(p.N), nodes: make([]*branch, len(p.Levels))}
	for v := range t.nodes {
		b := &branch{parent: -1, norm: make([]float64, t.n+1)}
		t.nodes[v] = b
		if len(p.Parents[v]) == 1 {
			b.parent = p.Parents[v][0]
			b.reach = make([]float64, t.n+1)
		}
		t.prior(b, p.Alpha[v])
	}
	for v, b := range t.nodes {
		if b.parent >= 0 {
			t.nodes[b.parent].children = append(t.nodes[b.parent].children, v)
		}
	}
	for _, m := range p.Tables {
		if !t.measure(m) {
			return nil, nil
		}
	}
	for _, v := range slices.Backward(l.order) {
		if ok, err := t.gather(ctx, t.nodes[v], limit); err != nil || !ok {
			return nil, err
		}
	}
	for _, v := range l.order {
		if b := t.nodes[v]; b.parent < 0 {
			t.root(b)
		} else if err := t.spread(ctx, b); err != nil {
			return nil, err
		}
	}
	if t.Work > limit || !(t.Short <= TreeShort) {
		return nil, nil
	}
	return t, nil
}

// prior fills in the parts of the Beta-binomial law.
func (t *Tree) prior(b *branch, alpha []float64) {
	for l, a := range alpha {
		f, sum := make([]float64, t.n+1), 0.0
		for c := range t.n {
			sum += math.Log((a + float64(c)) / float64(c+1))
			f[c+1] = sum
		}
		b.cells[0][l] = f
		b.cells[1][l] = slices.Clone(f)
	}
	sum := 0.0
	for m := range t.n {
		sum += math.Log(float64(m+1) / (alpha[0] + alpha[1] + float64(m)))
		b.norm[m+1] = sum
	}
}

// measure adds a noisy table; false where it is of no node and of no pair of parent and child.
func (t *Tree) measure(m Table) bool {
	cells := append(slices.Clone(m.Cells), make([]Term, 4)...)
	switch len(m.Vars) {
	case 1:
		b := t.nodes[m.Vars[0]]
		if b.own == nil {
			b.own = make([]float64, t.n+1)
		}
		for c := range b.own {
			b.own[c] += cells[1].at(int64(c)) + cells[0].at(int64(t.n-c))
		}
		return true
	case 2:
	default:
		return false
	}
	u, v, step := m.Vars[0], m.Vars[1], [2]int{2, 1}
	if t.nodes[u].parent == v {
		u, v, step = v, u, [2]int{1, 2}
	}
	b := t.nodes[v]
	if b.parent != u {
		return false
	}
	for x := range 2 {
		for y := range 2 {
			term := &cells[x*step[0]+y*step[1]]
			for c := range b.cells[x][y] {
				b.cells[x][y][c] += term.at(int64(c))
			}
		}
		for a := range b.reach {
			records := int64(a)
			if x == 0 {
				records = int64(t.n - a)
			}
			b.reach[a] += bestOf(&cells[x*step[0]], &cells[x*step[0]+step[1]], records)
		}
	}
	return true
}

// bestOf bounds the sum of two terms whose counts add up to m: their noises together have moved |U·m − y − y'|. Terms
// are logarithms of probabilities up to a constant, at most 0.
func bestOf(a, b *Term, m int64) float64 {
	if a.kind != b.kind || a.unit != b.unit || a.rate != b.rate {
		return 0
	}
	off := math.Abs(float64(a.unit*m - a.y - b.y))
	switch a.kind {
	case absolute:
		return -a.rate * off
	case square:
		return -a.rate * off * off / 2
	}
	return 0
}

// row is the weights of one row of m records at the parent's level x: ln of the scale, the weights, and a bound of
// the share cut.
func (t *Tree) row(b *branch, x, m int) (scale float64, w line1, cut float64) {
	t.Work += float64(m + 1)
	one, zero := b.cells[x][1], b.cells[x][0]
	best := math.Inf(-1)
	for c := range m + 1 {
		best = max(best, one[c]+zero[m-c])
	}
	lo, hi := 0, m
	for one[lo]+zero[m-lo] < best-rowCut {
		lo++
	}
	for one[hi]+zero[m-hi] < best-rowCut {
		hi--
	}
	w = line1{lo: lo, p: make([]float64, hi-lo+1)}
	for i := range w.p {
		w.p[i] = math.Exp(one[lo+i] + zero[m-lo-i] - best)
		w.sum += w.p[i]
	}
	t.size += len(w.p)
	return best + b.norm[m], w, float64(m+1-len(w.p)) * math.Exp(-rowCut)
}

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
	return counts, t.l.draw(src, func(v int, out []int64) { copy(out, counts[starts[v]:]) },
		func(v int) []float64 { return t.l.p.Alpha[v] })
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
