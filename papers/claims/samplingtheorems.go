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
// The supremum over all of Θ is to exceed what that over the support allows; with the former for both where k is not 1.
func theorem6Literal(t *trial, k float64) error {
	const l = 1.0
	failing := 0
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
					if k != 1 {
						ess = sup
					}
					b := math.Log(g.evidence(y) / g.evidence(x))
					ok = ok && (sup <= l || b <= l)
					essential = essential && (ess <= l || b <= l)
				})
				if !ok {
					failing++
				}
				t.repaired(essential, "essential sup at %v", theta)
			}
		}
	}
	t.printed(failing > 0, 1, "the supremum over Θ never fails")
	return nil
}

// theorem6Global visits Exp(θ) on [c1, c2] with its densities θe^{−θx}: every prior is (c2 − c1)ρ-private, L = (c2 −
// c1)/2.
func theorem6Global(t *trial, k float64) error {
	neither := 0
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
			if !a && !b {
				neither++
			}
			t.repaired(each, "each pair at [%d, %d]", c1, c2)
		}
	}
	t.printed(neither > 0, 1, "A for all pairs, or B for all pairs")
	return nil
}

// evidenceSplit compares the divergence and the evidence ratio of random families with the decomposition of the proof.
func evidenceSplit(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 11))
	for range 3000 {
		g := randomFamily(r)
		l := g.uniform()
		g.pairs(func(x, y int) {
			ratio := math.Abs(math.Log(g.evidence(y) / g.evidence(x)))
			t.bound(k*(l*g.rho(x, y)+ratio), klDivergence(g.posterior(x), g.posterior(y)), l, "L = %v", l)
			t.f.require(ratio <= l*g.rho(x, y)*(1+1e-9)+1e-13, "evidence ratio %v at L = %v", ratio, l)
		})
	}
	return nil
}

// theorem71 finds the greatest divergence of two-point families at every Lρ, and compares random families with κ.
func theorem71(t *trial, k float64) error {
	for _, lrho := range []float64{.05, .1, .5, 1, 2, 5} {
		best := 0.0
		for k := 1; k < 4000; k++ { // ln of the odds of the two points given y, from −12 to 12
			v := 1 / (1 + math.Exp(12-24*float64(k)/4000))
			q := []float64{v, 1 - v}
			z := v*math.Exp(lrho) + (1-v)*math.Exp(-lrho)
			best = math.Max(best, klDivergence([]float64{v * math.Exp(lrho) / z, (1 - v) * math.Exp(-lrho) / z}, q))
		}
		t.bound(k*2*lrho, best, lrho, "Lρ = %v", lrho)
		t.f.require(best <= kappa(2*lrho)*(1+1e-12) && near(best, kappa(2*lrho), 2e-5), "Lρ = %v: %v, κ = %v", lrho,
			best, kappa(2*lrho))
		t.f.require(kappa(2*lrho) <= lrho*lrho/2, "κ at %v", lrho)
	}
	r := rand.New(rand.NewPCG(6, 5))
	for range 3000 {
		g := randomFamily(r)
		l := g.uniform()
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			lo, hi := lossRange(p, q)
			d := klDivergence(p, q)
			t.f.require(d <= kappa(hi-lo)*(1+1e-9)+1e-13 && d <= 2*l*g.rho(x, y)+1e-13, "D = %v, range %v", d, hi-lo)
			t.f.require(totalVariation(p, q) <= math.Tanh((hi-lo)/4)*(1+1e-9)+1e-14, "TV at range %v", hi-lo)
		})
	}
	t.f.number("κ(0.1)", kappa(.1), .00124982642745984, 1e-12)
	t.margin(1.493, 80.0, 1e-3)
	return nil
}

