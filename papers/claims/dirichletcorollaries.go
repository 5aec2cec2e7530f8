package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

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
