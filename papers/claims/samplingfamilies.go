package claims

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// scale turns the two statements of a check of its own: the one that is printed and the one that repairs it.
type scale struct{ Printed, Repaired float64 }

// turn gives a row a check of both statements. At scale{1, 1} they are as printed and as repaired. Two changed checks
// must disagree: one in which the printed statement is turned and the repaired one is not, so that the verdict is
// another one, and one in which the repaired statement is changed.
func (c *Claim) turn(by scale, run func(t *trial, s scale) error) {
	c.check = func(_ context.Context, f *Finding) error { return run(f.trial(), scale{1, 1}) }
	verdict := c.Verdict
	c.mutant = func(_ context.Context, f *Finding) error {
		for _, s := range []scale{{by.Printed, 1}, {1, by.Repaired}} {
			g := &Finding{}
			if err := run(g.trial(), s); err != nil {
				return err
			}
			failed := len(g.Failed) > 0
			other := g.Derived() != verdict && !failed
			if f.Cases++; s.Printed != 1 && !other || s.Printed == 1 && !failed {
				return nil // one of the two agrees
			}
		}
		f.Failed = append(f.Failed, "both changed statements disagree")
		return nil
	}
}

// family is a finite likelihood family with a prior and a pseudo-metric: everything the theorems speak of is a finite
// sum.
type family struct {
	prior []float64   // ξ(θ), may hold zeros
	lik   [][]float64 // p_θ(x), [x][θ], positive
	rho   func(x, y int) float64
}

// apart is the discrete metric times a scale.
func apart(scale float64) func(x, y int) float64 {
	return func(x, y int) float64 {
		if x == y {
			return 0
		}
		return scale
	}
}

// bernoulli is the family of θ on one bit under ρ = 1.
func bernoulli(thetas, weights []float64) family {
	g := family{lik: [][]float64{nil, nil}, rho: apart(1)}
	total := 0.0
	for _, w := range weights {
		total += w
	}
	for i, p := range thetas {
		g.prior = append(g.prior, weights[i]/total)
		g.lik[0] = append(g.lik[0], 1-p)
		g.lik[1] = append(g.lik[1], p)
	}
	return g
}

// power is n independent records of g, coded in base |X|, under the sum metric.
func (g family) power(n int) family {
	base, size := len(g.lik), 1
	for range n {
		size *= base
	}
	out := family{prior: g.prior, rho: func(x, y int) float64 {
		sum := 0.0
		for range n {
			sum += g.rho(x%base, y%base)
			x, y = x/base, y/base
		}
		return sum
	}}
	for x := range size {
		row := make([]float64, len(g.prior))
		for i := range row {
			row[i] = 1
			for v, k := x, 0; k < n; v, k = v/base, k+1 {
				row[i] *= g.lik[v%base][i]
			}
		}
		out.lik = append(out.lik, row)
	}
	return out
}

func (g family) evidence(x int) float64 {
	sum := 0.0
	for i, w := range g.prior {
		sum += w * g.lik[x][i]
	}
	return sum
}

func (g family) posterior(x int) []float64 {
	out, z := make([]float64, len(g.prior)), g.evidence(x)
	for i, w := range g.prior {
		out[i] = w * g.lik[x][i] / z
	}
	return out
}

// ell is ℓ(θ_i), the least L of this parameter.
func (g family) ell(i int) float64 {
	most := 0.0
	g.pairs(func(x, y int) {
		if r := g.rho(x, y); r > 0 {
			most = math.Max(most, math.Abs(math.Log(g.lik[x][i]/g.lik[y][i]))/r)
		}
	})
	return most
}

// uniform is the L of Assumption 1 over the support of the prior.
func (g family) uniform() float64 {
	most := 0.0
	for i, w := range g.prior {
		if w > 0 {
			most = math.Max(most, g.ell(i))
		}
	}
	return most
}

// pairs visits all ordered pairs of different data sets.
func (g family) pairs(visit func(x, y int)) {
	for x := range g.lik {
		for y := range g.lik {
			if x != y {
				visit(x, y)
			}
		}
	}
}

// mass is ξ(Θ_L).
func (g family) mass(l float64) float64 {
	sum := 0.0
	for i, w := range g.prior {
		if g.ell(i) <= l*(1+1e-14) {
			sum += w
		}
	}
	return sum
}

