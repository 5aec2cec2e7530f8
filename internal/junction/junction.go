// Package junction triangulates graphs of discrete variables: elimination orders by min-fill, and junction forests over
// sets of columns.
//
// A set of variables, a scope, asks that its variables be joined. An elimination order takes variables out one after
// the other, joining the neighbours of each; the edges so added triangulate the graph. The largest sets {v} ∪
// neighbours of v are the cliques, and a forest on them has the running intersection property: the variables that a
// clique shares with all cliques before it lie in its parent, so that tables over the cliques which agree on the
// separators are the margins of a joint table, and a distribution with that graph factorises,
//
//	P(x) = ∏_C P(x_C) / ∏_S P(x_S).
//
// A table over variables v_1 < … < v_m has ∏ levels(v_i) cells. Every width is found, and refused where it is above the
// limit, before anything of that size is allocated.
package junction

import (
	"context"
	"fmt"
	"math"
	"math/bits"
	"slices"
)

// Clique is a maximal set of variables that are all joined after triangulation, ascending, with its place in the
// forest.
type Clique struct {
	Vars      []int
	Parent    int   // −1: a root
	Separator []int // the variables shared with all cliques before it, all in the parent, ascending; empty at a root
}

// Forest is a junction forest: every parent comes before its children, and the cliques are in an order with the running
// intersection property, Vars ∩ ∪ {Vars of the cliques before} = Separator ⊆ Vars of the parent.
type Forest struct {
	Levels  []int
	Cliques []Clique
}

// Build triangulates the graph in which the variables of every scope are joined, by min-fill, and makes its junction
// forest: one tree for each connected part, so that no separator but a root's is empty. levels[v] is the number of
// states of variable v; a variable in no scope is a clique of its own. Every scope lies in some clique.
//
// Errors, before anything is allocated for a table: *ScopeError, *WidthError for the widest clique when its cells are
// above limit, the context's.
func Build(ctx context.Context, levels []int, scopes [][]int, limit int) (*Forest, error) {
	if err := check(levels, scopes); err != nil {
		return nil, err
	}
	scopes = slices.Clone(scopes)
	for v := range levels {
		scopes = append(scopes, []int{v})
	}
	steps, whole, err := Order(ctx, scopes, nil, levels, limit)
	if err != nil {
		return nil, err
	}
	worst := &WidthError{Limit: limit, AtLeast: !whole}
	for _, s := range steps {
		if c := Times(Cells(s.Rest, levels), levels[s.V]); c > worst.Cells {
			worst.Vars, worst.Width, worst.Cells = with(s.Rest, s.V), len(s.Rest)+1, c
		}
	}
	if worst.Cells > limit || !whole {
		return nil, worst
	}
	return link(levels, steps), nil
}

// link makes the forest of an elimination order. Read backwards, the clique of a step is {v} ∪ rest, and rest lies in
// the clique of its member that is eliminated first: a tree with the running intersection property over all steps. A
// step whose set lies in that of the parent is no clique; and where a step's rest is all of the parent's set, the
// parent grows to {v} ∪ rest instead: what was shared with others before is still its own.
func link(levels []int, steps []Step) *Forest {
	f := &Forest{Levels: slices.Clone(levels)}
	when := make([]int, len(levels)) // the step that eliminates a variable
	for s, step := range steps {
		when[step.V] = s
	}
	holds := make([]int, len(steps)) // the clique that holds the set of a step
	for s := len(steps) - 1; s >= 0; s-- {
		step := steps[s]
		if len(step.Rest) == 0 {
			holds[s] = len(f.Cliques)
			f.Cliques = append(f.Cliques, Clique{Vars: []int{step.V}, Parent: -1})
			continue
		}
		next := when[step.Rest[0]]
		for _, v := range step.Rest[1:] {
			next = min(next, when[v])
		}
		p := holds[next]
		if len(f.Cliques[p].Vars) == len(step.Rest) {
			f.Cliques[p].Vars = with(step.Rest, step.V)
			holds[s] = p
			continue
		}
		holds[s] = len(f.Cliques)
		f.Cliques = append(f.Cliques, Clique{with(step.Rest, step.V), p, slices.Clone(step.Rest)})
	}
	return f
}

// with is a sorted set with one more member.
func with(set []int, v int) []int {
	at, _ := slices.BinarySearch(set, v)
	return slices.Insert(slices.Clone(set), at, v)
}

// Holding is the first clique with all the variables, −1 if there is none.
func (f *Forest) Holding(vars []int) int {
	return slices.IndexFunc(f.Cliques, func(c Clique) bool {
		for _, v := range vars {
			if _, in := slices.BinarySearch(c.Vars, v); !in {
				return false
			}
		}
		return true
	})
}

