package latent

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// tab is a table of latent counts: of a clique, a separator, a family, a set of parents, or measured. All tables stand
// one after the other in one array.
type tab struct {
	vars   []int // ascending
	stride []int // of each of vars
	off    int   // of its first cell
	size   int
	weight *weight
	each   []*weight // of single cells; nil where all have one
	centre int       // place in vars of the node whose family it is and whose rows share a centre; -1: none
	picks  int       // how often it is a clique less how often it is a separator
	terms  [][]Term  // of every measurement of its cells; nil where there is none
}

// sum is a linear statistic.
type sum struct {
	Linear
	by map[int]int // place of a variable in Vars
}

// Layout is what chains of one problem share. It is immutable.
type Layout struct {
	p      *Problem
	forest *junction.Forest
	tabs   []tab
	sums   []sum
	cells  int // of all tables

	order      []int   // of nodes, parents first
	family     []int   // table of every node's family
	rows       []row   // how its cells are those of a CPT
	parents    []int   // table of every node's parents
	below      [][]int // descendants of a node, parents first
	of         [][]int32
	ofSteps    [][]int      // strides of v in them
	near       [][]int      // variables that share a table
	both       [][][]int32  // [v][place in near[v]]: tables with both
	bothSteps  [][][][2]int // strides of v and of the other in them
	sumsOf     [][]int32
	steps      []step
	down       []int32     // steps that pick a record
	at         [][]int32   // those that pick what the tables of a node know of it
	blockMoves []blockMove // of every node
	levels     [][]int32   // codes of the levels of one variable
	widest     int         // cells of the widest clique, or levels
	groups     []group     // cliques and families: what is changed together
	urns       [][]*weight // Γ(α_l + c)/(Γ(α_l)·c!) of every node and level; nil for the constant, and of shared nodes
	factorial  *weight     // 1/c!
	all        group
	empty      int // table of no variable: its one cell is the number of records
	inCliques  int // cells
	slices     int // in a sweep
	jumps      int
	width      int64 // of a slice at first: the largest spread
	reach      int64 // of a jump: records
	terminal   bool  // some node has two levels: there is something to move
}

// row places the cells of a node's CPT in its family's table.
type row struct {
	configs []int32 // offset of each parent configuration, last parent fastest
	stride  int     // of the node itself
}

// Cells limits the tables of a layout.
const (
	cliqueCells = 1 << 20
	allCells    = 1 << 23
)

// NewLayout triangulates and lays the tables out. Errors, before any table is made: *Error, *junction.ScopeError,
// *junction.WidthError for a clique of more than 2^20 cells or tables of more than 2^23, the context's.
func NewLayout(ctx context.Context, p *Problem) (*Layout, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	order, err := p.order()
	if err != nil {
		return nil, err
	}
	f, err := p.forest(ctx, cliqueCells)
	if err != nil {
		return nil, err
	}
	l := &Layout{p: p, forest: f, order: order}
	top := p.N
	if p.Latent {
		top = -1
	}
	index, powers := map[string]int{}, map[int][]gammaPower{}
	get := func(vars []int) int {
		vars = slices.Sorted(slices.Values(vars))
		key := fmt.Sprint(vars)
		if t, ok := index[key]; ok {
			return t
		}
		t := tab{vars: vars, stride: make([]int, len(vars)), size: 1, off: l.cells, centre: -1}
		for i := len(vars) - 1; i >= 0; i-- {
			t.stride[i] = t.size
			t.size *= p.Levels[vars[i]]
		}
		index[key] = len(l.tabs)
		l.tabs = append(l.tabs, t)
		l.cells += t.size
		return len(l.tabs) - 1
	}
	times := func(t int, shift float64, power int) { powers[t] = append(powers[t], gammaPower{shift, power}) }
	l.empty = get(nil)
	for _, c := range f.Cliques {
		t, s := get(c.Vars), get(c.Separator)
		l.tabs[t].picks++
		l.tabs[s].picks--
		times(t, 1, -1)
		times(s, 1, 1)
		l.inCliques += l.tabs[t].size
	}
	for v := range p.Levels {
		t, u := get(p.family(v)), get(p.Parents[v])
		l.family, l.parents = append(l.family, t), append(l.parents, u)
		total := 0.0
		for _, a := range p.Alpha[v] {
			total += a
		}
		if p.shared(v) {
			total = rowWeight
			l.tabs[t].centre, _ = slices.BinarySearch(l.tabs[t].vars, v)
		}
		times(u, total, -1)
	}
	for _, m := range p.Tables {
		l.measure(get(m.Vars), m)
	}
	if l.cells > allCells {
		return nil, &junction.WidthError{Width: len(p.Levels), Cells: l.cells, Limit: allCells}
	}
	l.weigh(powers, top)
	for _, s := range p.Sums {
		by := map[int]int{}
		for i, v := range s.Vars {
			by[v] = i
		}
		l.sums = append(l.sums, sum{s, by})
	}
	l.relate()
	l.makeSteps()
	l.scale()
	return l, nil
}

