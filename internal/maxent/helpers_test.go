package maxent

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/junction"
	"github.com/privbayes/privbayes-go/internal/must"
)

// problem is a model with noisy tables of records that were drawn from a mixture.
type problem struct {
	levels []int
	total  float64
	vars   [][]int
	tables [][]float64
	vari   []float64
}

func problems() *rapid.Generator[problem] {
	return rapid.Custom(func(t *rapid.T) problem {
		var levels []int
		for range rapid.IntRange(1, 6).Draw(t, "d") {
			levels = append(levels, rapid.IntRange(1, 3).Draw(t, "levels"))
		}
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		p, records := mixture(r, levels, rapid.IntRange(1, 2000).Draw(t, "total"))
		for range rapid.IntRange(0, 8).Draw(t, "tables") {
			p.measure(r, records, 1+50*r.Float64(), r.Perm(len(levels))[:1+r.IntN(min(3, len(levels)))]...)
		}
		return p
	})
}

// mixture draws records of three classes, in each of which the variables are independent.
func mixture(r *rand.Rand, levels []int, n int) (problem, [][]int) {
	favourite, records := make([][]int, 3), make([][]int, n)
	for c := range favourite {
		for _, l := range levels {
			favourite[c] = append(favourite[c], r.IntN(l))
		}
	}
	for i := range records {
		c := r.IntN(3)
		for v, l := range levels {
			if code := favourite[c][v]; r.IntN(3) > 0 {
				records[i] = append(records[i], code)
			} else {
				records[i] = append(records[i], min(r.IntN(l), r.IntN(l)))
			}
		}
	}
	return problem{levels: levels, total: float64(n)}, records
}

// measure adds a noisy table.
func (p *problem) measure(r *rand.Rand, records [][]int, variance float64, vars ...int) {
	table := make([]float64, junction.Cells(vars, p.levels))
	for _, codes := range records {
		cell := 0
		for _, v := range vars {
			cell = cell*p.levels[v] + codes[v]
		}
		table[cell]++
	}
	for i := range table {
		table[i] += math.Round(math.Sqrt(variance) * r.NormFloat64())
	}
	p.vars, p.tables, p.vari = append(p.vars, vars), append(p.tables, table), append(p.vari, variance)
}

func (p problem) model(t rapid.TB) *Model {
	m := must.Get(New(p.levels, p.total))(t)
	for i := range p.vars {
		must.Do(t, m.Add(p.vars[i], p.tables[i], p.vari[i]))
	}
	return m
}

// all are the variables of a model.
func all(levels []int) []int {
	v := make([]int, len(levels))
	for i := range v {
		v[i] = i
	}
	return v
}

// brute is the joint table of a model, from its potentials and forbidden cells alone, and ln Z.
func brute(m *Model) (joint []float64, logZ float64) {
	vars := all(m.levels)
	logs := make([]float64, junction.Cells(vars, m.levels))
	for _, t := range m.tables {
		gather(logs, t.theta, places(m.levels, vars, t.vars))
	}
	for _, z := range m.zeros {
		for i, k := range places(m.levels, vars, z.vars) {
			if z.no[k] {
				logs[i] = math.Inf(-1)
			}
		}
	}
	sum, most := 0.0, slices.Max(logs) // potentials of tables that overlap may be far from 0
	for i, x := range logs {
		logs[i] = math.Exp(x - most)
		sum += logs[i]
	}
	for i := range logs {
		logs[i] /= sum
	}
	return logs, math.Log(sum) + most
}

// gather adds to every cell of a large table the cell of the small one that it belongs to.
func gather(large, small []float64, at []int32) {
	large = large[:len(at)]
	for i, k := range at {
		large[i] += small[k]
	}
}

// marginOf sums a joint table.
func marginOf(levels []int, joint []float64, vars []int) []float64 {
	out := make([]float64, junction.Cells(vars, levels))
	scatter(out, joint, places(levels, all(levels), vars))
	return out
}

func near(t rapid.TB, what string, got, want []float64, within float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d numbers; want %d", what, len(got), len(want))
	}
	for i := range got {
		if !(math.Abs(got[i]-want[i]) <= within) {
			t.Fatalf("%s: number %d is %v; want %v within %v", what, i, got[i], want[i], within)
		}
	}
}

func fit(t rapid.TB, m *Model, steps int) Quality {
	t.Helper()
	return must.Get(m.Fit(context.Background(), steps))(t)
}

// random is a problem of the size of a large table: all variables, pairs along a random tree, and pairs that close
// cycles.
func random(d, levels, extra, n int) problem {
	r := rand.New(rand.NewPCG(uint64(d), 7))
	l := make([]int, d)
	for v := range l {
		l[v] = 2 + r.IntN(2*levels-3)
	}
	p, records := mixture(r, l, n)
	for v := range d {
		p.measure(r, records, 900, v)
	}
	for v := 1; v < d; v++ {
		p.measure(r, records, 900, max(0, v-1-r.IntN(3)), v)
	}
	for range extra {
		a := r.IntN(d - 3)
		p.measure(r, records, 900, a, a+2)
	}
	return p
}