// bestC is the greatest c of Assumption 2 at L0: +Inf when ℓ ≤ L0 almost surely.
func (g family) bestC(l0 float64) float64 {
	c := math.Inf(1)
	for i := range g.prior {
		l := g.ell(i)
		if g.prior[i] == 0 || l <= l0*(1+1e-14) {
			continue
		}
		above := 0.0 // ξ(ℓ ≥ l)
		for j, w := range g.prior {
			if g.ell(j) >= l*(1-1e-14) {
				above += w
			}
		}
		c = math.Min(c, -math.Log(above)/(l-l0))
	}
	return c
}

// constant is C = max p_θ(x)/φ(x) over the support.
func (g family) constant() float64 {
	most := 0.0
	for x := range g.lik {
		z := g.evidence(x)
		for i, w := range g.prior {
			if w > 0 {
				most = math.Max(most, g.lik[x][i]/z)
			}
		}
	}
	return most
}

// randomFamily draws a family of at most four parameters and three data sets; the log-likelihoods reach over a few
// decades.
func randomFamily(r *rand.Rand) family {
	k, m := 2+r.IntN(3), 2+r.IntN(2)
	spread := math.Exp(-3 + 5*r.Float64())
	g := family{}
	total := 0.0
	for range k {
		w := math.Exp(6 * r.NormFloat64() * r.Float64())
		g.prior = append(g.prior, w)
		total += w
	}
	for i := range g.prior {
		g.prior[i] /= total
	}
	points := make([]float64, m)
	for x := range m {
		row := make([]float64, k)
		for i := range row {
			row[i] = math.Exp(spread * r.NormFloat64())
		}
		g.lik = append(g.lik, row)
		points[x] = float64(x) * math.Exp(r.NormFloat64())
	}
	for i := range k { // probabilities, so that φ is one too
		sum := 0.0
		for x := range m {
			sum += g.lik[x][i]
		}
		for x := range m {
			g.lik[x][i] /= sum
		}
	}
	g.rho = func(x, y int) float64 { return math.Abs(points[x]-points[y]) + .01*math.Abs(float64(x-y)) }
	return g
}

// klDivergence, totalVariation, lossRange and hockeyStick compare two laws on finitely many outcomes.
func klDivergence(p, q []float64) float64 {
	sum := 0.0
	for i, v := range p {
		if v > 0 {
			sum += v * math.Log(v/q[i])
		}
	}
	return sum
}

func totalVariation(p, q []float64) float64 { return hockeyStick(p, q, 0) }

// lossRange is the extremes of ln p/q.
func lossRange(p, q []float64) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for i, v := range p {
		if v > 0 || q[i] > 0 {
			l := math.Log(v / q[i])
			least, most = math.Min(least, l), math.Max(most, l)
		}
	}
	return least, most
}

func hockeyStick(p, q []float64, epsilon float64) float64 {
	sum, e := 0.0, math.Exp(epsilon)
	for i, v := range p {
		sum += math.Max(0, v-e*q[i])
	}
	return sum
}

// product is the law of independent draws from p and q.
func product(p, q []float64) []float64 {
	out := make([]float64, 0, len(p)*len(q))
	for _, a := range p {
		for _, b := range q {
			out = append(out, a*b)
		}
	}
	return out
}

// kappa is the greatest KL divergence of two laws whose log-ratio has range w: u − 1 − ln u, u = w/(e^w − 1).
func kappa(w float64) float64 {
	u := w / math.Expm1(w)
	if w < 1e-3 {
		return w * w / 8
	}
	return u - 1 - math.Log(u)
}

// gammaPrior is the prior Exp(λ) on [c1, c2] and what a lemma claims about it; the likelihood of one record is θ^κ
// e^{−θT}, up to what does not depend on θ.
type gammaPrior struct{ lambda, c1, c2, kappa float64 }

// integral is ∫ θ^{p} e^{−θs} dθ over [c1, c2].
func (g gammaPrior) integral(p, s float64) float64 {
	return num.Integrate24(func(th float64) float64 { return math.Pow(th, p) * math.Exp(-th*s) }, g.c1, g.c2,
		1+int(math.Abs(s)*(g.c2-g.c1)/8))
}

// constant is sup_{T, θ} θ^κ e^{−θT}/φ(T) over a grid of T in [t0, t1]: a lower bound of C.
func (g gammaPrior) constant(t0, t1 float64) float64 {
	most, z := 0.0, g.integral(0, g.lambda)
	for i := range 41 {
		x := t0 + (t1-t0)*float64(i)/40
		phi := g.integral(g.kappa, g.lambda+x) / z
		th := g.c2
		if x > 0 {
			th = math.Min(math.Max(g.kappa/x, g.c1), g.c2)
		}
		most = math.Max(most, math.Pow(th, g.kappa)*math.Exp(-th*x)/phi)
	}
	return most
}

