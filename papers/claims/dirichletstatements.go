package claims

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/klrisk"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// algorithm1 is r and α of Algorithm 1 under replace-one: λr²ψ′(1 + 3(λ−1)r) = ε, α = 1 + 4(λ−1)r.
func algorithm1(order, epsilon float64) (r, alpha float64, err error) {
	return algorithm1With(order, epsilon, func(r float64) float64 { return 3 * (order - 1) * r })
}

// algorithm1With is the same with ψ′(1 + g(r)); α is that of Algorithm 1.
func algorithm1With(order, epsilon float64, g func(r float64) float64) (r, alpha float64, err error) {
	claim := func(t float64) float64 {
		r := math.Exp(t)
		return math.Log(order*r*r*num.Trigamma(1+g(r))) - math.Log(epsilon)
	}
	lo, hi, err := num.RootBracket(claim, -20, 20, 1e-14)
	r = math.Exp((lo + hi) / 2)
	return r, 1 + 4*(order-1)*r, err
}

// theorem1OfAlgorithm1 asks for k·ε.
func theorem1OfAlgorithm1(t *trial, k float64) error {
	q := newQuadrature()
	for _, order := range []float64{1.5, 2, 5, 10, 50, 200} {
		for _, eps := range []float64{.001, .01, .1, 1, 10} {
			r, a, err := algorithm1(order, eps)
			if err != nil {
				return err
			}
			t.bound(k*eps, q.moved(r, a, a, order), order, "λ = %v, ε = %v", order, eps)
			if order > 5 {
				continue
			}
			for n := 1; n <= 4; n++ {
				histograms(3, n, func(x []int) {
					moves(x, func(i, j int) {
						v := q.moved(r, a+r*float64(x[i]-1), a+r*float64(x[j]), order)
						t.f.require(v <= eps, "λ = %v, ε = %v: %v at %v", order, eps, v, x)
					})
				})
			}
		}
	}
	t.margin(1.0289*k, 1.5909*k, 5e-5)
	theorem1OfVectors(t)
	r, a, err := algorithm1(5, 1)
	t.f.number("r, λ = 5, ε = 1", r, 2.441192661519, 1e-11)
	t.f.number("exact RDP there", q.moved(r, a, a, 5), .73986242522, 1e-10)
	n, p := proportions(histogramX0)
	best := klrisk.ExpectedKL(p, n, 1.2508927, 8.3923729)
	t.f.number("RDP of the best r and α for the second golden histogram", q.moved(1.2508927, 8.3923729, 8.3923729, 5),
		1, 1e-7)
	t.f.number("E KL of Algorithm 1 ÷ theirs", klrisk.ExpectedKL(p, n, r, a)/best, 2.209, 1e-3)
	return err
}

// theorem1OfVectors visits vectors that are no histograms: any number of cells moves by up to Δ∞, together by Δ₂.
func theorem1OfVectors(t *trial) {
	g := rand.New(rand.NewPCG(5, 7))
	for range 2000 {
		d, order := 2+g.IntN(6), 1+math.Exp(-2+5*g.Float64())
		inf := math.Exp(-2 + 4*g.Float64())
		change, sum := make([]float64, d), 0.0
		for i := range change {
			change[i] = inf * (2*g.Float64() - 1)
			if g.IntN(2) == 0 {
				change[i] = math.Copysign(inf, change[i])
			}
			sum += change[i] * change[i]
		}
		eps := math.Exp(-4 + 6*g.Float64())
		claim := func(t float64) float64 {
			r := math.Exp(t)
			return math.Log(.5 * order * r * r * sum * num.Trigamma(1+3*(order-1)*r*inf) / eps)
		}
		lo, hi, err := num.RootBracket(claim, -30, 30, 1e-14)
		r := math.Exp((lo + hi) / 2)
		a := 1 + 4*(order-1)*r*inf
		u, v := make([]float64, d), make([]float64, d)
		for i, c := range change {
			least := 5 * float64(g.IntN(2)) * g.Float64()
			u[i], v[i] = a+r*(least+math.Max(0, -c)), a+r*(least+math.Max(0, c))
		}
		truth := vectorRenyi(u, v, order)
		t.printed(err == nil && truth <= eps*(1+1e-6)+1e-9, 1e6, "d = %d, λ = %v, ε = %v: %v", d, order, eps, truth)
	}
}

func figure2(t *trial, k float64) error {
	q := newQuadrature()
	least, most, large := math.Inf(1), 0.0, 0.0
	for _, order := range []float64{2, 20, 200} {
		for j := range 9 {
			r := math.Pow(10, -3+float64(j)/2)
			a := 1 + 4*(order-1)*r
			claim := k * order * r * r * num.Trigamma(1+3*(order-1)*r)
			// (11,8,65,25,38,0) to (11,7,65,25,38,1)
			truth := q.moved(r, 7*r+a, a, order)
			t.bound(claim, truth, order, "λ = %v, r = %v", order, r)
			t.printed(claim < 2*truth, order, "λ = %v, r = %v: %v times", order, r, claim/truth)
			ratio := claim / q.moved(r, a, a, order)
			least, most = math.Min(least, ratio), math.Max(most, ratio)
			if order > 2 {
				large = math.Max(large, claim/truth)
			}
		}
	}
	t.f.number("least ratio to the worst case", least, 1.0022, 1e-4)
	t.f.number("greatest ratio to the worst case", most, 1.4610, 1e-4)
	t.f.number("greatest ratio to the divergence, λ = 20 and 200", large, 1.3762, 1e-4)
	t.margin(1.0073, 1.9716, 1e-4)
	return nil
}

