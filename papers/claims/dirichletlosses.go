package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// lemma2 looks at x^2k ψ′(1+x).
func lemma2(t *trial, k float64) error {
	phi := func(x float64) float64 { return math.Pow(x, 2*k) * num.Trigamma(1+x) }
	last := 0.0
	for j := -400; j <= 400; j++ {
		x := math.Pow(10, float64(j)/40)
		t.printed(phi(x) > last, x, "x = %v", x)
		last = phi(x)
		// the derivative as a series of positive terms; the rest from m on lies between two integrals of 2k/(k+x)³
		if x > 1e-3 && x < 1e3 {
			const m = 4000
			sum := 0.0
			for i := 1; i < m; i++ {
				f := float64(i)
				sum += 2 * f / ((f + x) * (f + x) * (f + x))
			}
			rest := func(k float64) float64 { return 2/(k+x) - x/((k+x)*(k+x)) }
			h := 1e-4 * x
			slope := (phi(x+h) - phi(x-h)) / (2 * h)
			t.f.require(near(x*(sum+rest(m-.5)), slope, 1e-5), "derivative at %v: %v, series %v", x, slope,
				x*(sum+rest(m-.5)))
		}
	}
	t.f.number("x²ψ′(1+x) at 1e-10", phi(1e-10), 0, 1e-18)
	t.f.require(phi(1e10) > 9e9, "bounded")
	for _, order := range []float64{1.001, 2, 300} {
		for _, eps := range []float64{1e-6, 1, 1e4} {
			r, _, err := algorithm1(order, eps)
			t.printed(err == nil && near(order*r*r*num.Trigamma(1+3*(order-1)*r), eps, 1e-10), order,
				"no root at λ = %v, ε = %v", order, eps)
		}
	}
	return nil
}

// proposition3 has k times the exponent of the density ratio.
func proposition3(t *trial, k float64) error {
	q := newQuadrature()
	for _, r := range []float64{.01, .3, 1, 30} {
		for _, a := range []float64{.5, 1, 40} {
			// f = (1, 0) and (0, 1): ln of the density ratio at y_1 = 1 − e^{−s}, y_2 = e^{−s}, and mirrored
			ratio := func(s float64) float64 {
				return q.logBeta(a, a+r) - q.logBeta(a+r, a) + k*r*(math.Log1p(-math.Exp(-s))+s)
			}
			for _, eps := range []float64{.1, 1, 10, 1000} {
				s := (eps+1)/r + 1
				t.printed(ratio(s) > eps, eps, "r = %v, α = %v, ε = %v", r, a, eps)
			}
			slope := (ratio(200) - ratio(100)) / 100
			t.f.require(near(slope, r, 1e-9), "exponent %v, r = %v", slope, r)
			if r >= .3 { // the set where it is exceeded has a positive probability
				t.printed(q.movedDelta(r, a, a, 5) > 0, a, "δ(5) = 0 at r = %v, α = %v", r, a)
			}
		}
	}
	return nil
}

// lemma1 asks for k(ε₁ + ε₂), by the product of two random laws on three and four points.
func lemma1(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 8))
	law := func(n int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p {
			p[i] = math.Exp(3 * g.Float64())
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	for i := range 400 {
		p1, q1, p2, q2 := law(3), law(3), law(4), law(4)
		o1, o2 := 1+math.Exp(-2+5*g.Float64()), 1+math.Exp(-2+5*g.Float64())
		if i%2 == 0 {
			o2 = o1
		}
		var p, q []float64
		for a := range p1 {
			for b := range p2 {
				p, q = append(p, p1[a]*p2[b]), append(q, q1[a]*q2[b])
			}
		}
		t.bound(k*(renyiOf(p1, q1, o1)+renyiOf(p2, q2, o2)), renyiOf(p, q, math.Min(o1, o2)), o1, "λ = %v and %v", o1,
			o2)
	}
	t.attained(1e-8)
	return nil
}

// renyiOf is the Rényi divergence of laws on finitely many points.
func renyiOf(p, q []float64, order float64) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Exp(order*math.Log(p[i]) - (order-1)*math.Log(q[i]))
	}
	return math.Log(sum) / (order - 1)
}

