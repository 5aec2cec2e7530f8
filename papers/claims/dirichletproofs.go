package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// renyiIdentity has k times the first part, G.
func renyiIdentity(t *trial, k float64) error {
	parts := func(u, v, order float64) float64 {
		return k*(order-1)*(lgamma(v)-lgamma(u)) + lgamma(u+(order-1)*(u-v)) - lgamma(u)
	}
	visit := func(u, v []float64, order, truth, within float64) {
		sum, total, moved := 0.0, 0.0, 0.0
		for i := range u {
			sum += parts(u[i], v[i], order)
			total, moved = total+u[i], moved+v[i]
		}
		sum -= parts(total, moved, order)
		t.printed(math.Abs(sum-(order-1)*truth) < within, total, "u = %v, u′ = %v, λ = %v: %v, not "+
			"%v", u, v, order, sum,
			(order-1)*truth)
	}
	for _, c := range []struct {
		u, v  [3]float64
		order float64
	}{{[3]float64{2, 3.5, 2.5}, [3]float64{2.4, 3.1, 3}, 1.5}, {[3]float64{4, 1, 3}, [3]float64{3, 2, 3}, 1.6},
		{[3]float64{6, 5, 2}, [3]float64{5, 4.5, 3}, 2.5}} {
		visit(c.u[:], c.v[:], c.order, simplexRenyi(c.u, c.v, c.order), 1e-9) // over the whole simplex
	}
	g := rand.New(rand.NewPCG(5, 11))
	for range 500 {
		d, order := 2+g.IntN(6), 1+3*g.Float64()
		u, v := make([]float64, d), make([]float64, d)
		for i := range u {
			v[i] = .5 + 5*g.Float64()
			u[i] = v[i] * (1 - 1/order + 1.5*g.Float64())
		}
		if truth := vectorRenyi(u, v, order); !math.IsInf(truth, 1) {
			visit(u, v, order, truth, 1e-9*(1+order*truth))
		}
	}
	return nil
}

// chernoffOfPaper has k times the bound.
func chernoffOfPaper(t *trial, k float64) error {
	q := newQuadrature()
	for _, alpha := range []float64{.1, .5, 2} {
		for _, beta := range []float64{1, 10, 100} {
			for _, eta := range []float64{1e-4, .05, .3, 1} {
				for _, share := range []float64{1e-5, .2, .6, 1} {
					s := share * beta
					for _, p := range []float64{.5, .1} {
						two := []float64{p, 1 - p}
						truth, err := pairTail(p, beta, alpha, eta)
						if err != nil {
							return err
						}
						mgf := logMGF(two, beta, alpha, s)
						t.bound(k*math.Exp(mgf-s*eta), truth, 2, "p = %v, β = %v, α = %v, η = %v, t = "+
							"%v", p, beta, alpha, eta,
							s)
						a, b := beta*p+alpha, beta*(1-p)+alpha
						integral := s*(p*math.Log(p)+(1-p)*math.Log(1-p)) +
							q.logBeta(a-s*p, b-s*(1-p)) - q.logBeta(a, b)
						t.f.require(math.Abs(mgf-integral) < 1e-10*(1+math.Abs(integral)), "the moment at p = %v, β "+
							"= %v, α = %v",
							p, beta, alpha)
					}
					for _, d := range []int{2, 10, 100} {
						corner := make([]float64, d)
						corner[0] = 1
						truth := oneHotTail(float64(d), beta, alpha, eta)
						t.bound(k*math.Exp(logMGF(corner, beta, alpha, s)-s*eta), truth,
							float64(d), "one-hot p, d = %v, β = %v, α = %v, η = %v, t = %v", d, beta, alpha, eta, s)
					}
				}
			}
		}
	}
	t.attained(tightWithin - 1)
	return nil
}

// equation15 has k times its logarithm.
func equation15(t *trial, k float64) error {
	for _, d := range []int{2, 5, 10, 50} {
		for _, alpha := range []float64{.001, .1, .5, 1, 3} {
			for _, beta := range []float64{1, 2, 10, 50, 500} {
				for _, share := range []float64{.1, .5, .9} {
					s := share * beta
					step := k * s * math.Log((beta+float64(d)*alpha)/(beta-s))
					for _, eta := range []float64{.3, 1, 3} {
						bound := math.Exp(step - s*eta)
						least := 1 - chernoff(uniform(d), beta, alpha, eta, -1)
						t.printed(least <= bound, float64(d), "uniform p, d = %d, β = %v, α = %v, η = %v, t = %v: "+
							"bound %.3f, "+
							"tail above %.3f", d, beta, alpha, eta, s, bound, least)
					}
					if alpha < .5 {
						continue
					}
					corner := make([]float64, d)
					corner[0] = 1
					for _, p := range [][]float64{uniform(d), corner} {
						t.repaired(logMGF(p, beta, alpha, s) <= step*(1+1e-9), "the step at d = %d, β = %v, α = %v, "+
							"t = %v", d,
							beta, alpha, s)
					}
				}
			}
		}
	}
	return nil
}

// lambertW is the root of we^w = x for x ≥ 0.
func lambertW(x float64) (float64, error) {
	_, w, err := num.RootBracket(func(w float64) float64 { return w + math.Log(w/x) }, 1e-12, 2+math.Max(1, x), 1e-15)
	return w, err
}

// equation16 has k times the last exponent.
func equation16(t *trial, k float64) error {
	for _, extra := range []float64{.01, 1, 30, 2000} { // dα
		for _, eta := range []float64{1e-4, .01, .3, 1, 4, 20} {
			for _, factor := range []float64{1, 1.5, 10, 1e4} {
				beta := factor * extra / math.Expm1(eta/2)
				w, err := lambertW(beta * math.Exp(1+eta) / (beta + extra))
				if err != nil {
					return err
				}
				f := func(s float64) float64 { return s * (math.Log((beta+extra)/(beta-s)) - eta) }
				best := beta * (1 - 1/w)
				value := beta * (1 - 1/w) * (w - 1)
				t.printed(math.Abs(f(best)+value) < 1e-7*beta*eta, eta, "f(t*) = %v at β = %v, η = "+
					"%v", f(best), beta, eta)
				for _, s := range []float64{.5, .9, .99, 1.01} {
					if s*best < beta {
						t.printed(f(s*best) >= f(best)-1e-12*beta, eta, "t* does not minimise at β = %v, η = "+
							"%v", beta, eta)
					}
				}
				t.bound(value, k*beta*eta*eta/(2*(2+eta)*(4+3*eta)), eta, "β = %v, dα = %v, η = %v", beta, extra, eta)
			}
		}
	}
	t.attained(tightWithin - 1)
	return nil
}
