package dp_test

import (
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"pgregory.net/rapid"
)

func TestEpsilonFromRDPAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "compose.json", "lemma3_figure7") {
		order := value(t, g.In["lambda"])
		if _, ok := g.In["log10_r"]; !ok { // a single order
			e, eps := value(t, g.In["eps"]), value(t, g.In["ehat"])
			one := func(at float64) float64 {
				if at > order {
					return math.Inf(1)
				}
				return e
			}
			got, _ := dp.DeltaFromRDP(one, eps)
			// the search over orders up to this one may end just below it
			if want := value(t, g.Out["delta"]); got < want*(1-1e-9) || got > want*1.001 {
				t.Errorf("δ of (%v, %v)-RDP at %v = %v, golden %v", order, e, eps, got, want)
			}
			continue
		}
		r := math.Pow(10, value(t, g.In["log10_r"]))
		p := dp.DirichletPair{Rate: r, Shape: 1 + 4*(order-1)*r}
		delta := value(t, g.In["delta"])
		eps, at := dp.EpsilonFromRDP(p.RDP, delta)
		above(t, "ε by Rényi", eps, value(t, g.Out["rdp_optimal_lambda"]), 1e-8)
		exact := dp.EpsilonFor(p, delta)
		above(t, "exact ε", exact, value(t, g.Out["exact"]), 2e-8)
		if !(exact < eps) {
			t.Errorf("r = %v: exact %v, Rényi %v", r, exact, eps)
		}
		if back, _ := dp.DeltaFromRDP(p.RDP, eps); math.Abs(back/delta-1) > 1e-6 {
			t.Errorf("δ(ε(δ)) = %v, want %v (order %v)", back, delta, at)
		}
	}
}

// A curve that is finite in a narrow window only, and one that jumps, are searched too.
func TestOddCurves(t *testing.T) {
	window := func(order float64) float64 {
		if order > 1.5 && order < 9 {
			return order / 10
		}
		return math.Inf(1)
	}
	eps, order := dp.EpsilonFromRDP(window, 1e-6)
	if !(order > 8.9 && order < 9) || math.IsInf(eps, 1) {
		t.Errorf("ε = %v at %v", eps, order)
	}
	if eps, _ := dp.EpsilonFromRDP(func(float64) float64 { return math.Inf(1) }, 0.1); !math.IsInf(eps, 1) {
		t.Errorf("ε = %v from nothing", eps)
	}
	if eps, _ := dp.EpsilonFromRDP(func(float64) float64 { return math.NaN() }, 0.1); !math.IsInf(eps, 1) {
		t.Errorf("ε = %v from NaN", eps)
	}
	if delta, _ := dp.DeltaFromRDP(func(float64) float64 { return math.Inf(1) }, 1); delta != 1 {
		t.Errorf("δ = %v from nothing", delta)
	}
	for _, delta := range []float64{0, 1, -1, math.NaN()} {
		if eps, _ := dp.EpsilonFromRDP(window, delta); !math.IsNaN(eps) {
			t.Errorf("ε = %v at δ = %v", eps, delta)
		}
	}
	if delta, _ := dp.DeltaFromRDP(window, -1); !math.IsNaN(delta) {
		t.Errorf("δ = %v at ε = −1", delta)
	}
}

// For zCDP the minimum is that of the conversion of levels.
func TestCurveOfZCDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho, delta := math.Exp(rapid.Float64Range(-8, 3).Draw(t, "log ρ")), math.Exp(rapid.Float64Range(-40, -1).Draw(t, "log δ"))
		eps, _ := dp.EpsilonFromRDP(func(order float64) float64 { return order * rho }, delta)
		want, err := dp.ZCDP(rho).Level.At(dp.ApproxDP(1, delta).Level)
		if err != nil || math.Abs(eps-float64(want.Epsilon)) > 1e-8*(1+eps) {
			t.Fatalf("ε = %v, by conversion %v (%v)", eps, want, err)
		}
	})
}

func TestTradeOffAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "compose.json", "tradeoff_curve") {
		p := dp.DirichletPair{Rate: value(t, g.In["r"]), Shape: value(t, g.In["alpha"])}
		a, want := value(t, g.In["type1"]), value(t, g.Out["type2"])
		got := dp.TradeOff(p, a)
		if got > want || got < want*(1-2e-9) {
			t.Errorf("%s: type II error %.15g at %v, golden %.15g", p, got, a, want)
		}
		// the conjugate of the profile, by hiding the type
		if got := dp.TradeOff(struct{ dp.Pair }{p}, a); got > want || got < want-1e-7 {
			t.Errorf("%s: type II error %.15g at %v from the profile, golden %.15g", p, got, a, want)
		}
	}
}

