package truncatednet

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/truncated"
)

// auditor enumerates all data sets of n records and all replacements of one record for a small binary network, and
// looks for the largest log-ratio of the densities of N draws: every parameter's law is the shipped one, and its ratio,
// monotone in the parameter, is read at the two ends of the box.
type auditor struct {
	parents  [][]int
	w, alpha float64
	laws     map[[2]int]*truncated.Beta
}

func (a *auditor) law(t *testing.T, c [2]int) *truncated.Beta {
	m, ok := a.laws[c]
	if !ok {
		var err error
		if m, err = truncated.NewBeta(a.alpha+float64(c[1]), a.alpha+float64(c[0]), a.w, 1-a.w); err != nil {
			t.Fatal(err)
		}
		a.laws[c] = m
	}
	return m
}

// sup is the largest log-density ratio of one parameter under counts x against counts y.
func (a *auditor) sup(t *testing.T, x, y [2]int) float64 {
	if x == y {
		return 0
	}
	p, q := a.law(t, x), a.law(t, y)
	best := math.Inf(-1)
	for _, at := range []float64{a.w, 1 - a.w} {
		best = math.Max(best, p.LogDensity(at)-q.LogDensity(at))
	}
	return best
}

// worst is the largest log-ratio over all neighbours, for one draw.
func (a *auditor) worst(t *testing.T, n int) float64 {
	k := len(a.parents)
	type cell struct{ node, config int }
	counts := make([]map[cell][2]int, 1<<k) // what one record adds
	for r := range counts {
		counts[r] = map[cell][2]int{}
		for i, ps := range a.parents {
			config := 0
			for _, p := range ps {
				config = 2*config + r>>p&1
			}
			var c [2]int
			c[r>>i&1] = 1
			counts[r][cell{i, config}] = c
		}
	}
	best := 0.0
	rest := map[cell][2]int{}
	var extend func(from, left int)
	extend = func(from, left int) {
		if left > 0 {
			for r := from; r < len(counts); r++ {
				for c, v := range counts[r] {
					rest[c] = [2]int{rest[c][0] + v[0], rest[c][1] + v[1]}
				}
				extend(r, left-1)
				for c, v := range counts[r] {
					rest[c] = [2]int{rest[c][0] - v[0], rest[c][1] - v[1]}
				}
			}
			return
		}
		for x := range counts {
			for y := range counts {
				total := 0.0
				for c, v := range counts[x] {
					u := counts[y][c] // zero when y is in another configuration
					total += a.sup(t, [2]int{rest[c][0] + v[0], rest[c][1] + v[1]},
						[2]int{rest[c][0] + u[0], rest[c][1] + u[1]})
				}
				for c, u := range counts[y] {
					if _, both := counts[x][c]; !both {
						total += a.sup(t, rest[c], [2]int{rest[c][0] + u[0], rest[c][1] + u[1]})
					}
				}
				best = math.Max(best, total)
			}
		}
	}
	extend(0, n-1)
	return best
}

func naiveParents(d int) [][]int {
	out := [][]int{nil}
	for range d {
		out = append(out, []int{0})
	}
	return out
}

// The formula is the enumeration, and no claim below it survives: the paper's 2 ln(1/w) from n = 2 on, and the cost of
// one draw for several.
func TestEnumeration(t *testing.T) {
	for _, c := range []struct {
		d, n     int
		w, alpha float64
	}{
		{1, 1, .1, 1}, {1, 2, .1, 1}, {1, 3, .1, 1}, {1, 4, .1, 1}, {1, 3, .3, 2.5}, {1, 4, .02, .4}, {2, 1, .1, 1},
		{2, 2, .1, 1}, {2, 3, .1, 1}, {2, 3, .35, .5},
	} {
		a := &auditor{naiveParents(c.d), c.w, c.alpha, map[[2]int]*truncated.Beta{}}
		true1 := a.worst(t, c.n)
		// N draws repeat the worst point
		claims := func(claim float64, draws int) bool { return float64(draws)*true1 <= claim }
		certified := must.Get(Naive{c.d, c.n, c.alpha}.Epsilon(c.w, 1))(t)
		if !claims(certified, 1) || certified > true1*(1+1e-9) {
			t.Errorf("%+v: certified %.14g, enumeration %.14g", c, certified, true1)
		}
		if !claims(3*certified, 3) {
			t.Errorf("%+v: three draws exceed three times the certificate", c)
		}
		if claims(certified, 2) {
			t.Errorf("%+v: two draws charged once pass the audit", c)
		}
		if paper := 2 * math.Log(1/c.w); (c.d > 1 || c.n > 1) && c.w == .1 && claims(paper, 1) {
			t.Errorf("%+v: ω per conditional sold as ε = %g passes the audit, truth %g", c, paper, true1)
		}
		if limit := sup(repeat(2, c.d+1), repeat(c.w, c.d+1), 1); !claims(limit, 1) {
			t.Errorf("%+v: closed form %g below enumeration %g", c, limit, true1)
		}
	}
}

// Networks of binary nodes: the enumeration is the one that package families, which knows bounds for them, is tested
// against. Source: theory/networks.md §3.4 and 7.
func TestEnumerationOfNetworks(t *testing.T) {
	for _, r := range golden(t).Bound {
		a := &auditor{r.Parents, .1, 1, map[[2]int]*truncated.Beta{}}
		near(t, r.Name+" enumeration", a.worst(t, r.N), r.Brute, nil)
	}
}
