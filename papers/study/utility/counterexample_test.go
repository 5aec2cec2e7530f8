package utility

import (
	"math"
	"math/rand/v2"
	"testing"
)

// Every printed form that fails is shown to fail here, at its smallest known case, and its correction to hold there.

func TestHalfTheCellsFails(t *testing.T) {
	z := must[float64](t)(HalfCellsBound(2, 1, .5)) // one root: m = 1
	if p := must[float64](t)(ExceedProbability(2, 1, z)); p <= .5 {
		t.Errorf("exceeded with probability %g, should be above 0.5", p)
	}
	full := must[Bound](t)(MaxNoiseBound(2, 1, .5))
	if p := must[float64](t)(ExceedProbability(2, 1, full.Paper)); p > .5 || full.Loose < 1 {
		t.Errorf("the printed bound is exceeded with probability %g", p)
	}
}

func TestPrintedClampedMeanFails(t *testing.T) {
	if got := must[float64](t)(PaperClampedMean(1, 1, 1)); got <= 1 {
		t.Errorf("printed mean %g should be above n = 1", got)
	}
	near(t, "printed, n = 50", must[float64](t)(PaperClampedMean(50, 50, 2)), 74, 1e-9)
	near(t, "printed, D = 25", must[float64](t)(PaperClampedMean(25, 50, 34)), 36.98, 1e-3)
	r := rand.New(rand.NewPCG(1, 3))
	mean, se := average(400_000, func() float64 { return clamp(25+laplace(r, 34), 50) })
	if right := must[float64](t)(ClampedMean(25, 50, 34)); math.Abs(mean-right) > sigmas*se || right != 25 {
		t.Errorf("mean %g, simulated %g ± %g", right, mean, se)
	}
	if printed := must[float64](t)(PaperClampedMean(25, 50, 34)); math.Abs(mean-printed) < sigmas*se {
		t.Errorf("the simulation has no power against the printed mean %g", printed)
	}
}

func TestLemmaA3Fails(t *testing.T) {
	for _, c := range []struct {
		prior, z, divergence, claim float64
		n                           int
	}{{2, .5, .0394, 0, 1}, {3, 1, .0902, -math.Ln2, 1}} {
		x := cell(c.prior, c.prior, 0, 0)
		f, claim := x.Divergence(c.z, 0), must[float64](t)(PaperLemmaA3(x, c.n, c.z, 0))
		near(t, "divergence", f, c.divergence, 2e-3)
		near(t, "claim", claim, c.claim, 1e-12)
		if f <= claim {
			t.Errorf("Lemma A.3 should fail at %v: %g ≤ %g", x, f, claim)
		}
	}
}

func TestPrintedRangesFailForSmallPriors(t *testing.T) {
	p := Prior{.1, .1}
	c := must[float64](t)(PublicRange(p, 1))
	near(t, "range", c, 10, .01)
	for f, want := range map[Form]float64{TheoremForm: 4.305, LemmaForm: 8.526, ProofForm: 4.452} {
		printed := must[float64](t)(PaperRange(f, p, 1))
		near(t, f.String(), printed, want, 1e-3)
		if printed >= c {
			t.Errorf("%v should be below the range %g", f, c)
		}
	}
	for n := 1; n <= 200; n++ {
		for _, a := range []float64{.5, 1, 2, 10} {
			for _, b := range []float64{.5, 1, 2, 10} {
				p := Prior{a, b}
				if must[float64](t)(PaperRange(ProofForm, p, n)) < must[float64](t)(PublicRange(p, n)) {
					t.Errorf("the proof's form fails at %v, n = %d, though priors are at least ½", p, n)
				}
			}
		}
	}
}