// assumptions visits random families with constants of Assumption 2.
func assumptions(seed uint64, count int, visit func(g family, l0, c, constant float64)) {
	r := rand.New(rand.NewPCG(6, seed))
	for range count {
		g := randomFamily(r)
		least := math.Inf(1)
		for i := range g.prior {
			least = math.Min(least, g.ell(i))
		}
		l0 := least + (g.uniform()-least)*math.Min(1, 1.2*r.Float64())
		visit(g, l0, g.bestC(l0), g.constant())
	}
}

func theorem72(t *trial, k float64) error {
	assumptions(6, 12000, func(g family, l0, c, constant float64) {
		g.pairs(func(x, y int) {
			d := klDivergence(g.posterior(x), g.posterior(y))
			bound := constant * (1 + 2*l0 + 1/c) * g.rho(x, y)
			if c > 1 {
				t.bound(k*bound, d, l0, "L0 = %v, c = %v", l0, c)
			} else {
				t.f.require(d <= bound, "c = %v: %v > %v", c, d, bound)
			}
		})
	})
	for _, a := range []float64{1, 3, 10, 30} { // two points, likelihoods e^{±a/2}, equal weights, ρ = 1
		z := math.Exp(a)
		t.bound(k*2*z/(1+z)*(1+2*a), a*(z-1)/(z+1), a, "two points, a = %v", a)
	}
	t.f.require(t.least >= 2, "not twice the truth: %v", t.least)
	return nil
}

func betterTheorem(t *trial, k float64) error {
	assumptions(7, 12000, func(g family, l0, c, constant float64) {
		mean := 0.0
		for i, w := range g.prior {
			mean += w * g.ell(i)
		}
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			j, rho := klDivergence(p, q)+klDivergence(q, p), g.rho(x, y)
			t.bound(k*constant*mean*rho, j, l0, "E ℓ = %v", mean)
			t.f.require(mean <= (l0+1/c)*(1+1e-12), "E ℓ = %v above L0 + 1/c = %v", mean, l0+1/c)
			v := totalVariation(p, q)
			t.f.require(4*v*v <= j*(1+1e-9)+1e-14, "Pinsker at TV = %v", v)
		})
	})
	for _, a := range []float64{1, 3, 8} { // likelihoods e^{±a/2}, equal weights
		s := math.Exp(a / 2)
		g := family{prior: []float64{.5, .5}, lik: [][]float64{{s, 1 / s}, {1 / s, s}}, rho: apart(1)}
		p, q := g.posterior(0), g.posterior(1)
		j := klDivergence(p, q) + klDivergence(q, p)
		t.bound(k*g.constant()*a, j, a, "two points, a = %v", a)
	}
	t.attained(1e-3)
	return nil
}

func theorem8Typo(t *trial, s scale) error {
	const c = 1000 // ℓ has one value, so that any c serves
	for k := 1; k < 5; k++ {
		for _, rho := range []float64{1, .1} {
			theta := float64(k) / 10
			g := bernoulli([]float64{theta, 1 - theta}, []float64{1, 1})
			g.rho = apart(rho)
			l0, constant := g.uniform(), g.constant()
			v := totalVariation(g.posterior(0), g.posterior(1))
			typo := math.Sqrt(constant / 2 * (1 + 2*l0/c) * rho)
			t.printed(v <= s.Printed*typo, 1-theta+1/rho, "Θ = {%v, %v}, one bit, ρ = %v, c = 1000: TV = %.3f > %.3f", theta,
				1-theta, rho, v, typo)
			t.repaired(v <= s.Repaired*math.Sqrt(constant/2*(1+2*l0+1./c)*rho), "θ = %v, ρ = %v", theta, rho)
			if k == 2 && rho < 1 {
				t.f.number("Θ = {0.2, 0.8}: TV", v, .6, 1e-14)
				t.f.number("with the slip", typo, .286736936891276, 1e-13)
				t.f.number("L0", l0, 13.8629, 1e-4)
				t.f.number("C", constant, 1.6, 1e-13)
			}
		}
	}
	return nil
}

