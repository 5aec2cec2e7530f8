package junction

import (
	"context"
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