// assumption checks ξ(θ ≤ L) ≥ 1 − e^{−λ(L − c1)}, and with the greatest c.
func (g gammaPrior) assumption(f *Finding) {
	whole := -math.Expm1(-g.lambda * (g.c2 - g.c1))
	for i := 1; i < 40; i++ {
		x := (g.c2 - g.c1) * float64(i) / 40
		mass := -math.Expm1(-g.lambda*x) / whole
		f.require(mass >= -math.Expm1(-g.lambda*x) && mass >= -math.Expm1(-g.lambda/whole*x)*(1-1e-12),
			"Assumption 2 at L = %v", g.c1+x)
	}
}

// epsilon is the exact ε of n records with T in [0, Δ]: max over the end points and the evidence ratio.
func (g gammaPrior) epsilon(n, delta float64) float64 {
	z := func(s float64) float64 { return math.Log(g.integral(n*g.kappa, s)) }
	return math.Max(z(g.lambda)-z(g.lambda+delta)-g.c1*delta, g.c2*delta-z(g.lambda+(n-1)*delta)+z(g.lambda+n*delta))
}

// boxes are parameters that the lemmas are tried at.
func boxes(visit func(g gammaPrior, b, mu float64)) {
	for _, c1 := range []float64{.01, .1, .5, 1} {
		for _, c2 := range []float64{.1, .5, 2, 4} {
			if c1 < c2 {
				for _, b := range []float64{.05, .1, .5, 1, 10} {
					for _, mu := range []float64{0, .3} {
						visit(gammaPrior{1, c1, c2, 1}, b, mu)
					}
				}
			}
		}
	}
}

func lemma19(t *trial, k float64) error {
	for _, lambda := range []float64{.1, 1, 5} {
		boxes(func(g gammaPrior, b, mu float64) {
			if mu > 0 {
				return
			}
			g.lambda = lambda
			g.assumption(t.f)
			paper := g.c2 / math.Min(g.c1*math.Exp(-g.c1*b), g.c2*math.Exp(-g.c2*b))
			t.bound(k*paper, g.constant(0, b), g.c2, "%v, B = %v", g, b)
		})
	}
	g := gammaPrior{1, .5, 2, 1}
	t.f.number("c1 = .5, c2 = 2, λ = B = 1: exact C", g.constant(0, 1), 1.87060182086054, 1e-10)
	for _, c := range []struct {
		n   int
		eps float64
	}{{1, .859525104714877}, {5, 1.09797332693009}, {20, 1.39627453420428}} {
		e := g.epsilon(float64(c.n), 1)
		t.f.number("exact ε of n records", e, c.eps, 1e-10)
		f, err := families.NewExponential(c.n, 1, .5, 2, 1)
		if err != nil {
			return err
		}
		t.f.require(near(f.Epsilon(), e, 1e-8) && f.Epsilon() >= e*(1-1e-12) && e <= 1.5, "library: ε = %v, "+
			"quadrature %v", f.Epsilon(), e)
	}
	t.f.require(t.least > 1.001, "attained")
	return nil
}

func lemma20(t *trial, s scale) error {
	boxes(func(g gammaPrior, b, mu float64) {
		left := g.c2 / (2 * math.Min(1/(2*g.c2), math.Exp((-b-mu)/g.c1)/(2*g.c1)))
		right := g.c2 / (2 * math.Min(1/(2*g.c2), math.Exp((mu-b)/g.c1)/(2*g.c1)))
		paper, r := math.Max(left, right), b+math.Abs(mu)
		exact := g.constant(math.Max(0, mu-b), r)
		if g.c1 >= .1 {
			t.printed(s.Printed*paper >= exact*(1-1e-12), b*100+g.c1*10+g.c2+mu, "c1 = %v, c2 = %v, λ = 1, B = %v, μ = %v: C = "+
				"%.3f, exact %.3f", g.c1, g.c2, b, mu, paper, exact)
		}
		t.repaired(s.Repaired*g.c2/math.Min(g.c1*math.Exp(-g.c1*r), g.c2*math.Exp(-g.c2*r)) >= exact*(1-1e-12),
			"%v, B = %v, μ = %v", g, b, mu)
	})
	t.f.number("c1 = 0.1, c2 = 0.5, λ = 1, B = 0.05, μ = 0: C", gammaPrior{1, .1, .5, 1}.constant(0, .05), 1.74397, 5e-6)
	f, err := families.NewLaplace(3, 1, .5, 2, .3, 1) // |x − μ| ranges over 1.3
	if err != nil {
		return err
	}
	e := gammaPrior{1, .5, 2, 1}.epsilon(3, 1.3)
	t.f.require(near(f.Epsilon(), e, 1e-8), "library: ε = %v, quadrature %v", f.Epsilon(), e)
	return nil
}

