package claims

import (
	"context"
	"fmt"
	"math"
)

func init() {
	register(
		tested(Claim{
			ID: "hellinger/18", Document: NoteA, Place: "§3.1, the bound", Items: []string{"§3.1 (bound)"},
			Assumes:   "noise Lap(2/ε) on each of m ≥ 2 counts; |x| in the first display is m, as in the second; γ ≤ ½",
			Statement: "P[‖noise‖₁ ≥ (2m/ε)·ln(m/γ)] ≤ γ.",
			Verdict:   Loose,
			True: "ε·‖noise‖₁/2 has the Gamma(m) law; the bound is 1.5 to 4.1 times its quantile for m = 2 … 10 and " +
				"γ = 0.001 … ½.",
			Remark: "The note announces \"the accuracy bound based on H distance\"; no H enters.",
			Source: "theory/hellinger.md §9",
		}, 1, .25, laplaceTail),
		tested(Claim{
			ID: "hellinger/18a", Document: NoteA, Place: "§3.1, the last line", Items: []string{"§3.1 (equality)"},
			Assumes:        "as hellinger/18",
			Statement:      "P[‖noise‖_∞ ≥ (2/ε)·ln(m/γ)] = γ.",
			Verdict:        Corrected,
			True:           "It is 1 − (1 − γ/m)^m, below γ.",
			Counterexample: "m = 2, γ = 0.5: 0.4375",
			Remark:         "The inequality that the line serves is true (hellinger/18).",
			Source:         "theory/hellinger.md §9",
		}, false, true, laplaceMaximum),
		tested(Claim{
			ID: "hellinger/19", Document: NoteB, Place: "Lemma 3.1", Items: []string{"Lemma 3.1"},
			Assumes:        "h(z) = ½e^(−|z|); any ε, δ < 1; |λ| ≤ β = ε/(2 ln(2/δ)), or with the quantile ρ_{δ/3} = ln(3/δ)",
			Statement:      "P[z ∈ S] ≤ e^(ε/2)·P[z ∈ e^λ S] + δ/2 for every set S.",
			Verdict:        Corrected,
			True:           "For ε below a threshold that depends on δ; for ε ≤ 2.7 both β are right for every δ.",
			Counterexample: "δ = 0.999: ln(2/δ) fails from ε = 2.7266",
			Remark: "For the ε and δ of practice the lemma is right with much to spare. Its proof bounds the reciprocal " +
				"of the ratio that it needs.",
			Source: "theory/hellinger.md §9",
		}, 1, .9, laplaceDilation),
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

// laplaceTail puts factor in front of the threshold.
func laplaceTail(_ context.Context, f *Finding, factor float64) error {
	least, most := math.Inf(1), 0.0
	for m := 2; m <= 10; m++ {
		for _, gamma := range []float64{.5, .1, .05, .01, 1e-3} {
			t := factor * float64(m) * math.Log(float64(m)/gamma)
			f.trial().bound(gamma, gammaTail(m, t), float64(m)-gamma, "m = %d, γ = %v: %.4f", m, gamma, gammaTail(m, t))
			lo, hi := 0.0, 100*t
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
	f.require(least > 1.4 && most < 4.1, "the bound is %v to %v times the quantile", least, most)
	return nil
}

// laplaceMaximum tests the equality; only the inequality where atMost.
func laplaceMaximum(_ context.Context, f *Finding, atMost bool) error {
	for m := 2; m <= 10; m++ {
		for _, gamma := range []float64{.5, .1, .05, .01, 1e-3} {
			t := math.Log(float64(m) / gamma) // of a unit exponential
			exact := -math.Expm1(float64(m) * math.Log1p(-math.Exp(-t)))
			f.trial().printed(near(exact, gamma, 1e-9) || atMost && exact <= gamma, float64(m)-gamma, "m = %d, γ = %v: "+
				"%.4f", m, gamma, exact)
			f.trial().repaired(exact < gamma && near(exact, 1-math.Pow(1-gamma/float64(m), float64(m)), 1e-9),
				"m = %d, γ = %v", m, gamma)
		}
	}
	return nil
}

// dilationExcess is sup_S P[z ∈ S] − e^{ε/2}·P[z ∈ e^λ S] for z ~ Lap(1), λ > 0: attained by S = {|z| ≥ w₀}.
func dilationExcess(lambda, epsilon float64) float64 {
	w0 := (epsilon/2 + lambda) / math.Expm1(lambda)
	return math.Exp(-w0) * -math.Expm1(-lambda)
}

// laplaceDilation puts factor in front of β.
func laplaceDilation(_ context.Context, f *Finding, factor float64) error {
	for _, c := range []struct{ over, delta, fails float64 }{
		{2, .999, 2.7266}, {3, .999, 4.8335},
		{2, .9, 2.9364}, {2, .5, 3.8549}, {2, .1, 5.3635}, {2, 1e-2, 6.6280}, {2, 1e-5, 8.6729}, {2, 1e-10, 10.4444},
		{3, .9, 4.9646}, {3, .5, 5.6202}, {3, .1, 6.8826}, {3, 1e-2, 8.0398}, {3, 1e-5, 10.0061}, {3, 1e-10, 11.7566},
	} {
		ok := func(eps float64) bool {
			f.Cases++
			return dilationExcess(factor*eps/(2*math.Log(c.over/c.delta)), eps) <= c.delta/2
		}
		lo, hi := .01, 50.0
		for range 100 {
			if mid := (lo + hi) / 2; ok(mid) {
				lo = mid
			} else {
				hi = mid
			}
		}
		f.number(fmt.Sprintf("ln(%v/δ) fails from ε, δ = %v", c.over, c.delta), hi, c.fails, 6e-5)
		f.trial().printed(ok(1.01*hi), hi, "δ = %v: ln(%v/δ) fails from ε = %.4f", c.delta, c.over, hi)
		f.trial().repaired(ok(2.7), "δ = %v, ln(%v/δ): fails at ε = 2.7", c.delta, c.over)
	}
	f.number("true excess ÷ allowed, ε = 1, δ = 1e-5", dilationExcess(1/(2*math.Log(2e5)), 1)/5e-6, .02, .005)
	return nil
}
