package families

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func check(t *testing.T, f Family, pairs int) *cert.Certificate {
	t.Helper()
	c, err := Check(context.Background(), f, dp.Seeded(7), Pairs(pairs))
	if err != nil {
		t.Fatalf("%s: %v", f.Describe().Name, err)
	}
	return c
}

func nodeCount(f Family) int {
	nodes, _ := f.Nodes()
	return len(nodes)
}

// Small members of every kind: the search finds no pair above the certificate.
func checked(t *testing.T) []Family {
	t.Helper()
	bits := []NetworkNode{{States: 2}, {States: 2}}
	chain := []NetworkNode{{States: 2}, {States: 2, Parents: []int{0}}}
	return []Family{
		must(NewGridBernoulli(4, 5, false)),
		must(NewGridBernoulli(30, 20, true)),
		must(NewTrimmedBeta(1, 1, 1, .05, .95)),
		must(NewTrimmedBeta(12, .5, 3, .01, .9)),
		must(NewTemperedBeta(12, 2, 1, .05, .95, .3)),
		must(NewUntrimmedBeta(10, 2, 2)),
		must(NewUntrimmedBeta(20, 1, 3)),
		must(NewExponential(1, 1, .5, 2, 1)),
		must(NewExponential(6, .2, .01, 5, 2)),
		must(NewLaplace(5, 1, .1, 3, .3, 1)),
		must(NewLaplace(5, 1, .1, 3, 2, 1)), // μ outside the data
		must(NewNormalPrecision(5, 1, .5, 2, .5, 1)),
		must(NewNormalPrecision(5, 1, .5, 2, -3, 1)),
		must(NewNormalMean(10, 1, .3, 2, 1)),
		must(NewMVNPrecision(3, 1, .5, 2, 1)),
		must(NewMVNPrecision(3, 2, .5, 2, 1.5)),
		must(NewMVNMean(3, 2, .7, 2, 1)),
		must(NewNetwork(2, bits, 1, .1, OneRecord)),
		must(NewNetwork(6, bits, 2, .1, OneRecord)),
		must(NewNetwork(3, chain, 1, .1, OneRecord)),
		must(NewNetwork(3, chain, 1, .2, OneCell)),
		must(NewMarkov(2, 1, 6, 1, .1, OneStep)),
		must(NewMarkov(2, 1, 5, 1, .1, WholeSequence)),
		must(NewMarkov(2, 3, 4, 1, .2, WholeSequence)),
	}
}

func TestCheckPasses(t *testing.T) {
	for _, f := range checked(t) {
		pairs := 200
		if nodeCount(f) > 2000 {
			pairs = 24
		}
		if c := check(t, f, pairs); !c.OK() {
			t.Errorf("%v\n%v", f.Describe(), c)
		}
	}
}

// Where Epsilon is exact the search reaches it: the certificate is not loose, and the search not blind.
func TestCheckReaches(t *testing.T) {
	for _, f := range checked(t) {
		if d := f.Describe(); !d.Tight || math.IsInf(f.Epsilon(), 1) || strings.HasPrefix(d.Name, "Markov") {
			continue
		}
		pairs := 1500
		if nodeCount(f) > 500 {
			pairs = 300
		}
		c := check(t, f, pairs)
		if found := float64(c.Checks[checkEpsilon].Value); found < f.Epsilon()*(1-1e-6) {
			t.Errorf("%v: search found %v of ε = %v", f.Describe(), found, f.Epsilon())
		}
	}
}

// mutant replaces the claims of a family.
type mutant struct {
	Family
	epsilon, oscillation float64
}

func (m mutant) Epsilon() float64     { return m.epsilon }
func (m mutant) Oscillation() float64 { return m.oscillation }

func TestCheckRejectsMutants(t *testing.T) {
	beta := must(NewTrimmedBeta(10, 1, 1, .05, .95))
	exp := must(NewExponential(5, 1, .5, 2, 1))
	bits := must(NewNetwork(2, []NetworkNode{{States: 2}, {States: 2}}, 1, .1, OneRecord))
	chain := must(NewMarkov(2, 1, 6, 1, .1, OneStep))
	for name, c := range map[string]struct {
		f      mutant
		failed int
	}{
		"half the oscillation as ε, Beta": {mutant{beta, beta.Oscillation() / 2, beta.Oscillation()},
			checkEpsilon},
		"half the oscillation as ε, exponential": {mutant{exp, exp.Oscillation() / 2, exp.Oscillation()}, checkEpsilon},
		"half the oscillation as osc": {mutant{beta, beta.Epsilon(), beta.Oscillation() / 2},
			checkOscillation},
		"‖v‖∞ for a record": {mutant{bits, bits.Paper().Epsilon, bits.Oscillation()},
			checkEpsilon},
		"one transition for a step": {mutant{chain, chain.Oscillation() / 2, chain.Oscillation()},
			checkEpsilon},
		"below half the range": {mutant{beta, beta.Oscillation() * .49, beta.Oscillation()},
			checkLeast},
	} {
		pairs := 1000
		if nodeCount(c.f) > 500 {
			pairs = 200
		}
		got := check(t, c.f, pairs)
		if got.OK() || got.Checks[c.failed].OK() {
			t.Errorf("%s passed:\n%v", name, got)
		}
		if original := check(t, c.f.Family, pairs); !original.OK() {
			t.Errorf("%s: the unmutated family fails:\n%v", name, original)
		}
	}
}

