package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// smallEpsilon asks for r ≤ k.
func smallEpsilon(t *trial, k float64) error {
	for _, order := range []float64{2, 5, 20, 200, 1e5, 1e7} {
		for _, eps := range []float64{1e-8, 1e-6, 1e-4, .01, .1, .2, .34, .4, .5, .6, .7, .8, .99} {
			r, _, err := algorithm1(order, eps)
			if err != nil {
				return err
			}
			t.printed(r <= k, order*10+eps, "λ = %v, ε = %v: r = %.3f", order, eps, r)
			ratio := r / math.Max(eps, math.Sqrt(eps/order))
			t.repaired(ratio > .7 && ratio < 3.1, "r is %v times max(ε, √(ε/λ)) at λ = %v, ε = %v", ratio, order, eps)
		}
	}
	for _, c := range [][2]float64{{2, .56765}, {5, .39979}, {20, .34782}, {200, .33473}} {
		t.f.number("ε at which r = 1", c[0]*num.Trigamma(1+3*(c[0]-1)), c[1], 5e-6)
	}
	return nil
}

// largeEpsilon asks for r > k.
func largeEpsilon(t *trial, k float64) error {
	for _, order := range []float64{2, 3, 5, 20, 200, 1e5} {
		for _, eps := range []float64{1, 1.5, 3, 10, 100, 1e4} {
			r, a, err := algorithm1(order, eps)
			if err != nil {
				return err
			}
			t.printed(r > k, order*10+eps, "λ = %v, ε = %v: r = %.3f", order, eps, r)
			x, y := r/eps, a/((order-1)*eps)
			t.printed(x > 1.5 && x < 3 && y > 6 && y < 12, order, "λ = %v, ε = %v: r/ε = %v, α/((λ−1)ε) = %v", order,
				eps, x, y)
		}
	}
	return nil
}

// tailOfAlgorithm1 has k times the exponent.
func tailOfAlgorithm1(t *trial, k float64) error {
	for _, order := range []float64{2, 5, 50} {
		for _, eps := range []float64{.1, 1, 10} {
			_, a, err := algorithm1(order, eps)
			if err != nil {
				return err
			}
			for _, eta := range []float64{.02, .1, .5, 2} {
				for _, d := range []float64{2, 5, 30} {
					for _, factor := range []float64{1, 2, 20} {
						beta := factor * d * a / math.Expm1(eta/2)
						bound, applies := paperTail(d, beta, a, eta)
						if !applies {
							bound, _ = paperTail(d, beta*(1+1e-12), a, eta)
						}
						bound = math.Pow(bound, k)
						t.bound(bound, oneHotTail(d, beta, a, eta), d, "one-hot, d = %v, λ = %v, ε = %v, η = "+
							"%v", d, order, eps, eta)
						if d > 2 {
							continue
						}
						for _, p := range []float64{.5, .1} {
							truth, err := pairTail(p, beta, a, eta)
							if err != nil {
								return err
							}
							t.bound(bound, truth, d, "p = %v, λ = %v, ε = %v, η = %v", p, order, eps, eta)
						}
					}
				}
			}
		}
	}
	return nil
}

