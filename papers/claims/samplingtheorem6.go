package claims

import (
	"math"
	"math/rand/v2"
)

// necessarySufficient has the two directions on random families: k·L in place of L. Beside it, a posterior that is more
// private than A would have it.
func necessarySufficient(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 60))
	for range 2000 {
		g := randomFamily(r)
		l, half := g.uniform(), 0.0 // half: the least L for which the posterior is (2L, 0)-private
		g.pairs(func(x, y int) {
			_, hi := lossRange(g.posterior(x), g.posterior(y))
			half = math.Max(half, hi/(2*g.rho(x, y)))
		})
		t.printed(half <= k*l*(1+1e-9), l, "L = %v: the posterior is %v-private", l, 2*half)
		g.pairs(func(x, y int) {
			a, b := math.Inf(-1), math.Log(g.evidence(y)/g.evidence(x))
			for i, w := range g.prior {
				if w > 0 {
					a = math.Max(a, math.Log(g.lik[x][i]/g.lik[y][i]))
				}
			}
			t.printed(math.Min(a, b) <= k*half*g.rho(x, y)*(1+1e-9)+1e-12, half, "A %v, B %v at L = %v", a, b, half)
		})
	}
	g := bernoulli([]float64{.3, .4}, []float64{1, 1}) // private, though A fails
	_, hi := lossRange(g.posterior(0), g.posterior(1))
	_, lo := lossRange(g.posterior(1), g.posterior(0))
	t.f.require(g.uniform() > math.Max(hi, lo)/2, "A is necessary: L = %v, ε = %v, %v", g.uniform(), hi, lo)
	return nil
}

// marginalsAlone visits symmetric families: B holds with any L, and the posterior is not 2L-private.
func marginalsAlone(t *trial, l float64) error {
	for i := 1; i < 10; i++ {
		theta := float64(i) / 20
		g := bernoulli([]float64{theta, 1 - theta}, []float64{1, 1})
		_, hi := lossRange(g.posterior(0), g.posterior(1))
		t.f.require(math.Log(g.evidence(1)/g.evidence(0)) <= 1e-12, "B at θ = %v", theta)
		t.printed(hi > 2*l, theta, "Θ = {%v, %v}: private with ε = %v", theta, 1-theta, 2*l)
	}
	return nil
}

func theorem6Pairs(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 4))
	for range 2000 {
		g := randomFamily(r)
		l := 0.0
		g.pairs(func(x, y int) {
			_, hi := lossRange(g.posterior(x), g.posterior(y))
			l = math.Max(l, hi/(2*g.rho(x, y)))
		})
		g.pairs(func(x, y int) {
			a := math.Inf(-1)
			for i, w := range g.prior {
				if w > 0 {
					a = math.Max(a, math.Log(g.lik[x][i]/g.lik[y][i]))
				}
			}
			b, bound := math.Log(g.evidence(y)/g.evidence(x)), k*l*g.rho(x, y)*(1+1e-9)+1e-12
			t.printed(a <= bound || b <= bound, l, "A %v, B %v, Lρ %v", a, b, bound)
		})
		// the characterisation: osc bounds ε for this prior, and a prior on the two extremes of vanishing weight
		// reaches it
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range g.prior {
			v := math.Log(g.lik[0][i] / g.lik[1][i])
			lo, hi = math.Min(lo, v), math.Max(hi, v)
		}
		_, exact := lossRange(g.posterior(0), g.posterior(1))
		t.f.require(exact <= hi-lo+1e-12, "ε %v above osc %v", exact, hi-lo)
		const w = 1e-9
		two := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.Exp(hi), math.Exp(lo)}, {1, 1}}, rho: apart(1)}
		_, exact = lossRange(two.posterior(0), two.posterior(1))
		t.f.require(hi-lo > 12 || near(exact, hi-lo, 1e-3) || hi-lo < 1e-3, "osc %v is not reached: %v", hi-lo, exact)
	}
	return nil
}

// theorem6Literal visits two-point Θ in tenths with all weight on one point: the posterior does not depend on the data.
// The repair takes the supremum over the support, the changed one that over Θ; the printed statement is turned by
// 3 in place of L, which no parameter exceeds.
func theorem6Literal(t *trial, s scale) error {
	const l = 1.0
	for a := 1; a < 10; a++ {
		for b := a + 1; b < 10; b++ {
			for used := range 2 {
				theta := []float64{float64(a) / 10, float64(b) / 10}
				weights := []float64{0, 0}
				weights[used] = 1
				g := bernoulli(theta, weights)
				ok, essential := true, true
				g.pairs(func(x, y int) {
					sup := math.Max(math.Log(g.lik[x][0]/g.lik[y][0]), math.Log(g.lik[x][1]/g.lik[y][1]))
					ess := math.Log(g.lik[x][used] / g.lik[y][used])
					if s.Repaired != 1 {
						ess = sup
					}
					b := math.Log(g.evidence(y) / g.evidence(x))
					ok = ok && (sup <= s.Printed*l || b <= l)
					essential = essential && (ess <= l || b <= l)
				})
				t.printed(ok, float64(b-a), "Θ = {%.1f, %.1f}, all weight on %.1f, L = 1: a constant posterior, and "+
					"both conditions fail", theta[0], theta[1], theta[used])
				t.repaired(essential, "essential sup at %v", theta)
			}
		}
	}
	return nil
}

// theorem6Global visits Exp(θ) on [c1, c2] with its densities θe^{−θx}: every prior is (c2 − c1)ρ-private, L = (c2 −
// c1)/2.
func theorem6Global(t *trial, k float64) error {
	for c1 := 1; c1 <= 4; c1++ {
		for c2 := c1 + 1; c2 <= 9; c2++ {
			l := k * float64(c2-c1) / 2
			evidence := func(x float64) float64 { // uniform prior
				const steps = 400
				sum := 0.0
				for i := range steps {
					theta := float64(c1) + float64(c2-c1)*(float64(i)+.5)/steps
					sum += theta * math.Exp(-theta*x)
				}
				return sum / steps
			}
			a, b, each := true, true, true
			for _, x := range []float64{0, .5, 1} {
				for _, y := range []float64{0, .5, 1} {
					if x == y {
						continue
					}
					rho := math.Abs(x - y)
					supA := math.Max(float64(c1)*(y-x), float64(c2)*(y-x)) // ln p_θ(x)/p_θ(y) = θ(y − x)
					okA, okB := supA <= l*rho, math.Log(evidence(y)/evidence(x)) <= l*rho
					a, b, each = a && okA, b && okB, each && (okA || okB)
				}
			}
			t.printed(a || b, float64(c1+c2), "Exp(θ), θ on [%d, %d], ρ = |x − y|, L = %v: private, A fails for y > "+
				"x and B for x > y", c1, c2, l)
			t.repaired(each, "each pair at [%d, %d]", c1, c2)
		}
	}
	return nil
}
