package families

import (
	"errors"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/logratio"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func TestEdgesAndGroups(t *testing.T) {
	for _, c := range []struct{ epsilon, delta float64 }{{.5, 0}, {0, .1}, {0, 0}} {
		g, err := Edges(c.epsilon, c.delta, "Hamming")
		if err != nil || g.Epsilon != c.epsilon || g.Delta != c.delta {
			t.Errorf("(%v, %v): %v, %v", c.epsilon, c.delta, g, err)
		}
	}
	var group *GroupError
	if _, err := Edges(math.Ln2, .1, "Hamming"); !errors.As(err, &group) || group.Delta != .1 {
		t.Errorf("(ε, δ) edges: %v", err)
	}
	// δ_k by chaining: δ_{k+1} = e^ε δ_k + δ.
	for _, e := range []float64{0, 1e-9, .3, 2} {
		chained := 0.0
		for k := 1; k <= 6; k++ {
			chained = math.Exp(e)*chained + 1e-7
			near(t, "δ_k", GroupDelta(e, 1e-7, k), chained, 1e-9)
		}
	}
	if !math.IsNaN(GroupDelta(1, .1, 0)) || GroupDelta(1, 0, 5) != 0 || GroupDelta(3, .5, 9) != 1 {
		t.Error("GroupDelta outside its range")
	}
}

// The counterexample of Remark 3: both steps are (ln 2, 0.1), two steps are not (2 ln 2, 0.2).
func TestRemark3(t *testing.T) {
	p := []float64{0, .1, .3}
	for i := range 2 {
		for _, pair := range [][2]float64{{p[i], p[i+1]}, {p[i+1], p[i]}, {1 - p[i], 1 - p[i+1]},
			{1 - p[i+1], 1 - p[i]}} {
			if pair[0] > 2*pair[1]+.1+1e-15 {
				t.Errorf("edge %d: %v", i, pair)
			}
		}
	}
	if p[2] <= 4*p[0]+.2 {
		t.Error("Definition 2 holds here")
	}
	if p[2] > 4*p[0]+GroupDelta(math.Ln2, .1, 2)+1e-15 {
		t.Error("the group bound fails")
	}
}

// Randomised response attains the composed δ; random pairs of laws never exceed it.
func TestComposeIsTight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e1, e2 := rapid.Float64Range(0, 2).Draw(t, "ε₁"), rapid.Float64Range(0, 2).Draw(t, "ε₂")
		d1, d2 := rapid.Float64Range(0, .4).Draw(t, "δ₁"), rapid.Float64Range(0, .4).Draw(t, "δ₂")
		// with probability δ the answer names the data set; otherwise randomised response at ε
		law := func(e, d float64) (p, q []float64) {
			a := (1 - d) / (1 + math.Exp(-e))
			return []float64{d, a, 1 - d - a, 0}, []float64{0, 1 - d - a, a, d}
		}
		p1, q1 := law(e1, d1)
		p2, q2 := law(e2, d2)
		e, d, err := Compose(1, MetricGuarantee{Epsilon: e1, Delta: d1}, MetricGuarantee{Epsilon: e2, Delta: d2})
		if err != nil {
			t.Fatal(err)
		}
		excess := 0.0
		for i := range p1 {
			for j := range p2 {
				excess += math.Max(0, p1[i]*p2[j]-math.Exp(e)*q1[i]*q2[j])
			}
		}
		if math.Abs(excess-d) > 1e-12 {
			t.Fatalf("composed (%v, %v), attained %v", e, d, excess)
		}
		sum, err := Sum(MetricGuarantee{Epsilon: e1, Delta: d1}, MetricGuarantee{Epsilon: e2, Delta: d2})
		if err != nil || sum.Delta < d-1e-12 || math.Abs(sum.Epsilon-e) > 1e-15 {
			t.Fatalf("sum %v, %v", sum, err)
		}
	})
	var parameter *ParameterError
	if _, _, err := Compose(1, MetricGuarantee{Epsilon: 1, Metric: "a"},
		MetricGuarantee{Epsilon: 1, Metric: "b"}); !errors.As(err, &parameter) {
		t.Errorf("different metrics: %v", err)
	}
	if _, _, err := Compose(1); !errors.As(err, &parameter) {
		t.Errorf("nothing: %v", err)
	}
	if _, _, err := Compose(-1, MetricGuarantee{}); !errors.As(err, &parameter) {
		t.Errorf("ρ < 0: %v", err)
	}
}

