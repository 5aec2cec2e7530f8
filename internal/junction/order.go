package junction

import (
	"context"
	"math"
	"math/bits"
	"slices"
)

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