// remarkAnyG asks for k·ε.
func remarkAnyG(t *trial, k float64) error {
	q := newQuadrature()
	for _, c := range [][3]float64{{2, .1, .0729332106001979555803}, {5, 1, .321185823490899171257},
		{20, 1, .183697163810211049025}} {
		order, eps := c[0], c[1]
		for i, g := range []func(r float64) float64{func(float64) float64 { return 0 }, math.Sqrt,
			func(r float64) float64 { return 1 }} {
			r, _, err := algorithm1With(order, eps, g)
			if err != nil {
				return err
			}
			a := 1 + g(r) + (order-1)*r
			v := q.moved(r, a, a, order)
			t.bound(k*eps, v, order, "λ = %v, ε = %v", order, eps)
			if i == 0 {
				t.f.number(fmt.Sprintf("g = 0, λ = %v, ε = %v", order, eps), v, c[2], 1e-9)
			}
		}
	}
	return nil
}

// remarkFloor asks for k·ε.
func remarkFloor(t *trial, k float64) error {
	q := newQuadrature()
	want := map[[3]float64]float64{
		{1, 2, .1}: .08054642715115074345083, {10, 2, .1}: .09032733381563525607476,
		{100, 2, .1}: .0985696793851073208324,
		{1, 5, 1}:    .7539930901510415448024, {10, 5, 1}: .8349671070846264065518,
		{100, 5, 1}: .9616228584324817167521,
		{1, 20, 1}:  .7570230475392479105336, {10, 20, 1}: .7816363733809107021776,
		{100, 20, 1}: .8913767185964236020433,
	}
	for _, c := range [][2]float64{{2, .1}, {5, 1}, {20, 1}} {
		order, eps := c[0], c[1]
		plain, _, err := algorithm1(order, eps)
		if err != nil {
			return err
		}
		for _, b := range []float64{1, 10, 100} {
			r, a, err := algorithm1With(order, eps, func(r float64) float64 { return (b + 3*(order-1)) * r })
			if err != nil {
				return err
			}
			name := fmt.Sprintf("b = %v, λ = %v, ε = %v", b, order, eps)
			v := q.moved(r, a+r*b, a+r*b, order) // counts b + 1 and b
			t.bound(k*eps, v, order, "%s", name)
			t.printed(r > plain, order, "%s: r = %v, not above %v", name, r, plain)
			t.f.number(name, v, want[[3]float64{b, order, eps}], 1e-9)
			t.f.require(near(v, loss.DirichletPair{Rate: r, Shape: a + r*b}.RDP(order), 1e-8), "%s: α + rb", name)
			for _, more := range []float64{0, 1, 7} { // any counts from b on
				t.bound(k*eps, q.moved(r, a+r*(b+more), a+r*(b+2*more), order), order, "%s and more", name)
			}
		}
	}
	return nil
}

// choiceOfG looks at g = 0, and at k times the g of Algorithm 1 in the exponent of r.
func choiceOfG(t *trial, k float64) error {
	for _, order := range []float64{1.5, 2, 5, 50} {
		for _, eps := range []float64{.01, 1, 10} {
			r, _, err := algorithm1With(order, eps, func(float64) float64 { return 0 })
			if err != nil {
				return err
			}
			t.printed(near(r, math.Sqrt(eps/(order*math.Pi*math.Pi/6)), 1e-10), order, "r = %v, λ = %v, ε = %v", r,
				order, eps)
		}
		for j := range 17 {
			r := math.Pow(10, -4+float64(j)/2)
			v := num.Trigamma(1+3*(order-1)*math.Pow(r, k)) * (1 + (order-1)*r)
			t.printed(v > 1./3 && v < math.Pi*math.Pi/6, order, "λ = %v, r = %v: %v", order, r, v)
		}
	}
	r, _, err := algorithm1With(5, 1, func(float64) float64 { return 0 })
	t.f.number("α/r for g = 0, λ = 5, ε = 1", (1+4*r)/r, 6.868, 1e-3)
	return err
}

