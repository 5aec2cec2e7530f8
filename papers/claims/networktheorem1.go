package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

func init() {
	register(
		executedIn(NetworkPaper, Claim{
			ID: "network/27", Place: "Lemma A.1 (McDiarmid)", Verdict: Holds,
			Statement: "P[f − E f ≥ t] ≤ exp(−2t²/Σ c_k²) for independent variables that move f by at most c_k each",
			True:      "Theorem 1 quotes it with Σ c_k, which is false",
			Source:    "theory/networks.md §1.4, §7",
		}, mcDiarmid),
		executedIn(NetworkPaper, Claim{
			ID: "network/28", Place: "Lemma A.2", Verdict: Holds,
			Statement: "(a + t)ln(a + t) − a ln a ≤ t ln(a + t) + t for t ≥ 0, a > 0",
			True:      "equality as t → 0",
			Source:    "theory/networks.md §1.4",
		}, lemmaA2),
		executedIn(NetworkPaper, Claim{
			ID: "network/29", Place: "Lemma A.3", Verdict: False,
			Statement: "KL(posterior ‖ noisy) ≤ D₁ln(α+D₁) + D₂ln(β+D₂) − Z₁ln(α+D₁−1) − Z₂ln(β+D₂−1) for α, β " +
				"≥ 2",
			True:           "the closed form behind it drops the terms of α + β; network/10 has the divergence itself",
			Counterexample: "α = β = 2, counts (0, 0), noisy (0.5, 0): 0.039 > 0",
			Source:         "theory/networks.md §1.4",
		}, lemmaA3),
		executedIn(NetworkPaper, Claim{
			ID: "network/30", Place: "Lemma A.4", Verdict: Corrected,
			Statement: "the divergence ranges over at most (2n+1)[ln(α+n+1) + (β+n+1)] as the noisy counts " +
				"range over [0, n]²",
			True:           "for α, β ≥ ½, even with ln(β+n+1); the exact range is the largest of its four corners",
			Counterexample: "α = β = 0.1, n = 1, counts (1, 0): 10.0 > 8.53",
			Source:         "theory/networks.md §1.4",
		}, lemmaA4),
		executedIn(NetworkPaper, Claim{
			ID: "network/31", Place: "Appendix C.1", Verdict: Holds,
			Statement: "the predictive probability of naive Bayes is a product of α^y β^(1−y)/(α+β) over its nodes",
			Source:    "theory/networks.md §7",
		}, predictive),
	)
}

// mcDiarmid takes sums of m independent bits with weights c: the worst case of the inequality's shape, by enumeration.
func mcDiarmid(t *trial) error {
	for m := 1; m <= 8; m++ {
		for _, p := range []float64{.1, .5, .8} {
			c, squares, mean := make([]float64, m), 0.0, 0.0
			for i := range c {
				c[i] = 1 + float64(i%3)
				squares, mean = squares+c[i]*c[i], mean+p*c[i]
			}
			for step := 1; step <= 12; step++ {
				level, tail := float64(step)/2, 0.0
				for code := range 1 << m {
					w, v := 1.0, 0.0
					for i := range c {
						if code>>i&1 == 1 {
							w, v = w*p, v+c[i]
						} else {
							w *= 1 - p
						}
					}
					if v-mean >= level-1e-12 {
						tail += w
					}
				}
				t.printed(tail <= math.Exp(-2*level*level/squares), float64(m), "m = %d, p = %v, t = %v: %v", m, p,
					level, tail)
			}
		}
	}
	// as Theorem 1 quotes it: one bit of weight 10, t = 5
	t.f.require(.5 > math.Exp(-2*25./10), "the misquotation holds")
	return nil
}

func lemmaA2(t *trial) error {
	for i := -12; i <= 12; i++ {
		for j := -16; j <= 12; j++ {
			a, s := math.Exp(float64(i)/2), math.Exp(float64(j)/2)
			// a(ln(a+t) − ln a) without cancellation
			left, right := s*math.Log(a+s)+a*math.Log1p(s/a), s*math.Log(a+s)+s
			t.printed(left <= right*(1+1e-12)+1e-12, a, "a = %v, t = %v: %v > %v", a, s, left, right)
			t.f.require(s/a > 1e-3 || right-left <= s*s/a, "a = %v, t = %v: far from equality", a, s)
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

func lemmaA3(t *trial) error {
	for _, a := range []float64{2, 3} {
		for d := range 3 {
			for i := range 7 {
				for j := range 7 {
					z1, z2, d1 := float64(i)/2, float64(j)/2, float64(d)
					f := noisyKL(a, a, d1, 0, z1, z2)
					bound := d1*math.Log(a+d1) - z1*math.Log(a+d1-1) - z2*math.Log(a-1)
					t.printed(f <= bound+1e-12, 100*d1+10*z1+11*z2+a, "α = β = %v, counts (%v, 0), noisy (%v, %v): "+
						"%.3f > %.3g", a, d1, z1, z2, f, bound)
				}
			}
		}
	}
	return nil
}

func lemmaA4(t *trial) error {
	for _, a := range []float64{.1, .5, 1, 4} {
		for n := 1; n <= 8; n++ {
			for d := 0; d <= n; d++ {
				d1, d2, m := float64(d), float64(n-d), float64(n)
				most := 0.0
				for _, z := range [][2]float64{{0, 0}, {0, m}, {m, 0}, {m, m}} { // convex in z, and 0 at z = D
					most = math.Max(most, noisyKL(a, a, d1, d2, z[0], z[1]))
				}
				for i := range 5 {
					for j := range 5 {
						t.f.require(noisyKL(a, a, d1, d2, m*float64(i)/4, m*float64(j)/4) <= most*(1+1e-12),
							"α = %v, n = %d: inside the square", a, n)
					}
				}
				one := math.Log(a + m + 1)
				bound := (2*m + 1) * (one + a + m + 1)
				t.printed(most <= bound, m-d1/100+a, "α = β = %v, n = %d, counts (%v, %v): %.1f > %.2f", a, n, d1, d2,
					most, bound)
				if a >= .5 {
					t.repaired(most <= (2*m+1)*2*one, "α = %v, n = %d, counts (%v, %v): %v", a, n, d1, d2, most)
				}
			}
		}
	}
	return nil
}

// predictive compares the closed form with quadrature, and the product with an integral over all parameters of one
// class and one feature.
func predictive(t *trial) error {
	q := newQuadrature()
	for _, a := range []float64{.3, 1, 4.5} {
		for _, b := range []float64{.5, 2, 30} {
			for y := range 2 {
				v := float64(y)
				closed := math.Pow(a, v) * math.Pow(b, 1-v) / (a + b)
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
