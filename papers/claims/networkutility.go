package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/papers/study/utility"
)

func init() {
	register(
		constant(Claim{
			ID: "network/10", Document: NetworkPaper, Place: "Theorem 1, the mean", Items: []string{"Theorem 1"},
			Verdict: Outside,
			Assumes: "α, β ≥ 2 (stated in the appendix, before Lemma A.3), counts D of n records, independent Laplace " +
				"noise of scale b, cut to [0, n]",
			Statement: "the divergence of a cell has mean at most n ln((α + D₁)(β + D₂))",
			True: "no violation found; the exact mean comes from a two-dimensional quadrature (package " +
				"papers/study/utility) and is below a third of the bound",
			Counterexample: "Beta(1, 1), counts (0, 0), n = 1, b = 1: the bound is 0, the mean 0.125",
			Remark: "The assumption leaves out the uniform prior of the paper's own experiments, where the bound is 0 " +
				"for every cell that no record reached.",
			Source: "theory/networks.md §1.4",
		}, 1, .1, theorem1Mean),
		constant(Claim{
			ID: "network/10a", Document: NetworkPaper, Place: "Theorem 1, the tail", Items: []string{"Theorem 1"},
			Verdict: Corrected,
			Assumes: "α, β ≥ 2, independent cells, δ in (0, 1), c_ij at most the printed value: the largest of its " +
				"three printed forms, so that all three fail with it",
			Statement: "P[f ≥ E f + √(−½ Σ c_ij ln δ)] ≤ δ for the divergence f of the posteriors",
			True: "with Σ c_ij² in place of Σ c_ij, c_ij the largest divergence at the four corners of [0, n]²; " +
				"Bernstein's and Cantelli's bounds are often sharper",
			Counterexample: "one node, Beta(2, 2), n = 20, counts (20, 0), ε = 0.0001, δ = 0.2: probability at least " +
				"0.24950",
			Remark: "McDiarmid's inequality (Lemma A.1) has the squares; the theorem and its proof drop them. In the " +
				"theorem's own form it fails at ε = 0.4 already: n = 10, counts (10, 0), δ = 0.01: probability 0.0136.",
			Source: "theory/networks.md §1.4",
		}, 1, 2, theorem1Tail),
		constant(Claim{
			ID: "network/10b", Document: NetworkPaper, Place: "Theorem 1, the refined mean",
			Items: []string{"Theorem 1"}, Verdict: False,
			Assumes:   "α, β ≥ 2, n ≥ b = 2|I|/ε",
			Statement: "the mean is at most (n/2)e^(−n/b) ln[(α+n+1)(β+n+1)]",
			True: "the mean falls with noise like b²(ψ′(α+D₁) + ψ′(β+D₂) − 2ψ′(α+β+D₁+D₂)): like a power, not " +
				"exponentially",
			Counterexample: "Beta(2, 2), counts (0, 2), n = 2, b = 0.25: 0.0187 > 0.00108",
			Source:         "theory/networks.md §1.4",
		}, 1, 0, theorem1Refined),
		constant(Claim{
			ID: "network/10c", Document: NetworkPaper, Place: "Theorem 1, the order; Table 1",
			Items: []string{"Theorem 1", "Table 1"}, Verdict: Outside,
			Assumes: "α = β = 2 in all m cells, n ≥ b = 2|I|/ε as for the refined mean; as we read it, the constants of the " +
				"two O( ) are both 4",
			Statement: "with probability at least 1 − δ the loss is at most O(mn ln n)[1 − e^(−n/b)] + √(−O(mn ln n) " +
				"ln δ)",
			True:           "for n ≥ b, where no loss is ever larger; the truth falls like b²m/n, while the bound grows with n",
			Counterexample: "one cell, n = 5, b = 5000, δ = 0.2: probability at least 0.2495",
			Remark: "The bracket goes to 0 as noise grows, so that the bound is no bound for small ε. That smaller " +
				"average in-degree means fewer cells m, and so less loss, is right.",
			Source: "theory/networks.md §1.4",
		}, 4, .02, theorem1Order),
	)
}

// theorem1Mean compares the exact mean with the printed bound.
func theorem1Mean(t *trial, factor float64) error {
	least := math.Inf(1)
	for _, prior := range []utility.Prior{{Alpha: 2, Beta: 2}, {Alpha: 3, Beta: 2}, {Alpha: 8, Beta: 4}, {Alpha: 1,
		Beta: 1}} {
		for _, n := range []int{1, 2, 5, 20} {
			for _, d := range [][2]float64{{0, 0}, {1, 0}, {0, float64(n)}, {float64(n), 0}} {
				for _, b := range []float64{.25, 1, 5, 50} {
					c := utility.Cell{Prior: prior, A: d[0], B: d[1]}
					m, err := utility.ExpectedKL(c, n, b)
					if err != nil {
						return err
					}
					bound, err := utility.PaperExpected(c, n)
					if err != nil {
						return err
					}
					size := float64(n) + math.Abs(b-1) + d[0] + d[1]
					if prior.Alpha < 2 {
						t.outside(m.Mean <= bound, size, "Beta(%v, %v), counts (%v, %v), n = %d, b = %v: the bound is "+
							"%.3g, the mean %.3f", prior.Alpha, prior.Beta, d[0], d[1], n, b, bound, m.Mean)
						continue
					}
					t.printed(m.Mean <= factor*bound, size, "Beta(%v, %v), counts (%v, %v), n = %d, b = %v: %v > %v",
						prior.Alpha, prior.Beta, d[0], d[1], n, b, m.Mean, bound)
					least = math.Min(least, bound/m.Mean)
				}
			}
		}
	}
	t.f.require(least > 3, "bound ÷ mean falls to %v", least)
	return nil
}

