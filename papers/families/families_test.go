package families

import (
	"github.com/privbayes/privbayes-go/internal/logratio"

	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func TestBadInput(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	bit2 := []NetworkNode{{States: 2}}
	for name, err := range map[string]error{
		"n = 0":             second(NewTrimmedBeta(0, 1, 1, .1, .9)),
		"n < 0":             second(NewUntrimmedBeta(-3, 1, 1)),
		"n huge":            second(NewUntrimmedBeta(logratio.MaxRecords+1, 1, 1)),
		"α = 0":             second(NewTrimmedBeta(1, 0, 1, .1, .9)),
		"β NaN":             second(NewTrimmedBeta(1, 1, nan, .1, .9)),
		"l = u":             second(NewTrimmedBeta(1, 1, 1, .5, .5)),
		"l > u":             second(NewTrimmedBeta(1, 1, 1, .9, .1)),
		"l = 0, u < 1":      second(NewTrimmedBeta(1, 1, 1, 0, .9)),
		"l > 0, u = 1":      second(NewTrimmedBeta(1, 1, 1, .1, 1)),
		"l NaN":             second(NewTrimmedBeta(1, 1, 1, nan, .9)),
		"power 0":           second(NewTemperedBeta(1, 1, 1, .1, .9, 0)),
		"power 2":           second(NewTemperedBeta(1, 1, 1, .1, .9, 2)),
		"θ = 0":             second(NewFiniteBernoulli(1, []float64{0, .5}, []float64{1, 1})),
		"no θ":              second(NewFiniteBernoulli(1, nil, nil)),
		"too few weights":   second(NewFiniteBernoulli(1, []float64{.5}, nil)),
		"weight < 0":        second(NewFiniteBernoulli(1, []float64{.5}, []float64{-1})),
		"K = 1":             second(NewGridBernoulli(1, 1, false)),
		"c1 = c2":           second(NewExponential(1, 1, 1, 1, 1)),
		"c1 = 0":            second(NewExponential(1, 1, 0, 1, 1)),
		"c2 = ∞":            second(NewExponential(1, 1, 1, inf, 1)),
		"λ = 0":             second(NewExponential(1, 0, 1, 2, 1)),
		"unbounded data":    second(NewLaplace(1, 1, 1, 2, 0, inf)),
		"μ NaN":             second(NewNormalPrecision(1, 1, 1, 2, nan, 1)),
		"σ = 0":             second(NewNormalMean(1, 0, 0, 1, 1)),
		"unbounded mean":    second(NewNormalMean(1, 1, 0, 1, inf)),
		"d = 0":             second(NewMVNPrecision(1, 0, 1, 2, 1)),
		"a = b":             second(NewMVNPrecision(1, 2, 2, 2, 1)),
		"R = ∞":             second(NewMVNPrecision(1, 2, 1, 2, inf)),
		"m = 0":             second(NewMVNMean(1, 2, 0, 1, 1)),
		"one state":         second(NewNetwork(1, []NetworkNode{{States: 1}}, 1, .1, OneRecord)),
		"no nodes":          second(NewNetwork(1, nil, 1, .1, OneRecord)),
		"floor ½":           second(NewNetwork(1, bit2, 1, .5, OneRecord)),
		"parent of itself":  second(NewNetwork(1, []NetworkNode{{2, []int{0}}}, 1, .1, OneRecord)),
		"parent twice":      second(NewNetwork(1, []NetworkNode{{2, nil}, {2, []int{0, 0}}}, 1, .1, OneRecord)),
		"unit":              second(NewNetwork(1, bit2, 1, .1, 7)),
		"T = 1":             second(NewMarkov(2, 1, 1, 1, .1, OneStep)),
		"sequences, step":   second(NewMarkov(2, 3, 5, 1, .1, OneStep)),
		"chain floor":       second(NewMarkov(3, 1, 5, 1, .4, OneStep)),
		"L0 below, finite":  second(must(NewGridBernoulli(1, 5, false)).BestC(.1)),
		"target 0":          second(must(NewTrimmedBeta(1, 1, 1, .1, .9)).PowerFor(0)),
		"Rényi order of 1":  second(Level(must(NewTrimmedBeta(1, 1, 1, .1, .9)), dp.Parameters{Notion: dp.Renyi, Order: 1})),
		"δ of a level is 0": second(Level(must(NewTrimmedBeta(1, 1, 1, .1, .9)), dp.Parameters{Notion: dp.Approximate})),
	} {
		var parameter *ParameterError
		if !errors.As(err, &parameter) || parameter.Parameter == "" || parameter.Want == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unavailable *UnavailableError
	if _, err := must(NewUntrimmedBeta(1, 1, 1)).PowerFor(1); !errors.As(err, &unavailable) {
		t.Errorf("no power: %v", err)
	}
}

func second[T any](_ T, err error) error { return err }

func TestOutsideTheDomain(t *testing.T) {
	for _, f := range must(Examples()) {
		for _, v := range []float64{Profile(f, -1), Profile(f, math.NaN()), Renyi(f, 1), Renyi(f, math.NaN())} {
			if !math.IsNaN(v) {
				t.Errorf("%s: %v", f.Describe().Name, v)
			}
		}
		if v := Profile(f, f.Epsilon()); v != 0 {
			t.Errorf("%s: δ(ε) = %v", f.Describe().Name, v)
		}
		if d := Renyi(f, math.Inf(1)); d > f.Epsilon() {
			t.Errorf("%s: D_∞ = %v", f.Describe().Name, d)
		}
	}
	for _, v := range []float64{logratio.BoundedRange(1).Delta(-1), logratio.BoundedRange(1).Renyi(.5),
		BetaNeighbourTV(0, 2), BetaNeighbourTV(1, 1), BetaNeighbourJeffreys(1, 1)} {
		if !math.IsNaN(v) {
			t.Errorf("%v", v)
		}
	}
	none := logratio.BoundedRange(math.Inf(1))
	if none.Delta(1) != 1 || none.TV() != 1 || !math.IsInf(none.KL(), 1) || !math.IsInf(none.Renyi(2), 1) {
		t.Error("an unbounded range")
	}
}

// Every profile decreases, every Rényi curve increases, and both respect the oscillation.
func TestCurvesAreMonotone(t *testing.T) {
	for _, f := range must(Examples()) {
		last := 1.0
		for _, e := range []float64{0, .2, .6, 1.5} {
			d := Profile(f, e)
			if d > last*1.01 || d > logratio.BoundedRange(f.Oscillation()).Delta(e) {
				t.Errorf("%s: δ(%v) = %v after %v", f.Describe().Name, e, d, last)
			}
			last = d
		}
		lastD := 0.0
		for _, o := range []float64{1.1, 2, 5, 30} {
			d := Renyi(f, o)
			if d < lastD*.99 || d > f.Epsilon() {
				t.Errorf("%s: D_%v = %v after %v", f.Describe().Name, o, d, lastD)
			}
			lastD = d
		}
	}
}

// The exact Gaussian profile, against μ-GDP at known points, and far out against the asymptotic form.
func TestGaussianDelta(t *testing.T) {
	near(t, "δ(0), μ = 1", GaussianDelta(1, 0), math.Erf(.5/math.Sqrt2), 1e-12)
	near(t, "δ(1), μ = 1", GaussianDelta(1, 1), .126936737507, 1e-9) // Φ(−½) − e·Φ(−3/2)
	for _, mu := range []float64{1e-3, .1, 1, 5} {
		last := 1.0
		for e := 0.0; e < 12*mu+mu*mu; e += mu / 3 {
			d := GaussianDelta(mu, e)
			if !(d >= 0 && d <= last*(1+1e-12)) {
				t.Fatalf("μ = %v, ε = %v: %v after %v", mu, e, d, last)
			}
			last = d
		}
	}
	f := must(NewNormalMean(10, 1, 0, 1, .5))
	near(t, "√N", f.Mu(4), 2*f.Mu(1), 1e-15)
}

// Whole sequences: the definition against all pairs of sequences with the joint posterior on a grid, and the
// oscillation attained.
func TestMarkovWholeSequence(t *testing.T) {
	f := must(NewMarkov(2, 1, 4, 1, .1, WholeSequence))
	near(t, "osc", f.Oscillation(), 6*math.Log(9), 1e-12)
	if one := must(NewMarkov(2, 1, 2, 1, .1, WholeSequence)); math.Abs(one.Epsilon()-math.Log(9)*2) > 1e-6 {
		// T = 2: 0→1 against 1→0 changes both rows, each by ε of one bit at n = 1 added: ln(.9/.5) twice at most
		if one.Epsilon() > one.Oscillation() || one.Epsilon() < one.Oscillation()/2*(1-1e-9) {
			t.Errorf("T = 2: %v", one.Epsilon())
		}
	}
	for length := 3; length <= 8; length++ {
		step, whole := must(NewMarkov(2, 1, length, 1, .1, OneStep)),
			must(NewMarkov(2, 1, length, 1, .1, WholeSequence))
		if whole.Epsilon() < step.Epsilon() || whole.Epsilon() > whole.Oscillation() ||
			whole.Epsilon() < whole.Oscillation()/2*(1-1e-12) {
			t.Errorf("T = %d: step %v, whole %v, osc %v", length, step.Epsilon(), whole.Epsilon(), whole.Oscillation())
		}
	}
}

func TestLevels(t *testing.T) {
	f := must(NewTrimmedBeta(100, 1, 1, .05, .95))
	pure := must(Level(f, dp.PureDP(1).Parameters))
	if float64(pure.Epsilon) != f.Epsilon() {
		t.Error(pure)
	}
	approx := must(Level(f, dp.ApproxDP(1, 1e-3).Parameters))
	if e := float64(approx.Epsilon); Profile(f, e) > 1e-3 || Profile(f, e*.999) < 1e-3 {
		t.Errorf("%v: δ = %v", approx, Profile(f, e))
	}
	near(t, "Rényi", float64(must(Level(f, dp.RenyiDP(2, 1).Parameters)).Epsilon), Renyi(f, 2), 0)
	near(t, "zCDP", must(Level(f, dp.ZCDP(1).Parameters)).Rho, f.Oscillation()*f.Oscillation()/8, 1e-15)
	g := must(NewNormalMean(100, 1, 0, 1, .5))
	near(t, "Gaussian zCDP", must(Level(g, dp.ZCDP(1).Parameters)).Rho, g.Mu(1)*g.Mu(1)/2, 1e-15)
	var unavailable *UnavailableError
	u := must(NewUntrimmedBeta(100, 2, 2))
	for _, want := range []dp.Parameters{dp.PureDP(1).Parameters, dp.RenyiDP(8, 1).Parameters, dp.ZCDP(1).Parameters,
		dp.NotPrivate("x")} {
		if _, err := Level(u, want); !errors.As(err, &unavailable) {
			t.Errorf("%v: %v", want, err)
		}
	}
	// A small total variation needs no ε at all.
	if level := must(Level(u, dp.ApproxDP(1, .9).Parameters)); level.Epsilon != 0 {
		t.Error(level)
	}
}

func TestTableRatios(t *testing.T) {
	families := must(Examples())
	tab := Table(families...)
	if len(tab.Rows) != len(families) || len(tab.Columns) != 8 || len(tab.Notes) != 2 {
		t.Fatalf("%v", tab)
	}
	for _, f := range families {
		if p := f.Paper(); p.Source == "" || p.Verdict == "" {
			t.Errorf("%s: %v", f.Describe().Name, p)
		}
	}
	// The one false pure claim among them: a record of a network sold at ‖v‖∞.
	if p := families[11].Paper(); p.Epsilon >= families[11].Epsilon() {
		t.Errorf("network: paper %v, ε %v", p.Epsilon, families[11].Epsilon())
	}
}

// Lemma 24 corrected: all nodes count for a record, and a node with its children for a cell.
func TestNetworkRule(t *testing.T) {
	l := math.Log(.8 / .1) // three states, ε₀ = 0.1
	// a star: node 0 with three children
	nodes := []NetworkNode{{States: 3}, {3, []int{0}}, {3, []int{0}}, {3, []int{0}}}
	near(t, "star, record", must(NewNetwork(5, nodes, 1, .1, OneRecord)).Oscillation(), 8*l, 1e-13)
	near(t, "star, cell", must(NewNetwork(5, nodes, 1, .1, OneCell)).Oscillation(), 8*l, 1e-13)
	near(t, "star, paper", must(NewNetwork(5, nodes, 1, .1, OneRecord)).Paper().Epsilon, 8*math.Log(10), 1e-13)
}
