package latent

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

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
