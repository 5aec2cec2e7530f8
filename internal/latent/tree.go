package latent

import (
	"context"
	"math"
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
		if r != 2 || len(p.Parents[v]) > 1 {
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