func theorem81(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 8))
	for range 4000 {
		g := randomFamily(r)
		l := g.uniform()
		g.pairs(func(x, y int) {
			lo, hi := lossRange(g.posterior(x), g.posterior(y))
			t.bound(k*2*l*g.rho(x, y), math.Max(hi, -lo), l, "L = %v", l)
			t.f.require(math.Max(hi, -lo) >= (hi-lo)/2*(1-1e-12), "ε below half the range")
		})
	}
	for _, a := range []float64{.1, 1, 5} { // ln-ratios ±a, the point with +a of vanishing weight
		const w = 1e-9
		g := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.Exp(a), math.Exp(-a)}, {1, 1}}, rho: apart(1)}
		_, hi := lossRange(g.posterior(0), g.posterior(1))
		t.bound(k*2*a, hi, a, "two points ±%v", a)
	}
	t.attained(1e-5)
	return nil
}

func theorem82(t *trial, k float64) error {
	floor := math.Inf(1)
	assumptions(9, 12000, func(g family, l0, c, constant float64) {
		if !(c > 1) {
			return
		}
		floor = math.Min(floor, math.Sqrt(constant/2*(1+2*l0+1/c)))
		g.pairs(func(x, y int) {
			rho := g.rho(x, y)
			v, paper := totalVariation(g.posterior(x), g.posterior(y)), math.Sqrt(constant/2*(1+2*l0+1/c)*rho)
			t.bound(k*paper, v, l0, "L0 = %v, c = %v", l0, c)
			better := math.Sqrt(constant*(l0+1/c)*rho) / 2
			t.f.require(v <= better*(1+1e-9)+1e-14 && better <= paper/2*(1+1e-12), "better bound %v, paper %v, TV %v",
				better, paper, v)
		})
	})
	t.f.require(floor >= math.Sqrt(.5), "the bound at ρ = 1 falls to %v", floor)
	t.f.require(t.least >= 2, "not twice the truth: %v", t.least)
	return nil
}

