package maxent

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/must"
)

// grown is a model whose variables lie in one clique, or in two that share some, with tables over random sets of the
// variables of each, and in half of the cases cells that cannot be.
func grown(t testing.TB, r *rand.Rand, cliques int, spread float64) *Model {
	var levels []int
	for range cliques + r.IntN(5) {
		levels = append(levels, 1+r.IntN(7))
	}
	m := must.Get(New(levels, 10))(t)
	sets := [][]int{all(levels)}
	if cliques == 2 {
		cut := 1 + r.IntN(len(levels)-1)
		sets = [][]int{all(levels)[:cut], all(levels)[r.IntN(cut+1):]}
	}
	for _, set := range sets {
		must.Do(t, m.Join(set...))
		some := func() (vars []int) {
			for _, i := range r.Perm(len(set))[:1+r.IntN(len(set))] {
				vars = append(vars, set[i])
			}
			return vars
		}
		for range r.IntN(8) {
			vars := some()
			must.Do(t, m.Add(vars, make([]float64, junction.Cells(vars, levels)), 1))
		}
		if r.IntN(2) == 0 {
			forbidSome(t, m, some(), r)
		}
	}
	for _, f := range m.tables {
		for c := range f.theta {
			f.theta[c] = spread * r.NormFloat64()
		}
	}
	return m
}

// same compares ln Z and all margins with those of the joint table, made cell by cell.
func same(t *testing.T, m *Model, r *tree) {
	t.Helper()
	have := r.infer(m.potentials())
	joint, want := brute(m)
	if math.IsNaN(joint[0]) {
		if !math.IsInf(have, -1) {
			t.Fatalf("ln Z %v of cells none of which can be", have)
		}
		return
	}
	near(t, "ln Z", []float64{have}, []float64{want}, 1e-9)
	for i, f := range m.tables {
		near(t, "margin", r.factors[i].sum, marginOf(m.levels, joint, f.vars), 1e-10)
	}
	for i, q := range r.cliques {
		near(t, "belief", q.cells, marginOf(m.levels, joint, q.vars), 1e-10)
		near(t, "separator", q.mass, marginOf(m.levels, joint, r.forest.Cliques[i].Separator), 1e-10)
	}
}

func TestCliquesByIndex(t *testing.T) {
	for cliques := 1; cliques <= 2; cliques++ {
		for seed := range uint64(300) {
			r := rand.New(rand.NewPCG(seed, uint64(cliques)))
			m := grown(t, r, cliques, []float64{1, 30, 400}[seed%3])
			same(t, m, must.Get(newTree(context.Background(), m))(t))
		}
	}
}

// Rows that contradict each other: every product of exponentials vanishes, though the probabilities do not.
func TestProductsThatVanish(t *testing.T) {
	m := must.Get(New([]int{2, 60}, 10))(t)
	must.Do(t, m.Add([]int{0, 1}, make([]float64, 120), 1))
	must.Do(t, m.Add([]int{1}, make([]float64, 60), 1))
	for v := range 60 {
		m.tables[0].theta[v], m.tables[0].theta[60+v] = 20*float64(v), 20*float64(v)
		m.tables[1].theta[v] = -20 * float64(v)
	}
	tr := must.Get(newTree(context.Background(), m))(t)
	near(t, "ln Z", []float64{tr.infer(m.potentials())}, []float64{math.Log(120)}, 1e-12)
	for _, p := range tr.cliques[0].cells {
		near(t, "probability", []float64{p}, []float64{1. / 120}, 1e-15)
	}
	same(t, m, tr)
}
