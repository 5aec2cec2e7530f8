package claims

import (
	"context"
	"fmt"
	"math"
)

// NetworkPaper is Zhang, Rubinstein and Dimitrakakis, "On the differential privacy of Bayesian inference" (AAAI 2016).
const NetworkPaper = "Zhang, Rubinstein, Dimitrakakis (AAAI 2016)"

func init() {
	register(
		Claim{
			ID: "network/01", Document: NetworkPaper, Place: "Lemma 1, Corollary 1", Verdict: Holds,
			Statement: "replacing one record changes the counts of all families by at most 2|I| in ℓ₁",
			True:      "tight, whatever the arities; releasing the maximal families only needs 2 per maximal family",
			Source:    "theory/networks.md §1.1", check: countSensitivity,
		},
		Claim{
			ID: "network/02", Document: NetworkPaper, Place: "Proposition 1", Verdict: Holds,
			Statement: "with probability 1 − δ no noise exceeds (2|I|/ε) ln(2m/δ)",
			True: "the exact quantile is −b ln(1 − (1 − δ)^(1/2m)), 0.4 % less at δ = 0.05; with m in place of " +
				"2m it fails",
			Source: "theory/networks.md §1.2", check: largestNoise,
		},
		Claim{
			ID: "network/03", Document: NetworkPaper, Place: "proof of Theorem 1", Verdict: False,
			Statement:      "the mean of a clamped noisy count is D + (b/2)e^(−D/b) + ((n − b)/2)e^((D−n)/b)",
			True:           "D + (b/2)e^(−D/b) − (b/2)e^((D−n)/b)",
			Counterexample: "n = 50, D = 50, b = 2: 74, more than n; correct 49",
			Source:         "theory/networks.md §1.3", check: clampedMean,
		},
		Claim{
			ID: "network/04", Document: NetworkPaper, Place: "Theorem 2", Verdict: Holds,
			Statement: "the coefficients of the downward closure of the families determine all family tables, and " +
				"released tables agree",
			Source: "theory/networks.md §2.1", check: closureSuffices,
		},
		Claim{
			ID: "network/05", Document: NetworkPaper, Place: "Corollary 2", Verdict: Loose,
			Statement: "noise of scale 2|N|/ε on the coefficients is ε-DP",
			True:      "the ℓ₁ sensitivity is 2·odd(N), (|N| − 1)/2 < odd(N) ≤ |N| − 1",
			Source:    "theory/networks.md §2.2", check: coefficientSensitivity,
		},
		Claim{
			ID: "network/06", Document: NetworkPaper, Place: "Remark 1", Verdict: False,
			Statement: "the Fourier release has less noise than noise on counts when in-degrees are large",
			True: "on counts the ratio is |N|/(|I|·2^(s/2)); for one complete family of three nodes or " +
				"more it grows with their number",
			Counterexample: "complete graph of 5 nodes: noise of a cell 1.13 times that of Algorithm 1",
			Source:         "theory/networks.md §2.3", check: remark1,
		},
		Claim{
			ID: "network/07", Document: NetworkPaper, Place: "Corollary 3", Verdict: Corrected,
			Statement: "an increment of 4t|N|²/ε makes all cells non-negative with probability at least 1 − " +
				"e^(−t)",
			True:           "for t ≥ ½; the quantile of a Gamma law is the tight data-free increment",
			Counterexample: "collider (|N| = 8), t = 0.03: probability 0.019 < 0.030",
			Source:         "theory/networks.md §2.4", check: increments,
		},
		Claim{
			ID: "network/08", Document: NetworkPaper, Place: "Theorem 3", Verdict: Loose,
			Statement: "the ℓ₁ error of a table is at most (4|N|/ε)(2^(s−1) ln(|N|/δ) + t|N|) with probability 1 − δ",
			True:      "with √R·ln(R/δ), R = 2^s, in place of R·ln(|N|/δ): 3 to 8 times smaller",
			Source:    "theory/networks.md §2.5", check: tableError,
		},
		Claim{
			ID: "network/09", Document: NetworkPaper, Place: "§5.1", Verdict: False,
			Statement:      "drawing again until all cells are non-negative costs ε",
			True:           "up to 2ε: conditioning on an event changes both normalisers",
			Counterexample: "one count, x = 0 against 1, ε = 1: exactly 1.2091",
			Source:         "theory/networks.md §2.4", check: repeating,
		},
	)
}

// dag is the parents of every node of a small graph.
type dag [][]int