// Cells is the number of cells of a clique's table.
func (f *Forest) Cells(clique int) int { return Cells(f.Cliques[clique].Vars, f.Levels) }

// Work is the number of cells of all cliques, columns of one level left out; math.MaxInt when there are more.
func (f *Forest) Work() (cells int) {
	for i := range f.Cliques {
		if c := f.Cells(i); c > 1 {
			cells = min(cells, math.MaxInt-c) + c
		}
	}
	return cells
}

// bitset is a set of variables by place.
type bitset []uint64

func (b bitset) add(i int)    { b[i/64] |= 1 << (i % 64) }
func (b bitset) remove(i int) { b[i/64] &^= 1 << (i % 64) }

func (b bitset) each(f func(i int)) {
	for w, x := range b {
		for ; x != 0; x &= x - 1 {
			f(w*64 + bits.TrailingZeros64(x))
		}
	}
}

// Step eliminates variable V: Rest are its neighbours at that moment, ascending, which are the variables of the table
// it leaves behind.
type Step struct {
	V    int
	Rest []int
}

// ordering is the search for an elimination order: the graph that is left, and how many edges each variable's
// elimination would add.
type ordering struct {
	ctx    context.Context
	vars   []int
	levels []int
	limit  int // cells of a table
	graph  []bitset
	fill   []int // edges missing between the neighbours, or a mark
	work   int   // words of bitsets looked at
	words  int
}

// Marks in place of a number of missing edges.
const (
	unknown = -1
	out     = -2 // eliminated, or kept
	wide    = -3 // its elimination needs a table above the limit for now
)

// pastWork bounds, in words, the search for the widest table of an order once some table is above the limit: then the
// query is refused anyway, and only what it would need is still of interest.
const pastWork = 1 << 26

// Order orders the variables of the scopes but the kept ones: next comes the variable whose elimination adds the
// fewest edges between its neighbours, the smallest number among equals (Kjærulff, "Triangulation of graphs", 1990). A
// variable whose table would be above the limit waits until its neighbours are gone, so the order is found in about
// cells·m² steps for m variables, however they are joined. When all that are left are too wide, the order goes on
// without the limit for a bounded work; whole is false when it ends early.
//
// levels[v] ≥ 1 is the number of states of variable v; limit bounds the cells of a table, and with it the words of
// the graph. Errors: *WidthError with Graph set when the graph itself needs more words than that, the context's.
func Order(ctx context.Context, scopes [][]int, keep, levels []int,
	limit int) (steps []Step, whole bool, err error) {
	o := &ordering{ctx: ctx, levels: levels, limit: limit}
	for _, s := range scopes {
		o.vars = append(o.vars, s...)
	}
	slices.Sort(o.vars)
	o.vars = slices.Compact(o.vars)
	m := len(o.vars)
	o.words = (m + 63) / 64
	if cells := Times(max(m, 1), max(o.words, 1)); cells > max(limit, leastGraph) {
		return nil, false, &WidthError{Graph: true, Width: m, Cells: cells, Limit: limit}
	}
	o.join(scopes)
	left := m
	for i, v := range o.vars {
		if slices.Contains(keep, v) {
			o.fill[i] = out
			left--
		}
	}
	tooWide := false
	for range left {
		if err := ctx.Err(); err != nil {
			return nil, false, err
		}
		best := o.next()
		if best < 0 { // all that are left are too wide: find out how wide, within the work
			tooWide, o.limit, o.work = true, math.MaxInt, 0
			for i, f := range o.fill {
				if f == wide {
					o.fill[i] = unknown
				}
			}
			best = o.next()
		}
		steps = append(steps, o.eliminate(best))
		if tooWide && o.work > pastWork {
			return steps, false, nil
		}
	}
	return steps, true, nil
}

// leastGraph is the size of a graph, in words, that is always allowed: a thousand variables.
const leastGraph = 1 << 14

// join makes the graph in which the variables of every scope are neighbours.
func (o *ordering) join(scopes [][]int) {
	m := len(o.vars)
	all := make([]uint64, m*o.words)
	o.graph, o.fill = make([]bitset, m), make([]int, m)
	for i := range o.graph {
		o.graph[i], o.fill[i] = bitset(all[i*o.words:(i+1)*o.words]), unknown
	}
	place := func(v int) int { i, _ := slices.BinarySearch(o.vars, v); return i }
	for _, s := range scopes {
		for i, a := range s {
			for _, b := range s[i+1:] {
				pa, pb := place(a), place(b)
				o.graph[pa].add(pb)
				o.graph[pb].add(pa)
			}
		}
	}
}

// next is the variable that adds the fewest edges, −1 if all that are left are too wide.
func (o *ordering) next() int {
	best := -1
	for i := range o.fill {
		if o.fill[i] == unknown {
			o.fill[i] = o.missingEdges(i)
		}
		if o.fill[i] >= 0 && (best < 0 || o.fill[i] < o.fill[best]) {
			best = i
		}
	}
	return best
}

