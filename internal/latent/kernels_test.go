package latent

import (
	"math"
	"math/rand/v2"
	"testing"
)

// tiny are problems of few states that see every part of a kernel: unequal and uneven hyperparameters, three levels, a
// loop with fill-in, two parts, linear statistics, a latent number of records.
func tiny(t testing.TB, name string) (*Layout, *states) {
	t.Helper()
	cells := func(rate float64, y ...int64) (out []Term) {
		for _, v := range y {
			out = append(out, Geometric(v, 1, rate))
		}
		return out
	}
	p := &Problem{Levels: []int{2, 2, 2}, Parents: [][]int{nil, {0}, {1}}, N: 4}
	p.Alpha = [][]float64{{.5, .5}, {.3, 1.6}, {.7, .7}}
	p.Tables = []Table{{Vars: []int{0, 1}, Cells: cells(.7, 3, 0, -1, 2), Spread: 2},
		{Vars: []int{2, 1}, Cells: cells(.5, 1, 1, 4, 0), Spread: 2}}
	switch name {
	case "levels":
		p = &Problem{Levels: []int{3, 2}, Parents: [][]int{nil, {0}}, N: 4,
			Alpha:  [][]float64{{.4, .4, .4}, {2, .5}},
			Tables: []Table{{Vars: []int{0, 1}, Cells: cells(.6, 2, -1, 1, 1, 0, 3), Spread: 2}}}
	case "class":
		p = &Problem{Levels: []int{2, 2, 2, 2}, Parents: [][]int{nil, {0}, {0}, {0}}, N: 3,
			Alpha: symmetric([]int{2, 2, 2, 2}, .5)}
		for v := 1; v < 4; v++ {
			p.Tables = append(p.Tables, Table{Vars: []int{0, v}, Cells: cells(.5, 2, 0, int64(v)-1, 1), Spread: 2})
		}
	case "loop": // 0 → 1, 0 → 2, {1, 2} → 3: the cycle is cut by 1-2, which the family of 3 joins
		p = &Problem{Levels: []int{2, 2, 2, 2}, Parents: [][]int{nil, {0}, {0}, {1, 2}}, N: 3,
			Alpha: symmetric([]int{2, 2, 2, 2}, .6)}
		p.Tables = []Table{{Vars: []int{0, 1}, Cells: cells(.6, 1, 1, 0, 2), Spread: 2},
			{Vars: []int{0, 2}, Cells: cells(.6, 1, 0, 0, 2), Spread: 2},
			{Vars: []int{1, 2, 3}, Cells: cells(.6, 1, 0, 0, 2, 0, 0, 1, -1), Spread: 2}}
	case "parts":
		p = &Problem{Levels: []int{2, 2, 2}, Parents: [][]int{nil, {0}, nil}, N: 4,
			Alpha:  symmetric([]int{2, 2, 2}, .5),
			Tables: []Table{{Vars: []int{0, 1}, Cells: cells(.6, 2, 0, 1, 1), Spread: 2}, {Vars: []int{2}, Cells: cells(.3, 5), Spread: 2}}}
	case "sums":
		p.Tables = nil
		p.Sums = []Linear{{Vars: []int{0}, Function: [][]int64{{1, -1}}, Term: Geometric(2, 1, .4), Spread: 2},
			{Vars: []int{0, 1}, Function: [][]int64{{1, -1}, {1, -1}}, Term: Geometric(-1, 1, .5), Spread: 2},
			{Vars: []int{1, 2}, Function: [][]int64{{1, -1}, {1, -1}}, Term: Rounded(5, 1.7, .3), Spread: 2}}
	case "latent":
		p.Latent, p.N = true, 3
		p.Tables[0].Cells, p.Tables[1].Cells = cells(.8, 2, 0, 0, 2), cells(.8, 1, 1, 2, 0)
	case "latent parts":
		p = &Problem{Levels: []int{2, 2}, Parents: [][]int{nil, nil}, N: 2, Latent: true,
			Alpha:  symmetric([]int{2, 2}, .5),
			Tables: []Table{{Vars: []int{0}, Cells: cells(.9, 2, 1), Spread: 1}, {Vars: []int{1}, Cells: cells(.9, 2, 0), Spread: 1}}}
	}
	l := layout(t, p)
	n := p.N
	if p.Latent {
		n = 9 - int64(len(p.Levels)) // beyond it there is too little to see
	}
	return l, enumerate(t, l, n)
}

