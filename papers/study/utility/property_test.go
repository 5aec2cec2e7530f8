package utility

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
)

// The rule has mass one and the closed-form mean; the mean is odd about n/2.
func TestClampedRule(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 100_000).Draw(r, "n")
		d := rapid.Float64Range(0, float64(n)).Draw(r, "D")
		b, prior := math.Exp(rapid.Float64Range(-4, 8).Draw(r, "log b")),
			math.Exp(rapid.Float64Range(-5, 4).Draw(r, "log prior"))
		h, w := clampedRule(d, float64(n), b, prior)
		var mass, mean float64
		for i := range h {
			mass += w[i]
			mean += w[i] * (d + h[i])
		}
		want, err := ClampedMean(d, n, b)
		if err != nil || math.Abs(mass-1) > 1e-12 || math.Abs(mean-want) > 1e-11*float64(n) {
			r.Fatalf("mass %.16g, mean %.16g, want %.16g, %v; %d nodes", mass, mean, want, err, len(h))
		}
		if m, _ := ClampedMean(float64(n)-d, n, b); math.Abs(m+want-float64(n)) > 1e-11*float64(n) {
			r.Fatalf("not symmetric: %g + %g", m, want)
		}
	})
}

// The corners are the range: no point is above, and no data set of n records exceeds the data-free range.
func TestRanges(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(1, 60).Draw(r, "n")
		a := rapid.IntRange(0, n).Draw(r, "A")
		prior := rapid.Float64Range(.05, 5)
		c := Cell{Prior{prior.Draw(r, "alpha"), prior.Draw(r, "beta")}, float64(a),
			float64(rapid.IntRange(0, n-a).Draw(r, "B"))}
		most, err := CornerMax(c, n)
		z := rapid.Float64Range(0, float64(n))
		if f := c.Divergence(z.Draw(r, "z1"), z.Draw(r, "z2")); err != nil || !(f >= 0) || f > most*(1+1e-12) {
			r.Fatalf("f = %g outside [0, %g], %v", f, most, err)
		}
		if c.Divergence(c.A, c.B) != 0 {
			r.Fatal("divergence at the exact counts is not 0")
		}
		free, err := PublicRange(c.Prior, n)
		if err != nil || most > free*(1+1e-12) {
			r.Fatalf("range %g above the data-free range %g, %v", most, free, err)
		}
	})
}

// Mean and variance against simulation, and the mutant that the simulation rejects: a scale off by 30 %.
func TestExpectedKLAgainstSimulation(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 19))
	for _, c := range []struct {
		cell Cell
		n    int
		b    float64
	}{{cell(1, 1, 30, 20), 50, 34}, {cell(.5, 2, 0, 7), 9, 3}, {cell(2, 2, 0, 2), 2, .25}, {cell(.1, .1, 1, 0), 1, 2}} {
		m := must.Get(ExpectedKL(c.cell, c.n, c.b))(t)
		draw := func() float64 {
			return c.cell.Divergence(clamp(c.cell.A+laplace(rng, c.b), c.n), clamp(c.cell.B+laplace(rng, c.b), c.n))
		}
		mean, se := average(100_000, draw)
		if math.Abs(mean-m.Mean) > sigmas*se {
			t.Errorf("%v: mean %g, simulated %g ± %g", c, m.Mean, mean, se)
		}
		v, vse := average(100_000, func() float64 { f := draw() - m.Mean; return f * f })
		if math.Abs(v-m.Variance) > sigmas*vse {
			t.Errorf("%v: variance %g, simulated %g ± %g", c, m.Variance, v, vse)
		}
		if wrong := must.Get(ExpectedKL(c.cell, c.n, 1.3*c.b))(t).Mean; math.Abs(mean-wrong) < sigmas*se {
			t.Errorf("%v: the simulation accepts a scale off by 30 %%", c)
		}
	}
}