func TestTradeOffProperties(t *testing.T) {
	one := dp.DirichletPair{Rate: 1, Shape: 1}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		if want := math.Pow(1-math.Sqrt(a), 2); math.Abs(dp.TradeOff(one, a)-want) > 3e-9 || dp.TradeOff(one, a) > want+1e-12 {
			t.Fatalf("f(%v) = %v, want (1 − √a)² = %v", a, dp.TradeOff(one, a), want)
		}
		mu := math.Exp(rapid.Float64Range(-3, 1).Draw(t, "log μ"))
		for _, p := range []dp.Pair{one, dp.GaussianPair{Mu: mu}, dp.PurePair{Epsilon: mu}, dp.GammaPair{Rate: mu, Shape: 1}} {
			fa, fb := dp.TradeOff(p, a), dp.TradeOff(p, b)
			if !(fa >= fb-1e-8 && fa <= 1-a && fb >= 0) {
				t.Fatalf("%s: f(%v) = %v, f(%v) = %v", p, a, fa, b, fb)
			}
		}
		// randomised response: max{0, 1 − e^ε a, e^{−ε}(1 − a)}
		want := math.Max(0, math.Max(1-math.Exp(mu)*a, math.Exp(-mu)*(1-a)))
		if got := dp.TradeOff(dp.PurePair{Epsilon: mu}, a); got > want+1e-15 || got < want-1e-7 {
			t.Fatalf("ε = %v: f(%v) = %v, want %v", mu, a, got, want)
		}
		// Gaussian: Φ(Φ^{-1}(1 − a) − μ), checked at the quantile itself
		x := rapid.Float64Range(-3, 4).Draw(t, "quantile")
		type1, type2 := 0.5*math.Erfc(x/math.Sqrt2), 0.5*math.Erfc((mu-x)/math.Sqrt2)
		if got := dp.TradeOff(dp.GaussianPair{Mu: mu}, type1); got > type2*(1+1e-13)+1e-15 || got < type2-1e-7 {
			t.Fatalf("μ = %v: f(%v) = %v, want %v", mu, type1, got, type2)
		}
	})
	for _, a := range []float64{-0.1, 1.1, math.NaN()} {
		if !math.IsNaN(dp.TradeOff(one, a)) {
			t.Errorf("f(%v) is a number", a)
		}
	}
	if dp.TradeOff(one, 1) != 0 || dp.TradeOff(one, 0) < 0.999 {
		t.Errorf("f(1) = %v, f(0) = %v", dp.TradeOff(one, 1), dp.TradeOff(one, 0))
	}
}