var smallGraphs = map[string]dag{
	"chain": {{}, {0}, {1}}, "collider": {{}, {}, {0, 1}}, "diamond": {{}, {0}, {0}, {1, 2}}, "naive Bayes, 3 " +
		"features": {{}, {0}, {0}, {0}}, "alone": {{}, {}},
}

// differ counts the families in which two records differ.
func (g dag) differ(x, y []int) int {
	n := 0
	for i, ps := range g {
		d := x[i] != y[i]
		for _, p := range ps {
			d = d || x[p] != y[p]
		}
		if d {
			n++
		}
	}
	return n
}

// records visits all records of nodes with the given numbers of states.
func records(arities []int, visit func(x []int)) {
	x := make([]int, len(arities))
	for {
		visit(x)
		i := len(x) - 1
		for ; i >= 0; i-- {
			if x[i]++; x[i] < arities[i] {
				break
			}
			x[i] = 0
		}
		if i < 0 {
			return
		}
	}
}

func (g dag) arities(states int) []int {
	a := make([]int, len(g))
	for i := range a {
		a[i] = states
	}
	return a
}

func countSensitivity(_ context.Context, f *Finding) error {
	for name, g := range smallGraphs {
		for _, states := range []int{2, 3} {
			worst := 0
			records(g.arities(states), func(x []int) {
				a := append([]int(nil), x...)
				records(g.arities(states), func(y []int) { worst = max(worst, 2*g.differ(a, y)); f.Cases++ })
			})
			f.number(fmt.Sprintf("%s, %d states: ℓ₁", name, states), float64(worst), float64(2*len(g)), 0)
			f.trial().bound(float64(2*len(g)), float64(worst), float64(len(g)), "%s, %d states", name, states)
		}
	}
	return nil
}

// largestNoise: the magnitudes of 2m Laplace noises of scale 1 all stay below t with probability (1 − e^−t)^{2m}.
func largestNoise(_ context.Context, f *Finding) error {
	const m, delta = 33, .05 // naive Bayes with 16 features
	exceed := func(t float64) float64 { return -math.Expm1(2 * m * math.Log1p(-math.Exp(-t))) }
	paper, exact := math.Log(2*m/delta), -math.Log(-math.Expm1(math.Log1p(-delta)/(2*m)))
	f.require(exceed(exact) <= delta*(1+1e-12), "the quantile fails")
	for _, d := range []float64{.5, delta, 1e-3, 1e-6} { // the bound approaches the quantile as δ → 0
		bound := math.Log(2 * m / d)
		f.trial().bound(bound, -math.Log(-math.Expm1(math.Log1p(-d)/(2*m))), d, "δ = %v", d)
		f.require(exceed(bound) <= d, "δ = %v: %v", d, exceed(bound))
	}
	f.number("bound ÷ exact quantile", paper/exact, 1.0035, 1e-4)
	f.number("P[exceed] with m in place of 2m, δ = 0.05", exceed(math.Log(m/delta)), .0952, 1e-4)
	return nil
}

// clampedMean integrates ∫ min(max(D + z, 0), n) e^{−|z|/b}/(2b) dz by its tail: E = ∫₀ⁿ P(D + Z > t) dt.
func clampedMean(_ context.Context, f *Finding) error {
	above := func(t float64) float64 { // P(Z > t), scale 1
		if t > 0 {
			return math.Exp(-t) / 2
		}
		return 1 - math.Exp(t)/2
	}
	for _, c := range [][3]float64{{50, 50, 2}, {50, 25, 34}, {10, 0, 3}, {7, 2, .5}} {
		n, d, b := c[0], c[1], c[2]
		const steps = 200_000
		sum := 0.0
		for i := range steps {
			sum += above((n*(float64(i)+.5)/steps - d) / b)
		}
		mean := sum * n / steps
		correct := d + b/2*math.Exp(-d/b) - b/2*math.Exp((d-n)/b)
		paper := d + b/2*math.Exp(-d/b) + (n-b)/2*math.Exp((d-n)/b)
		f.number(fmt.Sprintf("E[clamped], n = %v, D = %v, b = %v", n, d, b), mean, correct, 1e-6)
		f.trial().printed(math.Abs(paper-mean) < 1e-6, -paper/n, "n = %v, D = %v, b = %v: %.3g, more than n; correct "+
			"%.3g", n, d, b, paper, correct)
	}
	f.number("the paper's formula at n = 50, D = 50, b = 2", 50+math.Exp(-25)+24, 74, 1e-9)
	return nil
}
