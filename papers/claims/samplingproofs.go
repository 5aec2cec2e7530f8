package claims

import (
	"math"
	"math/bits"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
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

// bestResponse is the best of the responses, whose utilities at each θ are u[r][θ], under p.
func bestResponse(u [][]float64, p []float64) (best int, value float64) {
	for r := range u {
		sum := 0.0
		for i, v := range p {
			sum += v * u[r][i]
		}
		if r == 0 || sum > value {
			best, value = r, sum
		}
	}
	return best, value
}

// regret is what using q in place of p costs under p.
func regret(u [][]float64, p, q []float64) float64 {
	_, most := bestResponse(u, p)
	r, _ := bestResponse(u, q)
	sum := 0.0
	for i, v := range p {
		sum += v * u[r][i]
	}
	return most - sum
}

func lemma14(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 39))
	for range 20000 {
		k := 2 + r.IntN(3)
		p, q, u := make([]float64, k), make([]float64, k), make([][]float64, 2+r.IntN(2))
		a, b := 0.0, 0.0
		for i := range p {
			p[i], q[i] = r.ExpFloat64(), r.ExpFloat64()
			a, b = a+p[i], b+q[i]
		}
		for i := range p {
			p[i], q[i] = p[i]/a, q[i]/b
		}
		for j := range u {
			for range k {
				u[j] = append(u[j], math.Round(r.Float64()*4)/4)
			}
		}
		t.bound(factor*4*totalVariation(p, q), regret(u, p, q), 1, "p = %v, q = %v", p, q)
	}
	half := regret([][]float64{{0, 1}, {1, 0}}, []float64{.9, .1}, []float64{.5 - 1e-12, .5 + 1e-12})
	t.f.number("ξ = (.5, .5), ξ* = (.9, .1): regret", half, .8, 1e-9)
	t.bound(factor*2*.8, half, 1, "attained")
	t.f.number("least bound ÷ truth", t.least, 2, 1e-6)
	return nil
}

func lemma15(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 40))
	for range 3000 { // two priors on one family; the whole expectation over x
		g := randomFamily(r)
		other := family{lik: g.lik, rho: g.rho, prior: make([]float64, len(g.prior))}
		sum, eta := 0.0, .05+2*r.Float64()
		for i, w := range g.prior {
			other.prior[i] = w * math.Exp(eta/2*(2*r.Float64()-1))
			sum += other.prior[i]
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for i := range other.prior {
			other.prior[i] /= sum
			l := math.Log(g.prior[i] / other.prior[i])
			lo, hi = math.Min(lo, l), math.Max(hi, l)
		}
		eta = math.Max(hi, -lo)
		mean := 0.0
		for x := range g.lik {
			p, q := g.posterior(x), other.posterior(x)
			d := klDivergence(p, q)
			mean += g.evidence(x) * d
			t.f.require(d <= kappa(2*eta)*(1+1e-9)+1e-13 && kappa(2*eta) <= eta*eta/2*(1+1e-12), "per data set: %v, "+
				"η = %v", d, eta)
			t.f.require(2*totalVariation(p, q) <= 2*math.Tanh(eta/2)*(1+1e-9), "‖·‖₁ at η = %v", eta)
		}
		t.f.require(mean <= klDivergence(g.prior, other.prior)+1e-13 && mean <= eta*math.Tanh(eta/2)+1e-13 &&
			mean <= 2*eta, "E D = %v, η = %v", mean, eta)
	}
	for _, c := range []struct{ eta, mean float64 }{{.1, .004995837495788}, {.5, .122459331201855},
		{1, .46211715726001}, {2, 1.52318831191153}} {
		s := 1 / (1 + math.Exp(-c.eta)) // no data: the two priors themselves, ln-ratio ±η
		d := klDivergence([]float64{s, 1 - s}, []float64{1 - s, s})
		t.f.number("greatest E D", d, c.mean, 1e-12)
		t.bound(factor*2*c.eta, d, c.eta, "η = %v", c.eta)
	}
	t.margin(2.6261, 40.033, 1e-4)
	return nil
}

