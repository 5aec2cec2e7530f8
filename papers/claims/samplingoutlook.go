package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/papers/families"
)

// deterministic answers with the most probable of two parameters. An answer that differs is certain under x and
// impossible under y.
func deterministic(t *trial, trust float64) error {
	for i := 1; i < 10; i++ {
		for _, half := range []float64{.05, .1, .3} {
			weight := float64(i) / 10
			g := bernoulli([]float64{.5 - half, .5 + half}, []float64{weight, 1 - weight})
			law := func(x int) []float64 {
				if p := g.posterior(x); p[0] > p[1] {
					return []float64{1, 0}
				}
				return []float64{0, 1}
			}
			_, hi := lossRange(law(0), law(1))
			private := !math.IsInf(hi, 1)
			if p, q := law(0), law(1); p[0] != q[0] || trust != 0 {
				t.printed(!private, weight, "the two answers differ at weight %v", weight)
			} else if math.Abs(weight-.5) > .01 {
				t.outside(!private, half-weight, "the most probable of Θ = {%.2f, %.2f} under the weights (%.1f, %.1f), one "+
					"bit: the same for both bits", .5-half, .5+half, weight, 1-weight)
			}
		}
	}
	return nil
}

// jointChoice compares the exact errors of one draw.
func jointChoice(t *trial, k float64) error {
	alone, err := families.TemperedDraw(100, 30, 1, .3, 1e-6)
	if err != nil {
		return err
	}
	prior, err := families.StrongestPrior(100, 30, .3, 1e-6)
	if err != nil {
		return err
	}
	best := families.Draw{Error: math.Inf(1)}
	for _, alpha := range []float64{8, 12, 20} {
		d, err := families.TemperedDraw(100, 30, alpha, .3, 1e-6)
		if err != nil {
			return err
		}
		if d.Error < best.Error {
			best = d
		}
	}
	t.printed(k*best.Error < math.Min(alone.Error, prior.Error), 1, "both %v, temperature %v, prior %v", best.Error,
		alone.Error, prior.Error)
	t.f.number("error, temperature alone", alone.Error, .21282, 1e-4)
	t.f.number("error, prior alone", prior.Error, .17254, 1e-4)
	t.f.number("error, both", best.Error, .13241, 1e-4)
	return nil
}

// temperature weighs the prior by powers of the likelihood.
func temperature(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 55))
	for range 1000 {
		g := randomFamily(r)
		l := g.uniform()
		target := .05 + 2*r.Float64()
		g.pairs(func(x, y int) {
			at := func(power float64) (exact float64, law []float64) {
				other, sum := family{prior: g.prior, lik: [][]float64{nil, nil}}, 0.0
				for i := range g.prior {
					other.lik[0] = append(other.lik[0], math.Pow(g.lik[x][i], power))
					other.lik[1] = append(other.lik[1], math.Pow(g.lik[y][i], power))
					sum += g.prior[i] * other.lik[0][i]
				}
				for i, w := range g.prior {
					law = append(law, w*other.lik[0][i]/sum)
				}
				_, exact = lossRange(other.posterior(0), other.posterior(1))
				return exact, law
			}
			_, one := at(1)
			for i, v := range g.posterior(x) {
				t.printed(near(v, one[i], 1e-9), 1, "power 1 is not the posterior")
			}
			exact, _ := at(k * target / (2 * l * g.rho(x, y)))
			t.printed(exact <= target*(1+1e-9), target, "target %v: ε = %v", target, exact)
		})
	}
	return nil
}

