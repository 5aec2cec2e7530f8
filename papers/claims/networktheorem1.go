package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// mcDiarmid takes sums of m independent bits with weights c: the worst case of the inequality's shape, by enumeration.
func mcDiarmid(t *trial, factor float64) error {
	for m := 1; m <= 8; m++ {
		for _, p := range []float64{.1, .5, .8} {
			c, squares, mean := make([]float64, m), 0.0, 0.0
			for i := range c {
				c[i] = 1 + float64(i%3)
				squares, mean = squares+c[i]*c[i], mean+p*c[i]
			}
			for step := 1; step <= 12; step++ {
				level := float64(step) / 2
				tail := sumTail(c, p, mean+level)
				t.printed(tail <= math.Exp(-factor*level*level/squares), float64(m), "m = %d, p = %v, t = %v: %v", m, p,
					level, tail)
			}
		}
	}
	// as Theorem 1 quotes it: one bit of weight 10, t = 5
	t.f.require(sumTail([]float64{10}, .5, 10) > math.Exp(-2*25./10), "the misquotation holds")
	return nil
}

// sumTail is P[Σ c_i X_i ≥ level] for independent bits X_i that are 1 with probability p.
func sumTail(c []float64, p, level float64) (tail float64) {
	for code := range 1 << len(c) {
		w, v := 1.0, 0.0
		for i := range c {
			if code>>i&1 == 1 {
				w, v = w*p, v+c[i]
			} else {
				w *= 1 - p
			}
		}
		if v >= level-1e-12 {
			tail += w
		}
	}
	return tail
}

func lemmaA2(t *trial, factor float64) error {
	for i := -12; i <= 12; i++ {
		for j := -16; j <= 12; j++ {
			a, s := math.Exp(float64(i)/2), math.Exp(float64(j)/2)
			// a(ln(a+t) − ln a) without cancellation
			left, right := s*math.Log(a+s)+a*math.Log1p(s/a), s*math.Log(a+s)+factor*s
			t.printed(left <= right*(1+1e-12)+1e-12, a, "a = %v, t = %v: %v > %v", a, s, left, right)
			t.f.require(s/a > 1e-3 || right-left <= s*s/a || factor < 1, "a = %v, t = %v: far from equality", a, s)
		}
	}
	return nil
}

// noisyKL is KL(Beta(α+D₁, β+D₂) ‖ Beta(α+Z₁, β+Z₂)).
func noisyKL(a, b, d1, d2, z1, z2 float64) float64 {
	p, err1 := posterior.NewBeta(a+d1, b+d2)
	q, err2 := posterior.NewBeta(a+z1, b+z2)
	if err1 != nil || err2 != nil {
		return math.NaN()
	}
	return posterior.KL(p, q)
}

func lemmaA3(t *trial, slack float64) error {
	for _, a := range []float64{2, 3} {
		for d := range 3 {
			for i := range 7 {
				for j := range 7 {
					z1, z2, d1 := float64(i)/2, float64(j)/2, float64(d)
					f := noisyKL(a, a, d1, 0, z1, z2)
					bound := d1*math.Log(a+d1) - z1*math.Log(a+d1-1) - z2*math.Log(a-1) + slack
					t.printed(f <= bound+1e-12, 100*d1+10*z1+11*z2+a, "α = β = %v, counts (%v, 0), noisy (%v, %v): "+
						"%.3f > %.3g", a, d1, z1, z2, f, bound)
				}
			}
		}
	}
	return nil
}

// lemmaA4 takes the range as the largest corner, since the divergence is convex in z and 0 at z = D, and the printed
// expression of a difference beside the true one.
func lemmaA4(t *trial, factor float64) error {
	for _, prior := range [][2]float64{{2, 2}, {2, 9}, {4, 2.5}, {30, 3}, {1, 1}, {.1, .1}} {
		a, b := prior[0], prior[1]
		for n := 1; n <= 8; n++ {
			for d := 0; d <= n; d++ {
				for _, d2 := range []float64{0, float64(n - d)} {
					rangeOf(t, factor, a, b, float64(n), float64(d), d2)
				}
			}
		}
	}
	return nil
}

func rangeOf(t *trial, factor, a, b, n, d1, d2 float64) {
	most := 0.0
	for _, z := range [][2]float64{{0, 0}, {0, n}, {n, 0}, {n, n}} {
		f := noisyKL(a, b, d1, d2, z[0], z[1])
		most = math.Max(most, f)
		if a >= 2 {
			digamma := z[0]*num.Digamma(a+d1) + z[1]*num.Digamma(b+d2)
			gamma := num.LogGamma(a+z[0]) - num.LogGamma(a) + num.LogGamma(b+z[1]) - num.LogGamma(b)
			paper, truth := math.Abs(gamma+digamma), math.Abs(f-noisyKL(a, b, d1, d2, 0, 0))
			t.proof(math.Abs(paper-truth) < 1e-9, 1000*a+100*b+10*n+d1+d2-z[0]/2+z[1], "α = β = %v, n = %v, counts "+
				"(%v, %v), noisy (0, 0) and (%v, %v): %.3f in the proof, %.3f in truth", a, n, d1, d2, z[0], z[1], paper,
				truth)
		}
	}
	for i := range 5 {
		for j := range 5 {
			t.f.require(noisyKL(a, b, d1, d2, n*float64(i)/4, n*float64(j)/4) <= most*(1+1e-12), "α = %v, n = %v: "+
				"inside the square", a, n)
		}
	}
	x, y := a+n+1, b+n+1
	printed := (2*n + 1) * (math.Log(x) + y)
	if a < 2 {
		t.outside(most <= printed, n-d1/100+a, "α = β = %v, n = %v, counts (%v, %v): %.1f > %.2f", a, n, d1, d2, most,
			printed)
		return
	}
	t.printed(most <= factor*printed, n+a, "α = %v, β = %v, n = %v, counts (%v, %v): %.1f > %.2f", a, b, n, d1, d2,
		most, factor*printed)
	sharp := 2 * n * math.Log(a+b+2*n)
	t.f.require(most <= sharp && sharp <= (2*n+1)*math.Log(x+y) && sharp <= (2*n+1)*math.Log(x*y),
		"α = %v, β = %v, n = %v, counts (%v, %v): %v, sharper bound %v", a, b, n, d1, d2, most, sharp)
}

// predictive compares the closed form with quadrature, and the product with an integral over all parameters of one
// class and one feature.
func predictive(t *trial, factor float64) error {
	q := newQuadrature()
	for _, a := range []float64{.3, 1, 4.5} {
		for _, b := range []float64{.5, 2, 30} {
			for y := range 2 {
				v := float64(y)
				closed := factor * math.Pow(a, v) * math.Pow(b, 1-v) / (a + b)
				t.printed(near(math.Exp(q.logBeta(a+v, b+1-v)-q.logBeta(a, b)), closed, 1e-10), a, "α = %v, β = %v, "+
					"y = %d", a, b, y)
			}
		}
	}
	const steps = 400 // class ~ Beta(2, 3), feature given the class ~ Beta(4, 2)
	sum, norm := 0.0, 0.0
	for i := range steps {
		for j := range steps {
			p, r := (float64(i)+.5)/steps, (float64(j)+.5)/steps
			w := p * (1 - p) * (1 - p) * r * r * r * (1 - r)
			sum, norm = sum+w*p*r, norm+w
		}
	}
	t.printed(near(sum/norm, 2./5*4/6, 1e-4), 1, "product: %v", sum/norm)
	return nil
}