func lemma22(t *trial, s scale) error {
	boxes(func(g gammaPrior, b, mu float64) {
		g.kappa = .5
		r := b + math.Abs(mu)
		paper := math.Min(math.Sqrt(g.c2/g.c1)*math.Exp(g.c1*g.c2*g.c2/2), math.Exp(g.c2*g.c2*g.c2/2))
		near := math.Max(0, math.Abs(mu)-b)
		exact := g.constant(near*near/2, r*r/2)
		t.printed(s.Printed*paper >= exact*(1-1e-12), math.Abs(b-g.c2)+paper+mu/10, "c1 = %v, c2 = %v, λ = 1, B = %v, "+
			"μ = %v: C = %.4f, exact %.3f", g.c1, g.c2, b, mu, paper, exact)
		t.repaired(s.Repaired*math.Max(math.Sqrt(g.c2/g.c1)*math.Exp(g.c1*r*r/2), math.Exp(g.c2*r*r/2)) >= exact*(1-1e-12),
			"%v, B = %v, μ = %v", g, b, mu)
	})
	t.f.number("c1 = 0.01, c2 = 0.1, λ = 1, B = 0.1, μ = 0: C", gammaPrior{1, .01, .1, .5}.constant(0, .005), 1.404, 5e-4)
	t.f.number("B = 10: C", gammaPrior{1, .01, .1, .5}.constant(0, 50), 2.724992163, 1e-8)
	t.f.number("C of the paper there", math.Exp(.0005), 1.000500125, 1e-9)
	f, err := families.NewNormalPrecision(4, 1, .5, 2, .3, 1)
	if err != nil {
		return err
	}
	e := gammaPrior{1, .5, 2, .5}.epsilon(4, 1.3*1.3/2)
	t.f.require(math.Abs(f.Epsilon()/e-1) < 1e-8, "library: ε = %v, quadrature %v", f.Epsilon(), e)
	return nil
}

// lemma20Rate takes the greatest c that every level allows: −ln ξ(θ > L)/(L − c1), least at the end of the interval for
// short ones.
func lemma20Rate(t *trial, k float64) error {
	for _, lambda := range []float64{.1, 1, 5} {
		for _, width := range []float64{.05, .5, 2, 200} {
			whole := -math.Expm1(-lambda * width)
			for i := 1; i < 40; i++ {
				x := width * float64(i) / 4000
				above := (math.Exp(-lambda*x) - math.Exp(-lambda*width)) / whole // ξ(θ > c1 + x)
				t.printed(above <= math.Exp(-k*lambda*x)*(1+1e-12), width, "λ = %v, L − c1 = %v", lambda, x)
				t.f.require(above <= math.Exp(-lambda/whole*x)*(1+1e-12), "the greater c at λ = %v, width %v", lambda, width)
			}
		}
	}
	return nil
}

// lemma22Rate bounds ℓ(θ)/θ, the greatest |x + y − 2μ|/(2(|x + y| + 2)) of the data, and Assumption 2 as Lemma 20.
func lemma22Rate(t *trial, k float64) error {
	for _, mu := range []float64{0, -.3, .8, 1, -1.5, 3} {
		for _, b := range []float64{.5, 1, 1e4} {
			most := 0.0
			for i := range 2001 {
				s := 2 * b * (float64(i)/1000 - 1)
				most = math.Max(most, math.Abs(s-2*mu)/(2*(math.Abs(s)+2)))
			}
			t.bound(k*math.Max(math.Abs(mu), 1)/2, most, math.Abs(mu), "μ = %v, B = %v", mu, b)
		}
	}
	boxes(func(g gammaPrior, _, _ float64) { g.assumption(t.f) }) // in θ; L = θ·max(|μ|, 1)/2 rescales it
	t.attained(1e-3)
	return nil
}

func lemma22Classical(t *trial, factor float64) error {
	most := 0.0
	for i := range 101 {
		for j := range 101 {
			x, y := float64(i)/100, float64(j)/100
			most = math.Max(most, math.Sqrt(math.Abs(x*x-y*y)+2*math.Abs(x-y)))
			t.f.Cases++
		}
	}
	t.bound(factor, most, 1, "√ρ")
	t.margin(math.Sqrt(3), math.Sqrt(3), 1e-12)
	return nil
}
