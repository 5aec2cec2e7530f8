package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// equation10 is ε̂ of eq. (10).
func equation10(order, r, delta2, delta float64) float64 {
	return .5*order*r*r*delta2*num.Trigamma(1+3*(order-1)*r) +
		math.Log(order-1) - (math.Log(delta)+order*math.Log(order))/(order-1)
}

// figure7Grid visits the curves of Figure 7.
func figure7Grid(visit func(order, r, alpha float64)) {
	for _, order := range []float64{2, 10, 50, 200} {
		for k := range 9 {
			r := math.Pow(10, -3+float64(k)/2)
			visit(order, r, 1+4*(order-1)*r)
		}
	}
}

// equation10Holds has Δ₂² = 2k.
func equation10Holds(t *trial, k float64) error {
	q := newQuadrature()
	const delta = 1e-5
	figure7Grid(func(order, r, a float64) {
		if exact := q.movedDelta(r, a, a, equation10(order, r, 2*k, delta)); exact > 1e-300 {
			t.bound(delta, exact, order*1000+r, "λ = %v, r = %v", order, r)
		}
	})
	t.f.require(t.least > 27, "δ is 1e-5 ÷ %v somewhere", t.least)
	t.f.number("eq. (10) at λ = 10, r = 10", equation10(10, 10, 2, delta), 4.614864097446, 1e-10)
	t.f.number("δ at the exact ε = 3.104529, ÷ 1e-5", q.movedDelta(10, 361, 361, 3.104529399864)/delta, 1, 1e-7)
	return nil
}

// figure7 has Δ₂² = k.
func figure7(t *trial, k float64) error {
	q := newQuadrature()
	const delta = 1e-5
	figure7Grid(func(order, r, a float64) {
		drawn := equation10(order, r, k, delta)
		one := loss.GammaPair{Rate: r, Shape: a}.Delta(drawn) // the supremum over all counts of the other cells
		t.printed(one <= delta, order*1000+r, "λ = %v, r = %.3g: δ = %.3g", order, r, one)
		exact := q.movedDelta(r, a, a, drawn)
		t.outside(exact <= delta, order*1000+r, "one record replaced, λ = %v, r = %.3g: ε̂ = %.3f drawn, δ = %.3g",
			order, r, drawn, exact)
	})
	t.f.number("drawn at λ = 10, r = 10", equation10(10, 10, 1, delta), 2.766437367115, 1e-10)
	return nil
}

// lemma3 has k times its δ.
func lemma3(t *trial, k float64) error {
	q := newQuadrature()
	bound := func(order, rdp, eps float64) float64 {
		return k * math.Exp((order-1)*(rdp-eps)+order*math.Log1p(-1/order)) / (order - 1)
	}
	figure7Grid(func(order, r, a float64) {
		rdp := q.moved(r, a, a, order)
		for _, eps := range []float64{rdp, rdp + .3, rdp + 1, rdp + 4} {
			v := bound(order, rdp, eps)
			t.printed(q.movedDelta(r, a, a, eps) <= v*(1+1e-7), order, "λ = %v, r = %v, ε̂ = %v", order, r, eps)
			// eq. (10) solves for ε̂
			back := rdp + math.Log(order-1) - (math.Log(v)+order*math.Log(order))/(order-1)
			t.printed(k != 1 || near(back, eps, 1e-9), order, "ε̂ = %v, not %v", back, eps)
		}
	})
	for _, order := range []float64{2, 5, 20} { // a loss z with probability w, a small gain otherwise
		for _, w := range []float64{1e-2, 1e-4} {
			for _, z := range []float64{2, 5, 12} {
				p, o := []float64{w, 1 - w}, []float64{w * math.Exp(-z), 1 - w*math.Exp(-z)}
				rdp := math.Max(renyiOf(p, o, order), renyiOf(o, p, order))
				for _, eps := range []float64{z - math.Log(order/(order-1)), z - .1, z - 1} {
					if eps > 0 {
						t.bound(bound(order, rdp, eps), w-math.Exp(eps)*o[0], order, "λ = %v, loss %v, ε̂ = "+
							"%v", order, z,
							eps)
					}
				}
			}
		}
	}
	t.attained(tightWithin - 1)
	return nil
}

// figure7InWords has the direction k of the change with λ.
func figure7InWords(t *trial, k float64) error {
	orders := []float64{2, 10, 50, 200}
	for _, delta2 := range []float64{1, 2} {
		for i, order := range orders {
			for j := range 61 {
				r := math.Pow(10, -4+float64(j)/10)
				v := equation10(order, r, delta2, 1e-5)
				t.printed(equation10(order, 1.1*r, delta2, 1e-5) > v, order, "ε̂ falls with r at λ = %v, r = "+
					"%v", order, r)
				if i > 0 {
					t.printed(k*(equation10(orders[i-1], r, delta2, 1e-5)-v) > 0, order, "ε̂ grows with λ at λ = "+
						"%v, r = "+
						"%v", order, r)
				}
			}
		}
	}
	q := newQuadrature()
	t.f.require(q.moved(1, 797, 797, 200) > q.moved(1, 797, 797, 10), "the divergence falls with λ at α = 797")
	return nil
}

// oneDraw compares m records, drawn from y of two cells, with k times the δ of y itself.
func oneDraw(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range [][2]float64{{1, .3}, {1, 1}, {.5, 2}, {2, 7}} {
		r, a := p[0], p[1]
		for _, eps := range []float64{.2, 1, 2} {
			whole, last := q.movedDelta(r, a, a, eps), 0.0
			t.printed(whole > 0 && whole < 1, a, "δ(%v) = %v at r = %v, α = %v", eps, whole, r, a)
			for _, m := range []int{1, 2, 4, 20, 1000} {
				sum := 0.0
				for c := range m + 1 { // c records in the first cell: a Pólya law, from counts (1, 0) and (0, 1)
					choose := lgamma(float64(m+1)) - lgamma(float64(c+1)) - lgamma(float64(m-c+1))
					mass := func(u, v float64) float64 {
						return math.Exp(choose + q.logBeta(u+float64(c), v+float64(m-c)) - q.logBeta(u, v))
					}
					sum += math.Max(0, mass(a+r, a)-math.Exp(eps)*mass(a, a+r))
				}
				t.printed(sum <= k*whole*(1+1e-8)+1e-12, a, "δ(%v) of %d records at r = %v, α = %v: "+
					"%v", eps, m, r, a, sum)
				t.printed(sum >= last-1e-12 || m > 1000, a, "%d records cost less than fewer", m)
				last = sum
			}
			t.f.require(last > .8*whole, "1000 records have %v of δ at r = %v, α = %v", last/whole, r, a)
		}
	}
	return nil
}