// trigammaSum is ψ′(x) by its series, the rest by Euler and Maclaurin: independent of package num.
func trigammaSum(x float64) float64 {
	const m = 40
	sum := 0.0
	for i := m - 1; i >= 0; i-- {
		f := x + float64(i)
		sum += 1 / (f * f)
	}
	y := x + m
	return sum + 1/y + 1/(2*y*y) + 1/(6*y*y*y) - 1/(30*math.Pow(y, 5))
}

// trigammaBounds has 1/x + k/x² above.
func trigammaBounds(t *trial, k float64) error {
	for j := -240; j <= 160; j++ {
		x := math.Pow(10, float64(j)/40)
		v := trigammaSum(x)
		t.f.require(near(v, num.Trigamma(x), 1e-12), "ψ′(%v) = %v", x, v)
		t.printed(1/x+1/(2*x*x) < v && v < 1/x+k/(x*x), x, "x = %v", x)
		for _, more := range []float64{1.01, 3} {
			y := more * x
			mean, middle := (v+trigammaSum(y))/2, trigammaSum((x+y)/2)
			t.printed(v > 0 && trigammaSum(y) < v && middle < mean, x, "the shape of ψ′ at %v", x)
			t.printed(num.Digamma(y) > num.Digamma(x) &&
				num.Digamma((x+y)/2) > (num.Digamma(x)+num.Digamma(y))/2, x, "the shape of ψ at %v", x)
		}
	}
	t.f.number("x²ψ′(x) at 1e-6", 1e-12*trigammaSum(1e-6), 1, 1e-5)
	t.f.number("xψ′(x) at 1e4", 1e4*trigammaSum(1e4), 1, 1e-4)
	return nil
}

// digammaBounds has ln(x − k/2) below.
func digammaBounds(t *trial, k float64) error {
	for j := -160; j <= 160; j++ {
		x := .5 + math.Pow(10, float64(j)/40)
		v := num.Digamma(x)
		t.printed(math.Log(x-k/2) < v && v < math.Log(x), x, "x = %v", x)
	}
	t.f.number("24x²(ψ(x) − ln(x − ½)) at 100", 24e4*(num.Digamma(100)-math.Log(99.5)), 1, .03)
	return nil
}

// lgamma is an implementation of lnΓ that package dp does not use.
func lgamma(x float64) float64 { v, _ := math.Lgamma(x); return v }

// vectorRenyi is the textbook Rényi divergence of Dirichlet(u) from Dirichlet(v); +Inf where it diverges.
func vectorRenyi(u, v []float64, order float64) float64 {
	sum, total := 0.0, [3]float64{}
	for i := range u {
		w := order*u[i] - (order-1)*v[i]
		if !(w > 0) {
			return math.Inf(1)
		}
		sum += lgamma(w) + (order-1)*lgamma(v[i]) - order*lgamma(u[i])
		total[0], total[1], total[2] = total[0]+w, total[1]+v[i], total[2]+u[i]
	}
	return (sum - lgamma(total[0]) - (order-1)*lgamma(total[1]) + order*lgamma(total[2])) / (order - 1)
}

