package sensitivity

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

var adjacencies = []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue}

// networkShape is a network over columns v0, v1, … with the given levels and parents; v0 is the target.
func networkShape(t testing.TB, rows int, every bool, levels []int, parents [][]int) *model.Shape {
	t.Helper()
	s, nodes := &frame.Schema{Dataset: "test", RowsPerUnit: rows}, []model.Family(nil)
	name := func(v int) string { return fmt.Sprint("v", v) }
	for v, l := range levels {
		var cats, of []string
		for c := range l {
			cats = append(cats, fmt.Sprint(c))
		}
		for _, p := range parents[v] {
			of = append(of, name(p))
		}
		s.Columns = append(s.Columns, frame.Categorical(name(v), cats...))
		nodes = append(nodes, model.Node(name(v), of...))
	}
	m := model.Network("v0", nodes...)
	if every {
		m = m.WithEveryFamily()
	}
	return must.Get(model.NewShape(s, m, 60, true, ""))(t)
}

// collider is a child, v0 or the last, of so many roots.
func collider(t testing.TB, rows int, every, last bool, roots, levels int) *model.Shape {
	l, parents, child := slices.Repeat([]int{levels}, roots+1), make([][]int, roots+1), 0
	if last {
		child = roots
	}
	for v := range l {
		if v != child {
			parents[child] = append(parents[child], v)
		}
	}
	return networkShape(t, rows, every, l, parents)
}

// tablesOf derives the sets of columns with a table from the definition: every family, or those in no other family.
func tablesOf(parents [][]int, every bool) [][]int {
	within := func(a, b []int) bool {
		return !slices.ContainsFunc(a, func(v int) bool { return !slices.Contains(b, v) })
	}
	var families, out [][]int
	for v, p := range parents {
		families = append(families, append([]int{v}, p...))
	}
	for i, f := range families {
		if every || !slices.ContainsFunc(families,
			func(g []int) bool { return &g[0] != &families[i][0] && within(f, g) }) {
			out = append(out, f)
		}
	}
	return out
}

// changedBy is how many counts differ after record a became b, cell by cell: of a table over one two-level column with
// public n, only the first cell is measured. A nil record is none.
func changedBy(tables [][]int, levels, a, b []int, publicN bool) int {
	n := 0
	for _, f := range tables {
		cell := func(r []int) int {
			at := 0
			for _, v := range f {
				at = at*levels[v] + r[v]
			}
			return at
		}
		change := map[int]int{}
		if a != nil {
			change[cell(a)]--
		}
		if b != nil {
			change[cell(b)]++
		}
		for c, d := range change {
			if d != 0 && !(publicN && len(f) == 1 && levels[f[0]] == 2 && c == 1) {
				n++
			}
		}
	}
	return n
}

// bruteForce visits every pair of records; sampled visits random pairs and the two records that differ everywhere, or
// in one value.
func bruteForce(tables [][]int, levels []int, adj dp.Adjacency, pairs func(visit func(a, b []int))) int {
	worst := 0
	pairs(func(a, b []int) {
		switch differ := differing(a, b); {
		case adj == dp.AddRemove:
			worst = max(worst, changedBy(tables, levels, a, nil, false))
		case adj == dp.ReplaceOne, len(differ) == 1 && (differ[0] > 0 || len(levels) == 1):
			worst = max(worst, changedBy(tables, levels, a, b, true))
		}
	})
	return worst
}

func differing(a, b []int) (out []int) {
	for v := range a {
		if a[v] != b[v] {
			out = append(out, v)
		}
	}
	return out
}

func everyPair(levels []int) func(func(a, b []int)) {
	var records [][]int
	var grow func(r []int)
	grow = func(r []int) {
		if len(r) == len(levels) {
			records = append(records, slices.Clone(r))
			return
		}
		for c := range levels[len(r)] {
			grow(append(r, c))
		}
	}
	grow(nil)
	return func(visit func(a, b []int)) {
		for _, a := range records {
			for _, b := range records {
				visit(a, b)
			}
		}
	}
}

// somePairs holds the worst pair of every adjacency: what two records change grows with the values in which they
// differ.
func somePairs(levels []int) func(func(a, b []int)) {
	src := rand.New(rand.NewPCG(1, 2))
	return func(visit func(a, b []int)) {
		random := func() []int {
			r := make([]int, len(levels))
			for v := range r {
				r[v] = src.IntN(levels[v])
			}
			return r
		}
		for range 50 {
			a := random()
			visit(a, random())
			other := slices.Clone(a)
			for v := range a {
				one := slices.Clone(a)
				one[v] = (a[v] + 1 + src.IntN(levels[v]-1)) % levels[v]
				other[v] = one[v]
				visit(a, one)
			}
			visit(a, other)
		}
	}
}

