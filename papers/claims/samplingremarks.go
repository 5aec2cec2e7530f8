package claims

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// zeroTheta takes the probabilities of all sequences of up to six bits at one θ: 1 for zeros alone and 0 else is what
// the example says of θ = 0; and ln 1/Δ grows without bound as Δ falls.
func zeroTheta(t *trial, theta float64) error {
	for n := 1; n <= 6; n++ {
		for code := range 1 << n {
			p := 1.0
			for i := range n {
				if code>>i&1 == 1 {
					p *= theta
				} else {
					p *= 1 - theta
				}
			}
			want := 0.0
			if code == 0 {
				want = 1
			}
			t.printed(p == want, float64(n), "n = %d, sequence %b: %v", n, code, p)
		}
	}
	last := 0.0
	for _, delta := range []float64{.2, .05, 1e-3, 1e-9} {
		l := bernoulli([]float64{delta, 1 - delta}, []float64{1, 1}).uniform()
		t.f.require(l > last && near(l, math.Log((1-delta)/delta), 1e-6), "Δ = %v: L = %v", delta, l)
		last = l
	}
	return nil
}

// askForList takes the responses that are distributions over three points, in twelfths, and a bounded utility of them:
// the best one over a list of draws is to be the list's own shares, so that the answer gives the list away but for its
// order. The utility is 1 − ½·Σ(r − e_θ)² for power 2, and r_θ for power 1.
func askForList(t *trial, power float64) error {
	const parts = 12
	for n := 1; n <= 4; n++ {
		lists(n, 3, func(x []int) {
			shares := [3]float64{}
			for _, v := range x {
				shares[v] += 1 / float64(n)
			}
			best, at := math.Inf(-1), [3]float64{}
			for i := 0; i <= parts; i++ {
				for j := 0; i+j <= parts; j++ {
					r := [3]float64{float64(i) / parts, float64(j) / parts, float64(parts-i-j) / parts}
					u := 0.0
					for _, v := range x {
						if power == 1 {
							u += r[v]
							continue
						}
						u++
						for c, q := range r {
							if c == v {
								q--
							}
							u -= q * q / 2
						}
					}
					if u > best+1e-12 {
						best, at = u, r
					}
				}
			}
			same := true
			for c := range at {
				same = same && math.Abs(at[c]-shares[c]) < 1e-9
			}
			t.printed(same, float64(n), "list %v: the best response is %v", x, at)
		})
	}
	return nil
}

// sameForm compares how the thresholds of Theorem 13 grow under both assumptions: like ln(1/δ)/N^power. The levels of
// the draws grow in different ways: like ρ and like √ρ.
func sameForm(t *trial, power float64) error {
	one := func(n, delta float64) float64 { return 3 * math.Log(1/delta) / (4 * .3 * n) }
	two := func(n, delta float64) float64 { return 3 * math.Log(1/delta) / (2 * n * (5 + 2*.7/1.3)) }
	for _, n := range []float64{1, 2, 10, 1000} {
		for _, delta := range []float64{.01, .2} {
			form := math.Log(1/delta) / math.Pow(n, power) / math.Log(2)
			for i, f := range []func(n, delta float64) float64{one, two} {
				t.printed(near(f(n, delta), f(1, .5)*form, 1e-12), n, "assumption %d, N = %v, δ = %v", i+1, n, delta)
			}
		}
	}
	t.f.require(2*math.Log(2) != math.Log(2), "levels under ρ and √ρ have one form")
	return nil
}

// sameForLaplace has the total variation of two posteriors of the Laplace family: those of the exponential one at the
// distances from μ. k stands in front of δρ, and δ has the corrected C.
func sameForLaplace(t *trial, k float64) error {
	for _, lambda := range []float64{1, 2, 5} {
		for _, c1 := range []float64{.1, .5, 2} {
			for _, ratio := range []float64{1.5, 4, 20} {
				for _, mu := range []float64{-1, 0, .3} {
					const b = 1.0
					g := gammaPrior{lambda, c1, c1 * ratio, 1}
					delta := g.delta(b + math.Abs(mu))
					for _, pair := range [][2]float64{{-1, 1}, {0, 1}, {-.5, .25}} {
						x, y := math.Abs(pair[0]-mu), math.Abs(pair[1]-mu)
						rho := pair[1] - pair[0]
						if x == y {
							continue
						}
						t.bound(k*delta*rho, g.rateTV(math.Min(x, y), math.Max(x, y)), c1, "λ = %v, θ on [%v, %v], μ = %v, x, y = "+
							"%v", lambda, c1, g.c2, mu, pair)
					}
				}
			}
		}
	}
	return nil
}

// laplaceAsExponential compares the exponential mechanism on the line with utility −|r − f|^power and the density of
// Laplace noise of scale 2Δ/ε.
func laplaceAsExponential(t *trial, power float64) error {
	for _, eps := range []float64{.1, 1, 5} {
		for _, sensitivity := range []float64{.5, 1, 3} {
			scale := 2 * sensitivity / eps
			weight := func(r float64) float64 { return math.Exp(-math.Pow(math.Abs(r), power) / scale) }
			total := 2 * num.Integrate24(weight, 0, 60*math.Max(scale, 1), 240)
			for _, r := range []float64{0, .1, 1, 4} {
				laplace := math.Exp(-r/scale) / (2 * scale)
				t.printed(near(weight(r)/total, laplace, 1e-9), eps, "ε = %v, Δ = %v, r − f = %v: %v, not %v", eps, sensitivity,
					r, weight(r)/total, laplace)
			}
		}
	}
	return nil
}

