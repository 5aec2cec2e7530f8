package latent

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
)

func tree(t testing.TB, p *Problem) *Tree {
	t.Helper()
	out, err := NewTree(context.Background(), layout(t, p), TreeWork)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// lawsOf are the laws of a row by its records and by those at level 1.
func lawsOf(t *Tree, v, x int) map[[2]int64]float64 {
	out := map[[2]int64]float64{}
	for _, l := range t.Rows(v, x) {
		for i, p := range l.P {
			out[[2]int64{int64(l.Total), int64(l.Lo + i)}] += p
		}
	}
	return out
}

// moments of CPT entries by the tree's laws, node by node and row by row, and their mixtures of Beta laws.
func (t *Tree) moments() (mean, sd []float64, laws []betas) {
	for v, parents := range t.l.p.Parents {
		alpha := t.l.p.Alpha[v]
		for x := range 1 + len(parents) {
			m, s, law := 0.0, 0.0, [2]betas{{}, {}}
			for k, p := range lawsOf(t, v, x) {
				a, all := alpha[1]+float64(k[1]), alpha[0]+alpha[1]+float64(k[0])
				m, s = m+p*a/all, s+p*a/all*(a+1)/(all+1)
				law[0][[2]float64{all - a, a}] += p
				law[1][[2]float64{a, all - a}] += p
			}
			dev := math.Sqrt(s - m*m)
			mean, sd, laws = append(mean, 1-m, m), append(sd, dev, dev), append(laws, law[:]...)
		}
	}
	return mean, sd, laws
}

// trees are small forests with every kind of noisy number: pairs in both orders, single nodes, twice measured, partly
// measured and not measured at all, unequal hyperparameters, a branching node, two parts, noise on a finer lattice and
// a law by table.
func trees() map[string]*Problem {
	cells := func(rate float64, y ...int64) (out []Term) {
		for _, v := range y {
			out = append(out, Geometric(v, 1, rate))
		}
		return out
	}
	gauss := func(s float64, y ...int64) (out []Term) {
		for _, v := range y {
			out = append(out, Gaussian(v, 1, s))
		}
		return out
	}
	rounded := func(d int64) float64 { return -.9 * math.Sqrt(float64(d*d)+1) }
	uneven := [][]float64{{.5, .5}, {.3, 1.6}, {.7, .7}, {2, .1}}
	return map[string]*Problem{
		"chain": {Levels: []int{2, 2, 2, 2}, Parents: [][]int{nil, {0}, {1}, {2}}, N: 5, Alpha: uneven,
			Tables: []Table{{Vars: []int{0, 1}, Cells: cells(.7, 3, 0, -1, 2)}, {Vars: []int{2, 1}, Cells: cells(.5, 1, 1, 4, 0)},
				{Vars: []int{2, 3}, Cells: gauss(2, 1, 2, 0, 1)}}},
		"backwards": {Levels: []int{2, 2, 2}, Parents: [][]int{{1}, {2}, nil}, N: 7, Alpha: uneven[:3],
			Tables: []Table{{Vars: []int{0, 1}, Cells: cells(.7, 3, 0, -1, 2)}, {Vars: []int{2, 1}, Cells: cells(.5, 1, 5, 4, -2)},
				{Vars: []int{1}, Cells: gauss(3, 1, 6)}, {Vars: []int{0}, Cells: cells(1, 6)}}},
		"branches": {Levels: []int{2, 2, 2, 2}, Parents: [][]int{nil, {0}, {1}, {1}}, N: 5, Alpha: uneven,
			Tables: []Table{{Vars: []int{2, 1}, Cells: cells(.5, 1, 1, 4, 0)}, {Vars: []int{1, 3}, Cells: cells(.6, 0, 3, 2, 1)},
				{Vars: []int{1, 3}, Cells: gauss(1.5, 1, 2, 2, 1)}}}, // 0 → 1 is not measured
		"parts": {Levels: []int{2, 2, 2, 2}, Parents: [][]int{nil, {0}, nil, nil}, N: 5, Alpha: uneven,
			Tables: []Table{{Vars: []int{0, 1}, Cells: cells(.6, 2, 0, 1)}, {Vars: []int{2}, Cells: cells(.3, 5)}}},
		"lattice": {Levels: []int{2, 2, 2}, Parents: [][]int{nil, {0}, {1}}, N: 6, Alpha: uneven[1:],
			Tables: []Table{{Vars: []int{0, 1}, Cells: []Term{Geometric(7, 4, .2), Geometric(-2, 4, .2), Geometric(9, 4, .2),
				Geometric(5, 4, .2)}}, {Vars: []int{1, 2}, Cells: []Term{OfLaw(2, 1, rounded), OfLaw(0, 1, rounded),
				OfLaw(-1, 1, rounded), OfLaw(4, 1, rounded)}}}},
	}
}

// Every law of every row is that of enumeration of all joint tables, to 1e-12.
func TestTreesByEnumeration(t *testing.T) {
	for name, p := range trees() {
		e := tree(t, p)
		if e == nil {
			t.Fatalf("%s: no tree", name)
		}
		l := e.l
		s, c := enumerate(t, l, p.N), l.chain(1)
		for v := range p.Levels {
			for x := range 1 + len(p.Parents[v]) {
				want := map[[2]int64]float64{}
				family := make([]int64, 2*len(l.rows[v].configs))
				for i := range s.p {
					copy(c.counts, s.counts[i])
					c.Family(v, family)
					want[[2]int64{family[2*x] + family[2*x+1], family[2*x+1]}] += s.p[i]
				}
				got, sum := lawsOf(e, v, x), 0.0
				for k, w := range want {
					sum += got[k]
					if math.Abs(got[k]-w) > 1e-12 {
						t.Fatalf("%s: node %d, row %d, %v: %v, want %v", name, v, x, k, got[k], w)
					}
				}
				if math.Abs(sum-1) > 1e-12 {
					t.Errorf("%s: node %d, row %d: the laws add up to %v", name, v, x, sum)
				}
			}
		}
	}
}

// Of the golden cases those that are forests of two-level nodes with a public n have the moments and 95 % ends of the
// program of its own; the others have no tree. A wrong model's means are told apart.
func TestGoldenTrees(t *testing.T) {
	trees := 0
	for _, g := range goldens(t) {
		e := tree(t, g.problem())
		forest := !g.Latent
		for v, parents := range g.Parents {
			forest = forest && len(parents) <= 1 && g.Levels[v] == 2
		}
		if forest != (e != nil) {
			t.Errorf("%s: a tree: %v", g.Name, e != nil)
		}
		if e == nil {
			continue
		}
		trees++
		mean, sd, laws := e.moments()
		if dm, ds := apart(mean, g.Mean), apart(sd, g.SD); dm > 2e-9 || ds > 2e-9 { // which are given to nine digits
			t.Errorf("%s: off by %g in a mean, %g in a standard deviation", g.Name, dm, ds)
		}
		lower, upper := ends(laws, .95)
		if de := max(apart(g.Lower, lower), apart(g.Upper, upper)); de > 2e-9 { // some have no ends
			t.Errorf("%s: off by %g in an end", g.Name, de)
		}
		for name, wrong := range g.Reject {
			if apart(mean, wrong) < 1e-6 {
				t.Errorf("%s: the mutant %s has the same means", g.Name, name)
			}
		}
	}
	if trees < 9 {
		t.Errorf("%d trees", trees)
	}
}

// sixNodes is a tree that branches, with tables near those of weak dependence.
func sixNodes(n int64, rate float64) *Problem {
	p, r := &Problem{N: n}, rand.New(rand.NewPCG(5, uint64(n)))
	for v := range 6 {
		p.Levels, p.Alpha = append(p.Levels, 2), append(p.Alpha, []float64{.5, 1})
		p.Parents = append(p.Parents, nil)
		if v == 0 {
			continue
		}
		p.Parents[v] = []int{(v - 1) / 2}
		m := Table{Vars: []int{(v - 1) / 2, v}, Spread: spread(rate, 0)}
		for cell := range 4 {
			y := n*int64([]int{3, 2, 2, 3}[cell])/10 + int64(3/rate*(r.Float64()-.5))
			m.Cells = append(m.Cells, Geometric(y, 1, rate))
		}
		p.Tables = append(p.Tables, m)
	}
	return p
}

// What is left out is far below the promise at sizes of practice, and a limit of work is kept.
func TestTreesLeaveNothingOut(t *testing.T) {
	for _, c := range []struct {
		n    int64
		rate float64
		fits bool
	}{{1000, .25, true}, {1000, .1, true}, {1000, .025, false}, {10_000, .25, true}, {300, .0025, true}, {100_000, .0025, false}} {
		p := sixNodes(c.n, c.rate)
		e := tree(t, p)
		if (e != nil) != c.fits {
			t.Errorf("%+v: fits %v", c, e != nil)
		}
		if e != nil {
			t.Logf("%+v: short %.1g, work %.2g", c, e.Short, e.Work)
			if e.Short > 1e-17 {
				t.Errorf("%+v: short by %g", c, e.Short)
			}
			for v := range p.Levels { // every row's law adds up to 1, whatever was cut
				for x := range 1 + len(p.Parents[v]) {
					sum := 0.0
					for _, q := range lawsOf(e, v, x) {
						sum += q
					}
					if math.Abs(sum-1) > 1e-11 {
						t.Errorf("%+v: node %d: %v", c, v, sum)
					}
				}
			}
		}
		small, err := NewTree(context.Background(), layout(t, p), 1e4)
		if err != nil || small != nil {
			t.Errorf("%+v: a tree beyond the limit: %v", c, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := NewTree(ctx, layout(t, trees()["chain"]), TreeWork); err == nil {
		t.Error("a context that ended was not seen")
	}
}