// kernels are the moves, each alone.
var kernels = map[string]func(c *Chain){
	"directions": func(c *Chain) { c.direction() },
	"picks": func(c *Chain) {
		if c.records() > 0 {
			c.picked()
		}
	},
	"jumps": func(c *Chain) { c.jump() },
	"jumps by numbers": func(c *Chain) {
		c.atOnce = -1
		c.jump()
	},
	"sizes": func(c *Chain) { c.resize(false) },
	"records": func(c *Chain) {
		if c.records() > 0 {
			c.resize(true)
		}
	},
	"wide directions": func(c *Chain) { c.wide = true; c.direction() },
	"swaps":           func(c *Chain) { c.exchange() },
	"swaps by numbers": func(c *Chain) {
		c.atOnce = -1
		c.exchange()
	},
}

// run is the two statistics of one kernel on one problem.
func run(t testing.TB, l *Layout, s *states, kernel string, draws int) (law, balance, moved float64) {
	t.Helper()
	c := l.chain(1)
	return s.transitions(c, rand.New(rand.NewPCG(7, 8)), draws, func() { kernels[kernel](c) })
}

// Each move alone leaves the posterior as it is and passes between any two states as often both ways: enumeration,
// exact draws of where a move starts, and chi-square tests that a right kernel fails with probability below 1e-10.
func TestEveryKernelAlone(t *testing.T) {
	draws := 60_000
	if testing.Short() {
		draws = 10_000
	}
	for _, problem := range []string{"chain", "levels", "class", "loop", "parts", "sums", "latent", "latent parts"} {
		l, s := tiny(t, problem)
		for kernel := range kernels {
			if (kernel == "sizes" || kernel == "records") && !l.p.Latent {
				continue
			}
			law, balance, moved := run(t, l, s, kernel, draws)
			if law > 6.5 || balance > 6.5 || moved < .01 {
				t.Errorf("%s on %s (%d states): law %.1f, balance %.1f, moved %.2f", kernel, problem, len(s.p), law,
					balance, moved)
			}
		}
	}
}

