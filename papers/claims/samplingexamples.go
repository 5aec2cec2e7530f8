package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

func init() {
	register(
		sampled(Claim{
			ID: "sampling/14", Place: "Corollary 9", Verdict: Corrected,
			Statement: "with ξ-probability at least 1 − e^(−c(L − L0)) the posterior is (2L, 0)-private",
			True: "the event holds no θ, its probability is 0 or 1; with δ_L = sup_x ξ(Θ_L^c|x) the " +
				"posterior is (2Lρ + ln 1/(1 − δ_L), δ_L)-private",
			Counterexample: "Beta(4, 4), one bit, L = 1: probability 0, claimed 0.665",
			Source:         "theory/sampling.md §7",
		}, corollary9),
		sampled(Claim{
			ID: "sampling/15", Place: "Corollary 9, for each θ", Verdict: False,
			Statement: "with that probability over θ, the ratio of the posteriors at θ is at most e^(2Lρ)",
			True:      "the evidence ratio is not bounded by Lρ on Θ_L: sampling/14 is the true form",
			Counterexample: "Θ = {0.5, 0.9}, weights ½, ρ = 5, L0 = 0.001, c = 1.58, L = 0.005: probability 0, " +
				"claimed 0.006",
			Source: "theory/sampling.md §7",
		}, corollary9Pointwise),
		sampled(Claim{
			ID: "sampling/16", Place: "Example 1", Verdict: Loose,
			Statement: "the Bernoulli family with steps of Δ satisfies Assumption 1 with L = ln 1/Δ",
			True: "L = ln((1 − Δ)/Δ), without the points 0 and 1 where ℓ is infinite: 1/Δ − 1 of them, not 1/Δ " +
				"+ 1",
			Source: "theory/sampling.md §8",
		}, example1),
		sampled(Claim{
			ID: "sampling/17", Place: "Example 2, Figure 1", Verdict: Corrected,
			Statement: "the lower bound on ξ(Θ_L) of Assumption 2 is higher for Δ = 0.2 than for Δ = 0.05",
			True: "for L > 0.655 (uniform) and L > 0.84 (prior e^(−ℓ)), each with its least L0; Δ = 0.2 " +
				"has two steps and about half the L, and the prior e^(−ℓ) raises both curves",
			Counterexample: "uniform prior, L = 0.1: 0 for Δ = 0.2, 0.0266 for Δ = 0.05",
			Source:         "theory/sampling.md §8",
		}, figure1),
	)
}

func corollary9(t *trial) error {
	for alpha := 1; alpha <= 8; alpha++ {
		a := float64(alpha)
		c := math.Exp((1-2*a)*math.Ln2 - num.LogBeta(a, a))
		if !(c > 1) {
			continue
		}
		for _, l := range []float64{1, 2, 5} {
			_, above := num.BetaTails(a, a, 1/(1+math.Exp(-l)), 1/(1+math.Exp(l)))
			t.f.require(2*above <= math.Exp(-c*l), "Assumption 2 at α = %v, L = %v", a, l)
			// the ratio of Beta(α+1, α) to Beta(α, α+1) is θ/(1 − θ): above e^{2L} from θ = 1/(1 + e^{−2L}) on
			t.printed(false, a*10+l, "Beta(%d, %d), one bit, L = %v: probability 0, claimed %.3f", alpha, alpha, l,
				-math.Expm1(-c*l))
			at := 1 / (1 + math.Exp(-2*l-1e-9))
			t.f.require(math.Log(at/(1-at)) > 2*l, "the ratio at %v", at)
		}
	}
	assumptions(14, 6000, func(g family, l0, c, constant float64) {
		for _, l := range []float64{l0, l0 + (g.uniform()-l0)/2, g.uniform()} {
			delta := 0.0
			for x := range g.lik {
				out := 0.0
				for i, v := range g.posterior(x) {
					if g.ell(i) > l*(1+1e-13) {
						out += v
					}
				}
				delta = math.Max(delta, out)
			}
			if !math.IsInf(c, 1) {
				t.f.require(delta <= constant*math.Exp(-c*(l-l0))*(1+1e-12), "δ_L above C·e^{−c(L−L0)}")
			}
			if delta >= 1 {
				continue
			}
			g.pairs(func(x, y int) {
				eps := 2*l*g.rho(x, y) - math.Log1p(-delta)
				t.repaired(hockeyStick(g.posterior(x), g.posterior(y), eps) <= delta*(1+1e-9)+1e-14,
					"δ above δ_L = %v", delta)
			})
		}
	})
	return nil
}