func TestRenyiFilter(t *testing.T) {
	f, err := dp.NewRenyiFilter(4, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Spend(func(order float64) float64 { return order * 0.15 }); err != nil {
		t.Fatal(err)
	}
	var exceeded *dp.FilterExceededError
	if err := f.Spend(dp.GaussianPair{Mu: 1}.RDP); !errors.As(err, &exceeded) || math.Abs(exceeded.Spent-0.6) > 1e-12 || exceeded.Order != 4 {
		t.Fatalf("2 on top of 0.6 of 1: %v", err)
	}
	if math.Abs(f.Left()-0.4) > 1e-12 {
		t.Errorf("a refused charge was spent: %v left", f.Left())
	}
	for _, bad := range []float64{-1, math.NaN()} {
		var e *dp.ParameterError
		if err := f.Spend(func(float64) float64 { return bad }); !errors.As(err, &e) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	if err := f.Spend(func(float64) float64 { return math.Inf(1) }); !errors.As(err, &exceeded) {
		t.Errorf("infinite: %v", err)
	}
	if g := f.Guarantee(); g.Notion != dp.Renyi || g.Order != 4 || math.Abs(float64(g.Epsilon)-1) > 1e-8 {
		t.Errorf("guarantee %v", g)
	}
	for _, bad := range [][2]float64{{1, 1}, {2, 0}, {math.NaN(), 1}, {2, math.Inf(1)}, {0.5, 1}} {
		if _, err := dp.NewRenyiFilter(bad[0], bad[1]); err == nil {
			t.Errorf("a filter of %v", bad)
		}
	}
	// ten tenths fit, from many goroutines, and not one more
	f, _ = dp.NewRenyiFilter(2, 1)
	var wg sync.WaitGroup
	fit := make(chan bool, 40)
	for range 40 {
		wg.Go(func() { fit <- f.Spend(func(float64) float64 { return 0.1 }) == nil })
	}
	wg.Wait()
	close(fit)
	n := 0
	for ok := range fit {
		if ok {
			n++
		}
	}
	if n != 10 {
		t.Errorf("%d charges of 0.1 fit into 1", n)
	}
}

// adaptive is an adaptive sequence of two randomised responses: the second is at strong after a 1 and at weak after a 0. It returns the exact
// Rényi divergence of order λ of its joint law, by enumeration of the outputs.
func adaptive(order, first, strong, weak float64) float64 {
	moment := 0.0
	for y := range 2 {
		for z := range 2 {
			p, q := 1.0, 1.0
			step := func(eps float64, out int) {
				hit := 1 / (1 + math.Exp(-eps))
				if out == 1 {
					p, q = p*hit, q*(1-hit)
				} else {
					p, q = p*(1-hit), q*hit
				}
			}
			step(first, y)
			if y == 1 {
				step(strong, z)
			} else {
				step(weak, z)
			}
			moment += math.Pow(p, order) * math.Pow(q, 1-order)
		}
	}
	return math.Log(moment) / (order - 1)
}

// The theorem on sequences that can be enumerated: what the filter admits is within its guarantee, and a filter that averaged the losses over
// outputs would not be.
func TestFilteredSequencesAreWithinTheGuarantee(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		eps := func(name string) float64 { return math.Exp(rapid.Float64Range(-2, 1).Draw(t, name)) }
		order, first, strong, weak := 1+eps("λ−1"), eps("first"), eps("strong"), eps("weak")
		budget := eps("budget") * 2
		for _, second := range []*float64{&strong, &weak} { // after a 1, and after a 0
			f, err := dp.NewRenyiFilter(order, budget)
			if err != nil {
				t.Fatal(err)
			}
			if f.Spend(dp.PurePair{Epsilon: first}.RDP) != nil {
				return
			}
			if f.Spend(dp.PurePair{Epsilon: *second}.RDP) != nil {
				*second = 0 // refused: no information
			}
		}
		if d := adaptive(order, first, strong, weak); d > budget*(1+1e-9) {
			t.Fatalf("divergence %v under a budget of %v", d, budget)
		}
	})
	// the mutant charges the mean cost of the two branches
	opening := dp.PurePair{Epsilon: 1}
	mean := (dp.PurePair{Epsilon: 3}.RDP(2) + dp.PurePair{Epsilon: 0.01}.RDP(2)) / 2
	if adaptive(2, 1, 3, 0.01) <= opening.RDP(2)+mean {
		t.Error("the comparison has no power against a filter that averages")
	}
}

func ExampleEpsilonFromRDP() {
	p := dp.DirichletPair{Rate: 1, Shape: 20}
	eps, order := dp.EpsilonFromRDP(p.RDP, 1e-5)
	fmt.Printf("by Rényi %.4f at order %.1f, exactly %.4f\n", eps, order, dp.EpsilonFor(p, 1e-5))
	// Output: by Rényi 1.3662 at order 12.9, exactly 1.2360
}

func ExampleDeltaFromRDP() {
	delta, _ := dp.DeltaFromRDP(dp.GaussianPair{Mu: 0.5}.RDP, 1)
	fmt.Printf("by Rényi %.4f, exactly %.4f\n", delta, dp.GaussianPair{Mu: 0.5}.Delta(1))
	// Output: by Rényi 0.0180, exactly 0.0068
}

func ExampleTradeOff() {
	p := dp.DirichletPair{Rate: 1, Shape: 1}
	fmt.Printf("at type I error 0.05, type II error is at least %.4f\n", dp.TradeOff(p, 0.05))
	// Output: at type I error 0.05, type II error is at least 0.6028
}

func ExampleRenyiFilter() {
	f, err := dp.NewRenyiFilter(8, 1)
	if err != nil {
		panic(err)
	}
	for step := 1; ; step++ {
		if err := f.Spend(dp.GaussianPair{Mu: 0.25}.RDP); err != nil {
			fmt.Printf("step %d refused; everything released is %s\n", step, f.Guarantee())
			return
		}
	}
	// Output: step 5 refused; everything released is (8, 1)-RDP
}