// definition2 checks the three properties on random channels: ε and δ of a channel are those of its worst pair. Two
// laws at distance zero are private only when they are one.
func definition2(t *trial, zero float64) error {
	r := rand.New(rand.NewPCG(6, 1))
	law := func(n int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p {
			p[i] = r.ExpFloat64()
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	for range 2000 {
		p, q := law(4), law(4)
		rho, s := math.Exp(r.NormFloat64()), math.Exp(r.NormFloat64())
		eps := r.Float64()
		delta := hockeyStick(p, q, eps*rho) / rho // tight (ε, δ) at this pair
		t.printed(near(hockeyStick(p, q, eps*s*(rho/s)), delta*s*(rho/s), 1e-9), 1, "scale %v", s)
		coarse := func(v []float64) []float64 { // a random merge and a random kernel
			k := .3
			return []float64{v[0] + k*v[1], (1-k)*v[1] + v[2] + v[3]}
		}
		t.printed(hockeyStick(coarse(p), coarse(q), eps*rho) <= delta*rho*(1+1e-12)+1e-15, 2, "post-processing of "+
			"%v, %v", p, q)
		private := hockeyStick(p, q, eps*zero) <= 2*zero // with δ = 2
		t.printed(!private || totalVariation(p, q) == 0, 3, "distance %v and different laws", zero)
		t.printed(hockeyStick(p, p, 0) == 0, 3, "one law at distance 0")
	}
	return nil
}

// remark3 visits every channel of two bits, symmetric in them, with one event of probability in tenths: ε = ln 2, δ =
// 0.1 in integers. The factor of δ for two records is e^ε + 1; the printed statement is turned by ε in place of 2ε.
func remark3(t *trial, s scale) error {
	edge := func(p, q, e, d int) bool { // in tenths, both directions, the event and its complement
		one := func(p, q int) bool { return p <= e*q+d }
		return one(p, q) && one(q, p) && one(10-p, 10-q) && one(10-q, 10-p)
	}
	attained := false
	for p0 := range 11 {
		for p1 := range 11 {
			for p2 := range 11 {
				for _, c := range []struct{ e, d int }{{2, 1}, {2, 0}, {1, 1}, {1, 2}, {3, 0}} {
					if !edge(p0, p1, c.e, c.d) || !edge(p1, p2, c.e, c.d) {
						continue
					}
					two := c.e * c.e // e^(2ε)
					if s.Printed == 0 {
						two = c.e
					}
					ok := edge(p0, p2, two, 2*c.d)
					if c.e > 1 && c.d > 0 {
						t.outside(ok, float64(p0+p1+p2), "two bits, P(B) = %v, %v, %v by the number of ones, ε = ln "+
							"2, δ = 0.1", float64(p0)/10, float64(p1)/10, float64(p2)/10)
						// δ(e^{2ε} − 1)/(e^ε − 1) = δ(e^ε + 1)
						t.repaired(edge(p0, p2, c.e*c.e, c.d*(c.e+int(s.Repaired))), "group bound at %d %d %d", p0, p1, p2)
						attained = attained || p2 == c.e*c.e*p0+c.d*(c.e+1)
					} else {
						t.printed(ok, float64(p0+p1+p2), "ε or δ zero at %d %d %d", p0, p1, p2)
					}
				}
			}
		}
	}
	t.repaired(attained, "the group bound is not attained")
	return nil
}

func theorem4(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 2))
	law := func() []float64 {
		p, sum := make([]float64, 2+r.IntN(3)), 0.0
		for i := range p {
			p[i] = math.Exp(2 * r.NormFloat64())
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	pair := func() (p, q []float64) {
		for p, q = law(), law(); len(p) != len(q); q = law() {
		}
		return p, q
	}
	for range 8000 {
		p, q := pair()
		p2, q2 := pair()
		e, e2 := 1.5*r.Float64(), 1.5*r.Float64()
		d, d2 := hockeyStick(p, q, e), hockeyStick(p2, q2, e2)
		both := hockeyStick(product(p, p2), product(q, q2), e+e2)
		t.bound(k*(d+d2), both, 1, "ε = %v, %v", e, e2)
		t.f.require(both <= (1-(1-d)*(1-d2))*(1+1e-12)+1e-15, "tight δ at %v, %v", p, q)
	}
	// (ε, δ) randomised response: attained; (ε, 0) beside it: the printed sum
	for _, e := range []float64{0, .2, 1, 3} {
		for _, d := range []float64{1e-4, .1, .6} {
			response := func(d float64) (p, q []float64) {
				a := (1 - d) / (1 + math.Exp(e))
				return []float64{d, (1 - d) - a, a, 0}, []float64{0, a, (1 - d) - a, d}
			}
			p, q := response(d)
			p2, q2 := response(.3)
			t.f.require(near(hockeyStick(product(p, p2), product(q, q2), 2*e), 1-(1-d)*.7, 1e-12), "not attained at "+
				"ε = %v, δ = %v", e, d)
			p2, q2 = response(0)
			t.bound(k*d, hockeyStick(product(p, p2), product(q, q2), 2*e), 1, "δ′ = 0")
		}
	}
	for i := 1; i < 10; i++ { // the step from the second line of the proof to the third, for a law that ignores the data
		p, factor := float64(i)/10, 1.2*float64(i)/10
		t.proof(factor <= 1, p, "P(B|y) = %v, e^(ερ) = 1.2, δ′ρ = 0.1: the factor e^(ερ)P(B|y) = %.3g of δ′ρ is dropped",
			p, factor)
		t.f.require(math.Min(1, factor)*.1 <= .1, "repaired at %v", p)
	}
	t.attained(1e-8)
	return nil
}

// theorem4Proof compares the worst of all sets with the worst rectangle, and with complements of rectangles.
func theorem4Proof(t *trial, k float64) error {
	const e = 1.2
	neither, beyond := 0, 0
	compare := func(p, q []float64) (all, flat float64) {
		all = hockeyStick(product(p, p), product(q, q), math.Log(e))
		most, complement := 0.0, 0.0
		for a := range 1 << len(p) {
			for b := range 1 << len(p) {
				pp, qq := 0.0, 0.0
				for i := range p {
					for j := range p {
						if a>>i&1 == 1 && b>>j&1 == 1 {
							pp += p[i] * p[j]
							qq += q[i] * q[j]
						}
					}
				}
				most, complement = math.Max(most, pp-e*qq), math.Max(complement, (1-pp)-e*(1-qq))
			}
		}
		if all > math.Max(most, complement)+1e-9 {
			neither++
		}
		half := math.Log(e) / 2
		t.repaired(all <= k*2*hockeyStick(p, q, half)+1e-12, "Theorem 4 over all sets at %v, %v", p, q)
		return all, most
	}
	for a := 1; a < 10; a++ {
		for b := 1; b < 10; b++ {
			p, q := []float64{float64(a) / 10, 1 - float64(a)/10}, []float64{float64(b) / 10, 1 - float64(b)/10}
			all, flat := compare(p, q)
			if all > flat+1e-12 {
				beyond++
			}
		}
	}
	t.printed(beyond > 0, 1, "the worst set of two bits is always a rectangle")
	t.f.require(neither == 0, "two outcomes: %d worst sets are neither rectangles nor complements", neither)
	for a := 1; a < 9; a++ {
		for b := 1; a+b < 10; b++ {
			p := []float64{float64(a) / 10, float64(b) / 10, 1 - float64(a+b)/10}
			compare(p, []float64{p[1], p[2], p[0]})
		}
	}
	t.f.require(neither > 0, "three outcomes: every worst set is a rectangle or a complement")
	all, flat := compare([]float64{.5, .5}, []float64{.2, .8})
	t.f.number("P = (.5, .5), Q = (.2, .8): all sets", all, .318, 1e-12)
	t.f.number("rectangles", flat, .26, 1e-12)
	return nil
}

// lemma5 compares ℓ of one record with ℓ of n, over all pairs of data sets.
func lemma5(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 3))
	for range 60 {
		g := randomFamily(r)
		for n := 1; n <= 3; n++ {
			many := g.power(n)
			for i := range g.prior {
				t.printed(near(many.ell(i), k*g.ell(i), 1e-9), float64(n), "n = %d: ℓ = %v, one record %v", n,
					many.ell(i), g.ell(i))
			}
			l0 := g.uniform() * r.Float64()
			t.printed(near(many.bestC(l0), g.bestC(l0), 1e-9), float64(n), "n = %d: c = %v", n, many.bestC(l0))
			t.f.require(many.constant() >= g.constant()*(1-1e-12), "n = %d: C falls", n)
		}
	}
	// C of a uniform prior on a fine grid: √n times a constant for a one-parameter family
	var grid, flat []float64
	for i := 1; i < 2000; i++ {
		grid, flat = append(grid, float64(i)/2000), append(flat, 1)
	}
	g := bernoulli(grid, flat)
	c := func(n int) float64 { // all data sets of k ones alike; the likelihood by sums of logarithms
		most := 0.0
		for k := 0; k <= n; k++ {
			top, sum := 0.0, 0.0
			for i, p := range grid {
				l := math.Exp(float64(k)*math.Log(p/.5) + float64(n-k)*math.Log((1-p)/.5))
				top, sum = math.Max(top, l), sum+g.prior[i]*l
			}
			most = math.Max(most, top/sum)
		}
		return most
	}
	t.f.number("C at n = 40 ÷ C at n = 10, uniform prior on (0, 1); n + 1 on all of it", c(40)/c(10), 41./11, .05)
	return nil
}
