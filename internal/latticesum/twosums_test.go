package latticesum

import (
	"math"
	"testing"
)

// The closed moments of clipped values are those of the cells, to the order of the rounding.
func TestMomentsOfClippedValues(t *testing.T) {
	for _, half := range []float64{200, 1000} {
		for _, mu := range []float64{-1, -.7, 0, .4, .99} {
			for _, sigma := range []float64{.02, .05, .3, 1, 2} {
				a, b := normalSums(mu*half, sigma*half, half, 1), cellSums(mu*half, sigma*half, half, 1)
				for name, c := range map[string][3]float64{
					"mean": {a.m1, b.m1, half}, "square": {a.m2, b.m2, half * half},
					"variance": {a.v11, b.v11, b.v11 * 100}, "covariance": {a.v12, b.v12, math.Sqrt(b.v11*b.v22) * 100},
					"variance of squares": {a.v22, b.v22, b.v22 * 100},
				} {
					if math.Abs(c[0]-c[1]) > 3e-4*c[2] {
						t.Errorf("M = %v, μ = %v, σ = %v: %s %v for %v", half, mu, sigma, name, c[0], c[1])
					}
				}
			}
		}
	}
}

// Sums at their expectation put the posterior at their parameters, on narrow ridges too.
func TestSpreadIsLocated(t *testing.T) {
	const half = 1024
	exponent := func(d, e float64) float64 {
		d, e = math.Abs(d)/half, math.Abs(e)/(half*half)
		if e >= d {
			return e
		}
		return d * d / (2*d - e)
	}
	for _, mu := range []float64{-.97, -.5, 0, .9} {
		for _, sigma := range []float64{.05, .3, 1} {
			for _, n := range []int{500, 5000, 1_000_000} {
				s := normalSums(mu*half, sigma*half, half, 1)
				o := TwoSums{N: n, Half: half, Unit: 1, First: float64(n) * s.m1, Second: float64(n) * s.m2,
					Variances: [2]float64{11.76 * half * half, 3.5 * half * half * half * half}, Exponent: exponent,
					Mass: 40.0 / 3 * half * half * half}
				p, err := o.Posterior()
				if err != nil {
					t.Fatal(err)
				}
				m, v, sd, sv := 0.0, 0.0, 0.0, 0.0
				const points = 997
				for i := range points {
					share := func(stride int) float64 { return (float64(i*stride%points) + .5) / points }
					a, b := p.At(share(1), share(616), share(7))
					a, b = a/half, math.Log(b/half)
					m, v, sd, sv = m+a/points, v+b/points, sd+a*a/points, sv+b*b/points
				}
				sd, sv = math.Sqrt(sd-m*m), math.Sqrt(sv-v*v)
				if math.Abs(m-mu) > 2*sd || math.Abs(v-math.Log(sigma)) > 2*sv {
					t.Errorf("n = %d: %.4f ± %.4f for %v, log sd %.4f ± %.4f for %.4f", n, m, sd, mu, v, sv, math.Log(sigma))
				}
				if n == 1_000_000 && (sd > .02 || sd < 1e-6) {
					t.Errorf("n = %d, %v, %v: sd %v", n, mu, sigma, sd)
				}
			}
		}
	}
}
