package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

func init() {
	register(
		sampled(Claim{
			ID: "sampling/20", Place: "Lemma 21 (Beta–Binomial), Assumption 2", Verdict: Holds,
			Statement: "the Beta(α, α) prior has c = 2^(1−2α)/B(α, α)",
			True: "with L0 = 0 and for all α > 0; L0 = ln n comes from the binomial coefficient, on which no " +
				"posterior depends; c > 1 needs α > 3.38",
			Source: "theory/sampling.md §11",
		}, lemma21Rate),
		sampled(Claim{
			ID: "sampling/21", Place: "Lemma 21, C", Verdict: Holds,
			Statement: "C = B(α, α)/B((n+2α−1)/2, (n+2α+1)/2) is at least sup p_θ(x)/φ(x)",
			True: "equal at n = 1; of the order of 4ⁿ where the truth grows like n^α: at α = 2, n = 100 it is " +
				"6.8e30 against 1751",
			Source: "theory/sampling.md §11",
		}, lemma21Constant),
		sampled(Claim{
			ID: "sampling/22", Place: "proof of Lemma 21", Verdict: Corrected,
			Statement:      "B(α+x, n+α−x) ≥ B((n+2α−1)/2, (n+2α+1)/2) for all x",
			True:           "for odd n; for even n the least is B((n+2α)/2, (n+2α)/2)",
			Counterexample: "n = 2, α = 1, x = 1: 0.1667 < 0.1963",
			Source:         "theory/sampling.md §11",
		}, lemma21Proof),
		sampled(Claim{
			ID: "sampling/23", Place: "after Lemma 21", Verdict: Corrected,
			Statement: "the δ of (0, δ) increases with n, which is essentially unimprovable without trimming",
			True: "the exact δ falls with n, from 4^(−α)·C(2α, α) to α^α e^(−α)/Γ(α+1): about 1/√(πα) to " +
				"1/√(2πα); pure ε is infinite",
			Counterexample: "α = 1: 0.5000 at n = 1, 0.4444 at n = 2",
			Source:         "theory/sampling.md §11",
		}, lemma21Unimprovable),
	)
}

func lemma21Rate(t *trial) error {
	rate := func(a float64) float64 { return math.Exp((1-2*a)*math.Ln2 - num.LogBeta(a, a)) }
	for _, a := range []float64{.3, 1, 1.5, 2, 4, 8, 16} {
		for _, l := range []float64{1e-6, 1e-3, .1, .5, 1, 3, 8} {
			_, above := num.BetaTails(a, a, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
			t.bound(-math.Log(2*above)/l, rate(a), a, "α = %v, L = %v", a, l) // the greatest c that L allows
		}
	}
	lo, hi, err := num.RootBracket(func(a float64) float64 { return rate(a) - 1 }, 1, 10, 1e-12)
	t.f.number("c > 1 from α", (lo+hi)/2, 3.381750265, 1e-8)
	t.attained(1e-5)
	return err
}

func lemma21Constant(t *trial) error {
	for _, a := range []float64{1.5, 2, 4} {
		for _, n := range []float64{1, 2, 5, 10, 100} {
			paper := math.Exp(num.LogBeta(a, a) - num.LogBeta((n+2*a-1)/2, (n+2*a+1)/2))
			exact := 0.0
			for k := 0.0; k <= n; k++ {
				top := 0.0
				if k > 0 && k < n {
					top = k*math.Log(k/n) + (n-k)*math.Log((n-k)/n)
				}
				exact = math.Max(exact, math.Exp(top-num.LogBeta(a+k, a+n-k)+num.LogBeta(a, a)))
			}
			t.bound(paper, exact, n, "α = %v, n = %v", a, n)
			if a == 2 && n == 100 {
				t.f.number("α = 2, n = 100: exact C", exact, 1751, 1e-6)
				t.f.number("the paper's ÷ 1e30", paper/1e30, 6.82673248760451, 1e-9)
			}
		}
	}
	t.attained(1e-9)
	return nil
}

func lemma21Proof(t *trial) error {
	for n := 1; n <= 12; n++ {
		for _, a := range []float64{1, 1.5, 4} {
			bound := math.Exp(num.LogBeta((float64(n)+2*a-1)/2, (float64(n)+2*a+1)/2))
			least := math.Inf(1)
			for x := 0; x <= n; x++ {
				v := math.Exp(num.LogBeta(a+float64(x), a+float64(n-x)))
				least = math.Min(least, v)
				t.printed(v >= bound*(1-1e-12), float64(n)+a/100, "n = %d, α = %v, x = %d: %.4f < %.4f", n, a, x, v,
					bound)
			}
			if n%2 == 1 {
				t.repaired(least >= bound*(1-1e-12), "n = %d, α = %v", n, a)
			} else {
				middle := float64(n)/2 + a
				t.repaired(near(least, math.Exp(num.LogBeta(middle, middle)), 1e-12), "n = %d, α = %v: the least is "+
					"%v", n, a, least)
			}
		}
	}
	return nil
}

// neighbourTV is the total variation distance of Beta(a, b) and Beta(a+1, b−1): their densities cross once, at
// a/(a+b−1).
func neighbourTV(a, b float64) float64 {
	x, y := a/(a+b-1), (b-1)/(a+b-1)
	p, _ := num.BetaTails(a, b, x, y)
	q, _ := num.BetaTails(a+1, b-1, x, y)
	return p - q
}

func lemma21Unimprovable(t *trial) error {
	worst := func(alpha float64, n int) float64 {
		most, at := 0.0, 0
		for k := range n {
			a, b := alpha+float64(k), alpha+float64(n-k)
			v := neighbourTV(a, b)
			if v > most*(1+1e-12) {
				most, at = v, k
			}
			t.f.require(near(v, families.BetaNeighbourTV(a, b), 1e-9), "closed form at (%v, %v): %v", a, b, v)
			t.f.require(v <= math.Sqrt(families.BetaNeighbourJeffreys(a, b))/2, "Jeffreys at (%v, %v)", a, b)
		}
		t.f.require(at == 0 || at == n-1, "worst k = %d of %d", at, n)
		return most
	}
	for _, alpha := range []float64{1, 2, 4, 16} {
		last := worst(alpha, 1)
		lg := func(x float64) float64 { return num.LogGamma(x) }
		first := math.Exp(lg(2*alpha+1) - 2*lg(alpha+1) - 2*alpha*math.Ln2)
		limit := math.Exp(alpha*math.Log(alpha) - alpha - lg(alpha+1))
		t.repaired(near(last, first, 1e-10), "n = 1, α = %v: %v, not %v", alpha, last, first)
		for n := 2; n <= 60; n++ {
			v := worst(alpha, n)
			t.printed(v >= last, alpha*100+float64(n), "α = %v: %.4f at n = %d, %.4f at n = %d", alpha, last, n-1, v, n)
			t.repaired(v < last && v > limit, "α = %v, n = %d: %v", alpha, n, v)
			last = v
		}
		t.repaired(near(worst(alpha, 4000), limit, 2e-3), "limit at α = %v", alpha)
		f, err := families.NewUntrimmedBeta(10, alpha, alpha)
		if err != nil {
			return err
		}
		t.repaired(math.IsInf(f.Epsilon(), 1), "pure ε of the untrimmed posterior: %v", f.Epsilon())
	}
	return nil
}
