package families

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/bits"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/internal/num"
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
		k := logratio.NewBetaDensity(0, a, 2, .1, .8, 1)
		return logratio.LogMass(k, 0, k.Lo, k.Hi)
	}
	near(t, "Beta", mean(must(NewTrimmedBeta(1, 4, 2, .1, .8))), math.Exp(mass(5)-mass(4)), 1e-10)
	near(t, "finite", mean(must(NewFiniteBernoulli(3, []float64{.2, .5, .7}, []float64{1, 2, 1}))), (.2+1+.7)/4, 1e-14)
}

// Every data set of n bits and every neighbour, for a prior on finitely many points, from the definition alone.
func TestEnumerationFiniteBernoulli(t *testing.T) {
	for _, k := range []int{3, 5, 20} {
		for _, concentrated := range []bool{false, true} {
			for n := 1; n <= 7; n++ {
				f := must(NewGridBernoulli(n, k, concentrated))
				var posteriors [][]float64
				for x := range 1 << n {
					var w []float64
					z := 0.0
					for j := 1; j < k; j++ {
						theta := float64(j) / float64(k)
						prior := 1.0
						if concentrated {
							prior = math.Exp(-math.Abs(math.Log(theta / (1 - theta))))
						}
						ones := bits.OnesCount(uint(x))
						p := prior * math.Pow(theta, float64(ones)) * math.Pow(1-theta, float64(n-ones))
						w, z = append(w, p), z+p
					}
					for j := range w {
						w[j] /= z
					}
					posteriors = append(posteriors, w)
				}
				var epsilon, tv, delta, renyi float64
				for x := range posteriors {
					for i := range n {
						p, q := posteriors[x], posteriors[x^1<<i]
						var l1, excess, square float64
						for j := range p {
							epsilon = math.Max(epsilon, math.Abs(math.Log(p[j]/q[j])))
							l1 += math.Abs(p[j]-q[j]) / 2
							excess += math.Max(0, p[j]-math.Exp(.7)*q[j])
							square += p[j] * p[j] / q[j]
						}
						tv, delta, renyi = math.Max(tv, l1), math.Max(delta, excess), math.Max(renyi, math.Log(square))
					}
				}
				name := fmt.Sprintf("K = %d, n = %d, ", k, n)
				boundWithin(t, name+"ε", f.Epsilon(), fmt.Sprint(epsilon*(1-1e-12)), 3e-9)
				boundWithin(t, name+"TV", Profile(f, 0), fmt.Sprint(tv*(1-1e-12)), 3e-9)
				boundWithin(t, name+"δ", Profile(f, .7), fmt.Sprint(delta*(1-1e-12)), 3e-9)
				boundWithin(t, name+"D₂", Renyi(f, 2), fmt.Sprint(renyi*(1-1e-12)), 3e-9)
			}
		}
	}
}

// Every number of ones and both directions, posterior densities normalised by a rule of their own, 200 θ.
func TestEnumerationTrimmedBeta(t *testing.T) {
	for _, c := range []struct {
		n           int
		alpha, beta float64
		l, u, power float64
	}{
		{1, 1, 1, .05, .95, 1}, {7, 1, 1, .05, .95, 1}, {7, .3, 4, .01, .6, 1}, {9, 2, 1, .2, .99, .4},
	} {
		f := must(NewTemperedBeta(c.n, c.alpha, c.beta, c.l, c.u, c.power))
		density := func(k int) func(float64) float64 {
			a, b := c.alpha+c.power*float64(k), c.beta+c.power*float64(c.n-k)
			kernel := func(x float64) float64 { return math.Pow(x, a-1) * math.Pow(1-x, b-1) }
			z := num.Integrate24(kernel, c.l, c.u, 40)
			return func(x float64) float64 { return kernel(x) / z }
		}
		worst := 0.0
		for k := range c.n {
			p, q := density(k), density(k+1)
			for i := 0.0; i <= 200; i++ {
				x := c.l + (c.u-c.l)*i/200
				worst = math.Max(worst, math.Abs(math.Log(p(x)/q(x))))
			}
		}
		boundWithin(t, fmt.Sprint(c), f.Epsilon(), fmt.Sprint(worst*(1-1e-10)), 3e-9)
	}
}

