package latent

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
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

// set puts the counts of families, as Tree.Counts gives them, into all tables of a chain.
func (c *Chain) set(families []int64) {
	clear(c.counts)
	at := 0
	for v, r := range c.p.Levels {
		tb := &c.tabs[c.family[v]]
		for _, o := range c.rows[v].configs {
			for x := range r {
				c.counts[tb.off+int(o)+x*c.rows[v].stride] = families[at]
				at++
			}
		}
	}
	for t := range c.tabs {
		if slices.Contains(c.family, t) {
			continue
		}
		home := slices.IndexFunc(c.family, func(f int) bool {
			return !slices.ContainsFunc(c.tabs[t].vars, func(v int) bool { return !slices.Contains(c.tabs[f].vars, v) })
		})
		c.marginal(&c.tabs[c.family[home]], t)
	}
}

// fit is a chi-square statistic, as a standard normal number, of counts drawn from probabilities.
func fit(counts, p []float64) float64 {
	draws := 0.0
	for _, n := range counts {
		draws += n
	}
	chi, df, restP, restN := 0.0, -1.0, 0.0, 0.0
	for i, n := range counts {
		if restP, restN = restP+p[i]*draws, restN+n; restP >= 20 { // neighbours are taken together
			chi, df = chi+(restN-restP)*(restN-restP)/restP, df+1
			restP, restN = 0, 0
		}
	}
	if restP >= 5 {
		chi, df = chi+(restN-restP)*(restN-restP)/restP, df+1
	}
	return normal(chi, df)
}

// Draws of whole tables have the joint law of enumeration, and those that take the two rows as independent given the
// parent's count have not: chi-square tests that right draws fail with probability below 1e-10.
func TestTreeDraws(t *testing.T) {
	for _, name := range []string{"chain", "backwards", "branches", "parts"} {
		p := trees()[name]
		e := tree(t, p)
		s, c := enumerate(t, e.l, p.N), e.l.chain(1)
		families := map[string]int{}
		var law []float64
		for i := range s.p {
			copy(c.counts, s.counts[i])
			key := fmt.Sprint(c.Families(nil))
			at, ok := families[key]
			if !ok {
				at = len(law)
				families[key], law = at, append(law, 0)
			}
			law[at] += s.p[i]
		}
		misfit := func(e *Tree) float64 {
			r, counts := rand.New(rand.NewPCG(3, 4)), make([]float64, len(law))
			for range 100_000 {
				at, ok := families[fmt.Sprint(e.Counts(r))]
				if !ok {
					return 1e9
				}
				counts[at]++
			}
			return fit(counts, law)
		}
		if m := misfit(e); m > 6.5 {
			t.Errorf("%s: %.1f", name, m)
		}
		if name == "parts" { // no node has both a parent and something known of itself
			continue
		}
		for _, b := range e.nodes {
			b.plain = true
		}
		if m := misfit(e); m <= 6.5 {
			t.Errorf("%s: independent rows fit: %.1f", name, m)
		}
	}
}

// The sampler against the exact law, at n = 1000 and 10000: chains that start at exact draws are at exact draws after
// any number of sweeps, independent of each other. Chi-square tests of every row's records and of those at level 1,
// which a right sampler fails with probability below 2·22·4e-11 < 2e-9 a case by the normal approximation of Wilson and
// Hilferty, and below 1e-9 in all at 7.2. A sampler that takes the noise for one of rate 1.6 times as large fails.
func TestSamplerAgainstTrees(t *testing.T) {
	draws := 2000
	if testing.Short() {
		draws = 500
	}
	for _, c := range []struct {
		n    int64
		rate float64
	}{{1000, .25}, {1000, .8}, {10_000, .3}} {
		e := tree(t, sixNodes(c.n, c.rate))
		worst := func(l *Layout, sweeps, draws int) (out float64) {
			src := rand.NewPCG(9, uint64(c.n))
			r, chain := rand.New(src), l.chain(1)
			seen := map[[2]int][]map[int64]float64{}
			for range draws {
				chain.set(e.Counts(r))
				for range sweeps {
					chain.Sweep(never)
				}
				at, counts := 0, chain.Families(nil)
				for v, parents := range l.p.Parents {
					for x := range 1 + len(parents) {
						k := [2]int{v, x}
						if seen[k] == nil {
							seen[k] = []map[int64]float64{{}, {}}
						}
						seen[k][0][counts[at]+counts[at+1]]++
						seen[k][1][counts[at+1]]++
						at += 2
					}
				}
			}
			for k, both := range seen {
				laws := [2]map[int64]float64{{}, {}}
				for of, p := range lawsOf(e, k[0], k[1]) {
					laws[0][of[0]] += p
					laws[1][of[1]] += p
				}
				for i, law := range laws {
					n, p := make([]float64, c.n+1), make([]float64, c.n+1)
					for f := range n {
						n[f], p[f] = both[i][int64(f)], law[int64(f)]
					}
					out = max(out, fit(n, p))
				}
			}
			return out
		}
		if w := worst(e.l, 5, draws); w > 7.2 {
			t.Errorf("%+v: the sampler is off by %.1f", c, w)
		} else {
			t.Logf("%+v: %.1f", c, w)
		}
		wrong := sixNodes(c.n, c.rate)
		for _, m := range wrong.Tables {
			for i := range m.Cells {
				m.Cells[i].rate *= 1.6
			}
		}
		if w := worst(layout(t, wrong), 15, 1000); w <= 7.2 {
			t.Errorf("%+v: a sampler of other noise fits: %.1f", c, w)
		}
	}
}

