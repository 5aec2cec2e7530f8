package claims

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

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
