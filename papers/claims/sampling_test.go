package claims

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
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
