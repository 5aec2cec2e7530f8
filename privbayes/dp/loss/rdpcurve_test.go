package loss_test

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
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
			got, _ := loss.DeltaFromRDP(one, eps)
			// the search over orders up to this one may end just below it
			if want := value(t, g.Out["delta"]); got < want*(1-1e-9) || got > want*1.001 {
				t.Errorf("δ of (%v, %v)-RDP at %v = %v, golden %v", order, e, eps, got, want)
			}
			continue
		}
		r := math.Pow(10, value(t, g.In["log10_r"]))
		p := loss.DirichletPair{Rate: r, Shape: 1 + 4*(order-1)*r}
		delta := value(t, g.In["delta"])
		eps, at := loss.EpsilonFromRDP(p.RDP, delta)
		above(t, "ε by Rényi", eps, value(t, g.Out["rdp_optimal_lambda"]), 1e-8)
		exact := loss.EpsilonFor(p, delta)
		above(t, "exact ε", exact, value(t, g.Out["exact"]), 2e-8)
		if !(exact < eps) {
			t.Errorf("r = %v: exact %v, Rényi %v", r, exact, eps)
		}
		if back, _ := loss.DeltaFromRDP(p.RDP, eps); math.Abs(back/delta-1) > 1e-6 {
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
	eps, order := loss.EpsilonFromRDP(window, 1e-6)
	if !(order > 8.9 && order < 9) || math.IsInf(eps, 1) {
		t.Errorf("ε = %v at %v", eps, order)
	}
	if eps, _ := loss.EpsilonFromRDP(func(float64) float64 { return math.Inf(1) }, 0.1); !math.IsInf(eps, 1) {
		t.Errorf("ε = %v from nothing", eps)
	}
	if eps, _ := loss.EpsilonFromRDP(func(float64) float64 { return math.NaN() }, 0.1); !math.IsInf(eps, 1) {
		t.Errorf("ε = %v from NaN", eps)
	}
	if delta, _ := loss.DeltaFromRDP(func(float64) float64 { return math.Inf(1) }, 1); delta != 1 {
		t.Errorf("δ = %v from nothing", delta)
	}
	for _, delta := range []float64{0, 1, -1, math.NaN()} {
		if eps, _ := loss.EpsilonFromRDP(window, delta); !math.IsNaN(eps) {
			t.Errorf("ε = %v at δ = %v", eps, delta)
		}
	}
	if delta, _ := loss.DeltaFromRDP(window, -1); !math.IsNaN(delta) {
		t.Errorf("δ = %v at ε = −1", delta)
	}
}

// For zCDP the minimum is that of the conversion of levels.
func TestCurveOfZCDP(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rho, delta := math.Exp(rapid.Float64Range(-8, 3).Draw(t, "log ρ")),
			math.Exp(rapid.Float64Range(-40, -1).Draw(t, "log δ"))
		eps, _ := loss.EpsilonFromRDP(func(order float64) float64 { return order * rho }, delta)
		want, err := dp.ZCDP(rho).Parameters.At(dp.ApproxDP(1, delta).Parameters)
		if err != nil || math.Abs(eps-float64(want.Epsilon)) > 1e-8*(1+eps) {
			t.Fatalf("ε = %v, by conversion %v (%v)", eps, want, err)
		}
	})
}

func TestTradeOffAgainstGoldenValues(t *testing.T) {
	for _, g := range golden(t, "compose.json", "tradeoff_curve") {
		p := loss.DirichletPair{Rate: value(t, g.In["r"]), Shape: value(t, g.In["alpha"])}
		a, want := value(t, g.In["type1"]), value(t, g.Out["type2"])
		got := loss.TradeOff(p, a)
		if got > want || got < want*(1-2e-9) {
			t.Errorf("%s: type II error %.15g at %v, golden %.15g", p, got, a, want)
		}
		// the conjugate of the profile, by hiding the type
		if got := loss.TradeOff(struct{ loss.Pair }{p}, a); got > want || got < want-1e-7 {
			t.Errorf("%s: type II error %.15g at %v from the profile, golden %.15g", p, got, a, want)
		}
	}
}

