package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
)

// paperTail is the bound of Theorem 2, with its condition on β.
func paperTail(d, beta, alpha, eta float64) (bound float64, applies bool) {
	return math.Exp(-beta * eta * eta / (2 * (2 + eta) * (4 + 3*eta))), beta >= d*alpha/math.Expm1(eta/2)
}

// starTail is that of Theorem 2*; 1 where it says nothing.
func starTail(d, beta, alpha, eta float64) float64 {
	n := beta + d*alpha
	rho, e := (beta+alpha-.5)/n, math.Exp(-eta)
	if e >= rho {
		return 1
	}
	kl := rho * (math.Log(rho) + eta)
	if rho < 1 {
		kl += (1 - rho) * (math.Log1p(-rho) - math.Log1p(-e))
	}
	return math.Exp(-n * kl)
}

// logMGF is ln E e^{t·KL(p‖q)} for q ~ Dir(βp + α); +Inf where it diverges.
func logMGF(p []float64, beta, alpha, t float64) float64 {
	n := beta + float64(len(p))*alpha
	sum, cell := -num.LogGammaDiff(n, -t), 0.0
	for i, v := range p {
		if v == 0 {
			continue
		}
		if i == 0 || v != p[i-1] { // equal neighbours have equal terms
			u := beta*v + alpha
			if u <= t*v {
				return math.Inf(1)
			}
			cell = t*v*math.Log(v) + num.LogGammaDiff(u, -t*v)
		}
		sum += cell
	}
	return sum
}

// chernoff is the least of e^{−tη} E e^{t·KL} over t in (0, top) or (−top, 0): an upper bound on P[KL > η], or on P[KL
// ≤ η]. The exponent is convex in t.
func chernoff(p []float64, beta, alpha, eta, sign float64) float64 {
	top := 100 * (beta + alpha*float64(len(p)))
	if sign > 0 {
		for _, v := range p {
			if v > 0 {
				top = math.Min(top, (beta*v+alpha)/v)
			}
		}
	}
	value := func(t float64) float64 { return logMGF(p, beta, alpha, sign*t) - sign*t*eta }
	lo, hi := 0.0, top
	for range 60 {
		a, b := lo+(hi-lo)*.382, lo+(hi-lo)*.618
		if value(a) < value(b) {
			hi = b
		} else {
			lo = a
		}
	}
	return math.Exp(math.Min(0, value((lo+hi)/2)))
}

// oneHotTail is P[KL > η] for p = (1, 0, …): q_1 ~ Beta(β + α, (d−1)α) below e^{−η}.
func oneHotTail(d, beta, alpha, eta float64) float64 {
	low, _ := num.BetaTails(beta+alpha, (d-1)*alpha, math.Exp(-eta), -math.Expm1(-eta))
	return low
}

// pairTail is P[KL > η] for two cells: q outside the two points where the divergence is η.
func pairTail(p, beta, alpha, eta float64) (float64, error) {
	kl := func(q float64) float64 {
		return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) - eta
	}
	_, left, err := num.RootBracket(kl, 1e-300, p, 0)
	if err != nil {
		return 0, err
	}
	right, _, err := num.RootBracket(kl, p, 1-1e-16, 0)
	if err != nil { // beyond the last float below 1
		right = 1
	}
	a, b := beta*p+alpha, beta*(1-p)+alpha
	low, _ := num.BetaTails(a, b, left, 1-left)
	_, high := num.BetaTails(a, b, right, 1-right)
	return low + high, nil
}

func uniform(d int) []float64 {
	p := make([]float64, d)
	for i := range p {
		p[i] = 1 / float64(d)
	}
	return p
}