// corollaryA4 has k times the bound.
func corollaryA4(t *trial, k float64) error {
	u, v := [3]float64{2, 3.5, 2.5}, [3]float64{2.4, 3.1, 3}
	t.f.number("order 1.5 of one change of three cells, over the simplex", simplexRenyi(u, v, 1.5),
		vectorRenyi(u[:], v[:], 1.5), 1e-10)
	g := rand.New(rand.NewPCG(5, 2))
	for range 3000 {
		d := 2 + g.IntN(6)
		r, inf := math.Exp(-3+4*g.Float64()), math.Exp(-1+2*g.Float64())
		two := inf * math.Sqrt(1+float64(d-1)*g.Float64())
		order := 1 + math.Exp(-3+6*g.Float64())
		a := (order - 1) * r * inf * (1 + math.Exp(-3+5*g.Float64()))
		u, v := make([]float64, d), make([]float64, d)
		change := make([]float64, d)
		norm := 0.0
		for i := range change {
			change[i] = inf * (2*g.Float64() - 1)
			if g.IntN(2) == 0 {
				change[i] = math.Copysign(inf, change[i])
			}
			norm += change[i] * change[i]
		}
		scale := math.Min(1, two/math.Sqrt(norm))
		for i := range u {
			least := 0.0
			if g.IntN(2) == 0 {
				least = 5 * g.Float64()
			}
			c := change[i] * scale
			u[i], v[i] = a+r*(least+math.Max(0, -c)), a+r*(least+math.Max(0, c))
		}
		truth := vectorRenyi(u, v, order)
		if truth < 1e-6 { // the textbook form has lost its digits
			continue
		}
		t.bound(loss.VectorPair{Rate: r, Shape: a, Delta2: two, DeltaInf: inf}.RDP(order)*k, truth, float64(d),
			"d = %d, λ = %v", d, order)
	}
	for _, moved := range []int{1, 2, 3} { // so many cells grow by Δ∞ from nothing, beside a cell of 1e5
		const r, a, inf, order = .5, 6, 2.0, 3.0
		u, v := []float64{a + r*1e5}, []float64{a + r*1e5}
		for range moved {
			u, v = append(u, a), append(v, a+r*inf)
		}
		pair := loss.VectorPair{Rate: r, Shape: a, Delta2: inf * math.Sqrt(float64(moved)), DeltaInf: inf}
		bound := k * pair.RDP(order)
		truth := vectorRenyi(u, v, order)
		t.bound(bound, truth, float64(moved), "%d cells", moved)
		t.f.require(truth > .999*bound, "%d cells: %v of the bound %v", moved, truth, bound)
	}
	t.attained(tightWithin - 1)
	return nil
}

// corollaryA5 has k times the divergences.
func corollaryA5(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range rateShape {
		if t.settled(k) {
			break
		}
		r, a := p[0], p[1]
		for b := 1; b <= 4; b++ {
			pair := scaledPair{loss.DirichletPair{Rate: r, Shape: a + r*float64(b)}, k}
			for n := 1; n <= 4; n++ {
				histograms(3, n, func(x []int) { // n records beyond the b of every cell
					moves(x, func(i, j int) {
						from, to := a+r*float64(b+x[i]-1), a+r*float64(b+x[j])
						for _, o := range ordersVisited {
							if bound := pair.RDP(o); !math.IsInf(bound, 1) {
								t.bound(bound, q.moved(r, from, to, o), float64(n), "b = %d, %v", b, x)
							}
						}
						for _, e := range epsilonsVisited {
							t.bound(pair.Delta(e), q.movedDelta(r, from, to, e), float64(n), "b = %d, %v, ε = %v", b,
								x, e)
						}
					})
				})
			}
		}
	}
	t.attained(1e-8)
	return nil
}

// leastShape is the smallest α at which the exact RDP of the pair (α, r) is at most ε.
func leastShape(r, order, epsilon float64) (float64, error) {
	gap := func(t float64) float64 {
		return math.Log(loss.DirichletPair{Rate: r, Shape: (order-1)*r + math.Exp(t)}.RDP(order) / epsilon)
	}
	_, hi, err := num.RootBracket(gap, math.Log(r)-60, math.Log(r)+25, 1e-12)
	return (order-1)*r + math.Exp(hi), err
}