func corollary16(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 41))
	u := [][]float64{{0, 1}, {1, 0}}
	for _, eta := range []float64{.001, .1, .5, 1, 2} {
		most := 0.0
		for range 20000 { // two θ, priors within η of each other, one bit of data
			a := 1 / (1 + math.Exp(3*r.NormFloat64()))
			p := []float64{a, 1 - a}
			shift := eta * (2*r.Float64() - 1)
			b := a * math.Exp(shift)
			if b >= 1 || math.Abs(math.Log((1-b)/(1-a))) > eta {
				continue
			}
			q := []float64{b, 1 - b}
			v := regret(u, p, q)
			most = math.Max(most, v)
			t.f.require(v <= 2*math.Tanh(eta/2)*(1+1e-12), "regret %v, η = %v", v, eta)
		}
		// ξ = (½, ½), ξ* = (1 − e^{−η}/2, e^{−η}/2)
		s := 1 - math.Exp(-eta)/2
		most = math.Max(most, regret(u, []float64{s, 1 - s}, []float64{.5 - 1e-15, .5 + 1e-15}))
		t.bound(factor*eta, most, eta, "η = %v", eta)
		byPinsker := 2 * 2 * math.Sqrt(2*eta/2) // 2‖·‖₁, ‖·‖₁ = 2·TV, TV ≤ √(D/2), D ≤ 2η
		t.proof(byPinsker <= 4*eta, eta, "η = %v: Lemmas 15 and 14 with Pinsker give %.3f", eta, byPinsker)
	}
	t.attained(1e-3)
	return nil
}

// corollary16Whole takes the same prior twice, so that the sampling part is all of the loss, and a constant of 10.
func corollary16Whole(t *trial, factor float64) error {
	const delta = .05
	for _, n := range []int{100, 10000} {
		points := 1000 * n
		loss, bound := .9-float64(n)/float64(points), 10*math.Sqrt(math.Log(1/delta)/float64(n))
		t.printed(loss <= bound, float64(n), "η = 0, N = %d, %d points, R = all %d-subsets and a sure 0.9: loss %.3f > "+
			"10·√(ln 20/N) = %.3f", n, points, n, loss, bound)
	}
	for _, eta := range []float64{0, .5} { // two responses, θ is a bit, ξ = (½ and its shift)
		for _, n := range []int{1, 5, 20, 100} {
			for i := 51; i < 100; i++ {
				p := float64(i) / 100 // the share of the better response under ξ*
				q := math.Max(p*math.Exp(-eta), 1-(1-p)*math.Exp(eta))
				if q <= 0 {
					continue
				}
				wrong := binomialTail(n, q, n/2)
				bar := factor * (eta + math.Sqrt(2*math.Log(1/delta)/float64(n)))
				t.repaired(2*p-1 <= bar || wrong <= delta, "η = %v, N = %d, p = %v: loss with probability %v", eta, n, p, wrong)
			}
		}
	}
	return nil
}

// claim1 takes two priors with one support, and no data.
func claim1(t *trial, factor float64) error {
	u := [][]float64{{1, 0}, {0, 1}}
	for i := 1; i < 10; i++ {
		for j := 1; j < 10; j++ {
			ideal, used := float64(i)/10, float64(j)/10
			p, q := []float64{ideal, 1 - ideal}, []float64{used, 1 - used}
			loss := regret(u, p, q)
			t.printed(loss <= 1e-12, 1-loss+used/1e3, "Θ = {0.2, 0.8} = Θ_L, ξ* = (%.1f, %.1f), ξ = (%.1f, %.1f), no data: "+
				"loss %.3f, claimed 0", p[0], p[1], q[0], q[1], loss)
			t.repaired(loss <= factor*2*totalVariation(p, q)*(1+1e-12), "ξ* = %v, ξ = %v", p, q)
		}
	}
	return nil
}