func TestToRecord(t *testing.T) {
	f := must(NewExponential(5, 1, .5, 2, 3))
	g := must(UnderMetric(f))
	level, err := g.ToRecord(3)
	if err != nil || level.Notion != dp.Pure || float64(level.Epsilon) != f.Paper().Epsilon {
		t.Errorf("exponential: %v, %v; paper %v", level, err, f.Paper().Epsilon)
	}
	if g.Adjacency() != dp.UnderMetric("Σ|x − y|") {
		t.Error(g.Adjacency())
	}
	if level, err := (MetricGuarantee{Epsilon: 1, Delta: .01, Metric: "m"}).ToRecord(2); err != nil ||
		float64(level.Epsilon) != 2 || level.Delta != .02 {
		t.Errorf("(1, 0.01) at 2: %v, %v", level, err)
	}
	var parameter *ParameterError
	for _, rho := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := g.ToRecord(rho); !errors.As(err, &parameter) {
			t.Errorf("ρ = %v: %v", rho, err)
		}
	}
	if _, err := (MetricGuarantee{Delta: .6}).ToRecord(2); !errors.As(err, &parameter) {
		t.Errorf("δρ > 1: %v", err)
	}
	var unavailable *UnavailableError
	if _, err := UnderMetric(must(NewUntrimmedBeta(3, 1, 1))); !errors.As(err, &unavailable) {
		t.Errorf("untrimmed: %v", err)
	}
}

// Theorem 6: two-point priors come as close to the oscillation as one likes, and none exceeds it.
func TestTwoPointEpsilon(t *testing.T) {
	for _, osc := range []float64{.1, 1, 5, 800} {
		for _, w := range []float64{1e-300, 1e-9, .1, .5, .9} {
			e := TwoPointEpsilon(osc, w)
			if !(e >= osc/2*(1-1e-12) && e <= osc*(1+1e-12)) || !PrivateForEveryPrior(osc, osc) ||
				PrivateForEveryPrior(osc, osc*.99) {
				t.Errorf("osc %v, w %v: %v", osc, w, e)
			}
		}
	}
	// θ ∈ {l, u}, one bit: the posterior given 0 puts weight w on u
	l, u := .2, .9
	for _, prior := range []float64{1e-6, .3, .5} {
		f := must(NewFiniteBernoulli(1, []float64{l, u}, []float64{1 - prior, prior}))
		w := prior * (1 - u) / (prior*(1-u) + (1-prior)*(1-l))
		near(t, "two points", f.Epsilon(), TwoPointEpsilon(f.Oscillation(), w), 2e-9)
	}
	if e := TwoPointEpsilon(3, 1e-12); e < 3-1e-9 {
		t.Errorf("vanishing weight: %v", e)
	}
}

// Corollary 9 corrected, and J ≤ C(L0 + 1/c)ρ, on random finite families: no violation.
func TestAssumptionBounds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(2, 6).Draw(t, "points")
		var thetas, weights []float64
		for range count {
			thetas = append(thetas, rapid.Float64Range(.001, .999).Draw(t, "θ"))
			weights = append(weights, rapid.Float64Range(1e-3, 1).Draw(t, "w"))
		}
		f := must(NewFiniteBernoulli(1, thetas, weights))
		constant, _ := f.Constant()
		l0 := f.LeastL0() + rapid.Float64Range(0, 1).Draw(t, "above")*(f.Uniform()-f.LeastL0())
		a := Assumption{L0: l0, Rate: must(f.BestC(l0)), Constant: constant}
		if f.ExpectedL() > l0+1/a.Rate+1e-12 {
			t.Fatalf("E ℓ = %v > L0 + 1/c = %v", f.ExpectedL(), l0+1/a.Rate)
		}
		// Renyi at an order near 1 bounds each KL from above; Profile(0) is the total variation.
		if tv := f.Profile(0); tv > a.MetricTV(1)*(1+1e-8) {
			t.Fatalf("TV %v > %v", tv, a.MetricTV(1))
		}
		l := l0 + rapid.Float64Range(0, 3).Draw(t, "L")
		if e, d, err := a.TailDP(l, 1); err == nil && f.Profile(e) > d*(1+1e-8)+1e-15 {
			t.Fatalf("δ(%v) = %v > %v", e, f.Profile(e), d)
		}
	})
	a := Assumption{L0: 1, Rate: 2, Constant: 3}
	p := must(a.Product(4))
	if p.L0 != 1 || p.Rate != 2 || math.Abs(p.Constant-81) > 1e-10 {
		t.Errorf("product: %v", p)
	}
	var parameter *ParameterError
	for _, err := range []error{
		func() error { _, err := a.Product(0); return err }(),
		func() error { _, err := Assumption{L0: -1, Rate: 1}.Product(1); return err }(),
		func() error { _, _, err := a.TailDP(.5, 1); return err }(),
		func() error { _, _, err := a.TailDP(1, 1); return err }(), // δ_L = 3
		func() error { _, _, err := Assumption{L0: 1, Rate: 2}.TailDP(9, 1); return err }(),
		func() error { _, err := NetworkOscillation(0, 2, 0, .1, OneRecord); return err }(),
		func() error { _, err := NetworkOscillation(2, 2, 2, .1, OneCell); return err }(),
		func() error { _, err := NetworkOscillation(2, 2, 1, .5, OneCell); return err }(),
	} {
		if !errors.As(err, &parameter) {
			t.Errorf("bad input: %v", err)
		}
	}
}