// leastRecords is the least N at which a tail, as a function of β = rN, is γ.
func leastRecords(r, gamma float64, tail func(beta float64) float64) float64 {
	lo, hi := 0.0, 1e9
	for range 80 {
		if mid := (lo + hi) / 2; tail(r*mid) > gamma {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// recordsNeeded asks whether a hundredth of the printed order is needed; k times the records of the corrected form must
// suffice.
func recordsNeeded(t *trial, k float64) error {
	const gamma = .05
	for _, order := range []float64{2, 5} {
		for _, eta := range []float64{.1, .01, .001, 1e-4} {
			const d, eps = 2, 1
			r, a, err := algorithm1(order, eps)
			if err != nil {
				return err
			}
			enough := leastRecords(r, gamma, func(beta float64) float64 { return starTail(d, beta, a, eta) })
			t.printed(enough >= .01/(r*eta*eta), order/eta, "λ = %v, ε = %v, d = %v, γ = %v, η = %v: %.0f records "+
				"suffice, "+
				"1/(rη²) is %.0f", order, eps, d, gamma, eta, math.Ceil(enough), 1/(r*eta*eta))
		}
	}
	const order = 5
	g := rand.New(rand.NewPCG(5, 5))
	for _, c := range []struct{ d, eps, eta, paper, star, oneHot float64 }{
		{2, .1, .01, 1748500, 5033.6, 3487.7}, {6, .1, .1, 19491.8, 1469.9, 1242.2},
		{6, 1, .01, 198807, 9671.8, 9124.0},
		{6, 1, .1, 2216.3, 916.2, 861.5}, {20, 1, .1, 6401.1, 3235.1, 3136.4}, {20, 10, .01, 64006, 31192.8, 30898.9},
	} {
		r, a, err := algorithm1(order, c.eps)
		if err != nil {
			return err
		}
		paper := leastRecords(r, gamma, func(beta float64) float64 {
			if v, applies := paperTail(c.d, beta, a, c.eta); applies {
				return v
			}
			return 1
		})
		star := leastRecords(r, gamma, func(beta float64) float64 { return starTail(c.d, beta, a, c.eta) })
		oneHot := leastRecords(r, gamma, func(beta float64) float64 { return oneHotTail(c.d, beta, a, c.eta) })
		t.f.number("N of Theorem 2", paper, c.paper, 1e-4*c.paper)
		t.f.number("N of Theorem 2*", star, c.star, 1e-4*c.star)
		t.f.number("N for one-hot p, exactly", oneHot, c.oneHot, 1e-4*c.oneHot)
		t.repaired(oneHotTail(c.d, r*paper, a, c.eta) <= gamma, "%v records of Theorem 2 do not suffice", paper)
		enough := k * 2 / c.eta * (c.d*a/r*math.Ln2 + math.Log(1/gamma)/r)
		t.repaired(oneHotTail(c.d, r*enough, a, c.eta) <= gamma, "%v records do not suffice for one-hot p", enough)
		for range 20 {
			p, sum := make([]float64, int(c.d)), 0.0
			for i := range p {
				p[i] = math.Pow(g.ExpFloat64(), 2)
				sum += p[i]
			}
			for i := range p {
				p[i] /= sum
			}
			t.repaired(chernoff(p, r*enough, a, c.eta, 1) <= gamma, "%v records do not suffice for %v", enough, p)
		}
	}
	return nil
}

// recordsByEpsilon gives a hundred times the printed order of records; those of the corrected form, times k, must
// suffice.
func recordsByEpsilon(t *trial, k float64) error {
	const gamma, eta = .05, .1
	for _, order := range []float64{2, 5, 100, 1e4, 1e6, 1e8} {
		for _, eps := range []float64{1e-3, .1, .5, 1, 10} {
			for _, d := range []float64{2, 1000} {
				r, a, err := algorithm1(order, eps)
				if err != nil {
					return err
				}
				terms := []float64{1 / (eta * eta), d / math.Expm1(eta/2)}
				n := 1/eps*terms[0] + (order-1)*terms[1]
				if eps < 1 {
					n = math.Sqrt(order/eps) * (terms[0] + terms[1])
				}
				tail := oneHotTail(d, r*100*n, a, eta)
				t.printed(tail <= gamma, order+d, "λ = %v, ε = %v, d = %v, η = %v: at 100 times as many records KL "+
					"> η with "+
					"probability %.3f", order, eps, d, eta, tail)
				n = (order*d + math.Log(1/gamma)/eps) / eta
				if eps < 1/order {
					n = math.Sqrt(order/eps) * (d + math.Log(1/gamma)) / eta
				}
				t.repaired(oneHotTail(d, r*10*k*n, a, eta) <= gamma, "10 × %v records do not suffice at λ = %v, ε = "+
					"%v, d = %v",
					n, order, eps, d)
			}
		}
	}
	// the printed term √(λ/ε)·d falls short of d·α/r by a factor that grows like √λ
	short := func(order float64) float64 {
		r, a, err := algorithm1(order, .5)
		if err != nil {
			return math.NaN()
		}
		return a / r / math.Sqrt(order/.5)
	}
	t.f.number("growth exponent of that factor, λ = 1e3 to 1e7", math.Log10(short(1e7)/short(1e3))/4, .5, .01)
	return nil
}

// categoricalOrder has the order ε^(−k/2) for ε < 1.
func categoricalOrder(t *trial, k float64) error {
	const gamma, order, d, eta = .05, 2, 6, .1
	for j := -16; j <= 8; j++ {
		eps := math.Pow(10, float64(j)/2)
		r, a, err := algorithm1(order, eps)
		if err != nil {
			return err
		}
		needed := leastRecords(r, gamma, func(beta float64) float64 { return oneHotTail(d, beta, a, eta) })
		enough := leastRecords(r, gamma, func(beta float64) float64 { return starTail(d, beta, a, eta) })
		scale := math.Pow(math.Min(eps, 1), k/2)
		t.printed(needed*scale > 160 && needed*scale < 280 && enough < 1.5*needed, eps, "ε = %v: %v to %v records, "+
			"%v and %v in the unit of the "+
			"order", eps, needed, enough, needed*scale, enough*scale)
	}
	return nil
}
