package claims

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

func init() {
	register(
		sampled(Claim{
			ID: "sampling/10a", Place: "proof of Theorem 7.2, B", Items: []string{"§2.2.1 (Assumption 2 gives B)"},
			Verdict:   ProofWrong,
			Assumes:   "Assumption 2 with c > 1 and L0, ρ(x, y) ≤ c − 1",
			Statement: "ln φ(x)/φ(y) ≤ C(1 + L0)ρ, so that Assumption 2 is a case of the condition B on the marginals",
			True: "by φ(x)/φ(y) ≤ 1 + C(E e^(ℓρ) − 1) and 1 + C(e^a − 1) ≤ e^(Ca) for C ≥ 1; the proof infers it from " +
				"φ(x)/φ(y) ≤ C·e^((1+L0)ρ), whose logarithm does not fall to 0 with ρ",
			Counterexample: "Θ = {0.4, 0.6}, one bit, ρ = 0.1: ln(C·e^a) = 0.688 > C·a = 0.607, a = (1 + L0)ρ",
			Source:         "theory/sampling.md §5",
		}, 1, .2, evidenceRatio),
		sampled(Claim{
			ID: "sampling/10b", Place: "proof of Theorem 7.2", Items: []string{"eq. 13"}, Verdict: Holds,
			Assumes:   "Assumption 2 with c > 1 and L0, ρ(x, y) ≤ c − 1",
			Statement: "φ(x)/φ(y) ≤ C·E e^(ℓρ), and E e^(ℓρ) ≤ (1 + ρ)e^(L0ρ)",
			True:      "both attained: by one parameter, and by ℓ − L0 exponential with mean 1/c at ρ = c − 1",
			Source:    "theory/sampling.md §5",
		}, 1, .99, evidenceMoment),
		sampled(Claim{
			ID: "sampling/45", Place: "Theorem 25 (Norkin)", Items: []string{"Theorem 25"}, Verdict: Holds,
			Assumes:   "ξ is a probability measure, f(·, θ) is ℓ(θ)-Lipschitz under ρ for every θ and integrable over θ",
			Statement: "the mean of f over ξ is Lipschitz with the constant E_ξ ℓ(θ)",
			True:      "attained where f rises everywhere with its own constant",
			Source:    "theory/sampling.md §5",
		}, 1, .99, theorem25),
		sampled(Claim{
			ID: "sampling/46", Place: "proof of Theorem 7.2, A", Items: []string{"eq. 12"}, Verdict: ProofWrong,
			Assumes:   "Assumption 2 with c and L0",
			Statement: "E_ξ ℓ(θ) ≤ L0 + 1/c",
			True: "attained by L0 plus an exponential; directly, E ℓ = ∫ ξ(ℓ > t)dt ≤ L0 + ∫ e^(−c(t−L0))dt from L0 on. " +
				"The middle term L0·ξ(Θ_L0) + (1 − ξ(Θ_L0))/c is not an upper bound: beyond L0, L0 itself counts, too",
			Counterexample: "ℓ is L0 plus an exponential, L0 = 1, c = 2: E ℓ = 1.5, the middle term 0.5",
			Source:         "theory/sampling.md §5",
		}, 1, .99, meanEll),
		sampled(Claim{
			ID: "sampling/47", Place: "§3", Items: []string{"eq. 9"}, Verdict: Holds,
			Assumes:   "finite Θ and 𝒳",
			Statement: "C = max p_θML(x)/φ(x) ≤ max 1/ξ(θ_ML(x))",
			True:      "approached where one parameter explains each observation alone",
			Source:    "theory/sampling.md §5",
		}, 1, .99, likelihoodShare),
		sampled(Claim{
			ID: "sampling/49", Place: "§3, χ", Items: []string{"§3 (χ for the Hamming distance)"}, Verdict: Holds,
			Assumes:   "the Hamming distance, c > 1, chains of data sets with χρ ≤ c − 1 from step to step",
			Statement: "χ = 1 serves for c ≥ 2 only; χ < 1 is needed for c < 2",
			True:      "the greatest χ is min(1, c − 1)",
			Remark:    "χ does not enter the bound, which is true without it (sampling/10*).",
			Source:    "theory/sampling.md §5",
		}, 2, 1.5, hammingChains),
		sampled(Claim{
			ID: "sampling/48", Place: "proof of Theorem 8.2; §6.1.3", Items: []string{"eq. 14",
				"§6.1.3 (robust implies private)"}, Verdict: Holds,
			Assumes:   "any two laws",
			Statement: "Pinsker: D(Q‖P) ≥ 2·TV²; so a posterior that is robust in D is (0, δ)-private",
			True:      "approached by near laws; with both directions J ≥ 4·TV²",
			Source:    "theory/sampling.md §5",
		}, 1, 1.01, pinsker),
	)
}

// evidenceRatio checks term B of the proof, and the inference by which it is reached, on pairs at most c − 1 apart.
func evidenceRatio(t *trial, k float64) error {
	assumptions(10, 4000, func(g family, l0, c, constant float64) {
		g.pairs(func(x, y int) {
			rho := g.rho(x, y)
			if c > 1 && rho <= c-1 {
				a := (1 + l0) * rho
				t.printed(math.Log(g.evidence(x)/g.evidence(y)) <= k*constant*a*(1+1e-9), l0, "L0 = %v, c = %v", l0, c)
				t.f.require(math.Log1p(constant*math.Expm1(a)) <= constant*a*(1+1e-12), "1 + C(e^a − 1) at C = %v",
					constant)
			}
		})
	})
	for i := 1; i < 5; i++ { // two points, ℓ has one value, and any c serves
		for _, rho := range []float64{.1, .5} {
			theta := float64(i) / 10
			g := bernoulli([]float64{theta, 1 - theta}, []float64{1, 1})
			g.rho = apart(rho)
			c, a := g.constant(), (1+g.uniform())*rho
			t.proof(math.Log(c)+a <= c*a, rho-theta, "Θ = {%v, %v}, one bit, ρ = %v: ln(C·e^a) = %.3f > C·a = %.3f, a = "+
				"(1 + L0)ρ", theta, 1-theta, rho, math.Log(c)+a, c*a)
		}
	}
	return nil
}

