package roundedsum

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
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
				p := must.Get(o.Posterior())(t)
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

// lawOfTwo visits the exact law of (Σc, Σc²) of n clipped and rounded normal records, on a lattice of 2m + 1 points of
// [−1, 1].
func lawOfTwo(mu, sigma float64, m, n int, visit func(s1, s2 int, w float64)) {
	p, below := make([]float64, 2*m+1), 0.0
	for k := range p {
		upper := 1.0
		if k < 2*m {
			upper = math.Erfc(-((float64(k-m)+.5)/float64(m)-mu)/(sigma*math.Sqrt2)) / 2
		}
		p[k], below = upper-below, upper
	}
	wide, high := 2*m*n+1, m*m*n+1 // places of Σc + mn and of Σc²
	law := make([]float64, wide*high)
	law[0] = 1
	for range n {
		next := make([]float64, len(law))
		for i, w := range law {
			if w > 0 {
				for k, v := range p {
					next[i+k*high+(k-m)*(k-m)] += w * v
				}
			}
		}
		law = next
	}
	for i, w := range law {
		if w > 0 {
			visit(i/high-m*n, i%high, w)
		}
	}
}

// onGrid are the posterior means of μ and σ and the standard deviation of μ under a flat prior on the golden's grid.
func onGrid(likelihood func(mu, sigma float64) float64) (mu, sigma, sd float64) {
	total, square := 0.0, 0.0
	for i := range 17 {
		for j := 1; j <= 10; j++ {
			a, b := -.8+.1*float64(i), .1*float64(j)
			w := likelihood(a, b)
			total, mu, sigma, square = total+w, mu+w*a, sigma+w*b, square+w*a*a
		}
	}
	mu, sigma = mu/total, sigma/total
	return mu, sigma, math.Sqrt(square/total - mu*mu)
}

// The golden of two moments: three records on seven points, geometric noise of the rates of β = 1. The exact posterior
// by convolution is the golden's to eight digits; ours, which takes the sums for normal and is for n ≥ 50, is already
// within a twentieth of its standard deviation.
func TestGoldenTwoMoments(t *testing.T) {
	const m = 3
	g1, g2 := 4*2.0/(9*m), 4*2.0/(9*m*m)
	exact := func(n int, s1, s2 float64) func(mu, sigma float64) float64 {
		return func(mu, sigma float64) float64 {
			sum := 0.0
			lawOfTwo(mu, sigma, m, n, func(a, b int, w float64) {
				sum += w * math.Exp(-g1*math.Abs(s1-float64(a))-g2*math.Abs(s2-float64(b)))
			})
			return sum
		}
	}
	normal := func(n int, s1, s2 float64) func(mu, sigma float64) float64 {
		o := TwoSums{N: n, Half: m, Unit: 1, First: s1, Second: s2, Mass: 4 / (g1 * g2),
			Variances: [2]float64{2 / (g1 * g1), 2 / (g2 * g2)},
			Exponent:  func(d, e float64) float64 { return g1*math.Abs(d) + g2*math.Abs(e) }}
		return func(mu, sigma float64) float64 { return math.Exp(o.LogLikelihood(mu*m, sigma*m)) }
	}
	mu, sigma, sd := onGrid(exact(3, 2, 14))
	if off(mu, 0.15102379501783847) > 1e-8 || off(sigma, 0.5979628053932147) > 1e-8 || off(sd, 0.4313718834488198) > 1e-8 {
		t.Errorf("golden: %v, %v, %v", mu, sigma, sd)
	}
	for _, c := range []struct {
		n      int
		s1, s2 float64
		most   float64
	}{{3, 2, 14, .05}, {10, 6, 40, .05}, {10, -15, 45, .05}} {
		mu, sigma, sd := onGrid(exact(c.n, c.s1, c.s2))
		a, b, d := onGrid(normal(c.n, c.s1, c.s2))
		if math.Abs(a-mu) > c.most*sd || math.Abs(b-sigma) > c.most*sd || math.Abs(d-sd) > c.most*sd {
			t.Errorf("n = %d: %.4f, %.4f, %.4f for %.4f, %.4f, %.4f", c.n, a, b, d, mu, sigma, sd)
		}
	}
}
