package claims

import (
	"math"
	"math/rand/v2"
)

// outer is ‖xx′ − yy′‖_F = √(|x|⁴ + |y|⁴ − 2(x·y)²).
func outer(x, y []float64) float64 {
	var xx, yy, xy float64
	for i := range x {
		xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
	}
	return math.Sqrt(math.Max(0, xx*xx+yy*yy-2*xy*xy))
}

func lemma23(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 23))
	for _, eigen := range [][]float64{{3, 2, 1}, {1, 1}, {2, 1}, {1, 1, 1, 1}, {5, 1}} {
		norm, top, most := 0.0, 0.0, 0.0
		for _, v := range eigen {
			norm, top = norm+v*v, math.Max(top, v)
		}
		norm = math.Sqrt(norm)
		try := func(x, y []float64) {
			d := outer(x, y)
			if d < 1e-9 {
				return
			}
			sum := 0.0
			for i, v := range eigen {
				sum += v * (x[i]*x[i] - y[i]*y[i]) / 2
			}
			t.f.require(math.Abs(sum)/d <= top/2*(1+1e-9), "%v above ½λ_max = %v", sum/d, top/2)
			most = math.Max(most, math.Abs(sum)/d)
		}
		for range 2000 {
			x, y := make([]float64, len(eigen)), make([]float64, len(eigen))
			for i := range x {
				x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			}
			try(x, y)
		}
		x := make([]float64, len(eigen))
		x[0] = 1
		try(x, make([]float64, len(eigen)))
		t.bound(k*norm/2, most, top, "eigenvalues %v", eigen)
	}
	t.margin(1.0198, 2, 1e-4)
	return nil
}

func lemma23Mean(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 123))
	for _, eigen := range [][]float64{{3, 2, 1}, {1, 1}, {5, 1}} {
		for _, size := range []float64{.2, 1, 4} {
			d := len(eigen)
			mu, along, top, norm, pull := make([]float64, d), make([]float64, d), 0.0, 0.0, 0.0
			mu[0] = size * .6
			mu[1] = size * .8
			for i, v := range eigen {
				top, norm = math.Max(top, v), norm+v*v
				along[i] = v * mu[i]
				pull += along[i] * along[i]
			}
			exact, most := math.Max(top, math.Sqrt(pull))/2, 0.0
			try := func(x, y []float64) {
				loss, gap := 0.0, 0.0
				for i, v := range eigen {
					loss += v * ((x[i]-mu[i])*(x[i]-mu[i]) - (y[i]-mu[i])*(y[i]-mu[i])) / 2
					gap += (x[i] - y[i]) * (x[i] - y[i])
				}
				v := math.Abs(loss) / (outer(x, y) + 2*math.Sqrt(gap))
				t.f.require(v <= exact*(1+1e-9), "%v above ½max(λ, ‖Aμ‖) = %v", v, exact)
				most = math.Max(most, v)
			}
			for range 500 {
				x, y, s := make([]float64, d), make([]float64, d), math.Exp(2*r.NormFloat64())
				for i := range x {
					x[i], y[i] = s*r.NormFloat64(), s*r.NormFloat64()
				}
				try(x, y)
			}
			far := make([]float64, d) // beside it, λ_max alone counts
			far[0] = 1e6
			try(far, make([]float64, d))
			for i := range along { // near 0, ‖Aμ‖ alone counts
				along[i] *= 1e-6
			}
			try(along, make([]float64, d))
			t.f.require(near(most, exact, 1e-4), "eigenvalues %v, ‖μ‖ = %v: %v, not %v", eigen, size, most, exact)
			t.bound(k*math.Sqrt(norm)/2*math.Max(1, size), most, size, "eigenvalues %v, ‖μ‖ = %v", eigen, size)
		}
	}
	return nil
}

// lemma23Classical compares 3ε with the exact ε of the precision of one record, uniform prior, and looks for the
// greatest ρ and the greatest oscillation of the unit ball.
func lemma23Classical(t *trial, k float64) error {
	for _, b := range []float64{1, 2, 3, 4, 5} {
		for _, g := range []gammaPrior{{1e-9, .5, 2, .5}, {1e-9, .01, 1, .5}} {
			exact := g.epsilon(1, b*b/2)
			t.printed(exact <= 3*g.c2, b, "d = 1, μ = 0, precision %v to %v with a uniform prior, |x| ≤ %v: exactly %.3f "+
				"> 3ε = %.3g", g.c1, g.c2, b, exact, 3*g.c2)
			t.repaired(exact <= b*b*g.c2, "|x| ≤ %v: ρ·ε", b)
			t.repaired(b > 1 || exact <= 3*g.c2, "|x| ≤ 1")
		}
	}
	greatest := func(points [][]float64, visit func(x, y []float64) float64) float64 {
		most := 0.0
		for _, x := range points {
			for _, y := range points {
				most = math.Max(most, visit(x, y))
				t.f.Cases++
			}
		}
		return most
	}
	rho := func(x, y []float64) float64 {
		gap := 0.0
		for i := range x {
			gap += (x[i] - y[i]) * (x[i] - y[i])
		}
		return outer(x, y) + 2*math.Sqrt(gap)
	}
	var line, wide, square, disc, ring [][]float64
	for i := range 21 {
		u := float64(i) / 20
		line, wide = append(line, []float64{u}), append(wide, []float64{2*u - 1})
		for j := range 21 {
			square = append(square, []float64{u, float64(j) / 20})
		}
	}
	for i := range 720 { // ρ is largest on the circle
		a := math.Pi * float64(i) / 360
		disc = append(disc, []float64{math.Cos(a), math.Sin(a)})
		if i%6 == 0 {
			ring = append(ring, []float64{math.Cos(a), math.Sin(a)}, []float64{math.Cos(a) / 2, math.Sin(a) / 2})
		}
	}
	t.repaired(greatest(line, rho) <= 3, "[0, 1]")
	t.f.number("greatest ρ on [−1, 1]", greatest(wide, rho), 4, 1e-12)
	t.f.number("greatest ρ on the unit ball", greatest(disc, rho), 4.7096008204, 2e-5)
	t.f.number("greatest ρ on [0, 1]²", greatest(square, rho), 2*math.Sqrt2+2, 1e-12)
	for _, m := range []float64{0, .5, .9, 1, 1.1, 2, 5} { // precision up to 1: osc ≤ ½‖uu′ − vv′‖_*, u = x − μ, v = y − μ
		osc := greatest(ring, func(x, y []float64) float64 {
			u, v, w := 0.0, 0.0, 0.0
			for i := range x {
				a, b := x[i], y[i]
				if i == 0 {
					a, b = a-m, b-m
				}
				u, v, w = u+a*a, v+b*b, w+a*b
			}
			return math.Sqrt(math.Max(0, (u+v)*(u+v)-4*w*w)) / 2
		})
		t.repaired(osc <= k*2.6*math.Max(1, m)*(1+1e-9), "‖μ‖ = %v: oscillation %v on the unit ball", m, osc)
	}
	return nil
}
