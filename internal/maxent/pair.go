package maxent

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

// Pair is the distribution of two variables, P(a, b) with b running fastest. The margins of all pairs within cliques
// are made together, those of all others by one walk over the forest, and kept until the next fit. They are not to be
// changed. Errors: *domain.Error for variables that are none or equal, or where the walk needs laws of more than 2^27
// cells, ErrNotFitted.
func (m *Model) Pair(a, b int) ([]float64, error) {
	if err := m.checkVars("Pair", []int{a, b}); err != nil {
		return nil, err
	}
	t := m.tree
	if t == nil {
		return nil, ErrNotFitted
	}
	if t.pairs == nil {
		t.pairs = newPairing(t)
	}
	lo, hi := min(a, b), max(a, b)
	if t.pairs.two[lo][hi] == nil {
		if err := t.pairs.walk(); err != nil {
			return nil, err
		}
	}
	p := t.pairs.two[lo][hi]
	if a == lo {
		return p, nil
	}
	out := make([]float64, len(p))
	for i := range t.levels[lo] {
		for j := range t.levels[hi] {
			out[j*t.levels[lo]+i] = p[i*t.levels[hi]+j]
		}
	}
	return out, nil
}

// Joined reports whether a clique of the fit has both of two variables. Error: ErrNotFitted.
func (m *Model) Joined(a, b int) (bool, error) {
	if m.tree == nil {
		return false, ErrNotFitted
	}
	return m.tree.smallest([]int{a, b}) >= 0, nil
}

// pairing holds the margins of all pairs a < b of a tree, and those of single variables.
//
// One walk up the forest makes them. A clique i hands up, for every configuration s of its separator, the laws P(a | s)
// of all variables a below it. Where two variables first meet, in the clique above, one of them below a child with
// separator S, P(a, b) = Σ_s P(a | s)·P(s, b): a product of two matrices for each child.
//
// Where a separator has fewer configurations than the variables below it have levels, it is handed up in their place,
// as one variable more. Its pairs then give theirs by the same sum.
type pairing struct {
	t      *tree
	levels []int // of the variables, and of the separators in place of others
	one    [][]float64
	two    [][][]float64
	below  []standIn
}

// standIn is a separator as a variable, and the laws given it.
type standIn struct {
	v    int
	laws lawOf
}

// lawOf holds rows of laws given a separator: for each of its configurations those of some variables, side by side.
type lawOf struct {
	vars  []int
	start []int // of every variable in a row
	width int
	cells []float64
}

func (p *pairing) law(vars []int, rows int) lawOf {
	l := lawOf{vars: vars, start: make([]int, len(vars))}
	for i, v := range vars {
		l.start[i] = l.width
		l.width += p.levels[v]
	}
	l.cells = p.t.room.lend(rows * l.width)
	return l
}

func (l lawOf) row(s int) []float64 { return l.cells[s*l.width : (s+1)*l.width] }

// maxLaws bounds the laws that a clique hands up: 2^27 cells, 1 GiB.
const maxLaws = 1 << 27

// check refuses, before anything is allocated, a tree one of whose cliques hands up or joins too large laws.
func (p *pairing) check() error {
	width := make([]int, len(p.t.cliques)) // levels at or below a clique that are not in its separator
	for i := len(p.t.cliques) - 1; i >= 0; i-- {
		q := p.t.cliques[i]
		for _, v := range q.vars[len(p.separator(i)):] {
			width[i] += p.t.levels[v]
		}
		most := q.groups
		for _, c := range q.children {
			width[i] += width[c]
			most = max(most, p.t.cliques[c].groups)
		}
		if cells := junction.Times(most, max(width[i], 1)); cells > maxLaws {
			return refuse("Pair", "vars", "distributions of "+junction.CellText(cells)+" cells",
				fmt.Sprintf("at most %d: fewer or "+
					"smaller tables that close cycles", maxLaws))
		}
	}
	return nil
}

// newPairing makes the margins of pairs within cliques.
func newPairing(t *tree) *pairing {
	p := &pairing{t: t, levels: slices.Clone(t.levels), one: make([][]float64, len(t.levels))}
	p.two = make([][][]float64, len(t.levels)+len(t.cliques))
	for v := range p.two {
		p.two[v] = make([][]float64, len(p.two))
	}
	for v := range t.levels {
		q := t.cliques[t.smallest([]int{v})]
		p.one[v] = q.margin(t.levels, []int{v})
	}
	for i := len(t.cliques) - 1; i >= 0; i-- {
		p.within(t.cliques[i])
	}
	return p
}

