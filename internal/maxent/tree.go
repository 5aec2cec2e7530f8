package maxent

import (
	"context"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/junction"
)

// tree is the junction forest of a model with the work space of its messages.
type tree struct {
	levels  []int
	forest  *junction.Forest
	cliques []clique
	factors []factor // of the model's tables, in their order
	up      []int    // the factors, those of fewest variables first: what lies within another comes before it
	largest int      // cells of the largest clique
	pairs   *pairing // of the last inference
}

// clique holds the tables of one clique. Its variables are those of the separator and then the others, so that the
// cells of one configuration of the separator stand together.
type clique struct {
	vars     []int
	parent   int
	groups   int       // configurations of the separator; 1 at a root
	rest     int       // cells of each
	fixed    []float64 // logarithms that do not change: 0 or −∞; nil when all are 0
	factors  []int     // of this clique
	children []int
	above    []int32   // the group of every cell of the parent
	cells    []float64 // log potential, then conditional law given the separator, then belief
	up       []float64 // the message to the parent: ln Σ over a group
	mass     []float64 // of the separator
}

// factor is the place of a table: in a larger table that has its variables, so that it costs little, or else in a
// clique.
type factor struct {
	vars   []int
	within int // another factor, −1: a clique
	clique int
	at     []int32   // for every cell there, the cell here
	sum    []float64 // of the potentials here, then the margin
}

// newTree triangulates and lays out the messages. Errors: *junction.WidthError for a clique above MaxCells, before it
// is allocated; *ImpossibleError; the context's.
func newTree(ctx context.Context, m *Model) (*tree, error) {
	f, err := junction.Build(ctx, m.levels, m.scopes(), MaxCells)
	if err != nil {
		return nil, err
	}
	t := &tree{levels: m.levels, forest: f, cliques: make([]clique, len(f.Cliques))}
	for i, c := range f.Cliques {
		q := &t.cliques[i]
		q.parent = c.Parent
		q.vars = slices.Clone(c.Separator)
		for _, v := range c.Vars {
			if !slices.Contains(c.Separator, v) {
				q.vars = append(q.vars, v)
			}
		}
		q.groups = junction.Cells(c.Separator, m.levels)
		cells := junction.Cells(c.Vars, m.levels)
		q.rest = cells / q.groups
		q.cells, q.up, q.mass = make([]float64, cells), make([]float64, q.groups), make([]float64, q.groups)
		if t.largest = max(t.largest, cells); c.Parent >= 0 {
			q.above = places(m.levels, t.cliques[c.Parent].vars, c.Separator)
			t.cliques[c.Parent].children = append(t.cliques[c.Parent].children, i)
		}
	}
	for _, z := range m.zeros {
		q := &t.cliques[t.smallest(z.vars)]
		if q.fixed == nil {
			q.fixed = make([]float64, len(q.cells))
		}
		for i, k := range places(m.levels, q.vars, z.vars) {
			if z.no[k] {
				q.fixed[i] = math.Inf(-1)
			}
		}
	}
	t.place(m)
	return t, nil
}

// place finds where each table goes: into the smallest table that has its variables and more, or the smallest clique.
func (t *tree) place(m *Model) {
	t.factors = make([]factor, len(m.tables))
	for i, a := range m.tables {
		f := factor{vars: a.vars, within: -1, sum: make([]float64, len(a.y))}
		for j, b := range m.tables {
			if len(b.vars) > len(a.vars) && contains(b.vars, a.vars) &&
				(f.within < 0 || len(b.y) < len(m.tables[f.within].y)) {
				f.within = j
			}
		}
		if f.within >= 0 {
			f.at = places(t.levels, m.tables[f.within].vars, a.vars)
		} else {
			f.clique = t.smallest(a.vars)
			f.at = places(t.levels, t.cliques[f.clique].vars, a.vars)
			t.cliques[f.clique].factors = append(t.cliques[f.clique].factors, i)
		}
		t.factors[i] = f
		t.up = append(t.up, i)
	}
	slices.SortStableFunc(t.up, func(a, b int) int { return len(t.factors[a].vars) - len(t.factors[b].vars) })
}

// smallest is the clique of fewest cells that has the variables, −1 if none has.
func (t *tree) smallest(vars []int) int {
	best := -1
	for i := range t.cliques {
		if q := &t.cliques[i]; (best < 0 || len(q.cells) < len(t.cliques[best].cells)) && contains(q.vars, vars) {
			best = i
		}
	}
	return best
}