// The typo of Theorem 8's proof, 1 + 2L0/c, is false where the corrected bound holds: Θ = {.2, .8}, n = 1, ρ(0, 1) =
// 0.1.
func TestTheorem8Typo(t *testing.T) {
	f := must(NewFiniteBernoulli(1, []float64{.2, .8}, []float64{1, 1}))
	constant, _ := f.Constant()
	near(t, "C", constant, 1.6, 2e-9)
	near(t, "TV", Profile(f, 0), .6, 2e-9)
	l0 := f.Uniform() / .1
	near(t, "L0", l0, 13.8629436111989, 1e-12)
	typo := math.Sqrt(constant / 2 * (1 + 2*l0/1000) * .1)
	near(t, "typo", typo, .286736936891276, 1e-8)
	if right := (Assumption{L0: l0, Rate: 1000, Constant: constant}).MetricTV(.1); right < .6 || right > .75 {
		t.Errorf("corrected bound %v", right)
	}
}

func TestNetworkRule(t *testing.T) {
	l := math.Log(.8 / .1) // three states, ε₀ = 0.1
	near(t, "record", must(NetworkOscillation(4, 3, 2, .1, OneRecord)), 8*l, 1e-13)
	near(t, "cell", must(NetworkOscillation(4, 3, 2, .1, OneCell)), 6*l, 1e-13)
	// a star: node 0 with three children
	nodes := []NetworkNode{{States: 3}, {3, []int{0}}, {3, []int{0}}, {3, []int{0}}}
	near(t, "star, record", must(NewNetwork(5, nodes, 1, .1, OneRecord)).Oscillation(), 8*l, 1e-13)
	near(t, "star, cell", must(NewNetwork(5, nodes, 1, .1, OneCell)).Oscillation(), 8*l, 1e-13)
	near(t, "star, paper", must(NewNetwork(5, nodes, 1, .1, OneRecord)).Paper().Epsilon, 8*math.Log(10), 1e-13)
}

// Theorem 6 read globally, "A for all pairs or B for all pairs", fails: exponential data, θ in [1, 2], L = ½, ρ = |x −
// y|. The posterior is 2L-private, yet sup ln r exceeds L for y > x, and so does the evidence ratio for x > y.
func TestTheorem6Global(t *testing.T) {
	const l = .5
	f := must(NewExponential(1, 1, 1, 2, 1))
	if !PrivateForEveryPrior(f.Oscillation(), 2*l*(1+1e-9)) || f.Epsilon() > 2*l {
		t.Errorf("osc %v, ε %v", f.Oscillation(), f.Epsilon())
	}
	x, y := 0., 1.
	if sup := 2 * (y - x); sup <= l*(y-x) { // A: ln r = θ(y − x) on [1, 2]
		t.Error("A holds")
	}
	z := func(x float64) float64 {
		v, _ := logratio.Evidence(logratio.NewGammaDensity(1, 1, 1+x, 1, 2), 0)
		return v
	}
	if ratio := z(x) - z(y); ratio <= l*(y-x) { // B for the reversed pair: ln φ(0)/φ(1)
		t.Errorf("B holds: %v", ratio)
	}
	// Point mass on θ = 0.8 of Θ = {.8, .2}: 0-private, although the literal supremum over Θ is ln 4.
	point := must(NewFiniteBernoulli(1, []float64{.8}, []float64{1}))
	if e := point.Epsilon(); e > 1e-12 {
		t.Errorf("point mass: ε = %v", e)
	}
}

// An assumption without its domain is refused before anything is computed from it.
func TestAssumptionsAreChecked(t *testing.T) {
	for _, a := range []Assumption{{-1, 1, 0}, {0, 0, 0}, {0, 1, .5}, {math.NaN(), 1, 1}, {0, 1, math.Inf(1)}} {
		var bad *ParameterError
		if !errors.As(a.Valid(), &bad) {
			t.Errorf("%+v passes", a)
		}
	}
	if err := (Assumption{L0: 0, Rate: math.Inf(1), Constant: 1}).Valid(); err != nil {
		t.Error(err)
	}
}
