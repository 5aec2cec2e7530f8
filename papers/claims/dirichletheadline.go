package claims

import (
	"math"
	"math/rand/v2"
)

// headline has k times the paper's β: the logarithms of two densities on the simplex differ by a constant.
func headline(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 9))
	for i := range 300 {
		d := 2 + g.IntN(7)
		r, alpha := math.Exp(-3+5*g.Float64()), math.Exp(-3+5*g.Float64())
		f, total := make([]float64, d), 0.0
		for j := range f {
			if f[j] = 40 * g.Float64(); i%2 == 0 { // a histogram, with empty cells
				f[j] = float64(g.IntN(4))
			}
			total += f[j]
		}
		if total == 0 {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for range 20 {
			mechanism, density := 0.0, 0.0
			for j, y := range randomSimplex(g, d) {
				if f[j] > 0 {
					mechanism -= k * r * total * f[j] / total * math.Log(f[j]/total/y)
				}
				mechanism += (alpha - 1) * math.Log(y)
				density += (r*f[j] + alpha - 1) * math.Log(y)
			}
			low, high = math.Min(low, mechanism-density), math.Max(high, mechanism-density)
		}
		t.printed(high-low < 1e-10*(1+r*total)*10, total, "f = %v, r = %v, α = %v: the densities differ by e^%v", f, r,
			alpha, high-low)
	}
	return nil
}

// randomSimplex is a point of the simplex, also near its faces.
func randomSimplex(g *rand.Rand, d int) []float64 {
	y, sum := make([]float64, d), 0.0
	for i := range y {
		y[i] = math.Pow(g.ExpFloat64(), 3) + 1e-12
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// biasOfDraw has k times the printed bias; the mean is a ratio of integrals.
func biasOfDraw(t *trial, k float64) error {
	q := newQuadrature()
	bias := func(f, total, d, r, alpha float64) float64 {
		return alpha * math.Abs(total-d*f) / (total * (r*total + d*alpha))
	}
	for _, p := range rateShape {
		r, alpha := p[0], p[1]
		for d := 2; d <= 4; d++ {
			for n := 1; n <= 5; n++ {
				for x := 0; x <= n; x++ {
					f, total, cells := float64(x), float64(n), float64(d)
					a, b := r*f+alpha, r*(total-f)+(cells-1)*alpha
					mean := math.Exp(q.logBeta(a+1, b) - q.logBeta(a, b))
					v := bias(f, total, cells, r, alpha)
					t.printed(math.Abs(math.Abs(mean-f/total)-k*v) < 1e-10, total, "f_i = %v of %v, d = %v: %v, not "+
						"%v", f,
						total, cells, mean-f/total, v)
					larger, less := bias(f, total, cells, 1.1*r, alpha), bias(f, total, cells, r, .9*alpha)
					t.printed(v == 0 || larger < v && less < v, total, "no smaller at f_i = %v of %v", f, total)
				}
			}
		}
	}
	return nil
}

// likelihoodIsKL has k times the divergence.
func likelihoodIsKL(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 10))
	for range 500 {
		d := 2 + g.IntN(7)
		f, total := make([]float64, d), 0.0
		for i := range f {
			f[i] = float64(g.IntN(30))
			total += f[i]
		}
		if total == 0 {
			continue
		}
		y := randomSimplex(g, d)
		likelihood, best, entropy, kl := 0.0, 0.0, 0.0, 0.0
		for i, v := range f {
			if v > 0 {
				likelihood += v * math.Log(y[i])
				best += v * math.Log(v/total)
				entropy -= v / total * math.Log(v/total)
				kl += v / total * math.Log(v/total/y[i])
			}
		}
		t.printed(math.Abs(likelihood+total*(k*kl+entropy)) < 1e-9*total, total, "counts %v", f)
		t.printed(likelihood <= best && kl >= 0, total, "f/N is not the best for %v", f)
	}
	return nil
}
