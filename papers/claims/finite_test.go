package claims

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

var background = context.Background()

// The finite sums behind the claims, against known values.
func TestFiniteFamilies(t *testing.T) {
	g := bernoulli([]float64{.2, .8}, []float64{1, 1})
	p, q := g.posterior(0), g.posterior(1)
	for name, c := range map[string][2]float64{
		"TV":  {totalVariation(p, q), .6},
		"KL":  {klDivergence(p, q), .6 * math.Log(4)},
		"ℓ":   {g.ell(0), math.Log(4)},
		"C":   {g.constant(), 1.6},
		"κ":   {kappa(1), .123301561482245},
		"κ→0": {kappa(1e-4), 1.25e-9},
		"n=2": {g.power(2).rho(0, 3), 2},
	} {
		if math.Abs(c[0]-c[1]) > 1e-9 {
			t.Errorf("%s = %v, want %v", name, c[0], c[1])
		}
	}
	if lo, hi := lossRange(p, q); math.Abs(hi-math.Log(4)) > 1e-12 || math.Abs(lo+hi) > 1e-12 {
		t.Errorf("range [%v, %v]", lo, hi)
	}
	if !math.IsInf(g.bestC(math.Log(4)), 1) {
		t.Error("c at L0 = L is finite")
	}
	r := rand.New(rand.NewPCG(1, 1))
	for range 100 {
		g := randomFamily(r)
		for i := range g.prior {
			sum := 0.0
			for x := range g.lik {
				sum += g.lik[x][i]
			}
			if math.Abs(sum-1) > 1e-12 {
				t.Fatalf("probabilities sum to %v", sum)
			}
		}
	}
}

// A check of two statements of which a change does not tell is itself told.
func TestAnUntoldScaleIsTold(t *testing.T) {
	for name, c := range map[string]struct {
		printed, repaired float64
		agrees            bool
	}{"both tell": {3, .5, false}, "printed is not turned": {1.5, .5, true}, "repaired is not": {3, .9, true}} {
		claim := Claim{ID: "x", Verdict: Corrected}
		claim.turn(scale{c.printed, c.repaired}, func(t *trial, s scale) error {
			t.printed(2 <= s.Printed, 0, "2 > %v", s.Printed)
			t.repaired(2 <= 3*s.Repaired, "2 > %v", 3*s.Repaired)
			return nil
		})
		if f, err := mutantOf(claim); err != nil || f.Agrees() != c.agrees {
			t.Errorf("%s: %v %v", name, f, err)
		}
	}
}

// Wrong statements are refuted on the same path: ε counted once for N samples, half the oscillation sold as ε, and the
// record-level claim of the network rule.
func TestMutantsAreRefuted(t *testing.T) {
	g := bernoulli([]float64{.1, .9}, []float64{1, 1})
	_, one := lossRange(g.posterior(0), g.posterior(1))
	_, three := lossRange(manySamples(g.posterior(0), 3), manySamples(g.posterior(1), 3))
	for name, c := range map[string][2]float64{
		"counted once":         {one, three},
		"half the oscillation": {math.Log(9), bitsEpsilon(1, 50, .1)},
		"‖v‖_∞ per record":     {2 * math.Log(10), bitsEpsilon(3, 1, .1)},
		"√δ of rectangles": {.26, hockeyStick(product([]float64{.5, .5}, []float64{.5, .5}),
			product([]float64{.2, .8}, []float64{.2, .8}), math.Log(1.2))},
	} {
		tr := newTrial(&Finding{})
		tr.bound(c[0], c[1], 0, "%s", name)
		if tr.verdict() != False {
			t.Errorf("%s: %q, bound %v, truth %v", name, tr.verdict(), c[0], c[1])
		}
	}
}

// The quadrature, which knows no gamma function, against the functions it is to check.
func TestQuadratureAgainstGammaFunctions(t *testing.T) {
	q := newQuadrature()
	for _, a := range []float64{.02, .3, 1, 2.5, 40, 1200, 25000} {
		if got, want := q.logGamma(a), num.LogGamma(a); math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
			t.Errorf("ln Γ(%v) = %v, want %v", a, got, want)
		}
		for _, b := range []float64{.02, .3, 1, 2.5, 40, 1200, 25000} {
			if got, want := q.logBeta(a, b), num.LogBeta(a, b); math.Abs(got-want) > 1e-12*math.Max(1, math.Abs(want)) {
				t.Errorf("ln B(%v, %v) = %v, want %v", a, b, got, want)
			}
		}
	}
	for _, p := range [][3]float64{{1, 1, 1}, {1, .5, .5}, {1, 5, 7}, {.1, 1, 2}, {3, 50, 50}, {20, 400, 700}} {
		for _, eps := range []float64{0, .5, 1, 4} {
			got, want := q.movedDelta(p[0], p[1], p[2], eps), loss.BetaProfile(p[0], p[1], p[2], eps)
			if math.Abs(got-want) > 1e-8*want+1e-300 {
				t.Errorf("δ(%v) of %v = %v, want %v", eps, p, got, want)
			}
		}
	}
	if !math.IsInf(q.moved(1, 2, 2, 3), 1) {
		t.Error("a divergent integral is finite")
	}
	// the whole simplex against the reduction to two cells
	u, v := [3]float64{2.5, 1.5, 3}, [3]float64{1.5, 2.5, 3}
	if got, want := simplexRenyi(u, v, 1.7), q.renyi(2.5, 1.5, 1.5, 2.5, 1.7); math.Abs(got-want) > 1e-11 {
		t.Errorf("simplex %v, reduced %v", got, want)
	}
}

// What counts as which verdict.
func TestTrialVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		run  func(t *trial)
		want Verdict
	}{
		"nothing":   {func(*trial) {}, ""},
		"repairs":   {func(t *trial) { t.repaired(true, "") }, ""},
		"true":      {func(t *trial) { t.printed(true, 0, "") }, Holds},
		"refuted":   {func(t *trial) { t.printed(true, 0, ""); t.printed(false, 0, "") }, False},
		"corrected": {func(t *trial) { t.printed(false, 0, ""); t.repaired(true, "") }, Corrected},
		"tight":     {func(t *trial) { t.bound(2, 1, 0, ""); t.bound(1, 1, 0, "") }, Holds},
		"loose":     {func(t *trial) { t.bound(2, 1, 0, "") }, Loose},
		"exceeded":  {func(t *trial) { t.bound(1, 1.001, 0, "") }, False},
		"NaN":       {func(t *trial) { t.bound(1, math.NaN(), 0, "") }, False},
	} {
		tr := newTrial(&Finding{})
		c.run(tr)
		if got := tr.verdict(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	tr := newTrial(&Finding{})
	tr.printed(false, 2, "two")
	tr.printed(false, 1, "one")
	tr.printed(false, 1, "another")
	if tr.counterexample != "one" {
		t.Errorf("smallest counterexample %q", tr.counterexample)
	}
}