func theorem17a(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 42))
	for range 1500 {
		g := randomFamily(r)
		l := g.ell(r.IntN(len(g.prior)))
		cut := family{lik: g.lik, rho: g.rho, prior: make([]float64, len(g.prior))}
		mass := g.mass(l)
		for i, w := range g.prior {
			if g.ell(i) <= l*(1+1e-14) {
				cut.prior[i] = w / mass
			}
		}
		for n := 1; n <= 3; n++ {
			cut.pairs(func(x, y int) {
				lo, hi := lossRange(cut.posterior(x), cut.posterior(y))
				t.bound(factor*2*l*float64(n)*cut.rho(x, y), float64(n)*math.Max(hi, -lo), float64(n), "N = %d", n)
			})
		}
	}
	const w = 1e-9 // as Theorem 8.1
	g := family{prior: []float64{w, 1 - w}, lik: [][]float64{{math.E, 1 / math.E}, {1, 1}}, rho: apart(1)}
	_, hi := lossRange(g.posterior(0), g.posterior(1))
	t.bound(factor*2, hi, 1, "two points")
	t.attained(1e-5)
	return nil
}

func theorem17b(t *trial, factor float64) error {
	p := []float64{.999, .001}
	u := [][]float64{{1, 0}, {0, 1}}
	used := []float64{1, 0} // ξ is all on Θ_L = {0.5}
	for n := 1; n <= 20; n++ {
		expected := 0.0
		for ones := 0; ones <= n; ones++ {
			a := p[0] * math.Pow(.5, float64(n))
			b := p[1] * math.Pow(.001, float64(ones)) * math.Pow(.999, float64(n-ones))
			post := []float64{a / (a + b), b / (a + b)}
			v := regret(u, post, used)
			if ones == 0 {
				t.printed(v <= 4*p[1], float64(n), "Θ = {0.5, 0.001}, ξ* = (0.999, 0.001), Θ_L = {0.5}, %d zeros: "+
					"regret %.5f > 0.004", n, v)
			}
			t.repaired(v <= factor*post[1]*(1+1e-12), "n = %d, %d ones: regret %v, ξ*(Θ_L^c|x) = %v", n, ones, v, post[1])
			expected += math.Exp(lnFactorial(n)-lnFactorial(ones)-lnFactorial(n-ones)) * (a + b) * v
			if n == 20 && ones == 0 {
				t.f.number("20 zeros: regret", v, .998057934438419, 1e-12)
				t.f.number("20 zeros: ξ*(Θ_L^c|x)", post[1], .999028967219209, 1e-12)
			}
		}
		t.repaired(expected <= p[1]*(1+1e-9), "n = %d: expected regret %v", n, expected)
	}
	return nil
}

// rateTV is the total variation distance of the posteriors of one record at x and at y > x: densities in proportion to
// θ·e^(−θ(λ + x)) on [c1, c2] cross once.
func (g gammaPrior) rateTV(x, y float64) float64 {
	mass := func(s, lo, hi float64) float64 { // up to e^(−c1·s), so that it does not underflow
		return num.Integrate24(func(th float64) float64 { return th * math.Exp(-(th-g.c1)*s) }, lo, hi,
			1+int(math.Abs(s)*(hi-lo)/8))
	}
	zx, zy := mass(g.lambda+x, g.c1, g.c2), mass(g.lambda+y, g.c1, g.c2)
	cut := g.c1 + math.Log(zx/zy)/(y-x)
	return mass(g.lambda+y, g.c1, cut)/zy - mass(g.lambda+x, g.c1, cut)/zx
}

// delta is the δ printed after Lemma 19.
func (g gammaPrior) delta(b float64) float64 {
	c := g.c2 / math.Min(g.c1*math.Exp(-g.c1*b), g.c2*math.Exp(-g.c2*b))
	return math.Sqrt(c / 2 * (1 + 2*g.c1 + 1/g.lambda))
}