// measure adds the terms of a measured table in the order of the table's own cells.
func (l *Layout) measure(t int, m Table) {
	tb := &l.tabs[t]
	terms := make([]Term, tb.size)
	stride := make([]int, len(m.Vars)) // in tb, of the variables as measured
	for i, v := range m.Vars {
		at, _ := slices.BinarySearch(tb.vars, v)
		stride[i] = tb.stride[at]
	}
	for c, term := range m.Cells {
		at := 0
		for i, rest := len(m.Vars)-1, c; i >= 0; i-- {
			at += stride[i] * (rest % l.p.Levels[m.Vars[i]])
			rest /= l.p.Levels[m.Vars[i]]
		}
		terms[at] = term
	}
	tb.terms = append(tb.terms, terms)
}

// weigh makes the weights of all tables, equal ones once. A family whose hyperparameters differ from level to level has
// the factors Γ(α_l + c)/Γ(α_l) cell by cell.
func (l *Layout) weigh(powers map[int][]gammaPower, top int64) {
	known := map[string]*weight{}
	weights := func(p []gammaPower) *weight {
		p = slices.Clone(p)
		slices.SortFunc(p, func(a, b gammaPower) int {
			if c := a.shift - b.shift; c != 0 {
				return int(math.Copysign(1, c))
			}
			return a.power - b.power
		})
		key := fmt.Sprint(p)
		w, ok := known[key]
		if !ok {
			w = newWeight(p, top)
			known[key] = w
		}
		return w
	}
	for v, alpha := range l.p.Alpha {
		if l.p.shared(v) {
			continue
		}
		if l.equal(v) {
			powers[l.family[v]] = append(powers[l.family[v]], gammaPower{alpha[0], 1})
			continue
		}
		t := &l.tabs[l.family[v]]
		t.each = make([]*weight, t.size)
		at, _ := slices.BinarySearch(t.vars, v)
		for c := range t.each {
			t.each[c] = weights([]gammaPower{{alpha[c/t.stride[at]%l.p.Levels[v]], 1}})
		}
	}
	for t := range l.tabs {
		l.tabs[t].weight = weights(powers[t])
	}
	l.factorial = weights([]gammaPower{{1, -1}})
	l.urns = make([][]*weight, len(l.p.Levels))
	for v, alpha := range l.p.Alpha {
		if l.p.shared(v) {
			continue
		}
		for _, a := range alpha {
			l.urns[v] = append(l.urns[v], weights([]gammaPower{{a, 1}, {1, -1}}))
		}
	}
}

// equal reports whether all levels of a node have one hyperparameter.
func (l *Layout) equal(v int) bool {
	a := l.p.Alpha[v]
	return !slices.ContainsFunc(a, func(x float64) bool { return x != a[0] })
}