// walk makes the margins of all other pairs.
func (p *pairing) walk() error {
	if err := p.check(); err != nil {
		return err
	}
	t, below := p.t, make([]lawOf, len(p.t.cliques))
	for i := len(t.cliques) - 1; i >= 0; i-- {
		children := slices.Clone(t.cliques[i].children) // small separators first: a product takes its child's
		slices.SortStableFunc(children, func(a, b int) int { return t.cliques[a].groups - t.cliques[b].groups })
		for k, c := range children {
			p.meet(i, c, children[k+1:], below)
		}
		if q := t.cliques[i]; q.parent >= 0 {
			if below[i] = p.handUp(i, below); below[i].width > q.groups {
				below[i] = p.stand(q.groups, below[i])
			}
		}
		for _, c := range t.cliques[i].children {
			t.room.give(below[c])
			below[c] = lawOf{}
		}
	}
	for _, s := range slices.Backward(p.below) {
		p.expand(s)
		t.room.give(s.laws)
	}
	p.below = nil
	t.room.tidy()
	for a := range p.one { // of different trees: independent
		for b := a + 1; b < len(p.one); b++ {
			if p.two[a][b] == nil {
				p.two[a][b] = outer(p.one[a], p.one[b])
			}
		}
	}
	return nil
}

// stand hands up a separator in place of the laws given it.
func (p *pairing) stand(groups int, laws lawOf) lawOf {
	v := len(p.levels)
	p.levels, p.below = append(p.levels, groups), append(p.below, standIn{v, laws})
	itself := p.law([]int{v}, groups)
	for s := range groups {
		itself.row(s)[s] = 1
	}
	return itself
}

// expand makes the pairs of what a separator stood for from its own.
func (p *pairing) expand(s standIn) {
	groups, width := p.levels[s.v], s.laws.width
	for b, levels := range p.levels {
		pair := p.two[min(s.v, b)][max(s.v, b)]
		if pair == nil {
			continue
		}
		product := zeros(&p.t.room.product, levels*width)
		for j := range levels {
			for k := range groups {
				w := pair[k*levels+j]
				if b < s.v {
					w = pair[j*groups+k]
				}
				floats.AddScaled(product[j*width:(j+1)*width], w, s.laws.row(k))
			}
		}
		for k, a := range s.laws.vars {
			p.cut(b, a, product, width, 0, s.laws.start[k])
		}
	}
}

func outer(a, b []float64) []float64 {
	out := make([]float64, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x*y)
		}
	}
	return out
}

// within sums the pairs of a clique that were not met before.
func (p *pairing) within(q *clique) {
	for i, a := range q.vars {
		for _, b := range q.vars[i+1:] {
			if lo, hi := min(a, b), max(a, b); p.two[lo][hi] == nil {
				p.two[lo][hi] = q.margin(p.t.levels, []int{lo, hi})
			}
		}
	}
}

// separator of a clique.
func (p *pairing) separator(i int) []int { return p.t.forest.Cliques[i].Separator }

// meet makes the pairs of a variable below child c of clique i with another of the clique, or below a later child.
func (p *pairing) meet(i, c int, later []int, below []lawOf) {
	sep, q, first := p.separator(c), p.t.cliques[i], below[c]
	var others []int
	for _, v := range q.vars {
		if !slices.Contains(sep, v) {
			others = append(others, v)
		}
	}
	own := len(others)
	for _, d := range later {
		others = append(others, below[d].vars...)
	}
	if len(others) == 0 {
		return
	}
	joint := p.law(others, p.t.cliques[c].groups) // P(s, b)
	p.own(q, sep, others[:own], nil, joint)
	at := own
	for _, d := range later {
		p.carry(q, sep, p.separator(d), nil, below[d], joint, joint.start[at])
		at += len(below[d].vars)
	}
	long, short := first, joint // products of whole rows are fast where these are long
	if joint.width > first.width {
		long, short = joint, first
	}
	product := zeros(&p.t.room.product, first.width*joint.width)
	for s := range p.t.cliques[c].groups {
		row := long.row(s)
		for k, w := range short.row(s) {
			if w != 0 {
				floats.AddScaled(product[k*long.width:(k+1)*long.width], w, row)
			}
		}
	}
	for ka, a := range short.vars {
		for kb, b := range long.vars {
			p.cut(a, b, product, long.width, short.start[ka], long.start[kb])
		}
	}
	p.t.room.give(joint)
}

// cut takes the table of a pair out of a product.
func (p *pairing) cut(a, b int, product []float64, width, row, column int) {
	la, lb := p.levels[a], p.levels[b]
	out := make([]float64, la*lb)
	for i := range la {
		for j, x := range product[(row+i)*width+column : (row+i)*width+column+lb] {
			if a < b {
				out[i*lb+j] = x
			} else {
				out[j*la+i] = x
			}
		}
	}
	p.two[min(a, b)][max(a, b)] = out
}

// carry adds Σ_r P(s, r)·P(b | r) into the columns of joint from start, for separators s and r of a clique: P(s, b).
// Where the mass of s is given, it is P(b | s).
func (p *pairing) carry(q *clique, s, r []int, given []float64, laws, joint lawOf, start int) {
	both := slices.Clone(s)
	for _, v := range r {
		if !slices.Contains(both, v) {
			both = append(both, v)
		}
	}
	weights := p.sum(q, both)
	if given != nil {
		divide(weights, given)
	}
	toS, toR := places(p.t.levels, both, s), places(p.t.levels, both, r)
	for u, w := range weights {
		if w != 0 {
			to := joint.row(int(toS[u]))[start : start+laws.width]
			floats.AddScaled(to, w, laws.row(int(toR[u])))
		}
	}
}