func evidenceMoment(t *trial, k float64) error {
	moment := func(g family, rho float64) float64 {
		sum := 0.0
		for i, w := range g.prior {
			sum += w * math.Exp(g.ell(i)*rho)
		}
		return sum
	}
	assumptions(12, 4000, func(g family, l0, c, constant float64) {
		g.pairs(func(x, y int) {
			rho := g.rho(x, y)
			m := moment(g, rho)
			if m > 1e300 {
				return
			}
			t.bound(k*constant*m, g.evidence(x)/g.evidence(y), l0, "L0 = %v", l0)
			if c > 1 && rho <= c-1 {
				t.bound(k*(1+rho)*math.Exp(l0*rho), m, l0, "E e^(ℓρ), L0 = %v, c = %v", l0, c)
			}
		})
	})
	one := bernoulli([]float64{.2}, []float64{1})
	t.bound(k*one.constant()*moment(one, 1), one.evidence(0)/one.evidence(1), 0, "one parameter")
	for _, c := range []float64{1.5, 2, 4} { // ℓ − L0 exponential: E e^(ℓρ) = e^(L0ρ)·c/(c − ρ)
		for _, part := range []float64{.1, .5, 1} {
			rho := part * (c - 1)
			t.bound(k*(1+rho), c/(c-rho), c, "c = %v, ρ = %v", c, rho)
		}
	}
	t.attained(1e-9)
	return nil
}

// theorem25 takes the logarithm of the likelihood for f.
func theorem25(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 45))
	visit := func(g family) {
		mean := func(x int) float64 {
			sum := 0.0
			for i, w := range g.prior {
				sum += w * math.Log(g.lik[x][i])
			}
			return sum
		}
		l := 0.0
		for i, w := range g.prior {
			l += w * g.ell(i)
		}
		g.pairs(func(x, y int) { t.bound(k*l*g.rho(x, y), math.Abs(mean(x)-mean(y)), l, "E ℓ = %v", l) })
	}
	for range 2000 {
		visit(randomFamily(r))
	}
	visit(bernoulli([]float64{.1, .3}, []float64{1, 2})) // both fall from 0 to 1
	t.attained(1e-9)
	return nil
}

func meanEll(t *trial, k float64) error {
	assumptions(13, 3000, func(g family, l0, c, _ float64) {
		mean := 0.0
		for i, w := range g.prior {
			mean += w * g.ell(i)
		}
		t.bound(k*(l0+1/c), mean, l0, "L0 = %v, c = %v", l0, c)
	})
	for _, l0 := range []float64{1, 2} { // ℓ − L0 exponential: ξ(Θ_L0) = 0
		for _, c := range []float64{2, 3} {
			mean := l0 + 1/c
			t.bound(k*(l0+1/c), mean, l0, "L0 = %v, c = %v", l0, c)
			t.proof(mean <= 1/c, l0+c, "ℓ is L0 plus an exponential, L0 = %v, c = %v: E ℓ = %.3g, the middle term %.3g",
				l0, c, mean, 1/c)
		}
	}
	t.attained(1e-9)
	return nil
}

func likelihoodShare(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 47))
	visit := func(g family) {
		c, most := g.constant(), 0.0
		for x := range g.lik {
			best := 0
			for i := range g.prior {
				if g.lik[x][i] > g.lik[x][best] {
					best = i
				}
			}
			most = math.Max(most, 1/g.prior[best])
		}
		t.bound(k*most, c, most, "prior %v", g.prior)
	}
	for range 3000 {
		visit(randomFamily(r))
	}
	visit(bernoulli([]float64{1e-5, 1 - 1e-5}, []float64{1, 2}))
	t.attained(1e-3)
	return nil
}

// hammingChains looks for chains between all data sets of three bits, by steps of one to three bits.
func hammingChains(t *trial, from float64) error {
	serves := func(chi, c float64) bool { // what one set reaches by allowed steps
		reached := map[int]bool{0: true}
		for range 8 {
			for x := range 8 {
				for y := range 8 {
					if reached[x] && chi*float64(bits.OnesCount(uint(x^y))) <= c-1 {
						reached[y] = true
					}
				}
			}
		}
		return len(reached) == 8
	}
	for i := 1; i <= 30; i++ {
		c := 1 + float64(i)/10
		t.printed(serves(1, c) == (c >= from), c, "c = %v: χ = 1 serves: %v", c, serves(1, c))
		chi := math.Min(1, c-1)
		t.f.require(serves(chi, c) && (chi == 1 || !serves(chi*1.01, c)), "c = %v: the greatest χ", c)
	}
	return nil
}

func pinsker(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 48))
	for range 4000 {
		g := randomFamily(r)
		p, q := g.posterior(0), g.posterior(1)
		v := totalVariation(p, q)
		d := klDivergence(p, q)
		t.bound(d, k*2*v*v, v, "TV = %v", v)
		t.f.require(d+klDivergence(q, p) >= 4*v*v*(1-1e-9)-1e-14, "J at TV = %v", v)
	}
	for _, h := range []float64{.2, .1, .01} {
		t.bound(klDivergence([]float64{.5 + h, .5 - h}, []float64{.5, .5}), k*2*h*h, h, "TV = %v", h)
	}
	t.attained(1e-3)
	return nil
}