// gammaRatio compares B(α+x+1, n+β−x−1)/B(α+x, n+β−x) with its two printed forms, the first with Γ(n+β+1) for
// Γ(n+β−x) where k is 1.
func gammaRatio(t *trial, k float64) error {
	lg := num.LogGamma
	for _, a := range []float64{1.5, 2, 4} {
		for n := 2.0; n <= 12; n++ {
			for x := 0.0; x < n-1; x++ {
				ratio := math.Exp(num.LogBeta(a+x+1, n+a-x-1) - num.LogBeta(a+x, n+a-x))
				last := n + a - x
				if k == 1 {
					last = n + a + 1
				}
				middle := math.Exp(lg(a+x+1) + lg(n+a-x-1) - lg(a+x) - lg(last))
				t.printed(near(middle, ratio, 1e-9), n+x/100+a/1e4, "α = β = %v, n = %v, x = %v: %.3g, not %.3g", a, n, x, middle,
					ratio)
				t.repaired(near((a+x)/(n+a-x-1), ratio, 1e-9), "α = %v, n = %v, x = %v: %v", a, n, x, ratio)
			}
		}
	}
	return nil
}

// posteriorOfBinomial asks how much of the posterior of θ lies on whole numbers, where a Beta-Binomial distribution has
// all of it; of the marginal of the data where k is not 1. Repaired: the posterior is Beta, the marginal Beta-Binomial.
func posteriorOfBinomial(t *trial, k float64) error {
	for _, a := range []float64{1.5, 2, 4} {
		for n := 1.0; n <= 8; n++ {
			for x := 0.0; x <= n; x++ {
				choose := math.Exp(-math.Log(n+1) - num.LogBeta(x+1, n-x+1))
				joint := func(th float64) float64 {
					return choose * math.Pow(th, x+a-1) * math.Pow(1-th, n-x+a-1) / math.Exp(num.LogBeta(a, a))
				}
				marginal := num.Integrate24(joint, 0, 1, 40)
				exact := choose * math.Exp(num.LogBeta(a+x, a+n-x)-num.LogBeta(a, a))
				between := num.Integrate24(joint, 0, 1, 40) / marginal // of the open interval
				if k != 1 {
					between = 0
				}
				t.printed(between < .5, n, "n = %v, α = %v, k = %v: P(0 < θ < 1) = %.3g", n, a, x, between)
				t.repaired(near(marginal, exact, 1e-6), "n = %v, α = %v, k = %v: marginal %v, not %v", n, a, x, marginal, exact)
				for _, th := range []float64{.1, .5, .8} {
					density := math.Exp((x+a-1)*math.Log(th) + (n-x+a-1)*math.Log1p(-th) - num.LogBeta(a+x, a+n-x))
					t.repaired(near(joint(th)/marginal, density, 1e-6), "n = %v, α = %v, k = %v: density at %v", n, a, x, th)
				}
			}
		}
	}
	return nil
}

// doubleLambda tests e^(−λ(2·λ^extra·L/m − c2)) ≤ e^(−λ(c1 − c2)) from L0 = c1·m/2 on.
func doubleLambda(t *trial, extra float64) error {
	for _, lambda := range []float64{.1, .5, 1, 3} {
		for _, m := range []float64{1, 2.5} {
			for _, c1 := range []float64{.1, 1} {
				for _, above := range []float64{1, 1.2, 3} {
					l := c1 * m / 2 * above
					left := func(extra float64) float64 { return 2 * math.Pow(lambda, extra) * l / m }
					t.printed(left(extra) >= c1*(1-1e-12), lambda+c1/100+above/1000, "λ = %v, c1 = %v, max{|μ|, 1} = %v, L = %.3g: "+
						"2λL/%v = %.3g < c1", lambda, c1, m, l, m, left(extra))
					t.repaired(left(0) >= c1*(1-1e-12), "λ = %v, L = %v", lambda, l)
				}
			}
		}
	}
	return nil
}

// inParameter are the densities of three lemmas as functions of the parameter in which their proofs call them concave:
// of the rate, of the scale, and of the precision, at a distance r.
var inParameter = []func(p, r float64) float64{
	func(p, r float64) float64 { return p * math.Exp(-p*r) },
	func(p, r float64) float64 { return math.Exp(-r/p) / (2 * p) },
	func(p, r float64) float64 { return math.Sqrt(p/(2*math.Pi)) * math.Exp(-p*r*r/2) },
}

