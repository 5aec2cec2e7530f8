package claims

import (
	"math"
	"math/rand/v2"
)

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
