package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// rateShape are parameters of the mechanism that the searches visit.
var rateShape = [][2]float64{{1, 1}, {.5, 2}, {2, 7}, {.1, .4}}

// orders that are finite for some of them.
var ordersVisited = []float64{1.01, 1.5, 2, 4, 10}

// epsilonsVisited of the hockey-stick divergences.
var epsilonsVisited = []float64{0, .5, 2}

// histograms visits every histogram of n records over d cells.
func histograms(d, n int, visit func(x []int)) {
	x := make([]int, d)
	var fill func(i, left int)
	fill = func(i, left int) {
		if i == d-1 {
			x[i] = left
			visit(x)
			return
		}
		for v := 0; v <= left; v++ {
			x[i] = v
			fill(i+1, left-v)
		}
	}
	fill(0, n)
}

// moves visits every ordered pair of cells between which a record of x can move.
func moves(x []int, visit func(i, j int)) {
	for i := range x {
		for j := range x {
			if i != j && x[i] > 0 {
				visit(i, j)
			}
		}
	}
}

// theoremA has k times the divergences of the pair.
func theoremA(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		if t.settled(k) {
			break
		}
		r, a := p[0], p[1]
		pair := loss.DirichletPair{Rate: r, Shape: a}
		rdp, delta := map[float64]float64{}, map[float64]float64{}
		for _, o := range ordersVisited {
			rdp[o] = k * pair.RDP(o)
		}
		for _, e := range epsilonsVisited {
			delta[e] = k * pair.Delta(e)
		}
		for d := 2; d <= 3; d++ {
			for n := 1; n <= 6; n++ {
				histograms(d, n, func(x []int) {
					moves(x, func(i, j int) {
						from, to := a+r*float64(x[i]-1), a+r*float64(x[j])
						corner := x[i] == 1 && x[j] == 0
						for _, o := range ordersVisited {
							if math.IsInf(rdp[o], 1) {
								continue
							}
							v := q.moved(r, from, to, o)
							t.bound(rdp[o], v, float64(n), "RDP of %v, cell %d to %d", x, i, j)
							t.f.require(!corner || near(v, rdp[o], 1e-8), "RDP %v is not attained at %v", o, x)
						}
						for _, e := range epsilonsVisited {
							v := q.movedDelta(r, from, to, e)
							t.bound(delta[e], v, float64(n), "δ(%v) of %v, cell %d to %d", e, x, i, j)
							t.f.require(!corner || near(v, delta[e], 1e-8), "δ(%v) is not attained at %v", e, x)
						}
					})
				})
			}
		}
	}
	g := rand.New(rand.NewPCG(5, 1))
	for range 150 { // larger histograms and other parameters
		r, a := math.Exp(-3+5*g.Float64()), math.Exp(-2+6*g.Float64())
		from, to := a+r*float64(g.IntN(20)), a+r*float64(g.IntN(20))
		pair := loss.DirichletPair{Rate: r, Shape: a}
		order := 1 + .9*a/r*g.Float64()
		t.bound(pair.RDP(order), q.moved(r, from, to, order), from+to, "order %v, r = %v, α = %v", order, r, a)
		eps := 3 * r * g.Float64()
		t.bound(pair.Delta(eps), q.movedDelta(r, from, to, eps), from+to, "ε = %v, r = %v, α = %v", eps, r, a)
	}
	// the reduction to two cells, against the whole simplex
	f, moved := [3]float64{2, 1, 3}, [3]float64{1, 2, 3}
	var u, v [3]float64
	for i := range u {
		u[i], v[i] = .5*f[i]+2, .5*moved[i]+2
	}
	t.f.number("order 2, r = 0.5, α = 2, (2,1,3) to (1,2,3), over the simplex", simplexRenyi(u, v, 2),
		q.moved(.5, 2.5, 2.5, 2), 1e-10)
	t.attained(1e-8)
	return nil
}

// corollaryA1 has k times the closed form.
func corollaryA1(t *trial, k float64) error {
	q := newQuadrature()
	nodes, weights := num.GaussLegendre24()
	for _, r := range []float64{.05, .4, 1, 3} {
		for _, s := range []float64{.3, 1, 4, 20, 300} { // α/r
			a, last := s*r, 0.0
			pair := loss.DirichletPair{Rate: r, Shape: a}
			for _, l := range []float64{.01, .2, .9, 3, 15, 200} { // λ − 1
				order := 1 + l
				rdp := k * pair.RDP(order)
				t.printed(math.IsInf(rdp, 1) == (l >= s), s, "r = %v, α = %v, λ = %v: %v", r, a, order, rdp)
				if l >= s {
					continue
				}
				t.printed(near(rdp, q.moved(r, a, a, order), 3e-8), s, "r = %v, α = %v, λ = %v: %v", r, a, order, rdp)
				gap, integral := a-l*r, 0.0
				for i, u := range nodes {
					for j, v := range nodes {
						integral += weights[i] * weights[j] / 4 * num.Trigamma(gap+l*r*(1+u)/2+order*r*(1+v)/2)
					}
				}
				t.printed(gap < a/3 || near(rdp, order*r*r*integral, 1e-8), s, "integral at r = %v, α = %v, λ = %v", r,
					a, order)
				t.printed(order*r*r*num.Trigamma(a+r/2) <= rdp, s, "below at r = %v, α = %v, λ = %v", r, a, order)
				t.printed(rdp <= order*r*r*num.Trigamma(gap)*(1+2e-9), s, "above at r = %v, α = %v, λ = %v", r, a,
					order)
				t.printed(rdp > last, s, "falls with λ at %v", order)
				t.printed(rdp > loss.DirichletPair{Rate: r, Shape: 1.1 * a}.RDP(order), s, "grows with α at %v", a)
				t.printed(rdp < loss.DirichletPair{Rate: 1.1 * r, Shape: a}.RDP(order), s, "falls with r at %v", r)
				t.printed(rdp < loss.DirichletPair{Rate: 1.1 * r, Shape: 1.1 * a}.RDP(order), s, "falls with r at "+
					"α/r = %v", s)
				last = rdp
			}
			limit := r * (num.Digamma(a+r) - num.Digamma(a))
			t.printed(near(pair.RDP(1+1e-8), limit, 1e-6), s, "λ → 1 at r = %v, α = %v", r, a)
		}
	}
	t.f.number("λ = 5, ε = 1: exact RDP of Algorithm 1's pair",
		q.moved(2.441192661519, 40.0590825843, 40.0590825843, 5), .73986242522, 1e-10)
	return nil
}

