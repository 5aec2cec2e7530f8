package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

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
