package claims

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/internal/hellingersample"
)

// errors is the law of H under rate a at x: distances with probabilities.
func errorsAt(s *hellinger.Space, x []int64, a float64) (h, p []float64, err error) {
	n := hellingersample.Count(s.N(), s.Cells())
	h, p = make([]float64, n), make([]float64, n)
	if err := hellingersample.Exponents(s.Alpha(), x, 1, h); err != nil { // at rate 1 the exponent is H
		return nil, nil, err
	}
	z := 0.0
	for i, v := range h {
		p[i] = math.Exp(-a * v)
		z += p[i]
	}
	for i := range p {
		p[i] /= z
	}
	return h, p, nil
}

func meanError(f *Finding, s *hellinger.Space, x []int64, a float64) (float64, error) {
	h, p, err := errorsAt(s, x, a)
	sum := 0.0
	for i := range h {
		sum += h[i] * p[i]
	}
	f.Cases += int64(len(h))
	return sum, err
}

// ranking computes E[H] of the modes and of noise that keeps the total, γ = ε/2 per cell; of this with another ε where
// factor is not 1.
func ranking(_ context.Context, f *Finding, factor float64) error {
	for _, c := range []struct {
		alpha                  []float64
		x                      []int64
		eps                    float64
		global, local, keeping float64
	}{
		{[]float64{7, 4}, []int64{250, 250}, .5, .831823508320, .146198008525, .059736258644},
		{[]float64{7, 4, 5}, []int64{50, 50, 50}, .8, .921729227777, .588199078928, .146133662440},
	} {
		n := int64(0)
		for _, v := range c.x {
			n += v
		}
		s := space(int(n), c.alpha...)
		g, _, _ := s.Global()
		l, _, _ := s.Local(c.x)
		own, err := meanError(f, s, c.x, c.eps/2/g)
		if err != nil {
			return err
		}
		loc, err := meanError(f, s, c.x, c.eps/2/l)
		if err != nil {
			return err
		}
		keep := keepingNoise(f, s, c.x, factor*c.eps)
		name := fmt.Sprintf("prior %v, n = %d: E[H] of ", c.alpha, n)
		f.number(name+"the global mode", own, c.global, 1e-9)
		f.number(name+"the local mode", loc, c.local, 1e-9)
		f.number(name+"noise that keeps the total", keep, c.keeping, 2e-7)
		f.trial().printed(keep < own && keep < loc, float64(len(c.x)), "prior %v, n = %d, ε = %v, balanced: global %.3f, "+
			"local %.3f, geometric noise %.3f", c.alpha, n, c.eps, own, loc, keep)
	}
	return nil
}

// keepingNoise is E[H] under z with Σz = 0 and P(z) ∝ e^{−ε/2·‖z‖₁}; tables with a negative cell, of probability below
// 1e-7 here, are left out.
func keepingNoise(f *Finding, s *hellinger.Space, x []int64, eps float64) float64 {
	sum, z := 0.0, 0.0
	r := make([]int64, len(x))
	var fill func(i int, left int64, norm float64)
	reach := int64(40 / eps)
	fill = func(i int, left int64, norm float64) {
		if i == len(x)-1 {
			norm += math.Abs(float64(left))
			w := math.Exp(-eps / 2 * norm)
			z += w
			if r[i] = x[i] + left; r[i] >= 0 {
				for _, v := range r {
					if v < 0 {
						return
					}
				}
				sum += w * s.Distance(x, r)
			}
			f.Cases++
			return
		}
		for v := -reach; v <= reach; v++ {
			r[i] = x[i] + v
			fill(i+1, left-v, norm+math.Abs(float64(v)))
		}
	}
	fill(0, 0, 0)
	return sum / z
}
