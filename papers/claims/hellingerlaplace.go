package claims

import (
	"context"
	"fmt"
	"math"
)

func init() {
	register(
		Claim{
			ID: "hellinger/18", Document: NoteA, Place: "§3.1", Verdict: Corrected,
			Statement: "Laplace noise on m counts: P[‖noise‖₁ ≥ (2m/ε) ln(m/γ)] = γ, \"based on Hellinger " +
				"distance\"",
			True: "the event behind it, some |noise_i| ≥ (2/ε) ln(m/γ), has probability 1 − (1 − γ/m)^m ≤ " +
				"γ; the ℓ₁ bound is 1.5 to 4.1 times the quantile of its Gamma(m) law for m = 2 … 10 and γ = 0.001 … " +
				"½; no H enters",
			Counterexample: "m = 2, γ = 0.5: 0.4375",
			Source:         "theory/hellinger.md §9", check: laplaceTail,
		},
		Claim{
			ID: "hellinger/19", Document: NoteB, Place: "Lemma 3.1", Verdict: Corrected,
			Statement:      "one-dimensional Laplace noise dilates by β = ε/(2 ln(2/δ)) (or 3/δ) within (ε/2, δ/2)",
			True:           "for ε below a threshold that depends on δ; for ε ≤ 2.9 both are right",
			Counterexample: "δ = 0.9: ln(2/δ) fails from ε = 2.9364",
			Source:         "theory/hellinger.md §9", check: laplaceDilation,
		},
	)
}

// gammaTail is P[Gamma(m) ≥ t] = e^{−t} Σ_{k<m} t^k/k!.
func gammaTail(m int, t float64) float64 {
	sum, term := 0.0, 1.0
	for k := range m {
		if k > 0 {
			term *= t / float64(k)
		}
		sum += term
	}
	return sum * math.Exp(-t)
}

func laplaceTail(_ context.Context, f *Finding) error {
	least, most := math.Inf(1), 0.0
	for m := 2; m <= 10; m++ {
		for _, gamma := range []float64{.5, .1, .05, .01, 1e-3} {
			t := float64(m) * math.Log(float64(m)/gamma)
			exact := -math.Expm1(float64(m) * math.Log1p(-gamma/float64(m)))
			f.trial().printed(near(exact, gamma, 1e-9), float64(m)-gamma, "m = %d, γ = %v: %.4f", m, gamma, exact)
			f.trial().repaired(exact < gamma && gammaTail(m, t) <= gamma, "m = %d, γ = %v", m, gamma)
			lo, hi := 0.0, t
			for range 200 {
				if mid := (lo + hi) / 2; gammaTail(m, mid) > gamma {
					lo = mid
				} else {
					hi = mid
				}
			}
			least, most = math.Min(least, t/hi), math.Max(most, t/hi)
		}
	}
	f.number("P[some |noise| that large], m = 2, γ = ½", 1-math.Pow(1-.25, 2), .4375, 1e-15)
	f.require(least > 1.4 && most < 4.1, "the bound is %v to %v times the quantile", least, most)
	return nil
}

// dilationExcess is sup_S P[z ∈ S] − e^{ε/2}·P[z ∈ e^λ S] for z ~ Lap(1), λ > 0: attained by S = {|z| ≥ w₀}.
func dilationExcess(lambda, epsilon float64) float64 {
	w0 := (epsilon/2 + lambda) / math.Expm1(lambda)
	return math.Exp(-w0) * -math.Expm1(-lambda)
}

func laplaceDilation(_ context.Context, f *Finding) error {
	for _, c := range []struct{ factor, delta, fails float64 }{
		{2, .9, 2.9364}, {2, .5, 3.8549}, {2, .1, 5.3635}, {2, 1e-2, 6.6280}, {2, 1e-5, 8.6729}, {2, 1e-10, 10.4444},
		{3, .9, 4.9646}, {3, .5, 5.6202}, {3, .1, 6.8826}, {3, 1e-2, 8.0398}, {3, 1e-5, 10.0061}, {3, 1e-10, 11.7566},
	} {
		ok := func(eps float64) bool {
			f.Cases++
			return dilationExcess(eps/(2*math.Log(c.factor/c.delta)), eps) <= c.delta/2
		}
		lo, hi := .01, 50.0
		for range 100 {
			if mid := (lo + hi) / 2; ok(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		f.number(fmt.Sprintf("ln(%v/δ) fails from ε, δ = %v", c.factor, c.delta), hi, c.fails, 6e-5)
		f.trial().printed(ok(1.01*hi), hi, "δ = %v: ln(%v/δ) fails from ε = %.4f", c.delta, c.factor, hi)
		f.trial().repaired(ok(2.9), "δ = %v, factor %v: fails at ε = 2.9", c.delta, c.factor)
	}
	f.number("true excess ÷ allowed, ε = 1, δ = 1e-5", dilationExcess(1/(2*math.Log(2e5)), 1)/5e-6, .02, .005)
	return nil
}
