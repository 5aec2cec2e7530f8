package claims

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
)

func lemma12(t *trial, k float64) error {
	for _, delta := range []float64{1. / 16, 1. / 100} {
		for n := 1; n <= 60; n++ {
			radius, worst := math.Sqrt(3*math.Log(1/delta)/float64(n)), 0.0
			for i := 1; i < 50; i++ {
				p, tail := float64(i)/100, 0.0
				term := math.Pow(1-p, float64(n))
				for k := 0; k <= n; k++ {
					if 2*math.Abs(float64(k)/float64(n)-p) > radius {
						tail += term
					}
					term *= float64(n-k) / float64(k+1) * p / (1 - p)
				}
				worst = math.Max(worst, tail)
			}
			t.bound(k*delta, worst, float64(n), "m = 2, δ = %v, n = %d", delta, n)
		}
	}
	const delta = 1. / 64
	for _, n := range []int{5, 10, 15, 20} {
		radius, worst := math.Sqrt(3*math.Log(1/delta)/float64(n)), 0.0
		for a := 1; a < 10; a++ {
			for b := 1; a+b < 10; b++ {
				p := [3]float64{float64(a) / 10, float64(b) / 10, 1 - float64(a+b)/10}
				tail := 0.0
				histograms(3, n, func(x []int) {
					gap, l := 0.0, lnFactorial(n)
					for i, v := range x {
						gap += math.Abs(float64(v)/float64(n) - p[i])
						l += float64(v)*math.Log(p[i]) - lnFactorial(v)
					}
					if gap > radius {
						tail += math.Exp(l)
					}
				})
				worst = math.Max(worst, tail)
			}
		}
		t.bound(k*delta, worst, float64(n), "m = 3, n = %d", n)
	}
	t.f.require(t.least > 9, "a tenth of δ or less: %v", t.least)
	return nil
}

func lnFactorial(n int) float64 {
	v, _ := math.Lgamma(float64(n) + 1)
	return v
}

// bestError is the least average error of a test of p against q from n draws, for two outcomes: (1 − TV)/2.
func bestError(p, q float64, n int) float64 {
	sum := 0.0
	for k := 0; k <= n; k++ {
		l := lnFactorial(n) - lnFactorial(k) - lnFactorial(n-k)
		a := math.Exp(l + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
		b := math.Exp(l + float64(k)*math.Log(q) + float64(n-k)*math.Log1p(-q))
		sum += math.Min(a, b)
	}
	return sum / 2
}

func theorem13(t *trial, k float64) error {
	const delta = .05
	one := bernoulli([]float64{.95}, []float64{1}) // the posterior does not move
	for n := 1; n <= 4; n++ {
		if one.uniform() >= 3*math.Log(1/delta)/(4*float64(n)) {
			e := (1 - totalVariation(manySamples(one.posterior(0), n), manySamples(one.posterior(1), n))) / 2
			t.printed(e <= delta, float64(n), "1 parameter, N = %d: error %.3f", n, e)
		}
	}
	for _, lrho := range []float64{.1, .5, 1, 2.9444} { // two points, ln-ratio ±Lρ
		s := 1 / (1 + math.Exp(-lrho))
		printed := int(math.Ceil(3 * math.Log(1/delta) / (4 * lrho)))
		e := bestError(s, 1-s, printed)
		t.printed(e <= delta, 100+float64(printed), "2 parameters, Lρ = %v, N = %d: error %.3f", lrho, printed, e)
		for _, d := range []float64{.2755, .1, .05, 1e-3} {
			for n := 1; n < int(math.Ceil(3*math.Log(1/d)/(4*lrho))) && n < 60; n++ {
				t.repaired(bestError(s, 1-s, n) >= d, "Lρ = %v, N = %d, δ = %v", lrho, n, d)
			}
			divergence, affinity := (1-2*d)*math.Log((1-d)/d)/kappa(2*lrho), -math.Log(4*d*(1-d))/(2*math.Log(math.Cosh(lrho/2)))
			for name, need := range map[string]float64{"divergence": divergence, "affinity": affinity} {
				if n := int(math.Ceil(k*need)) - 1; n >= 1 {
					t.repaired(bestError(s, 1-s, n) >= d, "%s: Lρ = %v, N = %d, δ = %v", name, lrho, n, d)
				}
			}
			if lrho == .1 && d == .05 {
				t.f.number("N by the divergence, Lρ = 0.1, δ = 0.05", divergence, 530.29336, 1e-4)
				t.f.number("N by the affinity", affinity, 664.56920, 1e-4)
			}
		}
	}
	lo, hi, err := num.RootBracket(func(d float64) float64 { return math.Log((1-d)/d) - .75*math.Log(1/d) }, .1, .49,
		1e-13)
	t.f.number("true up to δ", (lo+hi)/2, .275508040999484, 1e-9)
	return err
}

// leastSamples is the least number of draws with which a test of two points of log-ratio ±Lρ errs at most at δ.
func leastSamples(lrho, delta float64) int {
	s, n := 1/(1+math.Exp(-lrho)), 1
	for bestError(s, 1-s, n) > delta {
		n += 1 + n/400*2 // odd numbers: ties waste a draw
	}
	return n
}

func closerThan(t *trial, k float64) error {
	const delta = .05
	for _, c := range []struct{ lrho, n float64 }{{.1, 1083}, {.5, 45}, {1, 11}} {
		n := float64(leastSamples(c.lrho, delta))
		t.f.number("least N at error 0.05", n, c.n, 4)
		t.bound(n, k*.75*math.Log(1/delta)/c.lrho, c.lrho, "Lρ = %v", c.lrho)
	}
	return nil
}

// theorem13Stochastic tries one parameter, where the data cannot be told, and two points with a short metric: L0 is
// large there, and ℓ has one value, so that any c serves.
func theorem13Stochastic(t *trial, k float64) error {
	const delta = .05
	one := bernoulli([]float64{.95}, []float64{1})
	for _, c := range []float64{2, 1000} {
		l0, constant := one.uniform(), one.constant()
		for n := 1; n <= 6; n++ {
			if 1 >= 1.5*math.Log(1/delta)/(float64(n)*(constant+2*l0/c)) {
				e := (1 - totalVariation(manySamples(one.posterior(0), n), manySamples(one.posterior(1), n))) / 2
				t.printed(e <= delta, float64(n)+c, "1 parameter, L0 = %.4g, c = %v, N = %d: error %.3f", l0, c, n, e)
			}
		}
	}
	slack := math.Inf(1) // of C + 2L0/c as a necessary condition
	for i := 1; i < 5; i++ {
		for _, rho := range []float64{.01, .1, 1} {
			for _, c := range []float64{1.01, 2, 1000} {
				theta := float64(i) / 10
				g := bernoulli([]float64{theta, 1 - theta}, []float64{1, 1})
				g.rho = apart(rho)
				p, q := g.posterior(0)[0], g.posterior(1)[0]
				n := 1
				for bestError(p, q, n) > delta {
					n++
				}
				l0, constant := g.uniform(), g.constant()
				t.repaired(float64(n) >= 1.5*math.Log(1/delta)/(rho*k*constant*(1+2*l0+1/c)), "θ = %v, ρ = %v, c = %v: N = "+
					"%d", theta, rho, c, n)
				slack = math.Min(slack, float64(n)/(1.5*math.Log(1/delta)/(rho*(constant+2*l0/c))))
			}
		}
	}
	t.f.require(slack < 1, "C + 2L0/c is necessary, too: %v", slack)
	return nil
}