func TestPrintedMeansFail(t *testing.T) {
	x := cell(1, 1, 0, 0)
	near(t, "mean", must[Moments](t)(ExpectedKL(x, 1, 1)).Mean, .125, 5e-3)
	near(t, "U", must[float64](t)(PaperExpected(x, 1)), 0, 0)
	for _, c := range []struct {
		cell                     Cell
		n                        int
		b, mean, claim, nearness float64
	}{{cell(2, 2, 0, 2), 2, .25, .0187, .00108, 5e-3}, {cell(2, 2, 0, 50), 50, 1, math.NaN(), 4e-20, 1}} {
		m, claim := must[Moments](t)(ExpectedKL(c.cell, c.n, c.b)).Mean,
			must[float64](t)(PaperRefined(c.cell.Prior, c.n, c.b))
		if m <= claim {
			t.Errorf("refined claim %g should be below the mean %g", claim, m)
		}
		if !math.IsNaN(c.mean) {
			near(t, "mean", m, c.mean, c.nearness)
			near(t, "claim", claim, c.claim, 5e-3)
		}
	}
	// The mean is polynomial in b and falls with n.
	x = cell(2, 2, 500, 500)
	near(t, "interior", must[float64](t)(ExpectedKLInterior(x, 1000, 34)), 2.306, 2e-3)
	near(t, "exact", must[Moments](t)(ExpectedKL(x, 1000, 34)).Mean, 2.343, 2e-3)
}

func TestPrintedTailFails(t *testing.T) {
	for _, c := range []struct {
		form     Form
		cell     Cell
		n        int
		b, delta float64
	}{
		{TheoremForm, cell(2, 2, 10, 0), 10, 5, .01}, {TheoremForm, cell(2, 2, 10, 0), 10, 1000, .05},
		{ProofForm, cell(1, 1, 50, 0), 50, 1000, .05}, {LemmaForm, cell(1, 1, 50, 0), 50, 1000, .05},
	} {
		printed := must[float64](t)(PaperTail([]float64{must[float64](t)(PaperRange(c.form, c.cell.Prior, c.n))},
			c.delta))
		l := must[*Loss](t)(PosteriorLoss([]Cell{c.cell}, c.n, c.b, c.delta))
		rng := rand.New(rand.NewPCG(5, 7))
		const draws = 100_000
		var over, bad float64
		for range draws {
			f := c.cell.Divergence(clamp(c.cell.A+laplace(rng, c.b), c.n), clamp(c.cell.B+laplace(rng, c.b), c.n))
			if f >= l.Expected+printed {
				over++
			}
			if f >= l.Expected+l.Tail {
				bad++
			}
		}
		se := math.Sqrt(c.delta * (1 - c.delta) / draws)
		if over/draws < c.delta+sigmas*se {
			t.Errorf("%v: printed threshold exceeded with probability %g, should be above δ = %g", c, over/draws,
				c.delta)
		}
		if bad/draws > c.delta+sigmas*se {
			t.Errorf("%v: corrected threshold exceeded with probability %g, δ = %g", c, bad/draws, c.delta)
		}
	}
}

// The collider at t = 0.03 with empty cells: 8 noisy coefficients, of which the first carries the increment 2tNb.
func TestCorollary3FailsForSmallT(t *testing.T) {
	const N, T, draws = 8, .03, 200_000
	if t0 := must[float64](t)(SmallestT(N)); t0 < T {
		t.Errorf("t0 = %g, should be above %g", t0, T)
	}
	rng := rand.New(rand.NewPCG(11, 13))
	mean, se := average(draws, func() float64 {
		var h [N]float64
		for i := range h {
			h[i] = laplace(rng, 1)
		}
		h[0] += 2 * T * N
		for step := 1; step < N; step *= 2 { // Walsh–Hadamard
			for i := range h {
				if i&step == 0 {
					h[i], h[i+step] = h[i]+h[i+step], h[i]-h[i+step]
				}
			}
		}
		for _, v := range h {
			if v < 0 {
				return 0
			}
		}
		return 1
	})
	claim := -math.Expm1(-T)
	if mean+sigmas*se >= claim {
		t.Errorf("non-negative with probability %g ± %g, should be below the claim %g", mean, se, claim)
	}
	if math.Abs(mean-.0194) > sigmas*se+.0005 {
		t.Errorf("non-negative with probability %g ± %g, want about 0.0194", mean, se)
	}
}