// theorem2 searches uniform p for a tail that surely exceeds the bound: P[KL > η] ≥ 1 − (the lower Chernoff bound).
// The exponent of the bound is k times the printed one.
func theorem2(t *trial, k float64) error {
	for _, d := range []int{2, 3, 4, 5, 6, 8, 10, 20, 50, 100} {
		p := uniform(d)
		for _, alpha := range []float64{.001, .01, .1, .5, 1, 3} {
			for _, eta := range []float64{.3, 1, 2, 4} {
				for _, beta := range []float64{1, 2, 5, 10, 20, 50, 200} {
					bound, applies := paperTail(float64(d), beta, alpha, eta)
					if !applies {
						continue
					}
					bound = math.Pow(bound, k)
					least := 1 - chernoff(p, beta, alpha, eta, -1)
					ok := least <= bound
					t.printed(ok, float64(d), "d = %d, β = %v, α = %v, η = %v: bound %.3f, tail above %.3f", d, beta,
						alpha, eta, bound, least)
					if alpha >= .5 {
						t.repaired(ok && chernoff(p, beta, alpha, eta, 1) <= bound*(1+1e-9), "d = %d, β = %v, α = "+
							"%v, η = %v", d, beta, alpha, eta)
					}
				}
			}
		}
	}
	for _, p := range []float64{.5, .2, .01} { // two cells, exactly
		for _, alpha := range []float64{.001, .1, .3, .5, 2} {
			for _, eta := range []float64{.1, .3, 1, 4} {
				for _, beta := range []float64{.1, 1, 10, 100} {
					bound, applies := paperTail(2, beta, alpha, eta)
					if !applies {
						continue
					}
					bound = math.Pow(bound, k)
					truth, err := pairTail(p, beta, alpha, eta)
					if err != nil {
						return err
					}
					t.printed(truth <= bound, 2, "d = 2, p = %v, β = %v, α = %v, η = %v: %v", p, beta, alpha, eta,
						truth)
				}
			}
		}
	}
	const d, beta, alpha, eta = 100, 20, .001, 1
	bound, _ := paperTail(d, beta, alpha, eta)
	t.f.number("bound, d = 100, β = 20, α = 0.001, η = 1, uniform p", bound, .621, 5e-4)
	t.f.number("tail there, at least", 1-chernoff(uniform(d), beta, alpha, eta, -1), 1, 1e-6)
	mean, variance := klrisk.ExpectedKL(uniform(d), beta, 1, alpha), klrisk.VarKL(uniform(d), beta, 1, alpha)
	t.f.require(mean > eta && 1-variance/(variance+(mean-eta)*(mean-eta)) > bound, "Cantelli: mean %v, variance %v",
		mean, variance)
	return nil
}

// theorem2Star has k times the exponents.
func theorem2Star(t *trial, k float64) error {
	simple := func(d, beta, alpha, eta float64) float64 { return math.Exp(k * (d*alpha*math.Ln2 - beta*eta/2)) }
	star := func(d, beta, alpha, eta, truth float64, what string) {
		if v := math.Pow(starTail(d, beta, alpha, eta), k); v < 1 {
			t.bound(v, truth, d, "%s, d = %v, β = %v, α = %v, η = %v", what, d, beta, alpha, eta)
		}
		t.bound(simple(d, beta, alpha, eta), truth, d, "second form, %s, d = %v, β = %v, α = %v, η = %v", what, d,
			beta, alpha, eta)
	}
	for _, alpha := range []float64{.5, 1, 3, 40} {
		for _, beta := range []float64{5, 50, 500} {
			for _, eta := range []float64{.02, .1, .3, 1, 3} {
				for _, p := range []float64{.5, .22, .01} {
					truth, err := pairTail(p, beta, alpha, eta)
					if err != nil {
						return err
					}
					star(2, beta, alpha, eta, truth, "two cells")
				}
				for _, d := range []float64{2, 3, 10, 100} {
					star(d, beta, alpha, eta, oneHotTail(d, beta, alpha, eta), "one-hot")
					if paper, applies := paperTail(d, beta, alpha, eta); applies {
						t.f.require(starTail(d, beta, alpha, eta) <= paper, "above Theorem 2: d = %v, β = %v, α = "+
							"%v, η = %v", d, beta, alpha, eta)
					}
				}
			}
		}
	}
	g := rand.New(rand.NewPCG(5, 4))
	for range 200 { // any p: the Chernoff bound lies between the tail and both forms
		d := 2 + g.IntN(12)
		p, sum := make([]float64, d), 0.0
		for i := range p {
			p[i] = math.Pow(g.ExpFloat64(), 3)
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		alpha, beta, eta := .5+math.Exp(-3+5*g.Float64()), math.Exp(7*g.Float64()), math.Exp(-4+5*g.Float64())
		c := chernoff(p, beta, alpha, eta, 1)
		t.printed(c <= starTail(float64(d), beta, alpha, eta)*(1+1e-7), float64(d), "Chernoff %v at d = %d, β = %v, "+
			"α = %v, η = %v", c, d, beta, alpha, eta)
		t.printed(c <= simple(float64(d), beta, alpha, eta)*(1+1e-7), float64(d), "second form at d = %d", d)
	}
	t.f.number("one-hot, d = 10, β = 500, α = 2, η = 0.0588311", starTail(10, 500, 2, .0588311), .0762782, 1e-6)
	t.f.number("exact there", oneHotTail(10, 500, 2, .0588311), .00717139, 1e-7)
	two, err := pairTail(.22, 200, 1, .0199007)
	t.f.number("two cells, p = 0.22, β = 200, α = 1, η = 0.0199007", two, .0046580104796, 1e-9)
	t.f.number("least bound ÷ truth", t.least, 2.386, 1e-3)
	return err
}
