package sample_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
)

func TestDiscreteGaussianFitsItsLaw(t *testing.T) {
	for i, c := range [][2]uint64{{1, 4}, {1, 1}, {9, 2}, {400, 1}, {3435973902, 1 << 28}, {1 << 40, 1 << 28},
		{1<<52 + 1, 1 << 40}, {1 << 62, 1<<62 - 1}} {
		g := must.Get(sample.NewDiscreteGaussian(c[0], c[1]))(t)
		src := source(byte(100 + i))
		if !fits(draws, sampler(src, g), g.LogProb) {
			t.Errorf("%+v does not fit", g)
		}
		if c[0] > 1<<60 {
			continue
		}
		if fits(draws, sampler(src, sample.DiscreteGaussian{Num: 5 * c[0], Den: 4 * c[1]}), g.LogProb) {
			t.Errorf("a variance 25 %% off passes for %+v", g)
		}
		sd := math.Sqrt(g.Sigma2())
		rounded := func() int64 { return int64(math.Round(sd * sample.Normal(src))) }
		if s2 := g.Sigma2(); s2 >= 1 && s2 <= 2 && fits(draws, rounded, g.LogProb) {
			t.Errorf("a rounded normal passes for %+v", g)
		}
	}
}

// gaussian is Algorithm 3 with its parts exposed: proposal scale, the scale and centre used in acceptance, the
// Bernoulli.
type gaussian struct {
	a, b, proposal, scale uint64
	floor, keepZero       bool
	accept                bernoulli
}

func (m gaussian) draw(src rand.Source) int64 {
	for {
		y := sample.TwoSidedGeometric{Num: 1, Den: m.proposal}.Draw(src)
		if m.keepZero {
			y = twiceZero(src, sample.TwoSidedGeometric{Num: 1, Den: m.proposal})
		}
		k, t := uint64(max(y, -y)), m.scale
		x, centre, den := k*t*m.b, m.a, 2*m.a*m.b*t*t
		if m.floor {
			centre -= centre % (t * m.b) // ⌊σ²/t⌋ in units of 1/(t·b)
		}
		diff := max(x, centre) - min(x, centre)
		if m.accept(src, diff*diff, den) {
			return y
		}
	}
}

// The same test must reject each way to get Algorithm 3 wrong, and pass it with the parts right.
func TestDiscreteGaussianMutants(t *testing.T) {
	g, src := sample.DiscreteGaussian{Num: 9, Den: 2}, source(120)
	right := gaussian{9, 2, 3, 3, false, false, sample.BernoulliExp}
	clipped := func(src rand.Source, num, den uint64) bool { return linear(src, min(num, den), den) }
	for _, c := range []struct {
		name string
		part func(*gaussian)
		pass bool
	}{
		{"nothing", func(*gaussian) {}, true},
		{"another scale in both places", func(m *gaussian) { m.proposal, m.scale = 2, 2 }, true},
		{"⌊σ⌋ for the acceptance scale only", func(m *gaussian) { m.scale = 2 }, false},
		{"a centre rounded down", func(m *gaussian) { m.floor = true }, false},
		{"−0 kept in the proposal", func(m *gaussian) { m.keepZero = true }, false},
		{"1 − x for exp(−x)", func(m *gaussian) { m.accept = clipped }, false},
	} {
		m := right
		c.part(&m)
		if fits(draws, func() int64 { return m.draw(src) }, g.LogProb) != c.pass {
			t.Errorf("%s changed: passes %v, want %v", c.name, !c.pass, c.pass)
		}
	}
}

func BenchmarkDiscreteGaussian(b *testing.B) {
	for name, g := range map[string]sample.DiscreteGaussian{
		"word": {Num: 100, Den: 1},
		"wide": {Num: 3435973902, Den: 1 << 20},
		"huge": {Num: 1 << 62, Den: 1},
	} {
		b.Run(name, func(b *testing.B) {
			src := source(1)
			for b.Loop() {
				g.Draw(src)
			}
		})
	}
}
