package posterior_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
)

// hellingerGolden was computed with 40-digit arithmetic.
var hellingerGolden = []struct {
	p, q []float64
	h    float64
}{
	{[]float64{2, 1}, []float64{1, 2}, 0.4632513751761042429213},
	{[]float64{7, 4}, []float64{8, 3}, 0.2399927477971311829901},
	{[]float64{1.5, 2.5}, []float64{2.5, 1.5}, 0.3888105410649573372742},
	{[]float64{501, 501}, []float64{502, 500}, 0.0223467264964283995420},
	{[]float64{500001, 500001}, []float64{500002, 500000}, 0.0007071063392455108640},
	{[]float64{500000001, 500000001}, []float64{500000002, 500000000}, 0.0000223606797610224721},
	{[]float64{1, 1000000001}, []float64{2, 1000000000}, 0.3373026454951403905836},
	{[]float64{1, 1001}, []float64{1001, 1}, 1.0},
	{[]float64{7, 4, 5}, []float64{8, 3, 5}, 0.2399927477971311829901},
	{[]float64{41, 37, 38}, []float64{42, 36, 38}, 0.0806201039821717793664},
	{[]float64{41, 37, 38}, []float64{20, 60, 36}, 0.9810348518692313765294},
	{[]float64{41, 37, 38}, []float64{43.5, 35.25, 40}, 0.1837831327630096052217},
	{[]float64{0.01, 0.5, 12}, []float64{1.01, 0.5, 11}, 0.9094730814951959296327},
	{[]float64{1, 1, 1, 6}, []float64{6, 1, 1, 1}, 0.9528699558317816571963},
}

func TestHellingerGolden(t *testing.T) {
	for _, r := range hellingerGolden {
		if got := posterior.Hellinger(dirichlet(t, r.p...), dirichlet(t, r.q...)); !(math.Abs(got-r.h) <= 1e-14*r.h) {
			t.Errorf("H(%v, %v) = %.17g, want %.17g", r.p, r.q, got, r.h)
		}
	}
}

// TestUnequalTotals has the data doubled at a billion records: the components' terms are 1e9 times the answer, which
// must not be lost in their difference. Reference values by 60-digit arithmetic.
func TestUnequalTotals(t *testing.T) {
	p, q := posterior.Beta{A: 3e8, B: 7e8}, posterior.Beta{A: 6e8 + 1, B: 14e8}
	if got, want := posterior.KL(p, q), 0.153426411043440044546674944332; math.Abs(got-want) > 1e-14 {
		t.Errorf("KL = %.17g, want %.17g", got, want)
	}
	if got, want := posterior.Hellinger(p, q), 0.170342175633405064126135689343; math.Abs(got-want) > 1e-14 {
		t.Errorf("H = %.17g, want %.17g", got, want)
	}
}

// TestNaiveHellingerFails shows that the golden rows reject differences of lgamma.
func TestNaiveHellingerFails(t *testing.T) {
	logB := func(a []float64) (sum float64) {
		total := 0.0
		for _, v := range a {
			sum, total = sum+num.LogGamma(v), total+v
		}
		return sum - num.LogGamma(total)
	}
	worst := 0.0
	for _, r := range hellingerGolden {
		mid := make([]float64, len(r.p))
		for i := range mid {
			mid[i] = (r.p[i] + r.q[i]) / 2
		}
		naive := math.Sqrt(math.Max(0, -math.Expm1(logB(mid)-(logB(r.p)+logB(r.q))/2)))
		worst = math.Max(worst, math.Abs(naive-r.h)/r.h)
	}
	if worst < 1e-3 {
		t.Errorf("the naive formula is within %g of the golden rows", worst)
	}
}

// integral is ∫_0^1 f(ln p(x), ln q(x)) dx by quadrature over the logit, in which the ends of the interval are no
// singularities.
func integral(p, q posterior.Beta, f func(lp, lq float64) float64) float64 {
	return num.Integrate24(func(t float64) float64 {
		x, y := num.Logistic(t)
		return x * y * f(p.LogDensity(x), q.LogDensity(x))
	}, -36, 36, 150)
}

func TestDistancesAgainstQuadrature(t *testing.T) {
	cases := [][2]posterior.Beta{
		{{A: 2, B: 3}, {A: 3, B: 2}}, {{A: 1, B: 1}, {A: 2, B: 5}}, {{A: 7, B: 4}, {A: 8, B: 3}},
		{{A: 30, B: 12}, {A: 28, B: 15}},
		{{A: 257, B: 254}, {A: 250, B: 261}}, {{A: 4, B: 9}, {A: 40, B: 90}},
	}
	for _, c := range cases {
		p, q := c[0], c[1]
		check := func(what string, got, want float64) {
			if !(math.Abs(got-want) <= 1e-11*math.Max(1, want)) {
				t.Errorf("%s(%v, %v) = %.15g, by quadrature %.15g", what, p, q, got, want)
			}
		}
		check("mass", 1, integral(p, q, func(lp, _ float64) float64 { return math.Exp(lp) }))
		check("KL", posterior.KL(p, q), integral(p, q,
			func(lp, lq float64) float64 { return math.Exp(lp) * (lp - lq) }))
		h := posterior.Hellinger(p, q)
		check("H²", h*h, 1-integral(p, q, func(lp, lq float64) float64 { return math.Exp((lp + lq) / 2) }))
		for _, order := range []float64{0.3, 0.5, 2, 1.25} {
			want := math.Log(integral(p, q,
				func(lp, lq float64) float64 { return math.Exp(order*lp + (1-order)*lq) })) / (order - 1)
			if got := posterior.Renyi(order, p, q); !math.IsInf(got, 1) {
				check("Renyi", got, want)
			}
		}
	}
}

