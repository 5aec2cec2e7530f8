package claims

import (
	"math"
	"math/rand/v2"
)

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
