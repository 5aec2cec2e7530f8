package latent

import (
	"math"
	"testing"
)

// The formula of the posterior is that of enumeration up to one constant: cliques, separators, fill-in, unequal levels.
func TestLogWeightIsThePosterior(t *testing.T) {
	for _, g := range goldens(t)[:12] {
		p := g.problem()
		p.N = 3
		l := layout(t, p)
		s, c := enumerate(t, l, 3), l.chain(1)
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

// Means and standard deviations of all CPT entries, with all kernels; and the means of wrong models are told apart.
func TestGoldenMoments(t *testing.T) {
	for _, g := range goldens(t) {
		sweeps := 4000
		if g.N > 50 {
			sweeps = 8000
		}
		mean, sd := moments(layout(t, g.problem()), Every, sweeps)
		dm, ds := apart(mean, g.Mean), apart(sd, g.SD)
		if dm > .005 || ds > .004 {
			t.Errorf("%s: off by %.4f in a mean, %.4f in a standard deviation", g.Name, dm, ds)
		}
		t.Logf("%s: %.4f %.4f", g.Name, dm, ds)
		for name, wrong := range g.Reject {
			if off := apart(mean, wrong); off <= .005 {
				t.Errorf("%s: the mutant %s is only %.4f away", g.Name, name, off)
			}
		}
	}
}