func TestRenyiEnds(t *testing.T) {
	p, q := dirichlet(t, 4, 2, 3), dirichlet(t, 2, 5, 2)
	kl := posterior.KL(p, q)
	for _, order := range []float64{1 - 1e-9, 1, 1 + 1e-9} {
		if got := posterior.Renyi(order, p, q); math.Abs(got-kl) > 1e-7 {
			t.Errorf("order %v: %g, KL %g", order, got, kl)
		}
	}
	if got := posterior.Renyi(0, p, q); got != 0 {
		t.Errorf("order 0: %g", got)
	}
	// w₂ = 2λ + 5(1−λ) is 0 at λ = 5/3.
	if a, b := posterior.Renyi(1.66, p, q), posterior.Renyi(1.67, p, q); math.IsInf(a, 1) || !math.IsInf(b, 1) {
		t.Errorf("either side of λ = 5/3: %g, %g", a, b)
	}
	if got := posterior.Renyi(math.Inf(1), p, q); !math.IsInf(got, 1) {
		t.Errorf("order ∞ = %g", got)
	}
	// Beta(2, 1) against uniform: the ratio 2x has supremum 2.
	if got := posterior.Renyi(math.Inf(1), posterior.Beta{A: 2, B: 1},
		posterior.Beta{A: 1, B: 1}); math.Abs(got-math.Ln2) > 1e-15 {
		t.Errorf("order ∞ = %g, want ln 2", got)
	}
	if got := posterior.Renyi(1e6, posterior.Beta{A: 2, B: 1},
		posterior.Beta{A: 1, B: 1}); math.Abs(got-math.Ln2) > 1e-4 {
		t.Errorf("order 1e6 = %g, want about ln 2", got)
	}
	h := posterior.Hellinger(p, q)
	if got, want := posterior.Renyi(0.5, p, q), -2*math.Log1p(-h*h); math.Abs(got-want) > 1e-14 {
		t.Errorf("order ½ = %g, want −2 ln BC = %g", got, want)
	}
}

func TestDistanceDomain(t *testing.T) {
	p, q := dirichlet(t, 1, 2), dirichlet(t, 1, 2, 3)
	var none *posterior.Dirichlet
	for i, v := range []float64{
		posterior.KL(p, q), posterior.Hellinger(p, q), posterior.Renyi(2, p, q), posterior.Renyi(-1, p, p),
		posterior.Renyi(math.NaN(), p, p),
		posterior.KL(none, p), posterior.KL(none, none),
		posterior.Hellinger(posterior.Beta{}, posterior.Beta{A: 1, B: 1}),
	} {
		if !math.IsNaN(v) {
			t.Errorf("case %d = %g, want NaN", i, v)
		}
	}
}

// drawDirichlet is a law with parameters from 0.01 to 1e6.
func drawDirichlet(t *rapid.T, dim int, name string) *posterior.Dirichlet {
	alpha := make([]float64, dim)
	for i := range alpha {
		alpha[i] = math.Pow(10, rapid.Float64Range(-2, 6).Draw(t, name))
	}
	return must.Get(posterior.NewDirichlet(alpha))(t)
}

func TestDistanceProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(2, 5).Draw(t, "dim")
		p, q, r := drawDirichlet(t, dim, "p"), drawDirichlet(t, dim, "q"), drawDirichlet(t, dim, "r")
		const slack = 1e-7 // √ of the rounding of 1 − BC
		pq, qp := posterior.Hellinger(p, q), posterior.Hellinger(q, p)
		if pq != qp || pq < 0 || pq > 1 || posterior.Hellinger(p, p) != 0 || posterior.KL(p, p) != 0 {
			t.Fatalf("H(p,q) = %g, H(q,p) = %g", pq, qp)
		}
		if pr, rq := posterior.Hellinger(p, r), posterior.Hellinger(r, q); pq > pr+rq+slack {
			t.Fatalf("triangle: %g > %g + %g", pq, pr, rq)
		}
		// 2H² ≤ D_½ ≤ KL ≤ D_2, and monotone between.
		kl, last := posterior.KL(p, q), 2*pq*pq
		tolerance := 1e-9 * math.Max(1, kl)
		for _, order := range []float64{0.5, 0.9, 1, 1.1, 2, math.Inf(1)} {
			d := posterior.Renyi(order, p, q)
			if d < last-tolerance {
				t.Fatalf("Rényi falls at order %g: %g after %g", order, d, last)
			}
			last = d
		}
		a, b := p.Marginal(0), q.Marginal(0)
		h := posterior.Hellinger(a, b)
		// Merging components loses information.
		if posterior.KL(a, b) > kl*(1+1e-9)+1e-9 || h > pq+slack {
			t.Fatalf("marginal further apart than joint: KL %g > %g or H %g > %g", posterior.KL(a, b), kl, h, pq)
		}
	})
}

func BenchmarkHellinger(b *testing.B) {
	p, _ := posterior.NewDirichlet([]float64{41, 37, 38, 1000, 2.5})
	q, _ := posterior.NewDirichlet([]float64{42, 36, 38, 1001, 1.5})
	for b.Loop() {
		posterior.Hellinger(p, q)
	}
}