// eliminate joins the neighbours of a variable and takes it out. What others would add changes only for its neighbours,
// and for variables that are neighbours of both ends of a new edge.
func (o *ordering) eliminate(best int) Step {
	step, near := Step{V: o.vars[best]}, o.graph[best]
	forget := func(i int) {
		if o.fill[i] != out {
			o.fill[i] = unknown
		}
	}
	near.each(func(a int) { o.graph[a].remove(best) })
	near.each(func(a int) {
		step.Rest = append(step.Rest, o.vars[a])
		forget(a)
		for w := range near {
			missing := near[w] &^ o.graph[a][w]
			for ; missing != 0; missing &= missing - 1 {
				b := w*64 + bits.TrailingZeros64(missing)
				if b <= a { // itself, or joined from the other end
					continue
				}
				for u := range near {
					for both := o.graph[a][u] & o.graph[b][u]; both != 0; both &= both - 1 {
						forget(u*64 + bits.TrailingZeros64(both))
					}
				}
				o.work += o.words
				o.graph[a].add(b)
				o.graph[b].add(a)
			}
		}
		o.work += o.words
	})
	o.fill[best] = out
	clear(near)
	return step
}

// missingEdges counts the pairs of neighbours of i that are not joined: each neighbour misses the others but those it
// shares with i. It is wide when the table over i and its neighbours is above the limit.
func (o *ordering) missingEdges(i int) int {
	degree, cells := 0, o.levels[o.vars[i]]
	for w, x := range o.graph[i] {
		degree += bits.OnesCount64(x)
		for ; x != 0 && o.limit < math.MaxInt; x &= x - 1 {
			if cells = Times(cells, o.levels[o.vars[w*64+bits.TrailingZeros64(x)]]); cells > o.limit {
				return wide
			}
		}
	}
	missing := 0
	o.graph[i].each(func(a int) {
		missing += degree - 1
		for w, x := range o.graph[i] {
			missing -= bits.OnesCount64(x & o.graph[a][w])
		}
		o.work += o.words
	})
	return missing / 2
}

// WidthError says that a table, or the graph itself, is above the limit. Nothing was allocated for it.
type WidthError struct {
	Vars  []int // the variables of the table; nil of a graph
	Width int   // how many variables
	Cells int   // its cells, of a graph its words; math.MaxInt when there are more
	Limit int   // the cells allowed
	Graph bool  // it is not a table that is too large but the graph of the variables

	AtLeast bool // the search for the widest table was cut short: another one may need more
}

func (e *WidthError) Error() string {
	if e.Graph {
		return fmt.Sprintf("junction: the graph of %d variables needs %d words; at most %d are allowed", e.Width,
			e.Cells, e.Limit)
	}
	least := ""
	if e.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("junction: a clique of %s%d variables has %s cells; at most %d are allowed", least, e.Width,
		CellText(e.Cells), e.Limit)
}

// CellText writes a number of cells that Times made.
func CellText(cells int) string {
	if cells == math.MaxInt {
		return "more than 2^63"
	}
	return fmt.Sprint(cells)
}

// ScopeError is a scope or a number of levels that cannot be: Scope is its place, −1 for the levels.
type ScopeError struct {
	Scope int
	Value string
	Want  string
}

func (e *ScopeError) Error() string {
	what := fmt.Sprintf("scope %d", e.Scope)
	if e.Scope < 0 {
		what = "levels"
	}
	return fmt.Sprintf("junction: %s: %s; want %s", what, e.Value, e.Want)
}

// check refuses variables without a state and scopes of unknown or repeated variables.
func check(levels []int, scopes [][]int) error {
	for v, l := range levels {
		if l < 1 {
			return &ScopeError{-1, fmt.Sprintf("%d of variable %d", l, v), "at least 1"}
		}
	}
	for i, s := range scopes {
		for k, v := range s {
			switch {
			case v < 0 || v >= len(levels):
				return &ScopeError{i, fmt.Sprintf("variable %d", v), fmt.Sprintf("0 to %d", len(levels)-1)}
			case slices.Contains(s[:k], v):
				return &ScopeError{i, fmt.Sprintf("variable %d twice", v), "each variable once"}
			}
		}
	}
	return nil
}

// Times is a·b for a, b ≥ 1, or math.MaxInt when that is larger.
func Times(a, b int) int {
	if a > math.MaxInt/b {
		return math.MaxInt
	}
	return a * b
}

// Cells is the number of cells of a table over variables, math.MaxInt when there are more.
func Cells(vars, levels []int) int {
	cells := 1
	for _, v := range vars {
		cells = Times(cells, levels[v])
	}
	return cells
}