// corollaryA2 has k times the divergences of the pair.
func corollaryA2(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		if t.settled(k) {
			break
		}
		r, a := p[0], p[1]
		pair := loss.GammaPair{Rate: r, Shape: a}
		// adding a record to a cell with count records, and removing it again
		visit := func(count, rest, size float64) {
			for _, o := range ordersVisited {
				bound := k * pair.RDP(o)
				if math.IsInf(bound, 1) {
					continue
				}
				add, remove := q.added(r, a+r*count, rest, o), q.removed(r, a+r*count, rest, o)
				t.bound(bound, math.Max(add, remove), size, "RDP %v of adding to %v", o, count)
				t.printed(remove <= add*(1+1e-9), size, "removing costs more at %v", count)
			}
			for _, e := range epsilonsVisited {
				add, remove := q.hockey(rest, a+r*count, rest, a+r*(count+1), e),
					q.hockey(a+r*(count+1), rest, a+r*count, rest, e)
				t.bound(k*pair.Delta(e), math.Max(add, remove), size, "δ(%v) of adding to %v", e, count)
			}
		}
		for d := 2; d <= 3; d++ {
			for n := 0; n <= 5; n++ {
				for count := 0; count <= n; count++ {
					visit(float64(count), r*float64(n-count)+float64(d-1)*a, float64(n))
				}
			}
		}
		for _, n := range []float64{1e2, 1e4} { // the other counts grow
			visit(0, r*n+a, n)
		}
		near1 := q.added(r, a, r*1e5+a, 1.5) / pair.RDP(1.5)
		t.f.require(near1 < 1 && near1 > .999, "n = 1e5: %v of the supremum", near1)
	}
	t.attained(tightWithin - 1)
	return nil
}

// corollaryA3 has k times the divergences.
func corollaryA3(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		if t.settled(k) {
			break
		}
		r, a := p[0], p[1]
		for n := 1; n <= 12; n++ {
			pair := loss.BinaryDirichletPair{Rate: r, Shape: a, N: n}
			worst := func(at func(k int) float64) (most float64) {
				for k := range n { // counts (k+1, n−k−1) and (k, n−k); the other direction is n−1−k
					most = math.Max(most, at(k))
				}
				return most
			}
			side := func(k int) (float64, float64) { return a + r*float64(k), a + r*float64(n-1-k) }
			for _, o := range ordersVisited {
				if bound := k * pair.RDP(o); !math.IsInf(bound, 1) {
					truth := worst(func(k int) float64 { x, y := side(k); return q.moved(r, x, y, o) })
					t.bound(bound, truth, float64(n), "n = %d", n)
					t.printed(near(bound, truth, 1e-8), float64(n), "n = %d is not exact", n)
				}
			}
			for _, e := range epsilonsVisited {
				truth := worst(func(k int) float64 { x, y := side(k); return q.movedDelta(r, x, y, e) })
				t.printed(near(pair.Delta(e), truth, 1e-8), float64(n), "δ at n = %d", n)
			}
		}
		one := loss.BinaryDirichletPair{Rate: r, Shape: a, N: 1}
		many := loss.BinaryDirichletPair{Rate: r, Shape: a, N: 1 << 40}
		t.printed(near(one.RDP(1.5), loss.DirichletPair{Rate: r, Shape: a}.RDP(1.5), 1e-9), 1, "n = 1")
		t.printed(near(many.RDP(1.5), loss.GammaPair{Rate: r, Shape: a}.RDP(1.5), 1e-6), 1e12, "n → ∞")
	}
	t.f.number("λ = 2, r = 1, α = 25, n = 10", q.moved(1, 34, 25, 2), .06980953131, 1e-10)
	t.f.number("Theorem A ÷ A3, λ = 2, r = 1, α = 25, n = 1e5", q.moved(1, 25, 25, 2)/q.moved(1, 25+99999, 25, 2),
		1.96029, 1e-4)
	t.margin(1, 1, 1e-8)
	return nil
}