// urnLaw is the law of c.urn by gamma functions.
func urnLaw(k int64, a, b float64) []float64 {
	choose := func(n, k float64) float64 {
		if k < 0 || k > n {
			return math.Inf(-1)
		}
		return lgamma(n+1) - lgamma(k+1) - lgamma(n-k+1)
	}
	rising := func(a, x float64) float64 { return lgamma(a+x) - lgamma(a) }
	p := make([]float64, k+1)
	for i := range p {
		x, m := float64(i), float64(k)
		if a > 0 {
			p[i] = math.Exp(choose(m, x) + rising(a, x) + rising(b, m-x) - rising(a+b, m))
		} else {
			p[i] = math.Exp(choose(-a, x) + choose(-b, m-x) - choose(-a-b, m))
		}
	}
	return p
}

// Numbers drawn from urns have the laws of gamma functions: chi-square tests that right ones fail with probability
// below 1e-10. The mutants start with two balls more, and draw once less.
func TestUrns(t *testing.T) {
	l := layout(t, &Problem{Levels: []int{2}, Parents: [][]int{nil}, Alpha: symmetric([]int{2}, 1), N: 1})
	c := l.chain(1)
	const draws = 200_000
	misfit := func(p []float64, draw func() int64) float64 {
		counts := make([]float64, len(p))
		for range draws {
			counts[draw()]++
		}
		chi, df, restP, restN := 0.0, -1.0, 0.0, 0.0
		for i, n := range counts {
			if e := draws * p[i]; e >= 5 {
				chi, df = chi+(n-e)*(n-e)/e, df+1
			} else {
				restP, restN = restP+e, restN+n
			}
		}
		if restP == 0 && restN > 0 {
			return math.Inf(1)
		}
		return normal(chi+(restN-restP)*(restN-restP)/max(restP, 1), df+1)
	}
	for _, u := range []struct {
		k    int64
		a, b float64
	}{{9, 1, 1}, {30, 1.5, 40}, {30, 2000.5, 12}, {6, 1, 300}, {5, -3, -4}, {40, -100, -33}, {40, -41, -2}, {60, -30, -30},
		{500, -2e6, -3e6}, {12, -5, -100000}} {
		p := urnLaw(u.k, u.a, u.b)
		if m := misfit(p, func() int64 { return c.urn(u.k, u.a, u.b) }); m > 6.5 {
			t.Errorf("%+v: %.1f", u, m)
		}
		if math.Abs(u.a+u.b) > 100 { // what follows is too small a change to be seen
			continue
		}
		s := math.Copysign(1, u.a)
		if m := misfit(p, func() int64 { return min(c.urn(u.k, u.a+2*s, u.b), u.k) }); m <= 6.5 {
			t.Errorf("%+v with two balls more fits: %.1f", u, m)
		}
		if m := misfit(p, func() int64 { return c.urn(u.k-1, u.a, u.b) }); m <= 6.5 {
			t.Errorf("%+v with a draw less fits: %.1f", u, m)
		}
	}
	for _, u := range []struct {
		k    int64
		a, b float64
		want int64
	}{{7, math.Copysign(0, -1), -9, 0}, {7, -9, math.Copysign(0, -1), 7}, {0, -3, -3, 0}, {6, -3, -3, 3}} {
		if got := c.urn(u.k, u.a, u.b); got != u.want {
			t.Errorf("%+v: %d", u, got)
		}
	}
}