func corollary9Pointwise(t *trial) error {
	for _, rho := range []float64{1, 2, 5, 10, 20, 40} {
		for _, high := range []float64{.9, .99, .999} {
			g := bernoulli([]float64{.5, high}, []float64{1, 1})
			g.rho = apart(rho)
			const l0 = .001
			c := g.bestC(l0)
			for l := .005; l < g.uniform(); l += .005 {
				if !(c > 1) {
					continue
				}
				mass := 0.0 // of the θ at which the ratio is bounded for both ordered pairs
				for i, w := range g.prior {
					ok := true
					g.pairs(func(x, y int) {
						ok = ok && math.Log(g.posterior(x)[i]/g.posterior(y)[i]) <= 2*l*rho
					})
					if ok {
						mass += w
					}
				}
				claimed := -math.Expm1(-c * (l - l0))
				t.printed(mass >= claimed, rho+l, "Θ = {0.5, %v}, weights ½, ρ = %v, L0 = 0.001, c = %.2f, L = %.3f: "+
					"probability %v, claimed %.3f", high, rho, c, l, mass, claimed)
			}
		}
	}
	return nil
}

// grid is the family of Example 1: k·Δ, k = 1 … 1/Δ − 1, uniform or with weights e^{−ℓ}.
func grid(steps int, concentrated bool) family {
	var thetas, weights []float64
	for k := 1; k < steps; k++ {
		p := float64(k) / float64(steps)
		thetas, weights = append(thetas, p), append(weights, 1)
		if concentrated {
			weights[k-1] = math.Exp(-math.Abs(math.Log(p / (1 - p))))
		}
	}
	return bernoulli(thetas, weights)
}

func example1(t *trial) error {
	for _, steps := range []int{3, 4, 5, 10, 20, 100} {
		g := grid(steps, false)
		t.bound(math.Log(float64(steps)), g.uniform(), float64(steps), "Δ = 1/%d", steps)
		t.f.require(len(g.prior) == steps-1, "%d points", len(g.prior))
	}
	t.f.require(math.IsInf(bernoulli([]float64{1}, []float64{1}).uniform(), 1), "ℓ(1) is finite")
	t.f.number("L, Δ = 0.2", grid(5, false).uniform(), 1.38629436111989, 1e-13)
	t.f.number("L, Δ = 0.05", grid(20, false).uniform(), 2.94443897916644, 1e-13)
	t.margin(1.0022, 1.585, 1e-3)
	return nil
}

func figure1(t *trial) error {
	least := func(g family) float64 {
		l := math.Inf(1)
		for i := range g.prior {
			l = math.Min(l, g.ell(i))
		}
		return l
	}
	curve := func(g family, l float64) float64 {
		l0 := least(g)
		return math.Max(0, -math.Expm1(-g.bestC(l0)*(l-l0)))
	}
	names := []string{"uniform prior", "prior e^(−ℓ)"}
	crossing := [2]float64{}
	for k, concentrated := range []bool{false, true} {
		coarse, fine := grid(5, concentrated), grid(20, concentrated)
		for i := 1; i <= 300; i++ {
			l := float64(i) / 100
			high, low := curve(coarse, l), curve(fine, l)
			if i%10 == 0 {
				t.printed(high >= low, l+10*float64(k), "%s, L = %v: %.3g for Δ = 0.2, %.3g for Δ = 0.05", names[k], l,
					high, low)
			}
			if high < low {
				crossing[k] = math.Max(crossing[k], l)
			}
			if l > []float64{.655, .845}[k] {
				t.repaired(high >= low, "%s, L = %v: %v, %v", names[k], l, high, low)
			}
			for _, g := range []family{coarse, fine} { // the curve is a lower bound of the mass
				t.repaired(curve(g, l) <= g.mass(l)+1e-12, "%s: curve above the mass at L = %v", names[k], l)
			}
		}
	}
	t.f.number("last L at which Δ = 0.05 is higher, uniform", crossing[0], .65, .001)
	t.f.number("last L at which Δ = 0.05 is higher, prior e^(−ℓ)", crossing[1], .84, .001)
	for _, c := range []struct {
		steps        int
		concentrated bool
		c, mean      float64
	}{{5, false, .706695052611424, .895879734614028}, {5, true, 1.32467805190424, .672963995293181},
		{20, false, .2694325703, 1.203541}, {20, true, .6883614695, .657719}} {
		g, mean := grid(c.steps, c.concentrated), 0.0
		for i, w := range g.prior {
			mean += w * g.ell(i)
		}
		t.f.number(names[0]+" or raised: c at the least L0", g.bestC(least(g)), c.c, 1e-9)
		t.f.number("E ℓ", mean, c.mean, 1e-6)
	}
	for _, steps := range []int{5, 20} {
		for i := 1; i <= 300; i++ {
			l := float64(i) / 100
			t.repaired(curve(grid(steps, true), l) >= curve(grid(steps, false), l)-1e-12, "Δ = 1/%d: not raised at L "+
				"= %v", steps, l)
		}
	}
	common := math.Log(1.5) // at one L0 for both
	t.f.number("c of Δ = 0.05 at L0 = ln 1.5, uniform", grid(20, false).bestC(common), .86724, 5e-6)
	t.f.number("L ratio", grid(20, false).uniform()/grid(5, false).uniform(), 2.124, 1e-3)
	return nil
}