// cornerLaw is what is certain of one cell with counts (n, 0) under nearly flat noise: the masses of the four corners
// and the divergences there.
func cornerLaw(c utility.Cell, n int, b float64) (mass, loss [4]float64) {
	m := float64(n)
	stay, leave := .5, math.Exp(-m/b)/2 // at the true end of [0, n], and at the other
	for i := range 4 {
		z, w := [2]float64{}, 1.0
		for k, true1 := range [2]float64{c.A, c.B} {
			z[k] = m * float64(i>>k&1)
			if z[k] == true1 {
				w *= stay
			} else {
				w *= leave
			}
		}
		mass[i], loss[i] = w, c.Divergence(z[0], z[1])
	}
	return mass, loss
}

// theorem1Tail bounds the probability from below by the corners beyond the threshold, and that of the corrected form
// from above by these and all that is no corner. The power is that of c.
func theorem1Tail(t *trial, power float64) error {
	for _, n := range []int{2, 5, 10, 20, 50, 100, 200} {
		for _, delta := range []float64{.2, .05} {
			c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: float64(n)}
			b := 1000 * float64(n)
			mean, err := utility.ExpectedKL(c, n, b)
			if err != nil {
				return err
			}
			printed := 0.0
			for _, form := range []utility.Form{utility.TheoremForm, utility.LemmaForm, utility.ProofForm} {
				v, err := utility.PaperRange(form, c.Prior, n)
				if err != nil {
					return err
				}
				printed = math.Max(printed, v)
			}
			exact, err := utility.CornerMax(c, n)
			if err != nil {
				return err
			}
			tail := math.Sqrt(-math.Pow(printed, power) * math.Log(delta) / 2)
			corrected := exact * math.Sqrt(-math.Log(delta)/2)
			beyond, above, rest := 0.0, 0.0, 1.0
			mass, loss := cornerLaw(c, n, b)
			for i, w := range mass {
				rest -= w
				if loss[i] >= mean.Mean+tail {
					beyond += w
				}
				if loss[i] >= mean.Mean+corrected {
					above += w
				}
			}
			t.printed(beyond <= delta, float64(n)-delta, "one node, Beta(2, 2), n = %d, counts (%d, 0), ε = %.2g, δ = "+
				"%v: probability at least %.5f", n, n, 2/b, delta, beyond)
			t.repaired(above+rest <= delta, "n = %d, δ = %v: %v", n, delta, above+rest)
		}
	}
	return nil
}

// theorem1Refined asks for n ≥ b; with refined 0 it is the bound of network/10.
func theorem1Refined(t *trial, refined float64) error {
	prior := utility.Prior{Alpha: 2, Beta: 2}
	for _, n := range []int{2, 10, 50} {
		for _, b := range []float64{.25, 1, 2} {
			for _, d := range [][2]float64{{0, float64(n)}, {float64(n / 2), float64(n / 2)}} {
				c := utility.Cell{Prior: prior, A: d[0], B: d[1]}
				m, err := utility.ExpectedKL(c, n, b)
				if err != nil {
					return err
				}
				bound, err := utility.PaperRefined(prior, n, b)
				if refined == 0 {
					bound, err = utility.PaperExpected(c, n)
				}
				if err != nil {
					return err
				}
				t.printed(m.Mean <= bound, float64(n)+b+d[0]/1000, "Beta(2, 2), counts (%v, %v), n = %d, b = %v: %.3g > "+
					"%.3g", d[0], d[1], n, b, m.Mean, bound)
			}
		}
	}
	large := utility.Cell{Prior: prior, A: 500, B: 500} // the rate of the true mean
	m, err := utility.ExpectedKL(large, 1000, 5)
	if err != nil {
		return err
	}
	half, err := utility.ExpectedKL(large, 1000, 2.5)
	if err != nil {
		return err
	}
	t.f.number("mean at scale b ÷ mean at b/2, n = 1000", m.Mean/half.Mean, 4, .02)
	return nil
}

// theorem1Order takes constants for both O( ): under n ≥ b all loss together is below the first term, and for b far
// above n a corner of probability near ¼ is above the sum.
func theorem1Order(t *trial, constant float64) error {
	for _, n := range []int{2, 3, 4, 5, 6, 20, 100, 1000} {
		m := float64(n)
		c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: m}
		most, err := utility.CornerMax(c, n)
		if err != nil {
			return err
		}
		order := constant * m * math.Log(m)
		for _, cells := range []float64{1, 33} {
			for _, b := range []float64{m / 10, m / 2, m} {
				bound := cells*order*-math.Expm1(-m/b) + math.Sqrt(cells*order*math.Log(1/.2))
				t.printed(cells*most <= bound, m, "%v cells, n = %d, b = %v: %v > %v", cells, n, b, cells*most, bound)
			}
		}
		b := 1000 * m
		bound := order*-math.Expm1(-m/b) + math.Sqrt(order*math.Log(1/.2))
		beyond := 0.0
		mass, loss := cornerLaw(c, n, b)
		for i, w := range mass {
			if loss[i] > bound {
				beyond += w
			}
		}
		t.outside(beyond <= .2, m, "one cell, n = %d, b = %v, δ = 0.2: probability at least %.4f", n, b, beyond)
	}
	return nil
}
