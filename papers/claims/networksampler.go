package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

func init() {
	register(
		executedIn(NetworkPaper, Claim{
			ID: "network/11", Place: "Lemma 2", Verdict: Corrected,
			Statement: "if every conditional is L_i-Lipschitz under ρ_i(x_i, y_i), the network is under Σ ρ_i",
			True: "with ρ_i = 1 where the family configurations differ; else the condition fails for every " +
				"node with parents. Tight: K·ℓ for one record",
			Counterexample: "Y → X, w = 0.1, [0 0] to [1 0]: 4.394 > 2.197",
			Source:         "theory/networks.md §3.1",
		}, networkLemma2),
		executedIn(NetworkPaper, Claim{
			ID: "network/12", Place: "Lemma 3", Verdict: Holds,
			Statement: "ξ(Θ_{i,L}) ≥ 1 − e^(−c_i L) for all i gives ξ(Θ_L) ≥ 1 − e^(−c′L), c′ = min c_i − ln|I|/L0",
			True:      "for |I| < e^(L0 min c_i); for independent priors the sharper Π(1 − e^(−c_i L))",
			Source:    "theory/networks.md §3.2",
		}, networkLemma3),
		executedIn(NetworkPaper, Claim{
			ID: "network/13", Place: "proof of Lemma 3", Verdict: Corrected,
			Statement:      "c′ = ln|I|·min c_i",
			True:           "c′ = min c_i − ln|I|/L0, as the lemma says",
			Counterexample: "2 nodes, Beta(2, 2), L = 1: 0.415 < 0.511",
			Source:         "theory/networks.md §3.2",
		}, networkLemma3Proof),
		executedIn(NetworkPaper, Claim{
			ID: "network/14", Place: "Theorem 4.1", Verdict: Holds,
			Statement: "the posterior is 2L-private under ρ",
			True:      "with the corrected ρ: 2K·ℓ for one record, approached as n grows; exactly K·ℓ at n = 1",
			Source:    "theory/networks.md §3.3",
		}, networkTheorem41),
		executedIn(NetworkPaper, Claim{
			ID: "network/15", Place: "Theorem 4.2", Verdict: Loose,
			Statement: "TV ≤ √(M/2·max(ρ, 1)), M ≥ C ln C",
			True:      "of no use: C ≥ 2^K, so the bound is at least 0.833 for one node and above 1 from two nodes on",
			Source:    "theory/networks.md §3.3",
		}, networkTheorem42),
	)
}

func networkLemma2(t *trial) error {
	graphs := map[string]dag{"Y → X": {{}, {0}}}
	for _, name := range []string{"alone", "chain", "collider", "naive Bayes, 3 features"} {
		graphs[name] = smallGraphs[name]
	}
	for name, g := range graphs {
		for _, w := range []float64{.1, .3} {
			l, worst := math.Log((1-w)/w), 0.0
			g.changes(func(x, y []int, rho, cells int) {
				most := 0.0
				g.corners(w, func(logp func(x []int) float64) { most = math.Max(most, math.Abs(logp(x)-logp(y))) })
				worst = math.Max(worst, most)
				code := 0.0
				for i := range x {
					code = 4*code + float64(2*x[i]+y[i])
				}
				bound := l * float64(cells)
				t.printed(most <= bound*(1+1e-12), float64(100000*len(g)*len(g))+1000*w+code, "%s, w = %v, %v to %v: "+
					"%.3f > %.3f", name, w, x, y, most, bound)
				t.repaired(most <= l*float64(g.differ(x, y))*(1+1e-12), "%s, %v to %v: %v", name, x, y, most)
			})
			t.repaired(near(worst, l*float64(len(g)), 1e-12), "%s: one record costs %v", name, worst)
		}
	}
	return nil
}

// outside is ξ(|logit θ| > L) under Beta(a, a).
func outside(a, l float64) float64 {
	_, above := num.BetaTails(a, a, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
	return 2 * above
}

// rateFrom is the greatest c with ξ(Θ_L) ≥ 1 − e^{−cL} for all L ≥ L0, over a grid.
func rateFrom(a, l0 float64) float64 {
	c := math.Inf(1)
	for l := l0; l < l0+20; l += .05 {
		c = math.Min(c, -math.Log(outside(a, l))/l)
	}
	return c
}

func networkLemma3(t *trial) error {
	for _, a := range []float64{1, 2, 5} {
		for _, l0 := range []float64{1, 2, 4} {
			c := rateFrom(a, l0)
			for k := 1; k <= 8; k++ {
				for l := l0; l <= l0+6; l += .5 {
					mass := math.Exp(float64(k) * math.Log1p(-outside(a, l)))
					prime := c - math.Log(float64(k))/l0
					t.printed(mass >= -math.Expm1(-prime*l)-1e-13, float64(k), "K = %d, Beta(%v, %v), L = %v", k, a, a,
						l)
					t.f.require(mass >= math.Exp(float64(k)*math.Log1p(-math.Exp(-c*l)))-1e-13, "the sharper form at "+
						"K = %d, L = %v", k, l)
				}
			}
		}
	}
	return nil
}

func networkLemma3Proof(t *trial) error {
	for _, a := range []float64{2, 5} {
		for _, l0 := range []float64{1, 2, 3} {
			c := rateFrom(a, l0)
			for k := 2; k <= 5; k++ {
				mass := math.Exp(float64(k) * math.Log1p(-outside(a, l0)))
				claimed := -math.Expm1(-math.Log(float64(k)) * c * l0)
				t.printed(mass >= claimed, float64(k)*100+a*10+l0, "%d nodes, Beta(%v, %v), L = %v: %.3f < %.3f", k, a,
					a, l0, mass, claimed)
				t.repaired(mass >= -math.Expm1(-(c-math.Log(float64(k))/l0)*l0), "K = %d, L = %v", k, l0)
				if a == 2 && l0 == 3 && k == 5 {
					t.f.number("5 nodes, Beta(2, 2), L = 3: mass", mass, .9363, 1e-4)
					t.f.number("claimed", claimed, .99907, 1e-5)
				}
			}
		}
	}
	return nil
}

func networkTheorem41(t *trial) error {
	for _, name := range []string{"alone", "chain", "collider"} {
		g := smallGraphs[name]
		for n := 1; n <= 2; n++ {
			l, e := math.Log(9), g.epsilon(t, n, .1)
			t.bound(2*l*float64(len(g)), e, float64(n), "%s, n = %d", name, n)
			t.f.require(n > 1 || near(e, l*float64(len(g)), 1e-10), "%s, n = 1: %v", name, e)
		}
	}
	for _, n := range []float64{10, 1000, 1e5} { // a network without arrows, all records alike but one
		const w, k = .4, 3
		t.bound(2*k*math.Log(1.5), k*rowLoss(1, n-1, 0, n, w), n, "n = %v", n)
	}
	t.attained(1e-3)
	return nil
}

func networkTheorem42(t *trial) error {
	// C is at least 2: a bit has likelihood 1 at its best and ½ on average
	for _, a := range []float64{1, 2, 100, 1e4} {
		t.bound(math.Sqrt(2*math.Ln2/2), neighbourTV(a, a+1), a, "α = %v", a)
	}
	t.f.number("TV of one bit, α = 2", neighbourTV(2, 3), .375, 1e-12)
	for k := 2; k <= 6; k++ {
		c := math.Exp2(float64(k))
		t.f.require(math.Sqrt(c*math.Log(c)/2) > 1, "K = %d", k)
	}
	t.margin(1.665, 147.6, 1e-3)
	return nil
}