// A profile or Rényi curve sold too low is found too.
type lowProfile struct{ *Beta }

func (l lowProfile) Profile(e float64) float64   { return l.Beta.Profile(e) / 2 }
func (l lowProfile) Renyi(order float64) float64 { return l.Beta.Renyi(order) * .9 }

func TestCheckRejectsLowCurves(t *testing.T) {
	c := check(t, lowProfile{must(NewTrimmedBeta(5, 1, 1, .05, .95))}, 500)
	for _, i := range []int{checkDelta0, checkDelta, checkRenyi} {
		if c.Checks[i].OK() {
			t.Errorf("%s: %v ≤ %v passed", c.Checks[i].Statement, c.Checks[i].Value, c.Checks[i].Bound)
		}
	}
	if !c.Checks[checkEpsilon].OK() {
		t.Error("ε itself is right")
	}
}

func TestCheckRefuses(t *testing.T) {
	wide := must(NewNetwork(2, []NetworkNode{{States: 3}}, 1, .1, OneRecord))
	var unavailable *UnavailableError
	if _, err := Check(context.Background(), wide, dp.Seeded(1)); !errors.As(err, &unavailable) {
		t.Errorf("no nodes: %v", err)
	}
	var parameter *ParameterError
	if _, err := Check(context.Background(), wide, nil); !errors.As(err, &parameter) {
		t.Errorf("no source: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Check(ctx, must(NewTrimmedBeta(5, 1, 1, .05, .95)), dp.Seeded(1)); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

// The oscillation of a family under any prior is reached by the extremes that its nodes hold.
func TestCheckReachesOscillation(t *testing.T) {
	for f, share := range map[Family]float64{
		must(NewMVNPrecision(3, 1, .5, 2, 1)):          .9, // y near 0 is rare
		must(NewMVNPrecision(3, 2, .5, 2, 1.5)):        1 - 1e-9,
		must(NewMVNPrecision(3, 4, .5, 2, 1.5)):        1 - 1e-9,
		must(NewMVNMean(3, 2, .7, 2, 1)):               1 - 1e-9,
		must(NewMarkov(2, 1, 6, 1, .1, OneStep)):       1 - 1e-9,
		must(NewMarkov(2, 1, 5, 1, .1, WholeSequence)): 1 - 1e-9,
	} {
		pairs := 1000
		if nodeCount(f) > 500 {
			pairs = 200
		}
		c := check(t, f, pairs)
		if got := float64(c.Checks[checkOscillation].Value); got < share*f.Oscillation() {
			t.Errorf("%v: range %v of osc %v", f.Describe(), got, f.Oscillation())
		}
	}
}

// A family names each of its parameters once, and its discretised prior has the prior's mean: of θ³(1−θ) on [0.1, 0.8]
// against the ratio of two masses, and of a grid against its own weights.
func TestDescriptionsAndNodes(t *testing.T) {
	for _, f := range checked(t) {
		d, names := f.Describe(), map[string]bool{}
		for _, p := range d.Parameters {
			if names[p.Name] || p.Name == "" || math.IsNaN(p.Value) {
				t.Errorf("%s: parameter %+v", d.Name, p)
			}
			names[p.Name] = true
		}
		if len(names) == 0 {
			t.Errorf("%s: no parameters", d.Name)
		}
	}
	mean := func(f Family) float64 {
		nodes, _ := f.Nodes()
		sum, total := 0.0, 0.0
		for _, n := range nodes {
			w := math.Exp(n.LogWeight)
			sum, total = sum+w*n.Theta[0], total+w
		}
		return sum / total
	}
	mass := func(a float64) float64 {
		v, _ := logratio.Evidence(logratio.NewBetaDensity(0, a, 2, .1, .8, 1), 0)
		return v
	}
	near(t, "Beta", mean(must(NewTrimmedBeta(1, 4, 2, .1, .8))), math.Exp(mass(5)-mass(4)), 1e-10)
	near(t, "finite", mean(must(NewFiniteBernoulli(3, []float64{.2, .5, .7}, []float64{1, 2, 1}))), (.2+1+.7)/4, 1e-14)
}