// lemma19Metric visits λ ≥ 1, where the printed form holds, and λ < 1, where it may not.
func lemma19Metric(t *trial, k float64) error {
	visit := func(g gammaPrior, b float64) {
		delta := g.delta(b)
		for _, part := range []float64{.25, .5, 1} {
			rho := b * part
			v := g.rateTV(0, rho)
			ok, size := v <= k*delta*rho, g.c1-part
			const format = "c1 = %v, c2 = %v, λ = %v, B = ρ = %v: TV = %.5f > δρ = %.5f"
			if g.lambda >= 1 {
				t.printed(ok, size, format, g.c1, g.c2, g.lambda, rho, v, delta*rho)
				t.f.require(v <= rho/(math.Sqrt2*g.lambda) && delta >= math.Sqrt(.5), "%v, ρ = %v: TV = %v", g, rho, v)
			} else if part == 1 {
				t.outside(ok, size, format, g.c1, g.c2, g.lambda, rho, v, delta*rho)
			}
			t.f.require(v <= delta*math.Sqrt(rho) && v <= math.Tanh((g.c2-g.c1)*rho/4), "%v, ρ = %v: %v", g, rho, v)
		}
	}
	for _, c := range []struct{ c1, ratio, lambda, b float64 }{{1000, 2, .001, 1e-4}, {2000, 2, .0005, 1e-4},
		{100, 2, .001, .001}} {
		visit(gammaPrior{c.lambda, c.c1, c.c1 * c.ratio, 1}, c.b)
	}
	for _, lambda := range []float64{1, 1.5, 5} {
		for _, c1 := range []float64{.001, .1, 1, 10} {
			for _, ratio := range []float64{1.5, 10, 100} {
				for _, b := range []float64{.001, .1, 1} {
					visit(gammaPrior{lambda, c1, c1 * ratio, 1}, b)
				}
			}
		}
	}
	return nil
}

func lemma19Classical(t *trial, k float64) error {
	floor := math.Inf(1)
	for _, lambda := range []float64{.1, 1, 5} {
		for _, c1 := range []float64{.01, .1, .5, 1, 3} {
			for _, c2 := range []float64{.1, .5, 2, 4, 20} {
				if c1 >= c2 {
					continue
				}
				g := gammaPrior{lambda, c1, c2, 1}
				delta := g.delta(1)
				floor = math.Min(floor, delta)
				v := g.rateTV(0, 1)
				t.bound(k*delta, v, c2, "λ = %v, θ on [%v, %v]", lambda, c1, c2)
				t.f.require(v <= math.Tanh((c2-c1)/4), "TV = %v on [%v, %v]", v, c1, c2)
			}
		}
	}
	t.f.require(floor >= math.Sqrt(.5), "δ = %v", floor)
	g := gammaPrior{1, .5, 2, 1}
	t.f.number("c1 = .5, c2 = 2, λ = B = 1: δ", g.delta(1), 3.3292017284, 1e-9)
	t.f.number("TV", g.rateTV(0, 1), .17398253, 1e-8)
	t.f.require(t.least > 2, "least δ ÷ TV: %v", t.least)
	return nil
}

func lemma21Delta(t *trial, k float64) error {
	for _, a := range []float64{1.5, 2, 4, 16} {
		last := 0.0
		for _, n := range []float64{1, 2, 5, 10, 50} {
			c := math.Exp(num.LogBeta(a, a) - num.LogBeta((n+2*a-1)/2, (n+2*a+1)/2))
			delta := math.Sqrt(c / 2 * (1 + 2*math.Log(n) + math.Exp((2*a-1)*math.Ln2+num.LogBeta(a, a))))
			t.printed(delta > last, n, "α = %v: δ falls to %v at n = %v", a, delta, n)
			last = delta
			t.f.require(delta >= 1, "α = %v, n = %v: δ = %v", a, n, delta)
			t.bound(k*delta, neighbourTV(a, a+n), n, "α = %v, n = %v", a, n)
		}
	}
	t.f.require(t.least > 2, "least δ ÷ TV: %v", t.least)
	return nil
}
