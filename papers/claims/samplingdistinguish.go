package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

func init() {
	register(
		sampled(Claim{
			ID: "sampling/37", Place: "Lemma 12", Verdict: Loose,
			Statement: "for m ≤ log₂√(1/δ) parts, P[‖P̂ − P‖₁ > √(3 ln(1/δ)/n)] ≤ δ",
			True:      "m ≥ 2 needs δ ≤ 1/16; the exact worst tail is a tenth of δ or less",
			Source:    "theory/sampling.md §19",
		}, lemma12),
		sampled(Claim{
			ID: "sampling/38", Place: "Theorem 13", Verdict: Corrected,
			Statement:      "the adversary can tell x from y with probability 1 − δ if ρ ≥ 3 ln(1/δ)/(4LN)",
			True:           "only if, for δ ≤ 0.2755, whoever tests; the rate is 1/√N: N ≥ (1−2δ)ln((1−δ)/δ)/κ(2Lρ)",
			Counterexample: "1 parameter, N = 1: error 0.500",
			Source:         "theory/sampling.md §20",
		}, theorem13),
	)
}

func lemma12(t *trial) error {
	for _, delta := range []float64{1. / 16, 1. / 100} {
		for n := 1; n <= 60; n++ {
			radius, worst := math.Sqrt(3*math.Log(1/delta)/float64(n)), 0.0
			for i := 1; i < 50; i++ {
				p, tail := float64(i)/100, 0.0
				term := math.Pow(1-p, float64(n))
				for k := 0; k <= n; k++ {
					if 2*math.Abs(float64(k)/float64(n)-p) > radius {
						tail += term
					}
					term *= float64(n-k) / float64(k+1) * p / (1 - p)
				}
				worst = math.Max(worst, tail)
			}
			t.bound(delta, worst, float64(n), "m = 2, δ = %v, n = %d", delta, n)
		}
	}
	const delta = 1. / 64
	for _, n := range []int{5, 10, 15, 20} {
		radius, worst := math.Sqrt(3*math.Log(1/delta)/float64(n)), 0.0
		for a := 1; a < 10; a++ {
			for b := 1; a+b < 10; b++ {
				p := [3]float64{float64(a) / 10, float64(b) / 10, 1 - float64(a+b)/10}
				tail := 0.0
				histograms(3, n, func(x []int) {
					gap, l := 0.0, lnFactorial(n)
					for i, v := range x {
						gap += math.Abs(float64(v)/float64(n) - p[i])
						l += float64(v)*math.Log(p[i]) - lnFactorial(v)
					}
					if gap > radius {
						tail += math.Exp(l)
					}
				})
				worst = math.Max(worst, tail)
			}
		}
		t.bound(delta, worst, float64(n), "m = 3, n = %d", n)
	}
	t.f.require(t.least > 9, "a tenth of δ or less: %v", t.least)
	return nil
}

func lnFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// bestError is the least average error of a test of p against q from n draws, for two outcomes: (1 − TV)/2.
func bestError(p, q float64, n int) float64 {
	sum := 0.0
	for k := 0; k <= n; k++ {
		l := lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k)
		a := math.Exp(l + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		b := math.Exp(l + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q))
		sum += math.Min(a, b)
	}
	return sum / 2
}

func theorem13(t *trial) error {
	const delta = .05
	one := bernoulli([]float64{.95}, []float64{1}) // the posterior does not move
	for n := 1; n <= 4; n++ {
		if one.uniform() >= 3*math.Log(1/delta)/(4*float64(n)) {
			e := (1 - totalVariation(manySamples(one.posterior(0), n), manySamples(one.posterior(1), n))) / 2
			t.printed(e <= delta, float64(n), "1 parameter, N = %d: error %.3f", n, e)
		}
	}
	for _, lrho := range []float64{.1, .5, 1, 2.9444} { // two points, ln-ratio ±Lρ
		s := 1 / (1 + math.Exp(-lrho))
		printed := int(math.Ceil(3 * math.Log(1/delta) / (4 * lrho)))
		e := bestError(s, 1-s, printed)
		t.printed(e <= delta, 100+float64(printed), "2 parameters, Lρ = %v, N = %d: error %.3f", lrho, printed, e)
		for _, d := range []float64{.2755, .1, .05, 1e-3} {
			for n := 1; n < int(math.Ceil(3*math.Log(1/d)/(4*lrho))) && n < 60; n++ {
				t.repaired(bestError(s, 1-s, n) >= d, "Lρ = %v, N = %d, δ = %v", lrho, n, d)
			}
			need := int(math.Ceil((1 - 2*d) * math.Log((1-d)/d) / kappa(2*lrho)))
			if n := need - 1; n >= 1 {
				t.repaired(bestError(s, 1-s, n) >= d, "κ bound: Lρ = %v, N = %d, δ = %v", lrho, n, d)
			}
		}
	}
	for _, c := range []struct{ lrho, n float64 }{{.1, 1083}, {.5, 45}, {1, 11}} {
		s, n := 1/(1+math.Exp(-c.lrho)), 1
		for bestError(s, 1-s, n) > delta {
			n += 1 + n/400*2 // odd numbers: ties waste a draw
		}
		t.f.number("least N at error 0.05", float64(n), c.n, 4)
	}
	lo, hi, err := num.RootBracket(func(d float64) float64 { return math.Log((1-d)/d) - .75*math.Log(1/d) }, .1, .49,
		1e-13)
	t.f.number("true up to δ", (lo+hi)/2, .275508040999484, 1e-9)
	return err
}