// endsOfParameter tests that a density is least at an end of every interval of the parameter, and its concavity, from
// which the proofs conclude it. A negative number asks for the greatest in place of the least.
func endsOfParameter(_ context.Context, f0 *Finding, which int) error {
	t := f0.trial()
	sign := 1.0
	if which < 0 {
		which, sign = -which, -1
	}
	f := inParameter[which-1]
	for _, r := range []float64{.1, .5, 1, 3} {
		for _, c := range [][2]float64{{.1, 1}, {.5, 4}, {1, 20}} {
			ends := math.Min(sign*f(c[0], r), sign*f(c[1], r))
			const steps = 200
			h := (c[1] - c[0]) / steps
			for i := 1; i < steps; i++ {
				p := c[0] + h*float64(i)
				t.printed(sign*f(p, r) >= ends*(1-1e-12*sign), c[1], "r = %v, [%v, %v]: least at %v", r, c[0], c[1], p)
				bend := f(p+h, r) - 2*f(p, r) + f(p-h, r)
				t.proof(bend <= 1e-9*h*h, c[1]-math.Min(bend/(h*h), 10)/100, "the second derivative at %.3g is %.3g > 0, at a "+
					"distance of %v", p, bend/(h*h), r)
			}
		}
	}
	return nil
}

// learningInhibited has the mean square error of the posterior mean of 100 bits with θ = 0.3 under Beta(α, α), by α up
// to the power: c grows with α.
func learningInhibited(t *trial, power float64) error {
	const n, theta = 100.0, .3
	last := 0.0
	for _, a := range []float64{20, 50, 100, 1000, 1e5} {
		alpha := math.Pow(a, power)
		bias := (n*theta+alpha)/(n+2*alpha) - theta
		mse := bias*bias + n*theta*(1-theta)/((n+2*alpha)*(n+2*alpha))
		t.printed(mse > last, a, "α = %v: %v", a, mse)
		c := math.Exp((1-2*a)*math.Ln2 - num.LogBeta(a, a))
		t.f.require(c > math.Sqrt(a)/2, "α = %v: c = %v", a, c)
		last = mse
	}
	if power == 1 {
		t.f.number("root mean square error at α = 10⁵", math.Sqrt(last), .2, 1e-3)
	}
	return nil
}

// lambertSteps tests the two inequalities of the last step of the Dirichlet paper's Appendix E: W(x) ≥ ln x − ln ln x +
// share·ln ln x/ln x for x ≥ e, and ln(1 + η/2) ≤ η/2.
func lambertSteps(t *trial, share float64) error {
	r := rand.New(rand.NewPCG(5, 15))
	for k := range 2000 {
		w := 1 + math.Exp(6*r.NormFloat64()-4)
		if k == 0 {
			w = 1
		}
		x := math.Log(w) + w // ln of the x with W(x) = w
		t.printed(w*(1+1e-12) >= x-math.Log(x)+share*math.Log(x)/x, w, "W = %v at ln x = %v", w, x)
		eta := w - 1
		t.printed(math.Log1p(eta/2) <= eta/2, eta, "η = %v", eta)
	}
	return nil
}

// taylorStep tests log Γ(βp − tp + α) ≤ log Γ(βp + shape·α) − tp·ψ(βp − tp + α), with shape the number of cells as
// printed, and 1.
func taylorStep(t *trial, printed bool) error {
	for _, d := range []float64{2, 10} {
		for _, alpha := range []float64{.05, .5, 2} {
			for _, beta := range []float64{.1, 1, 20} {
				for _, p := range []float64{.01, .3, 1} {
					for _, share := range []float64{0, .5, .9} {
						s := share * beta * p
						at := beta*p - s + alpha
						right := func(shape float64) float64 { return num.LogGamma(beta*p+shape*alpha) - s*num.Digamma(at) }
						shape := 1.0
						if printed {
							shape = d
						}
						t.printed(num.LogGamma(at) <= right(shape)+1e-9, d+alpha+p, "d = %v, α = %v, β = %v, p = %v, t = %v: %.3f > "+
							"%.3f", d, alpha, beta, p, share*beta, num.LogGamma(at), right(shape))
						t.repaired(num.LogGamma(at) <= right(1)+1e-9, "α = %v, β = %v, p = %v", alpha, beta, p)
					}
				}
			}
		}
	}
	return nil
}

// lemma15Terms bounds the second term of the proof of Lemma 15, |ln φ(x)/φ*(x)|, by factor·η on random families.
func lemma15Terms(t *trial, factor float64) error {
	r := rand.New(rand.NewPCG(6, 41))
	for range 2000 {
		g := randomFamily(r)
		other := family{lik: g.lik, rho: g.rho, prior: make([]float64, len(g.prior))}
		sum, eta := 0.0, 0.0
		for i, w := range g.prior {
			other.prior[i] = w * math.Exp(r.Float64())
			sum += other.prior[i]
		}
		for i := range other.prior {
			other.prior[i] /= sum
			if g.prior[i] > 0 {
				eta = math.Max(eta, math.Abs(math.Log(g.prior[i]/other.prior[i])))
			}
		}
		for x := range g.lik {
			t.printed(math.Abs(math.Log(g.evidence(x)/other.evidence(x))) <= factor*eta*(1+1e-9)+1e-12, eta,
				"η = %v, x = %d", eta, x)
		}
	}
	return nil
}