// The worst sum is interior for n ≥ 5: theory/sampling.md §9, and a fine scan.
func TestWorstInteriorSum(t *testing.T) {
	for n, want := range map[int]float64{1: .17398253, 5: .156888, 20: .111230, 200: .046690} {
		f := must(NewExponential(n, 1, .5, 2, 1))
		got := Profile(f, 0)
		if got < want*(1-1e-5) || got > want*1.01 {
			t.Errorf("n = %d: %v, want %v up to 1 %%", n, got, want)
		}
	}
	for n, want := range map[int][2]float64{1: {.1737292509, .5023750165}, 5: {.1395957183, .4811451463},
		20: {.0739196465, .2809541233}} {
		f := must(NewExponential(n, 1, .5, 2, 1))
		for i, o := range []float64{2, 8} {
			if got := Renyi(f, o); got < want[i]*(1-1e-9) || got > want[i]*1.012 {
				t.Errorf("n = %d, order %v: %v, want %v up to 1.2 %%", n, o, got, want[i])
			}
		}
	}
}

// ε is between osc/2 and osc, rises with the range of the prior's support, and a smaller profile or Rényi curve never
// exceeds the fallback from the oscillation.
func TestOneParameterProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var f Family
		n := rapid.IntRange(1, 30).Draw(t, "n")
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			l := rapid.Float64Range(1e-4, .45).Draw(t, "l")
			u := rapid.Float64Range(.55, 1-1e-4).Draw(t, "u")
			f = must(NewTemperedBeta(n, rapid.Float64Range(.1, 60).Draw(t, "α"),
				rapid.Float64Range(.1, 60).Draw(t, "β"), l, u, rapid.Float64Range(.05, 1).Draw(t, "power")))
		case 1:
			c1 := rapid.Float64Range(1e-3, 2).Draw(t, "c1")
			f = must(NewExponential(n, rapid.Float64Range(.01, 5).Draw(t, "λ"), c1,
				c1+rapid.Float64Range(.01, 5).Draw(t, "width"), rapid.Float64Range(.1, 3).Draw(t, "B")))
		case 2:
			c1 := rapid.Float64Range(1e-3, 2).Draw(t, "c1")
			f = must(NewNormalPrecision(n, rapid.Float64Range(.01, 5).Draw(t, "λ"), c1,
				c1+rapid.Float64Range(.01, 5).Draw(t, "width"), rapid.Float64Range(-2, 2).Draw(t, "μ"),
				rapid.Float64Range(.1, 3).Draw(t, "B")))
		default:
			f = must(NewGridBernoulli(n, rapid.IntRange(3, 30).Draw(t, "K"), rapid.Bool().Draw(t, "concentrated")))
		}
		osc, e := f.Oscillation(), f.Epsilon()
		if !(e >= osc/2*(1-1e-12) && e <= osc) {
			t.Fatalf("%v: ε = %v outside [%v, %v]", f.Describe(), e, osc/2, osc)
		}
		w := logratio.BoundedRange(osc)
		at := rapid.Float64Range(0, 1).Draw(t, "at") * e
		p := f.(Profiled)
		if got := p.Profile(at); !(got >= 0 && got <= w.Delta(at)*1.02+1e-12) {
			t.Fatalf("%v: δ(%v) = %v above the fallback %v", f.Describe(), at, got, w.Delta(at))
		}
		order := rapid.Float64Range(1.01, 40).Draw(t, "order")
		if got := p.Renyi(order); !(got >= 0 && got <= math.Min(w.Renyi(order), e)*1.02+1e-12) {
			t.Fatalf("%v: D_%v = %v above the fallback %v", f.Describe(), order, got, w.Renyi(order))
		}
	})
}