// own puts the distributions of variables of a clique into the first columns of rows, for a separator of it: P(s, v),
// or P(v | s) where the mass of s is given.
func (p *pairing) own(q *clique, s, vars []int, given []float64, rows lawOf) {
	groups, width := junction.Cells(s, p.t.levels), 0
	for _, v := range vars {
		width += p.t.levels[v]
	}
	pairs, at := zeros(&p.t.room.sum, groups*width), 0
	for _, v := range vars {
		pair := pairs[at : at+groups*p.t.levels[v]]
		sumOver(pair, p.t.levels, q.cells, q.vars, with(s, v))
		if given != nil {
			divide(pair, given)
		}
		at += len(pair)
	}
	for i := range groups { // row by row: rows may be long
		row, at := rows.row(i), 0
		for _, v := range vars {
			l := p.t.levels[v]
			copy(row, pairs[at+i*l:at+(i+1)*l])
			row, at = row[l:], at+groups*l
		}
	}
}

// handUp makes the laws, given the separator of clique i, of all variables at or below it that are not in it.
func (p *pairing) handUp(i int, below []lawOf) lawOf {
	sep, q := p.separator(i), p.t.cliques[i]
	vars := slices.Clone(q.vars[len(sep):])
	own := len(vars)
	for _, c := range q.children {
		vars = append(vars, below[c].vars...)
	}
	out := p.law(vars, q.groups)
	p.own(q, sep, vars[:own], q.mass, out)
	at := own
	for _, c := range q.children {
		if len(below[c].vars) > 0 {
			p.carry(q, sep, p.separator(c), q.mass, below[c], out, out.start[at])
			at += len(below[c].vars)
		}
	}
	return out
}

// sum is a margin of a clique, until the next one.
func (p *pairing) sum(q *clique, vars []int) []float64 {
	out := zeros(&p.t.room.sum, junction.Cells(vars, p.t.levels))
	sumOver(out, p.t.levels, q.cells, q.vars, vars)
	return out
}

// with is a set with one more variable behind.
func with(set []int, v int) []int { return append(slices.Clone(set), v) }

// Net is the fitted distribution as a Bayesian network over nodes of these names and states; their parents are set
// here. A clique contributes its variables one by one, in ascending order, each given its separator and the variables
// before it, so that the graph is chordal and all margins are the model's. Rows under a configuration that cannot be
// are the variable's own distribution. Errors: *domain.Error for another number of nodes or states, ErrNotFitted, and
// those of bayesnet.NewDAG.
func (m *Model) Net(nodes []bayesnet.Node) (*bayesnet.Net, error) {
	if m.tree == nil {
		return nil, ErrNotFitted
	}
	if len(nodes) != len(m.levels) {
		return nil, refuse("Net", "nodes", len(nodes), fmt.Sprintf("%d, one for each variable", len(m.levels)))
	}
	out, tables := make([]bayesnet.Node, len(nodes)), make([][]float64, len(nodes))
	for v, l := range m.levels {
		if len(nodes[v].States) != l {
			return nil, refuse("Net", "nodes", fmt.Sprintf("%d states", len(nodes[v].States)), fmt.Sprintf("%d", l))
		}
		out[v] = bayesnet.Node{Name: nodes[v].Name, States: nodes[v].States}
	}
	for i, q := range m.tree.cliques {
		of := m.tree.forest.Cliques[i]
		order := slices.Clone(of.Separator)
		for _, v := range of.Vars {
			if slices.Contains(of.Separator, v) {
				continue
			}
			for _, p := range order {
				out[v].Parents = append(out[v].Parents, nodes[p].Name)
			}
			order = append(order, v)
			tables[v] = m.tree.conditionals(q, order)
		}
	}
	dag, err := bayesnet.NewDAG(out)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(dag, tables)
}

// conditionals are the laws of the last of some variables of a clique given those before it.
func (t *tree) conditionals(q *clique, vars []int) []float64 {
	last := vars[len(vars)-1:]
	own, joint := make([]float64, t.levels[last[0]]), q.margin(t.levels, vars)
	sumOver(own, t.levels, joint, vars, last)
	normalise(own)
	for row := range slices.Chunk(joint, len(own)) {
		if !normalise(row) {
			copy(row, own)
		}
	}
	return joint
}

// normalise makes numbers add up to 1; false if they are all 0.
func normalise(p []float64) bool {
	sum := 0.0
	for _, x := range p {
		sum += x
	}
	if !(sum > 0) {
		return false
	}
	for i := range p {
		p[i] /= sum
	}
	return true
}