// headline has k times the paper's β: the logarithms of two densities on the simplex differ by a constant.
func headline(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 9))
	for i := range 300 {
		d := 2 + g.IntN(7)
		r, alpha := math.Exp(-3+5*g.Float64()), math.Exp(-3+5*g.Float64())
		f, total := make([]float64, d), 0.0
		for j := range f {
			if f[j] = 40 * g.Float64(); i%2 == 0 { // a histogram, with empty cells
				f[j] = float64(g.IntN(4))
			}
			total += f[j]
		}
		if total == 0 {
			continue
		}
		low, high := math.Inf(1), math.Inf(-1)
		for range 20 {
			mechanism, density := 0.0, 0.0
			for j, y := range randomSimplex(g, d) {
				if f[j] > 0 {
					mechanism -= k * r * total * f[j] / total * math.Log(f[j]/total/y)
				}
				mechanism += (alpha - 1) * math.Log(y)
				density += (r*f[j] + alpha - 1) * math.Log(y)
			}
			low, high = math.Min(low, mechanism-density), math.Max(high, mechanism-density)
		}
		t.printed(high-low < 1e-10*(1+r*total)*10, total, "f = %v, r = %v, α = %v: the densities differ by e^%v", f, r,
			alpha, high-low)
	}
	return nil
}

// randomSimplex is a point of the simplex, also near its faces.
func randomSimplex(g *rand.Rand, d int) []float64 {
	y, sum := make([]float64, d), 0.0
	for i := range y {
		y[i] = math.Pow(g.ExpFloat64(), 3) + 1e-12
		sum += y[i]
	}
	for i := range y {
		y[i] /= sum
	}
	return y
}

// biasOfDraw has k times the printed bias; the mean is a ratio of integrals.
func biasOfDraw(t *trial, k float64) error {
	q := newQuadrature()
	bias := func(f, total, d, r, alpha float64) float64 {
		return alpha * math.Abs(total-d*f) / (total * (r*total + d*alpha))
	}
	for _, p := range rateShape {
		r, alpha := p[0], p[1]
		for d := 2; d <= 4; d++ {
			for n := 1; n <= 5; n++ {
				for x := 0; x <= n; x++ {
					f, total, cells := float64(x), float64(n), float64(d)
					a, b := r*f+alpha, r*(total-f)+(cells-1)*alpha
					mean := math.Exp(q.logBeta(a+1, b) - q.logBeta(a, b))
					v := bias(f, total, cells, r, alpha)
					t.printed(math.Abs(math.Abs(mean-f/total)-k*v) < 1e-10, total, "f_i = %v of %v, d = %v: %v, not "+
						"%v", f,
						total, cells, mean-f/total, v)
					larger, less := bias(f, total, cells, 1.1*r, alpha), bias(f, total, cells, r, .9*alpha)
					t.printed(v == 0 || larger < v && less < v, total, "no smaller at f_i = %v of %v", f, total)
				}
			}
		}
	}
	return nil
}

// likelihoodIsKL has k times the divergence.
func likelihoodIsKL(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 10))
	for range 500 {
		d := 2 + g.IntN(7)
		f, total := make([]float64, d), 0.0
		for i := range f {
			f[i] = float64(g.IntN(30))
			total += f[i]
		}
		if total == 0 {
			continue
		}
		y := randomSimplex(g, d)
		likelihood, best, entropy, kl := 0.0, 0.0, 0.0, 0.0
		for i, v := range f {
			if v > 0 {
				likelihood += v * math.Log(y[i])
				best += v * math.Log(v/total)
				entropy -= v / total * math.Log(v/total)
				kl += v / total * math.Log(v/total/y[i])
			}
		}
		t.printed(math.Abs(likelihood+total*(k*kl+entropy)) < 1e-9*total, total, "counts %v", f)
		t.printed(likelihood <= best && kl >= 0, total, "f/N is not the best for %v", f)
	}
	return nil
}

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

// settled reports that a mutant is refuted: it needs no more cases.
func (t *trial) settled(k float64) bool { return k != 1 && t.refuted > 0 }

// near reports whether a and b agree to a relative tolerance, or are the same infinity.
func near(a, b, relative float64) bool {
	return a == b || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}

// table1 has k times the printed numbers of instances.
func table1(t *trial, k float64) error {
	printed := map[string][4]string{ // instances, attributes, classes, positive
		"CreditCard": {"30000", "23", "2", "22"}, "Thyroid": {"7200", "21", "3", ""},
		"Shopper": {"12330", "17", "2", "15"}, "Digit": {"5620", "64", "10", ""},
		"GermanCredit": {"1000", "20", "2", "30"}, "Bank": {"41188", "20", "2", "11"},
		"Spam": {"4601", "57", "2", "39"}, "Adult": {"48842", "13", "2", "24"},
	}
	sets := data.Study()
	t.f.require(len(sets) == len(printed), "%d data sets", len(sets))
	for _, o := range sets {
		share := ""
		if o.Positive != "" {
			share = fmt.Sprintf("%.0f", 100*float64(o.ClassCounts[o.Positive])/float64(o.Rows))
		}
		have := [4]string{strconv.Itoa(o.Rows), strconv.Itoa(o.Features), strconv.Itoa(o.Classes), share}
		for i, want := range printed[o.PaperName] {
			if i == 0 {
				n, err := strconv.ParseFloat(want, 64)
				if err != nil {
					return err
				}
				want = fmt.Sprintf("%.0f", k*n)
			}
			if want != "" {
				t.printed(have[i] == want, float64(o.Rows), "%s: %s, not %s", o.PaperName, have[i], want)
			}
		}
	}
	return nil
}