func TestTradeOffProperties(t *testing.T) {
	one := loss.DirichletPair{Rate: 1, Shape: 1}
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 1).Draw(t, "a"), rapid.Float64Range(0, 1).Draw(t, "b")
		if a > b {
			a, b = b, a
		}
		if want := math.Pow(1-math.Sqrt(a), 2); math.Abs(loss.TradeOff(one, a)-want) > 3e-9 ||
			loss.TradeOff(one, a) > want+1e-12 {
			t.Fatalf("f(%v) = %v, want (1 − √a)² = %v", a, loss.TradeOff(one, a), want)
		}
		mu := math.Exp(rapid.Float64Range(-3, 1).Draw(t, "log μ"))
		for _, p := range []loss.Pair{one, loss.GaussianPair{Mu: mu}, loss.PurePair{Epsilon: mu},
			loss.GammaPair{Rate: mu, Shape: 1}} {
			fa, fb := loss.TradeOff(p, a), loss.TradeOff(p, b)
			if !(fa >= fb-1e-8 && fa <= 1-a && fb >= 0) {
				t.Fatalf("%s: f(%v) = %v, f(%v) = %v", p, a, fa, b, fb)
			}
		}
		// randomised response: max{0, 1 − e^ε a, e^{−ε}(1 − a)}
		want := math.Max(0, math.Max(1-math.Exp(mu)*a, math.Exp(-mu)*(1-a)))
		if got := loss.TradeOff(loss.PurePair{Epsilon: mu}, a); got > want+1e-15 || got < want-1e-7 {
			t.Fatalf("ε = %v: f(%v) = %v, want %v", mu, a, got, want)
		}
		// Gaussian: Φ(Φ^{-1}(1 − a) − μ), checked at the quantile itself
		x := rapid.Float64Range(-3, 4).Draw(t, "quantile")
		type1, type2 := 0.5*math.Erfc(x/math.Sqrt2), 0.5*math.Erfc((mu-x)/math.Sqrt2)
		if got := loss.TradeOff(loss.GaussianPair{Mu: mu}, type1); got > type2*(1+1e-13)+1e-15 || got < type2-1e-7 {
			t.Fatalf("μ = %v: f(%v) = %v, want %v", mu, type1, got, type2)
		}
	})
	for _, a := range []float64{-0.1, 1.1, math.NaN()} {
		if !math.IsNaN(loss.TradeOff(one, a)) {
			t.Errorf("f(%v) is a number", a)
		}
	}
	if loss.TradeOff(one, 1) != 0 || loss.TradeOff(one, 0) < 0.999 {
		t.Errorf("f(1) = %v, f(0) = %v", loss.TradeOff(one, 1), loss.TradeOff(one, 0))
	}
}

func ExampleEpsilonFromRDP() {
	p := loss.DirichletPair{Rate: 1, Shape: 20}
	eps, order := loss.EpsilonFromRDP(p.RDP, 1e-5)
	fmt.Printf("by Rényi %.4f at order %.1f, exactly %.4f\n", eps, order, loss.EpsilonFor(p, 1e-5))
	// Output: by Rényi 1.3662 at order 12.9, exactly 1.2360
}

func ExampleDeltaFromRDP() {
	delta, _ := loss.DeltaFromRDP(loss.GaussianPair{Mu: 0.5}.RDP, 1)
	fmt.Printf("by Rényi %.4f, exactly %.4f\n", delta, loss.GaussianPair{Mu: 0.5}.Delta(1))
	// Output: by Rényi 0.0180, exactly 0.0068
}

func ExampleTradeOff() {
	p := loss.DirichletPair{Rate: 1, Shape: 1}
	fmt.Printf("at type I error 0.05, type II error is at least %.4f\n", loss.TradeOff(p, 0.05))
	// Output: at type I error 0.05, type II error is at least 0.6028
}
