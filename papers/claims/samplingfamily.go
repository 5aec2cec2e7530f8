package claims

import (
	"context"
	"math"
	"math/rand/v2"
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