// The general family is Gamma where both apply, and passes the search for counterexamples where only it does.
func TestRate(t *testing.T) {
	exp, err := NewExponential(7, 1, .5, 2, 1)
	if err != nil {
		t.Fatal(err)
	}
	rate, err := NewRate(7, 1, 1, .5, 2, 0, 1)
	if err != nil {
		t.Fatal(err)
	}
	if exp.Epsilon() != rate.Epsilon() || exp.Oscillation() != rate.Oscillation() || exp.Renyi(3) != rate.Renyi(3) ||
		exp.Profile(.4) != rate.Profile(.4) {
		t.Errorf("ε %v and %v, osc %v and %v", exp.Epsilon(), rate.Epsilon(), exp.Oscillation(), rate.Oscillation())
	}
	const eta = .3
	tempered, err := NewRate(3, eta*.5, 2, .2, 3, eta*1, eta*4)
	if err != nil {
		t.Fatal(err)
	}
	c, err := Check(t.Context(), tempered, dp.Seeded(5))
	if err != nil || !c.OK() {
		t.Errorf("%v\n%v", err, c)
	}
	if e, o := tempered.Epsilon(), tempered.Oscillation(); !(e <= o && e >= o/2) || math.Abs(o-eta*3*2.8) > 1e-9 {
		t.Errorf("ε = %v, osc = %v", e, o)
	}
	var bad *ParameterError
	for _, a := range [][6]float64{{0, 1, 1, 2, 0, 1}, {1, 0, 1, 2, 0, 1}, {1, 1, 2, 2, 0, 1}, {1, 1, 1, 2, 1, 1},
		{1, 1, 1, 2, 0, math.Inf(1)}} {
		if _, err := NewRate(5, a[0], a[1], a[2], a[3], a[4], a[5]); !errors.As(err, &bad) {
			t.Errorf("%v: %v", a, err)
		}
	}
	if _, err := NewRate(0, 1, 1, 1, 2, 0, 1); !errors.As(err, &bad) {
		t.Error(err)
	}
}

// The power is the largest that is private, and the α the least: a step beyond is not. A power a thousandth too large
// is the mutant that the profile refuses.
func TestTemperedDrawIsAtTheEdge(t *testing.T) {
	const n, epsilon, delta = 40, .5, 1e-6
	profile := func(alpha, power float64) float64 {
		f, err := NewTemperedBeta(n, alpha, alpha, 0, 1, power)
		if err != nil {
			t.Fatal(err)
		}
		return Profile(f, epsilon)
	}
	for _, alpha := range []float64{1, 5, 30} {
		d, err := TemperedDraw(n, 12, alpha, epsilon, delta)
		if err != nil || profile(alpha, d.Power) > delta || profile(alpha, d.Power*1.001) <= delta {
			t.Errorf("α = %v: %+v, %v", alpha, d, err)
		}
		a, b := alpha+d.Power*12, alpha+d.Power*28
		if mean := a / (a + b); math.Abs(d.Bias-(mean-.3)) > 1e-12 ||
			math.Abs(d.SD-math.Sqrt(a*b/(a+b+1))/(a+b)) > 1e-12 || math.Abs(d.Error-math.Hypot(d.Bias, d.SD)) > 1e-12 {
			t.Errorf("moments of %+v", d)
		}
	}
	d, err := StrongestPrior(n, 12, epsilon, delta)
	if err != nil || profile(d.Alpha, 1) > delta || profile(d.Alpha/1.001, 1) <= delta || d.Power != 1 {
		t.Errorf("%+v, %v", d, err)
	}
	if d, err := TemperedDraw(n, 12, 1e6, epsilon, delta); err != nil || d.Power != 1 {
		t.Errorf("a prior that suffices alone: %+v, %v", d, err)
	}
}

func TestTemperedDrawRefuses(t *testing.T) {
	for _, c := range []struct {
		n                           int
		ones, alpha, epsilon, delta float64
		parameter                   string
	}{{0, 0, 1, 1, .1, "n"}, {10, 11, 1, 1, .1, "ones"}, {10, math.NaN(), 1, 1, .1, "ones"}, {10, 1, 0, 1, .1, "alpha"},
		{10, 1, 1, 0, .1, "epsilon"}, {10, 1, 1, 1, 1, "delta"}} {
		var e *ParameterError
		_, err := TemperedDraw(c.n, c.ones, c.alpha, c.epsilon, c.delta)
		if !errors.As(err, &e) || e.Parameter != c.parameter {
			t.Errorf("%+v: %v", c, err)
		}
		if _, err := StrongestPrior(c.n, c.ones, c.epsilon, c.delta); c.alpha > 0 && !errors.As(err, &e) {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func ExampleTemperedDraw() {
	for _, alpha := range []float64{1, 12} { // 30 of 100 say yes; (0.3, 1e-6)
		d, _ := TemperedDraw(100, 30, alpha, .3, 1e-6)
		fmt.Printf("α = %v: power %.3f, error %.3f\n", alpha, d.Power, d.Error)
	}
	d, _ := StrongestPrior(100, 30, .3, 1e-6)
	fmt.Printf("power 1: α = %.0f, error %.3f\n", d.Alpha, d.Error)
	// Output:
	// α = 1: power 0.030, error 0.213
	// α = 12: power 0.196, error 0.132
	// power 1: α = 301, error 0.173
}
