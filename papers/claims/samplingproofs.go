package claims

import (
	"math"
	"math/bits"
	"math/rand/v2"
)

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