// relate finds which tables have which variables, and who descends from whom.
func (l *Layout) relate() {
	k := len(l.p.Levels)
	l.of, l.near, l.both = make([][]int32, k), make([][]int, k), make([][][]int32, k)
	l.sumsOf, l.below = make([][]int32, k), make([][]int, k)
	l.ofSteps, l.bothSteps = make([][]int, k), make([][][][2]int, k)
	for t, tb := range l.tabs {
		for _, v := range tb.vars {
			l.of[v], l.ofSteps[v] = append(l.of[v], int32(t)), append(l.ofSteps[v], tb.strideOf(v))
			l.near[v] = append(l.near[v], tb.vars...)
		}
	}
	for s, m := range l.sums {
		for _, v := range m.Vars {
			l.sumsOf[v] = append(l.sumsOf[v], int32(s))
			l.near[v] = append(l.near[v], m.Vars...)
		}
	}
	for x := range slices.Max(l.p.Levels) {
		l.levels = append(l.levels, []int32{int32(x)})
	}
	for v := range k {
		slices.Sort(l.near[v])
		l.near[v] = slices.DeleteFunc(slices.Compact(l.near[v]), func(w int) bool {
			return w == v || l.p.Levels[w] < 2
		})
		l.both[v], l.bothSteps[v] = make([][]int32, len(l.near[v])), make([][][2]int, len(l.near[v]))
		for i, w := range l.near[v] {
			for _, t := range l.of[v] {
				if _, in := slices.BinarySearch(l.tabs[t].vars, w); in {
					l.both[v][i] = append(l.both[v][i], t)
					l.bothSteps[v][i] = append(l.bothSteps[v][i], [2]int{l.tabs[t].strideOf(v), l.tabs[t].strideOf(w)})
				}
			}
		}
		under := make([]bool, k)
		under[v] = true
		for _, w := range l.order {
			for _, u := range l.p.Parents[w] {
				if under[u] && !under[w] {
					under[w] = true
					l.below[v] = append(l.below[v], w)
				}
			}
		}
		l.rows = append(l.rows, l.rowsOf(v))
	}
	all := make([]int, k)
	for v := range all {
		all[v] = v
		l.groups = append(l.groups, l.group(l.p.family(v)))
	}
	for _, c := range l.forest.Cliques {
		l.groups = append(l.groups, l.group(c.Vars))
	}
	l.all = l.group(all)
}

// group is variables that are changed together, with the tables and statistics that have one of them.
type group struct {
	vars         []int
	tables, sums []int32
	walk         []int32 // picks what these know of a record
}

func (l *Layout) group(vars []int) group {
	g := group{vars: vars}
	for _, v := range vars {
		g.tables, g.sums = append(g.tables, l.of[v]...), append(g.sums, l.sumsOf[v]...)
	}
	slices.Sort(g.tables)
	slices.Sort(g.sums)
	g.tables, g.sums = slices.Compact(g.tables), slices.Compact(g.sums)
	return g
}

