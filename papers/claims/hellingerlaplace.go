package claims

import (
	"context"
	"fmt"
	"math"
)

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
