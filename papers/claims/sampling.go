package claims

import (
	"math"
	"math/rand/v2"
)

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
	neither := 0
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
			t.printed(all <= flat+1e-12, flat-all, "P = (%.1f, %.1f), Q = (%.1f, %.1f), two copies, e^ε = 1.2: %.3f "+
				"over all sets, %.3f over rectangles", p[0], p[1], q[0], q[1], all, flat)
		}
	}
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
