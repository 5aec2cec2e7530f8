package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
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

// equation10 is ε̂ of eq. (10).
func equation10(order, r, delta2, delta float64) float64 {
	return .5*order*r*r*delta2*num.Trigamma(1+3*(order-1)*r) +
		math.Log(order-1) - (math.Log(delta)+order*math.Log(order))/(order-1)
}

// figure7Grid visits the curves of Figure 7.
func figure7Grid(visit func(order, r, alpha float64)) {
	for _, order := range []float64{2, 10, 50, 200} {
		for k := range 9 {
			r := math.Pow(10, -3+float64(k)/2)
			visit(order, r, 1+4*(order-1)*r)
		}
	}
}

// equation10Holds has Δ₂² = 2k.
func equation10Holds(t *trial, k float64) error {
	q := newQuadrature()
	const delta = 1e-5
	figure7Grid(func(order, r, a float64) {
		if exact := q.movedDelta(r, a, a, equation10(order, r, 2*k, delta)); exact > 1e-300 {
			t.bound(delta, exact, order*1000+r, "λ = %v, r = %v", order, r)
		}
	})
	t.f.require(t.least > 27, "δ is 1e-5 ÷ %v somewhere", t.least)
	t.f.number("eq. (10) at λ = 10, r = 10", equation10(10, 10, 2, delta), 4.614864097446, 1e-10)
	t.f.number("δ at the exact ε = 3.104529, ÷ 1e-5", q.movedDelta(10, 361, 361, 3.104529399864)/delta, 1, 1e-7)
	return nil
}

// figure7 has Δ₂² = k.
func figure7(t *trial, k float64) error {
	q := newQuadrature()
	const delta = 1e-5
	figure7Grid(func(order, r, a float64) {
		drawn := equation10(order, r, k, delta)
		one := loss.GammaPair{Rate: r, Shape: a}.Delta(drawn) // the supremum over all counts of the other cells
		t.printed(one <= delta, order*1000+r, "λ = %v, r = %.3g: δ = %.3g", order, r, one)
		exact := q.movedDelta(r, a, a, drawn)
		t.outside(exact <= delta, order*1000+r, "one record replaced, λ = %v, r = %.3g: ε̂ = %.3f drawn, δ = %.3g",
			order, r, drawn, exact)
	})
	t.f.number("drawn at λ = 10, r = 10", equation10(10, 10, 1, delta), 2.766437367115, 1e-10)
	return nil
}

// lemma3 has k times its δ.
func lemma3(t *trial, k float64) error {
	q := newQuadrature()
	bound := func(order, rdp, eps float64) float64 {
		return k * math.Exp((order-1)*(rdp-eps)+order*math.Log1p(-1/order)) / (order - 1)
	}
	figure7Grid(func(order, r, a float64) {
		rdp := q.moved(r, a, a, order)
		for _, eps := range []float64{rdp, rdp + .3, rdp + 1, rdp + 4} {
			v := bound(order, rdp, eps)
			t.printed(q.movedDelta(r, a, a, eps) <= v*(1+1e-7), order, "λ = %v, r = %v, ε̂ = %v", order, r, eps)
			// eq. (10) solves for ε̂
			back := rdp + math.Log(order-1) - (math.Log(v)+order*math.Log(order))/(order-1)
			t.printed(k != 1 || near(back, eps, 1e-9), order, "ε̂ = %v, not %v", back, eps)
		}
	})
	for _, order := range []float64{2, 5, 20} { // a loss z with probability w, a small gain otherwise
		for _, w := range []float64{1e-2, 1e-4} {
			for _, z := range []float64{2, 5, 12} {
				p, o := []float64{w, 1 - w}, []float64{w * math.Exp(-z), 1 - w*math.Exp(-z)}
				rdp := math.Max(renyiOf(p, o, order), renyiOf(o, p, order))
				for _, eps := range []float64{z - math.Log(order/(order-1)), z - .1, z - 1} {
					if eps > 0 {
						t.bound(bound(order, rdp, eps), w-math.Exp(eps)*o[0], order, "λ = %v, loss %v, ε̂ = "+
							"%v", order, z,
							eps)
					}
				}
			}
		}
	}
	t.attained(tightWithin - 1)
	return nil
}

// figure7InWords has the direction k of the change with λ.
func figure7InWords(t *trial, k float64) error {
	orders := []float64{2, 10, 50, 200}
	for _, delta2 := range []float64{1, 2} {
		for i, order := range orders {
			for j := range 61 {
				r := math.Pow(10, -4+float64(j)/10)
				v := equation10(order, r, delta2, 1e-5)
				t.printed(equation10(order, 1.1*r, delta2, 1e-5) > v, order, "ε̂ falls with r at λ = %v, r = "+
					"%v", order, r)
				if i > 0 {
					t.printed(k*(equation10(orders[i-1], r, delta2, 1e-5)-v) > 0, order, "ε̂ grows with λ at λ = "+
						"%v, r = "+
						"%v", order, r)
				}
			}
		}
	}
	q := newQuadrature()
	t.f.require(q.moved(1, 797, 797, 200) > q.moved(1, 797, 797, 10), "the divergence falls with λ at α = 797")
	return nil
}

// oneDraw compares m records, drawn from y of two cells, with k times the δ of y itself.
func oneDraw(t *trial, k float64) error {
	q := newQuadrature()
	for _, p := range [][2]float64{{1, .3}, {1, 1}, {.5, 2}, {2, 7}} {
		r, a := p[0], p[1]
		for _, eps := range []float64{.2, 1, 2} {
			whole, last := q.movedDelta(r, a, a, eps), 0.0
			t.printed(whole > 0 && whole < 1, a, "δ(%v) = %v at r = %v, α = %v", eps, whole, r, a)
			for _, m := range []int{1, 2, 4, 20, 1000} {
				sum := 0.0
				for c := range m + 1 { // c records in the first cell: a Pólya law, from counts (1, 0) and (0, 1)
					choose := lgamma(float64(m+1)) - lgamma(float64(c+1)) - lgamma(float64(m-c+1))
					mass := func(u, v float64) float64 {
						return math.Exp(choose + q.logBeta(u+float64(c), v+float64(m-c)) - q.logBeta(u, v))
					}
					sum += math.Max(0, mass(a+r, a)-math.Exp(eps)*mass(a, a+r))
				}
				t.printed(sum <= k*whole*(1+1e-8)+1e-12, a, "δ(%v) of %d records at r = %v, α = %v: "+
					"%v", eps, m, r, a, sum)
				t.printed(sum >= last-1e-12 || m > 1000, a, "%d records cost less than fewer", m)
				last = sum
			}
			t.f.require(last > .8*whole, "1000 records have %v of δ at r = %v, α = %v", last/whole, r, a)
		}
	}
	return nil
}