// corollaryA6 has k times the floor.
func corollaryA6(t *trial, k float64) error {
	q := newQuadrature()
	for _, order := range []float64{1.5, 2, 5, 20} {
		for _, eps := range []float64{.001, .01, .1, 1} {
			b := order * (order - 1) / -math.Expm1(-(order-1)*eps)
			floor := k * (math.Sqrt(1+4*b) - 1) / 2
			for _, r := range []float64{1e-5, 1e-3, .1, 1, 10} {
				a, err := leastShape(r, order, eps)
				if err != nil {
					return err
				}
				t.bound(a/r, floor, order, "λ = %v, ε = %v, r = %v: s = %v", order, eps, r, a/r)
				if gap := a - (order-1)*r; r >= .1 && gap > 1e-3*a { // the quadrature resolves it
					t.printed(near(q.moved(r, a, a, order), eps, 1e-7), order, "α at λ = %v, ε = %v, r = %v", order,
						eps, r)
				}
				if r == 1e-5 && order == 5 && eps == 1 {
					t.f.number("floor, λ = 5, ε = 1", floor, 4.0412715408, 1e-9)
					t.f.number("s at r = 1e-5", a/r, floor, 1e-4)
				}
			}
		}
	}
	r, a, err := algorithm1(5, 1)
	t.f.number("s of Algorithm 1, λ = 5, ε = 1", a/r, 16.4096, 5e-5)
	t.attained(tightWithin - 1)
	return err
}

// corollaryA7 has k times the Rényi divergence of the limit.
func corollaryA7(t *trial, k float64) error {
	q := newQuadrature()
	for _, sigma := range []float64{.7, 2, 5} {
		last := math.Inf(1)
		for _, r := range []float64{10, 100, 1000} {
			a := sigma * sigma * r * r
			worst := 0.0
			for _, order := range []float64{1.5, 2, 5} {
				worst = math.Max(worst, math.Abs(q.moved(r, a, a, order)*sigma*sigma/(k*order)-1))
			}
			for _, eps := range []float64{0, .3, 1} { // N(0, σ²) on two counts that change by 1
				m := math.Sqrt2 / sigma
				phi := func(x float64) float64 { return math.Erfc(-x/math.Sqrt2) / 2 }
				gauss := phi(m/2-eps/m) - math.Exp(eps)*phi(-m/2-eps/m)
				worst = math.Max(worst, math.Abs(q.movedDelta(r, a, a, eps)-gauss))
			}
			// mean f exactly; variance σ² + f/r and skewness 2/√(rf + α)
			const f = 3.0
			worst = math.Max(worst, math.Max(f/r/(sigma*sigma), 2/math.Sqrt(r*f+a)))
			t.printed(worst < last/5 && worst*r < 30, r, "r = %v, σ = %v: error %v after %v", r, sigma, worst, last)
			last = worst
		}
		t.f.number(fmt.Sprintf("largest error at r = 1000, σ = %v", sigma), last, 0, .03)
	}
	return nil
}

// theoremB has k times the first term.
func theoremB(t *trial, k float64) error {
	q := newQuadrature()
	for _, r := range []float64{.1, 1, 3} {
		for _, s := range []float64{.5, 2, 10} {
			a := r * s
			for _, eps := range []float64{0, .1, .5, 1, 4} {
				truth := q.movedDelta(r, a, a, eps)
				x, y := num.Logistic(-eps / r)
				first, _ := num.BetaTails(a, a+r, x, y)
				second, _ := num.BetaTails(a+r, a, x, y)
				t.printed(math.Abs(k*first-math.Exp(eps)*second-truth) < 1e-11, s, "r = %v, α = %v, ε = %v: %v", r, a,
					eps, truth)
				t.bound(loss.DirichletPair{Rate: r, Shape: a}.Delta(eps), truth, s, "r = %v, α = %v, ε = %v", r, a, eps)
				floor := math.Exp(-s*eps) / (2*s + 1)
				t.printed(truth >= floor*(1-1e-9), s, "below the floor at r = %v, α = %v, ε = %v", r, a, eps)
			}
		}
	}
	for _, eps := range []float64{0, .5, 1, 4, 12} {
		t.printed(near(q.movedDelta(1, 1, 1, eps), 1/(1+math.Exp(eps)), 1e-9), 1, "r = α = 1, ε = %v", eps)
	}
	t.f.number("δ(0.5), r = 1e-3, α = 0.02, ÷ the floor", q.movedDelta(1e-3, .02, .02, .5)/(math.Exp(-10)/41), 1, .002)
	t.f.number("δ(1), r = 3, α = 50", q.movedDelta(3, 50, 50, 1), .018190802441, 1e-11)
	t.attained(1e-8)
	return nil
}

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