// A move with one part broken is told from the right one, by the test that the right one passes.
func TestBrokenKernelsAreRejected(t *testing.T) {
	for name, c := range map[string]struct {
		problem, kernel string
		draws           int
		breaks          func(l *Layout)
	}{
		"picks without H": {"class", "picks", 200_000, func(l *Layout) {
			for i := range l.tabs {
				l.tabs[i].picks = 0
			}
		}},
		"picks without separators in H": {"chain", "picks", 60_000, func(l *Layout) {
			for i := range l.tabs {
				l.tabs[i].picks = max(l.tabs[i].picks, 0)
			}
		}},
		"records on the posterior alone": {"latent", "records", 60_000, func(l *Layout) {
			for i := range l.tabs {
				l.tabs[i].picks = 0
			}
		}},
		"records without 1/n": {"latent", "records", 60_000, func(l *Layout) { l.tabs[l.empty].picks = 0 }},
		"jumps without the ratio of rows": {"chain", "jumps", 60_000, func(l *Layout) {
			for v := range l.urns {
				clear(l.urns[v])
			}
		}},
		"jumps with one α for all levels": {"levels", "jumps", 60_000, func(l *Layout) {
			for v := range l.urns {
				for i := range l.urns[v] {
					l.urns[v][i] = l.urns[v][0]
				}
			}
		}},
		"jumps without descendants": {"chain", "jumps", 60_000, func(l *Layout) {
			for v := range l.blockMoves {
				h := &l.blockMoves[v]
				h.below, h.late, h.merges = nil, h.all, false
			}
		}},
		"swaps without their ratio": {"chain", "swaps", 60_000, func(l *Layout) {
			for v := range l.urns {
				clear(l.urns[v])
			}
		}},
		"swaps without descendants": {"chain", "swaps", 200_000, func(l *Layout) {
			for v := range l.blockMoves {
				h := &l.blockMoves[v]
				h.below, h.late, h.merges = nil, h.all, false
			}
		}},
		"no factorials of cliques": {"chain", "directions", 60_000, func(l *Layout) {
			for i, tb := range l.tabs {
				if tb.picks > 0 {
					l.tabs[i].weight = newWeight([]gammaPower{{l.p.Alpha[2][0], 1}}, -1)
				}
			}
		}},
		"half the rate": {"loop", "directions", 60_000, func(l *Layout) {
			for i := range l.tabs {
				for _, terms := range l.tabs[i].terms {
					for j := range terms {
						terms[j].rate /= 2
					}
				}
			}
		}},
		"n! forgotten": {"latent parts", "sizes", 60_000, func(l *Layout) {
			l.tabs[l.empty].weight = newWeight([]gammaPower{{1, -2}}, -1)
		}},
	} {
		l, s := tiny(t, c.problem)
		law, balance, _ := run(t, l, s, c.kernel, c.draws)
		c.breaks(l)
		wrongLaw, wrongBalance, _ := run(t, l, s, c.kernel, c.draws)
		if max(law, balance) > 6.5 || max(wrongLaw, wrongBalance) <= 6.5 {
			t.Errorf("%s: %.1f, %.1f; unbroken %.1f, %.1f", name, wrongLaw, wrongBalance, law, balance)
		}
	}
}

// hills are an unnormalised law on the integers with gaps between its parts.
type hills struct{ log []float64 }

func (h hills) at(k int64) float64 {
	if k += int64(len(h.log)) / 2; k < 0 || k >= int64(len(h.log)) {
		return math.Inf(-1)
	}
	return h.log[k]
}

// from is the law seen from a point.
type from struct {
	density
	at0 int64
}

func (f from) at(k int64) float64 { return f.density.at(k + f.at0) }

// The ends of a slice's interval are asked at L and R: where a slice has gaps, another question is not reversible. The
// mutants ask at R − 1, at L − 1, or move one end only.
func TestSliceEndsOnHills(t *testing.T) {
	h := hills{log: []float64{1, -30, 0, -30, -30, 1, -30, 0, 1, -30, 1}}
	p, total := make([]float64, len(h.log)), 0.0
	for i, l := range h.log {
		p[i] = math.Exp(l)
		total += p[i]
	}
	half := int64(len(p) / 2)
	try := func(step func(d density, width int64, r *rand.Rand) int64) (law, balance float64) {
		r := rand.New(rand.NewPCG(3, 4))
		counts, pairs := make([]float64, len(p)), map[[2]int64]float64{}
		const draws = 600_000
		for range draws {
			u, i := r.Float64()*total, 0
			for ; i < len(p)-1 && u >= p[i]; i++ {
				u -= p[i]
			}
			k := int64(i) - half
			j := k + step(from{h, k}, 3, r)
			counts[j+half]++
			pairs[[2]int64{k, j}]++
		}
		chi, df := 0.0, -1.0
		for i, n := range counts {
			if e := draws * p[i] / total; e >= 5 {
				chi, df = chi+(n-e)*(n-e)/e, df+1
			}
		}
		law = normal(chi, df)
		chi, df = 0, 0
		for pair, n := range pairs {
			back := pairs[[2]int64{pair[1], pair[0]}]
			if pair[0] < pair[1] && n+back >= 10 {
				chi, df = chi+(n-back)*(n-back)/(n+back), df+1
			}
		}
		return law, normal(chi, df)
	}
	ours := func(d density, width int64, r *rand.Rand) int64 {
		k, _ := sliceStep(d, width, r)
		return k
	}
	if law, balance := try(ours); law > 6.5 || balance > 6.5 {
		t.Errorf("law %.1f, balance %.1f", law, balance)
	}
	asked := func(l, r int64, moveL, moveR bool) func(d density, width int64, g *rand.Rand) int64 {
		return func(d density, width int64, g *rand.Rand) int64 {
			level := d.at(0) - g.ExpFloat64()
			left := -g.Int64N(width)
			right := left + width
			for moveL && d.at(left+l) >= level {
				left -= width
			}
			for moveR && d.at(right+r) >= level {
				right += width
			}
			return shrink(d, level, left, right, g)
		}
	}
	if law, balance := try(asked(0, 0, true, true)); law > 6.5 || balance > 6.5 {
		t.Errorf("the mutants' own way is wrong already: law %.1f, balance %.1f", law, balance)
	}
	for name, mutant := range map[string]func(d density, width int64, g *rand.Rand) int64{
		"ends asked at R − 1": asked(0, -1, true, true), "ends asked at L − 1": asked(-1, 0, true, true),
		"only R moves": asked(0, 0, false, true), "only L moves": asked(0, 0, true, false),
	} {
		law, balance := try(mutant)
		if max(law, balance) <= 6.5 {
			t.Errorf("%s: passes: law %.1f, balance %.1f", name, law, balance)
		}
		t.Logf("%s: law %.1f, balance %.1f", name, law, balance)
	}
}

