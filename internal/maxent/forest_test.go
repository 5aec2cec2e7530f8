package maxent

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/must"
)

// forest is a model of up to 14 variables, some of one level: a chain, a star, a loop, a chain of triples, a random
// forest, or a chain of four. In a third of the tables some potentials are −3000 and the others 0, so that products
// vanish in parts of rows alone. In half of the cases some cells cannot be.
func forest(t *testing.T, r *rand.Rand) *Model {
	var levels []int
	most := []int{2, 3, 7, 50}[r.IntN(4)]
	for cells := 1; len(levels) < 14; {
		l := 1 + r.IntN(most)
		if r.IntN(6) == 0 {
			l = 1
		}
		if cells *= l; cells > 20_000 {
			break
		}
		levels = append(levels, l)
	}
	m := mustNew(t, 10, levels...)
	d, kind, spread := len(levels), r.IntN(6), []float64{1, 30, 400, 3000}[r.IntN(4)]
	add := func(vars ...int) {
		r.Shuffle(len(vars), func(i, j int) { vars[i], vars[j] = vars[j], vars[i] })
		must.Do(t, m.Add(vars, make([]float64, junction.Cells(vars, levels)), 1))
	}
	for v := range d {
		switch {
		case v > 0 && kind == 0 || v > 1 && kind == 2:
			add(v-1, v)
		case v > 0 && kind == 1:
			add(0, v)
		case v > 1 && kind == 3:
			add(v-2, v-1, v)
		case v > 0 && kind == 4 && r.IntN(4) > 0:
			add(r.IntN(v), v)
		case v > 2 && kind == 5:
			add(v-3, v-2, v-1, v)
		default:
			add(v)
		}
	}
	if kind == 2 && d > 2 {
		add(d-1, 0)
	}
	for _, f := range m.tables {
		some := r.IntN(3) == 0
		for c := range f.theta {
			if f.theta[c] = spread * r.NormFloat64(); some {
				f.theta[c] = -3000 * float64(r.IntN(2))
			}
		}
	}
	if r.IntN(2) == 0 {
		forbidSome(t, m, m.tables[r.IntN(d)].vars, r)
		forbidSome(t, m, []int{r.IntN(d)}, r)
	}
	return m
}

// Margins and all pairs of forests agree with the joint table: of rows that are cut into parts, of products that
// vanish, and of separators that stand in for what is below them, within one another too. So do those of another tree
// in the room that the first one had.
func TestForestsAgreeWithTheJointTable(t *testing.T) {
	parted, stood := 0, 0
	for seed := range uint64(150) {
		r := rand.New(rand.NewPCG(seed, 99))
		m := forest(t, r)
		for again := range 2 {
			if again > 0 {
				vars := []int{r.IntN(len(m.levels))}
				must.Do(t, m.Add(vars, make([]float64, m.levels[vars[0]]), 1))
				m.tables[r.IntN(len(m.tables))].theta[0]++
			}
			tr := must.Get(newTree(context.Background(), m))(t)
			joint, _ := brute(m)
			if same(t, m, tr); math.IsNaN(joint[0]) {
				continue
			}
			m.tree = tr
			for a := range m.levels {
				for b := range m.levels {
					if a != b {
						near(t, "pair", must.Get(m.Pair(a, b))(t), marginOf(m.levels, joint, []int{a, b}), 1e-10)
					}
				}
			}
			for _, q := range tr.cliques {
				if q.part < q.width {
					parted++
				}
			}
			if tr.pairs != nil && len(tr.pairs.levels) > len(m.levels)+1 {
				stood++
			}
		}
	}
	if parted < 200 || stood < 60 {
		t.Errorf("%d cliques of rows in parts, %d forests with separators that stand in", parted, stood)
	}
}

// A configuration of the separator that cannot be leaves out rows of several parts each, in every inference anew.
func TestRowsInPartsThatCannotBe(t *testing.T) {
	levels := []int{3, 7, 7, 2, 5}
	m := mustNew(t, 10, levels...)
	for _, v := range []int{3, 4} {
		vars := []int{0, 1, 2, v}
		must.Do(t, m.Add(vars, make([]float64, junction.Cells(vars, levels)), 1))
	}
	must.Do(t, m.Forbid([]int{0}, []bool{false, true, false}))
	tr, r, parted := must.Get(newTree(t.Context(), m))(t), rand.New(rand.NewPCG(1, 2)), false
	for range 3 {
		for _, f := range m.tables {
			for c := range f.theta {
				f.theta[c] = r.NormFloat64()
			}
		}
		same(t, m, tr)
	}
	for _, q := range tr.cliques {
		parted = parted || q.part < q.width && len(q.prefix) > 0 && len(q.scalars[0]) > 0
	}
	if !parted {
		t.Error("no rows in parts are left out")
	}
}