// The formula of the posterior is that of enumeration up to one constant: cliques, separators, fill-in, unequal levels.
func TestLogWeightIsThePosterior(t *testing.T) {
	cases := goldens(t)[:12]
	cases = append(cases, golden{Name: "fill-in", Levels: []int{2, 2, 2, 2, 2},
		Parents: [][]int{nil, {0}, {0}, {1}, {2, 3}}, Alpha: .5}) // the cycle 0-1-3-2 needs 1-2 or 0-3
	for _, g := range cases {
		p := g.problem()
		if p.N = 3; g.Name == "fill-in" {
			p.N = 2
			for v := range p.Levels {
				f := p.family(v)
				m := Table{Vars: f, Spread: 2}
				for c := range 1 << len(f) {
					m.Cells = append(m.Cells, Geometric(int64(c*v%3)-1, 1, .5))
				}
				p.Tables = append(p.Tables, m)
			}
			widest := 0
			for q := range layout(t, p).forest.Cliques {
				widest = max(widest, layout(t, p).forest.Cells(q))
			}
			if widest != 8 || len(layout(t, p).forest.Cliques) != 3 {
				t.Errorf("the fill-in case has %d cliques", len(layout(t, p).forest.Cliques))
			}
		}
		l := layout(t, p)
		s, c := enumerate(t, l, p.N), l.chain(1)
		first := 0.0
		for i := range s.p {
			copy(c.counts, s.counts[i])
			copy(c.totals, s.totals[i])
			off := c.LogWeight() - math.Log(s.p[i])
			if i == 0 {
				first = off
			}
			if math.Abs(off-first) > 1e-9 {
				t.Fatalf("%s: state %d of %d is off by %g", g.Name, i, len(s.p), off-first)
			}
		}
	}
}

// Means, standard deviations and 95 % ends of all CPT entries, with all kernels; and the means of wrong models and
// the ends of another level are told apart.
func TestGoldenMoments(t *testing.T) {
	with := 0
	for _, g := range goldens(t) {
		sweeps := 6000 // four chains: errors up to .004 in a mean are what that leaves
		mean, sd, laws := moments(layout(t, g.problem()), Every, sweeps)
		dm, ds := apart(mean, g.Mean), apart(sd, g.SD)
		if dm > .005 || ds > .004 {
			t.Errorf("%s: off by %.4f in a mean, %.4f in a standard deviation", g.Name, dm, ds)
		}
		// Of the ends what lies below them, 0.025 and 0.975: an end itself is as uncertain as the density is small there.
		de, wrong := 0.0, math.Inf(1)
		for i := range g.Lower {
			lower, upper := laws[i].below(g.Lower[i]), laws[i].below(g.Upper[i])
			de = max(de, math.Abs(lower-.025), math.Abs(upper-.975))
			wrong = min(wrong, math.Abs(lower-.035), math.Abs(upper-.965))
		}
		if len(g.Lower) != len(g.Upper) || len(g.Lower) != len(mean) && len(g.Lower) > 0 {
			t.Fatalf("%s: %d and %d ends", g.Name, len(g.Lower), len(g.Upper))
		}
		if de > .005 || wrong <= .005 {
			t.Errorf("%s: an end is off by a probability of %.4f, from those of 93 %% by %.4f", g.Name, de, wrong)
		}
		if len(g.Lower) > 0 {
			with++
		}
		t.Logf("%s: %.4f %.4f %.4f", g.Name, dm, ds, de)
		for name, wrong := range g.Reject {
			if off := apart(mean, wrong); off <= .005 {
				t.Errorf("%s: the mutant %s is only %.4f away", g.Name, name, off)
			}
		}
	}
	if with < 12 {
		t.Errorf("%d cases have ends", with)
	}
}

// betas are weights of Beta laws by their parameters: the posterior of a CPT entry.
type betas map[[2]float64]float64

// below is P(θ ≤ x) of the mixture.
func (m betas) below(x float64) float64 {
	total, below := 0.0, 0.0
	for ab, w := range m {
		total, below = total+w, below+w*num.RegIncBeta(ab[0], ab[1], x)
	}
	return below / total
}

// end is the x with P(θ ≤ x) = p.
func (m betas) end(p float64) float64 {
	lo, hi := 0.0, 1.0
	for range 40 {
		if x := (lo + hi) / 2; m.below(x) < p {
			lo = x
		} else {
			hi = x
		}
	}
	return (lo + hi) / 2
}

// ends are those of the equal-tailed intervals of a level.
func ends(laws []betas, level float64) (lower, upper []float64) {
	for _, m := range laws {
		lower, upper = append(lower, m.end((1-level)/2)), append(upper, m.end((1+level)/2))
	}
	return lower, upper
}