// flat is a density with no end.
type flat struct{}

func (flat) at(int64) float64 { return 0 }

// Where no number bounds a latent number of records, counts stay within what an int64 holds, and a slice ends.
func TestNothingBoundsTheRecords(t *testing.T) {
	p := &Problem{Levels: []int{2}, Parents: [][]int{nil}, N: 13, Latent: true, Alpha: symmetric([]int{2}, 1),
		Tables: []Table{{Vars: []int{0}, Cells: []Term{Geometric(3, 1, .5), OfLaw(10, 1, func(d int64) float64 {
			return -.5 * max(float64(d), 0) // at least 10: nothing against many
		})}, Spread: 2}}}
	l := layout(t, p)
	c := l.NewChain([][]float64{{.2, .8}}, 13, [32]byte{1})
	for s := range 400 {
		c.Wide(s < 50)
		if s%50 == 0 {
			c.Adapt()
		}
		c.Sweep(never)
		if n := c.N(); n < 0 || n > maxCount {
			t.Fatalf("%d records after %d sweeps", n, s)
		}
	}
	// a slice of more widths than it may step out by is none
	if k, steps := sliceStep(flat{}, 1, rand.New(rand.NewPCG(1, 2))); k != 0 || steps != mostSteps+1 {
		t.Errorf("moved by %d after %d steps", k, steps)
	}
}

// Weights of large counts go on where the kept ones end, and are the gamma functions that they stand for.
func TestWeightsOfLargeCounts(t *testing.T) {
	for name, powers := range map[string][]gammaPower{
		"a clique":         {{1, -1}, {.5, 1}},
		"parents":          {{1, 1}, {3, -1}},
		"alone":            {{1, -1}},
		"many":             {{1, 2}, {.3, -1}, {200, -1}},
		"a shift too wide": {{1, 1}, {5000, -1}},
	} {
		w := newWeight(powers, -1)
		want := func(c int64) (sum float64) {
			for _, p := range powers {
				sum += float64(p.power) * (lgamma(p.shift+float64(c)) - lgamma(p.shift))
			}
			return sum
		}
		for _, c := range []int64{0, 1, 17, smallCounts - 1, smallCounts, smallCounts + 1, 1e5, 1e7} {
			tol := 1e-8 + 4e-15*math.Abs(lgamma(float64(c)+1))
			if got := w.at(c); math.Abs(got-want(c)) > tol {
				t.Errorf("%s at %d: %g, want %g", name, c, got, want(c))
			}
		}
	}
	if newWeight([]gammaPower{{1, 1}, {1, -1}}, 10) != nil {
		t.Error("a constant has a weight")
	}
}