// Random networks, with shared parents, nodes alone and children of many: the closed form is what visiting pairs of
// records finds, all of them where there are few; the check of a plan holds, and what it enumerates is as bad as the
// whole where a table of the network is in it.
func TestNetworksOfEveryForm(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		nodes := rapid.IntRange(1, 15).Draw(r, "nodes")
		levels, parents := make([]int, nodes), make([][]int, nodes)
		order := rapid.Permutation(seq(nodes)).Draw(r, "order")
		most := rapid.IntRange(2, 4).Draw(r, "most levels")
		for i, v := range order {
			levels[v] = rapid.IntRange(2, most).Draw(r, "levels")
			cells := levels[v]
			for _, p := range order[:i] {
				if cells*levels[p] <= 1<<16 && rapid.IntRange(0, 2).Draw(r, "edge") > 0 {
					parents[v] = append(parents[v], p)
					cells *= levels[p]
				}
			}
		}
		rows, every := rapid.IntRange(1, 3).Draw(r, "rows"), rapid.Bool().Draw(r, "every family")
		records := 1
		for _, l := range levels {
			records *= l
		}
		pairs := somePairs(levels)
		if records <= 100 {
			pairs = everyPair(levels)
		}
		tables := tablesOf(parents, every)
		for _, adj := range adjacencies {
			sh := networkShape(t, rows, every, levels, parents)
			if !adj.PublicN() {
				sh = sh.WithoutN()
			}
			s, err := OfCounts(sh, adj)
			if want := bruteForce(tables, levels, adj, pairs); err != nil || s.Cells != want || s.L1() != want*rows ||
				s.L2Squared() != want*rows*rows {
				r.Fatalf("%v, %v, %s: %+v, %v; pairs of records change %d counts", levels, parents, adj, s, err, want)
			}
			small := func(s structure, _ float64) structure { return s.reducedTo(1 << 12) }
			check, err := cellsCheck(t.Context(), sh, adj, s.Cells, small)
			if err != nil || !check.OK() || check.Value != check.Bound {
				r.Fatalf("%v, %v, %s: %v, %v", levels, parents, adj, check, err)
			}
		}
	})
}

func seq(n int) []int {
	s := make([]int, n)
	for i := range s {
		s[i] = i
	}
	return s
}

// A child of ten or more roots has one table, and the reduced structure still has it: it shrinks, it does not vanish.
func TestManyRootParents(t *testing.T) {
	for _, c := range []struct {
		roots, levels int
		last, every   bool
	}{{10, 2, false, false}, {10, 2, true, false}, {14, 2, true, false}, {12, 2, false, true}, {7, 4, false, false},
		{9, 3, true, true}} {
		for _, adj := range adjacencies {
			sh := collider(t, 1+c.roots%3, c.every, c.last, c.roots, c.levels)
			if !adj.PublicN() {
				sh = sh.WithoutN()
			}
			s := must.Get(OfCounts(sh, adj))(t)
			check, err := CellsCheck(t.Context(), sh, adj, s.Cells)
			if err != nil || !check.OK() {
				t.Errorf("%+v, %s: %v, %v", c, adj, check, err)
			}
			if !c.every && int(check.Value) != s.Cells {
				t.Errorf("%+v, %s: the reduced structure changes %v counts, the network %d", c, adj, check.Value,
					s.Cells)
			}
			var p structure
			if err := json.Unmarshal(check.Params, &p); err != nil || p.Families == nil {
				t.Errorf("%+v, %s: checked as another model: %s, %v", c, adj, check.Params, err)
			}
		}
	}
}

// droppingFamilies is a mutant of Reduced: with a feature go the families that hold it, at last all, and what is left
// is naive Bayes.
func droppingFamilies(s structure, limit float64) structure {
	r := s
	for r.records()*r.records() > limit {
		last := len(r.Features)
		var kept [][]int
		for _, f := range r.Families {
			if !slices.Contains(f, last) {
				kept = append(kept, f)
			}
		}
		r.Features, r.Families = r.Features[:last-1], kept
	}
	return r
}

func TestAMutantThatDropsFamiliesIsSeen(t *testing.T) {
	seen := 0
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		sh := collider(t, 1, false, false, 10, 2)
		if !adj.PublicN() {
			sh = sh.WithoutN()
		}
		s := must.Get(OfCounts(sh, adj))(t)
		check := must.Get(cellsCheck(t.Context(), sh, adj, s.Cells, droppingFamilies))(t)
		if !check.OK() && check.Value > cert.Number(s.Cells) {
			seen++
		}
	}
	if seen != 2 {
		t.Errorf("the mutant passes for %d of 2 adjacencies", 2-seen)
	}
}