// halfOfC compares k times the bound of Theorem 7.2 with both divergences together. Beside it, the bound without C
// fails where a parameter B of little weight explains x alone: likelihoods of about (1, 1) of A and (e^(ℓ/2)/w,
// e^(−ℓ/2)/w) of B, up to a factor.
func halfOfC(t *trial, k float64) error {
	both := func(g family, l0, c float64) {
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			t.printed(klDivergence(p, q)+klDivergence(q, p) <= k*g.constant()*(1+2*l0+1/c)*g.rho(x, y)*(1+1e-9)+1e-13, l0,
				"L0 = %v, c = %v", l0, c)
		})
	}
	assumptions(56, 3000, func(g family, l0, c, _ float64) {
		if c > 1 {
			both(g, l0, c)
		}
	})
	for _, a := range []float64{3, 8, 20} { // the two points of betterTheorem, where any c serves
		s := math.Exp(a / 2)
		both(family{prior: []float64{.5, .5}, lik: [][]float64{{s, 1 / s}, {1 / s, s}}, rho: apart(1)}, a, 1000)
	}
	failed := 0
	for _, lnw := range []float64{3, 5, 7, 9} {
		for _, ell := range []float64{2, 4, 6, 8} {
			const l0 = .01
			w, a := math.Exp(-lnw), math.Exp(l0/2)
			g := family{prior: []float64{1 - w, w}, rho: apart(1),
				lik: [][]float64{{1, math.Exp(ell/2) / w}, {a, math.Exp(-ell/2) / w}}}
			c := g.bestC(l0)
			if !(c > 1) {
				continue
			}
			both(g, l0, c)
			d, bound := klDivergence(g.posterior(0), g.posterior(1)), 1+2*l0+1/c
			if d > bound {
				failed++
			}
			if lnw == 7 && ell == 6 {
				t.f.number("ξ(B) = e^(−7), ℓ(B) = 6: D", d, 2.72, .005)
				t.f.number("the bound without C", bound, 1.88, .005)
			}
		}
	}
	t.f.require(failed > 0, "the bound without C holds")
	return nil
}

// informative compares the exact δ of untrimmed priors, and the exact pure ε of trimmed ones.
func informative(t *trial, sign float64) error {
	for _, n := range []float64{1, 2, 10, 100} {
		last := neighbourTV(1.01, n+1.01)
		for _, alpha := range []float64{1.5, 2, 4, 16, 50} {
			v := neighbourTV(alpha, n+alpha)
			t.printed(sign*v < sign*last, alpha, "n = %v, α = %v: %v after %v", n, alpha, v, last)
			last = v
		}
	}
	for _, n := range []int{10, 100, 1000} {
		last, half := math.Inf(int(sign)), math.Log(19)
		for _, alpha := range []float64{1, 5, 50} {
			f, err := families.NewTrimmedBeta(n, alpha, alpha, .05, .95)
			if err != nil {
				return err
			}
			t.printed(sign*f.Epsilon() < sign*last, alpha, "pure ε, n = %d, α = %v: %v after %v", n, alpha, f.Epsilon(), last)
			last = f.Epsilon()
			t.f.require(last >= half && last <= 2*half, "n = %d, α = %v: ε = %v", n, alpha, last)
		}
	}
	return nil
}

// simplification visits exponential laws, whose natural parameter is −θ.
func simplification(t *trial, s scale) error {
	for _, theta := range []float64{.5, 1, 2} {
		for _, l := range []float64{1, 2} {
			holds := theta <= l // |ln p(x)/p(y)| = θ|x − y|
			t.printed((1 <= s.Printed*l/-theta) == holds, theta+l, "Exp(%v), η = −%v, τ = x, L = %v: 1 ≤ −%v fails, "+
				"|ln p(x)/p(y)| = %v·ρ holds", theta, theta, l, l/theta, theta)
			t.repaired((1 <= s.Repaired*l/math.Abs(-theta)) == holds, "Exp(%v), L = %v", theta, l)
		}
	}
	return nil
}

// rejection sums over the trials that fail: the allowed part of the posterior, divided by its mass.
func rejection(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 59))
	for range 1000 {
		g := randomFamily(r)
		cut := family{lik: g.lik, rho: g.rho, prior: append([]float64(nil), g.prior...)}
		cut.prior[r.IntN(len(cut.prior))] = 0
		for x := range g.lik {
			p, want, allowed := g.posterior(x), cut.posterior(x), 0.0
			for i, w := range cut.prior {
				if w > 0 {
					allowed += p[i]
				}
			}
			for i, w := range cut.prior {
				if w > 0 {
					t.printed(near(k*p[i]/allowed, want[i], 1e-9), float64(i), "x = %d, θ number %d", x, i)
				}
			}
		}
	}
	return nil
}
