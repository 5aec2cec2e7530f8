package claims

import (
	"fmt"
	"math"
	"math/rand/v2"

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
