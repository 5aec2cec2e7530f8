package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
)

// lemma2 looks at x^2k ψ′(1+x).
func lemma2(t *trial, k float64) error {
	phi := func(x float64) float64 { return math.Pow(x, 2*k) * num.Trigamma(1+x) }
	last := 0.0
	for j := -400; j <= 400; j++ {
		x := math.Pow(10, float64(j)/40)
		t.printed(phi(x) > last, x, "x = %v", x)
		last = phi(x)
		// the derivative as a series of positive terms; the rest from m on lies between two integrals of 2k/(k+x)³
		if x > 1e-3 && x < 1e3 {
			const m = 4000
			sum := 0.0
			for i := 1; i < m; i++ {
				f := float64(i)
				sum += 2 * f / ((f + x) * (f + x) * (f + x))
			}
			rest := func(k float64) float64 { return 2/(k+x) - x/((k+x)*(k+x)) }
			h := 1e-4 * x
			slope := (phi(x+h) - phi(x-h)) / (2 * h)
			t.f.require(near(x*(sum+rest(m-.5)), slope, 1e-5), "derivative at %v: %v, series %v", x, slope,
				x*(sum+rest(m-.5)))
		}
	}
	t.f.number("x²ψ′(1+x) at 1e-10", phi(1e-10), 0, 1e-18)
	t.f.require(phi(1e10) > 9e9, "bounded")
	for _, order := range []float64{1.001, 2, 300} {
		for _, eps := range []float64{1e-6, 1, 1e4} {
			r, _, err := algorithm1(order, eps)
			t.printed(err == nil && near(order*r*r*num.Trigamma(1+3*(order-1)*r), eps, 1e-10), order,
				"no root at λ = %v, ε = %v", order, eps)
		}
	}
	return nil
}

// proposition3 has k times the exponent of the density ratio.
func proposition3(t *trial, k float64) error {
	q := newQuadrature()
	for _, r := range []float64{.01, .3, 1, 30} {
		for _, a := range []float64{.5, 1, 40} {
			// f = (1, 0) and (0, 1): ln of the density ratio at y_1 = 1 − e^{−s}, y_2 = e^{−s}, and mirrored
			ratio := func(s float64) float64 {
				return q.logBeta(a, a+r) - q.logBeta(a+r, a) + k*r*(math.Log1p(-math.Exp(-s))+s)
			}
			for _, eps := range []float64{.1, 1, 10, 1000} {
				s := (eps+1)/r + 1
				t.printed(ratio(s) > eps, eps, "r = %v, α = %v, ε = %v", r, a, eps)
			}
			slope := (ratio(200) - ratio(100)) / 100
			t.f.require(near(slope, r, 1e-9), "exponent %v, r = %v", slope, r)
			if r >= .3 { // the set where it is exceeded has a positive probability
				t.printed(q.movedDelta(r, a, a, 5) > 0, a, "δ(5) = 0 at r = %v, α = %v", r, a)
			}
		}
	}
	return nil
}

// lemma1 asks for k(ε₁ + ε₂), by the product of two random laws on three and four points.
func lemma1(t *trial, k float64) error {
	g := rand.New(rand.NewPCG(5, 8))
	law := func(n int) []float64 {
		p, sum := make([]float64, n), 0.0
		for i := range p {
			p[i] = math.Exp(3 * g.Float64())
			sum += p[i]
		}
		for i := range p {
			p[i] /= sum
		}
		return p
	}
	for i := range 400 {
		p1, q1, p2, q2 := law(3), law(3), law(4), law(4)
		o1, o2 := 1+math.Exp(-2+5*g.Float64()), 1+math.Exp(-2+5*g.Float64())
		if i%2 == 0 {
			o2 = o1
		}
		var p, q []float64
		for a := range p1 {
			for b := range p2 {
				p, q = append(p, p1[a]*p2[b]), append(q, q1[a]*q2[b])
			}
		}
		t.bound(k*(renyiOf(p1, q1, o1)+renyiOf(p2, q2, o2)), renyiOf(p, q, math.Min(o1, o2)), o1, "λ = %v and %v", o1,
			o2)
	}
	t.attained(1e-8)
	return nil
}

// renyiOf is the Rényi divergence of laws on finitely many points.
func renyiOf(p, q []float64, order float64) float64 {
	sum := 0.0
	for i := range p {
		sum += math.Exp(order*math.Log(p[i]) - (order-1)*math.Log(q[i]))
	}
	return math.Log(sum) / (order - 1)
}

// trigammaSum is ψ′(x) by its series, the rest by Euler and Maclaurin: independent of package num.
func trigammaSum(x float64) float64 {
	const m = 40
	sum := 0.0
	for i := m - 1; i >= 0; i-- {
		f := x + float64(i)
		sum += 1 / (f * f)
	}
	y := x + m
	return sum + 1/y + 1/(2*y*y) + 1/(6*y*y*y) - 1/(30*math.Pow(y, 5))
}

// trigammaBounds has 1/x + k/x² above.
func trigammaBounds(t *trial, k float64) error {
	for j := -240; j <= 160; j++ {
		x := math.Pow(10, float64(j)/40)
		v := trigammaSum(x)
		t.f.require(near(v, num.Trigamma(x), 1e-12), "ψ′(%v) = %v", x, v)
		t.printed(1/x+1/(2*x*x) < v && v < 1/x+k/(x*x), x, "x = %v", x)
		for _, more := range []float64{1.01, 3} {
			y := more * x
			mean, middle := (v+trigammaSum(y))/2, trigammaSum((x+y)/2)
			t.printed(v > 0 && trigammaSum(y) < v && middle < mean, x, "the shape of ψ′ at %v", x)
			t.printed(num.Digamma(y) > num.Digamma(x) &&
				num.Digamma((x+y)/2) > (num.Digamma(x)+num.Digamma(y))/2, x, "the shape of ψ at %v", x)
		}
	}
	t.f.number("x²ψ′(x) at 1e-6", 1e-12*trigammaSum(1e-6), 1, 1e-5)
	t.f.number("xψ′(x) at 1e4", 1e4*trigammaSum(1e4), 1, 1e-4)
	return nil
}

// digammaBounds has ln(x − k/2) below.
func digammaBounds(t *trial, k float64) error {
	for j := -160; j <= 160; j++ {
		x := .5 + math.Pow(10, float64(j)/40)
		v := num.Digamma(x)
		t.printed(math.Log(x-k/2) < v && v < math.Log(x), x, "x = %v", x)
	}
	t.f.number("24x²(ψ(x) − ln(x − ½)) at 100", 24e4*(num.Digamma(100)-math.Log(99.5)), 1, .03)
	return nil
}