// scope is the variables of a group's tables and statistics, ascending.
func (l *Layout) scope(g group) (out []int) {
	for _, t := range g.tables {
		out = append(out, l.tabs[t].vars...)
	}
	for _, s := range g.sums {
		out = append(out, l.sums[s].Vars...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// rowsOf lists the offsets of a node's parent configurations in its family's table.
func (l *Layout) rowsOf(v int) row {
	t := l.tabs[l.family[v]]
	out := row{configs: []int32{0}, stride: t.strideOf(v)}
	for _, u := range l.p.Parents[v] {
		var next []int32
		for _, o := range out.configs {
			for x := range l.p.Levels[u] {
				next = append(next, o+int32(x*t.strideOf(u)))
			}
		}
		out.configs = next
	}
	return out
}

// fewCells have two slices a sweep each, further ones one: on the graph of child that gives more effective draws a
// second.
const fewCells = 64

// mostMoved bounds the records that a jump moves; slices move any number.
const mostMoved = 1 << 9

// scale sets how far moves go.
func (l *Layout) scale() {
	spread, top := 1.0, float64(maxCount)
	if !l.p.Latent {
		top = float64(max(l.p.N, 1))
	}
	for _, t := range l.p.Tables {
		spread = max(spread, t.Spread)
	}
	for _, s := range l.p.Sums {
		spread = max(spread, s.Spread)
	}
	l.width = int64(math.Round(min(spread, top)))
	l.reach = int64(min(max(1, math.Floor(4*spread)), top, mostMoved))
	l.jumps = 2 * len(l.p.Levels)
	l.slices = l.inCliques + min(l.inCliques, fewCells)
	for _, r := range l.p.Levels {
		l.terminal = l.terminal || r > 1
	}
}

// strideOf is the stride of a variable that the table has.
func (t *tab) strideOf(v int) int {
	i, _ := slices.BinarySearch(t.vars, v)
	return t.stride[i]
}

// cell is the place of a configuration in the array of all tables.
func (t *tab) cell(x []int) int {
	c := t.off
	for i, v := range t.vars {
		c += t.stride[i] * x[v]
	}
	return c
}

// value is the statistic of one record.
func (s *sum) value(x []int) int64 {
	out := int64(1)
	for i, v := range s.Vars {
		out *= s.Function[i][x[v]]
	}
	return out
}

// Cliques is the number of cells of all cliques' tables.
func (l *Layout) Cliques() int { return l.inCliques }

// Forest is the junction forest of families and measured sets.
func (l *Layout) Forest() *junction.Forest { return l.forest }

// step picks the variables of a clique that a record does not have yet, with the clique's counts as weights, given
// those that it has.
type step struct {
	clique  int32
	offsets []int32   // of every combination of the new variables in the clique's table
	fresh   []int     // the new variables
	codes   [][]int32 // their levels by combination
}

// makeStep is the step that picks all variables of a clique but the known ones.
func (l *Layout) makeStep(t int, known []int) int32 {
	tb := l.tabs[t]
	s := step{clique: int32(t), offsets: []int32{0}, codes: [][]int32{nil}}
	for i, v := range tb.vars {
		if slices.Contains(known, v) {
			continue
		}
		s.fresh = append(s.fresh, v)
		var offsets []int32
		var codes [][]int32
		for j, o := range s.offsets {
			for x := range l.p.Levels[v] {
				offsets = append(offsets, o+int32(x*tb.stride[i]))
				codes = append(codes, append(slices.Clone(s.codes[j]), int32(x)))
			}
		}
		s.offsets, s.codes = offsets, codes
	}
	l.steps = append(l.steps, s)
	return int32(len(l.steps) - 1)
}

// makeSteps makes the walk over all cliques, parents first, and those that start at a clique which holds a family or a
// group and go as far as the moves of a node, its descendants, or the group have to know the record: P(record) =
// ∏_C g_C/∏_S g_S whatever the root.
func (l *Layout) makeSteps() {
	cliques := l.forest.Cliques
	tables, downwards, upwards := make([]int, len(cliques)), make([]int32, len(cliques)), make([]int32, len(cliques))
	for t, tb := range l.tabs {
		for c := range cliques {
			if slices.Equal(tb.vars, cliques[c].Vars) {
				tables[c] = t
			}
		}
	}
	children := make([][]int, len(cliques))
	for c, cl := range cliques {
		downwards[c] = l.makeStep(tables[c], cl.Separator)
		l.down = append(l.down, downwards[c])
		if cl.Parent >= 0 {
			children[cl.Parent] = append(children[cl.Parent], c)
			upwards[c] = l.makeStep(tables[cl.Parent], cl.Separator)
		}
	}
	walk := func(within, known []int) []int32 {
		home := l.forest.Holding(within)
		walk, seen, queue := []int32{l.makeStep(tables[home], known)}, make([]bool, len(cliques)), []int{home}
		seen[home] = true
		for i := 0; i < len(queue); i++ {
			c := queue[i]
			visit := func(d int, by int32) {
				if !seen[d] {
					seen[d] = true
					walk, queue = append(walk, by), append(queue, d)
				}
			}
			if p := cliques[c].Parent; p >= 0 {
				visit(p, upwards[c])
			}
			for _, d := range children[c] {
				visit(d, downwards[d])
			}
		}
		for c := range cliques { // the other trees
			if !seen[c] {
				walk = append(walk, downwards[c])
			}
		}
		return walk
	}
	for v := range l.p.Levels {
		g := l.group([]int{v})
		family := l.p.family(v)
		l.at = append(l.at, l.prune(walk(family, nil), l.scope(g)))
		l.blockMoves = append(l.blockMoves, l.blockMove(v, walk(family, family)))
	}
	for i := range l.groups {
		g := &l.groups[i]
		g.walk = l.prune(walk(g.vars, nil), l.scope(*g))
	}
	l.widest = slices.Max(l.p.Levels)
	for _, s := range l.steps {
		l.widest = max(l.widest, len(s.offsets))
	}
}

// prune keeps the steps of a walk that lead to the needed variables.
func (l *Layout) prune(walk []int32, needed []int) (out []int32) {
	need := make([]bool, len(l.p.Levels))
	for _, v := range needed {
		need[v] = true
	}
	for _, w := range slices.Backward(walk) {
		s := &l.steps[w]
		if slices.ContainsFunc(s.fresh, func(v int) bool { return need[v] }) {
			out = append(out, w)
			for _, v := range l.tabs[s.clique].vars {
				need[v] = true
			}
		}
	}
	slices.Reverse(out)
	return out
}
