package latent

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
)

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
		sweeps := 3000 // four chains: errors up to .004 in a mean are what that leaves
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
