package claims

import (
	"math"
	"math/rand/v2"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/papers/families"
)

// outer is ‖xx′ − yy′‖_F = √(|x|⁴ + |y|⁴ − 2(x·y)²).
func outer(x, y []float64) float64 {
	var xx, yy, xy float64
	for i := range x {
		xx, yy, xy = xx+x[i]*x[i], yy+y[i]*y[i], xy+x[i]*y[i]
	}
	return math.Sqrt(math.Max(0, xx*xx+yy*yy-2*xy*xy))
}

func lemma23(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 23))
	for _, eigen := range [][]float64{{3, 2, 1}, {1, 1}, {2, 1}, {1, 1, 1, 1}, {5, 1}} {
		norm, top, most := 0.0, 0.0, 0.0
		for _, v := range eigen {
			norm, top = norm+v*v, math.Max(top, v)
		}
		norm = math.Sqrt(norm)
		try := func(x, y []float64) {
			d := outer(x, y)
			if d < 1e-9 {
				return
			}
			sum := 0.0
			for i, v := range eigen {
				sum += v * (x[i]*x[i] - y[i]*y[i]) / 2
			}
			t.f.require(math.Abs(sum)/d <= top/2*(1+1e-9), "%v above ½λ_max = %v", sum/d, top/2)
			most = math.Max(most, math.Abs(sum)/d)
		}
		for range 2000 {
			x, y := make([]float64, len(eigen)), make([]float64, len(eigen))
			for i := range x {
				x[i], y[i] = r.NormFloat64(), r.NormFloat64()
			}
			try(x, y)
		}
		x := make([]float64, len(eigen))
		x[0] = 1
		try(x, make([]float64, len(eigen)))
		t.bound(k*norm/2, most, top, "eigenvalues %v", eigen)
	}
	t.margin(1.0198, 2, 1e-4)
	return nil
}

func lemma23Mean(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 123))
	for _, eigen := range [][]float64{{3, 2, 1}, {1, 1}, {5, 1}} {
		for _, size := range []float64{.2, 1, 4} {
			d := len(eigen)
			mu, along, top, norm, pull := make([]float64, d), make([]float64, d), 0.0, 0.0, 0.0
			mu[0] = size * .6
			mu[1] = size * .8
			for i, v := range eigen {
				top, norm = math.Max(top, v), norm+v*v
				along[i] = v * mu[i]
				pull += along[i] * along[i]
			}
			exact, most := math.Max(top, math.Sqrt(pull))/2, 0.0
			try := func(x, y []float64) {
				loss, gap := 0.0, 0.0
				for i, v := range eigen {
					loss += v * ((x[i]-mu[i])*(x[i]-mu[i]) - (y[i]-mu[i])*(y[i]-mu[i])) / 2
					gap += (x[i] - y[i]) * (x[i] - y[i])
				}
				v := math.Abs(loss) / (outer(x, y) + 2*math.Sqrt(gap))
				t.f.require(v <= exact*(1+1e-9), "%v above ½max(λ, ‖Aμ‖) = %v", v, exact)
				most = math.Max(most, v)
			}
			for range 500 {
				x, y, s := make([]float64, d), make([]float64, d), math.Exp(2*r.NormFloat64())
				for i := range x {
					x[i], y[i] = s*r.NormFloat64(), s*r.NormFloat64()
				}
				try(x, y)
			}
			far := make([]float64, d) // beside it, λ_max alone counts
			far[0] = 1e6
			try(far, make([]float64, d))
			for i := range along { // near 0, ‖Aμ‖ alone counts
				along[i] *= 1e-6
			}
			try(along, make([]float64, d))
			t.f.require(near(most, exact, 1e-4), "eigenvalues %v, ‖μ‖ = %v: %v, not %v", eigen, size, most, exact)
			t.bound(k*math.Sqrt(norm)/2*math.Max(1, size), most, size, "eigenvalues %v, ‖μ‖ = %v", eigen, size)
		}
	}
	return nil
}

// lemma23Classical compares 3ε with the exact ε of the precision of one record, uniform prior, and looks for the
// greatest ρ and the greatest oscillation of the unit ball.
func lemma23Classical(t *trial, k float64) error {
	for _, b := range []float64{1, 2, 3, 4, 5} {
		for _, g := range []gammaPrior{{1e-9, .5, 2, .5}, {1e-9, .01, 1, .5}} {
			exact := g.epsilon(1, b*b/2)
			t.printed(exact <= 3*g.c2, b, "d = 1, μ = 0, precision %v to %v with a uniform prior, |x| ≤ %v: exactly %.3f "+
				"> 3ε = %.3g", g.c1, g.c2, b, exact, 3*g.c2)
			t.repaired(exact <= b*b*g.c2, "|x| ≤ %v: ρ·ε", b)
			t.repaired(b > 1 || exact <= 3*g.c2, "|x| ≤ 1")
		}
	}
	greatest := func(points [][]float64, visit func(x, y []float64) float64) float64 {
		most := 0.0
		for _, x := range points {
			for _, y := range points {
				most = math.Max(most, visit(x, y))
				t.f.Cases++
			}
		}
		return most
	}
	rho := func(x, y []float64) float64 {
		gap := 0.0
		for i := range x {
			gap += (x[i] - y[i]) * (x[i] - y[i])
		}
		return outer(x, y) + 2*math.Sqrt(gap)
	}
	var line, wide, square, disc, ring [][]float64
	for i := range 21 {
		u := float64(i) / 20
		line, wide = append(line, []float64{u}), append(wide, []float64{2*u - 1})
		for j := range 21 {
			square = append(square, []float64{u, float64(j) / 20})
		}
	}
	for i := range 720 { // ρ is largest on the circle
		a := math.Pi * float64(i) / 360
		disc = append(disc, []float64{math.Cos(a), math.Sin(a)})
		if i%6 == 0 {
			ring = append(ring, []float64{math.Cos(a), math.Sin(a)}, []float64{math.Cos(a) / 2, math.Sin(a) / 2})
		}
	}
	t.repaired(greatest(line, rho) <= 3, "[0, 1]")
	t.f.number("greatest ρ on [−1, 1]", greatest(wide, rho), 4, 1e-12)
	t.f.number("greatest ρ on the unit ball", greatest(disc, rho), 4.7096008204, 2e-5)
	t.f.number("greatest ρ on [0, 1]²", greatest(square, rho), 2*math.Sqrt2+2, 1e-12)
	for _, m := range []float64{0, .5, .9, 1, 1.1, 2, 5} { // precision up to 1: osc ≤ ½‖uu′ − vv′‖_*, u = x − μ, v = y − μ
		osc := greatest(ring, func(x, y []float64) float64 {
			u, v, w := 0.0, 0.0, 0.0
			for i := range x {
				a, b := x[i], y[i]
				if i == 0 {
					a, b = a-m, b-m
				}
				u, v, w = u+a*a, v+b*b, w+a*b
			}
			return math.Sqrt(math.Max(0, (u+v)*(u+v)-4*w*w)) / 2
		})
		t.repaired(osc <= k*2.6*math.Max(1, m)*(1+1e-9), "‖μ‖ = %v: oscillation %v on the unit ball", m, osc)
	}
	return nil
}

func lemma12(t *trial, k float64) error {
	for _, delta := range []float64{1. / 16, 1. / 100} {
		for n := 1; n <= 60; n++ {
			worst := 0.0
			for i := 1; i <= 50; i++ {
				p := float64(i) / 100
				worst = math.Max(worst, lemma12Tail(n, delta, p, 1-p))
			}
			t.bound(k*delta, worst, float64(n), "m = 2, δ = %v, n = %d", delta, n)
		}
	}
	const delta = 1. / 64
	for _, n := range []int{5, 10, 15, 20} {
		worst := 0.0
		for a := 1; a < 10; a++ {
			for b := 1; a+b < 10; b++ {
				worst = math.Max(worst, lemma12Tail(n, delta, float64(a)/10, float64(b)/10, 1-float64(a+b)/10))
			}
		}
		t.bound(k*delta, worst, float64(n), "m = 3, n = %d", n)
	}
	t.f.require(t.least > 9, "a tenth of δ or less: %v", t.least)
	t.f.number("tail, m = 2, n = 12, uniform", lemma12Tail(12, 1./16, .5, .5), .00635, 5e-6)
	t.f.number("tail, m = 3, n = 8, P = (1/4, 3/8, 3/8)", lemma12Tail(8, delta, .25, .375, .375), .00116, 5e-6)
	t.f.number("tail, m = 4, n = 10, uniform", lemma12Tail(10, 1./256, .25, .25, .25, .25), .000118, 5e-7)
	t.f.number("radius · √n, δ = 1/16", math.Sqrt(3*math.Log(16)), 2.884, 5e-4)
	t.f.number("Weissman's", math.Sqrt(2*math.Log(2*16)), 2.633, 5e-4)
	t.f.number("exact, two parts, large n", math.Sqrt2*math.Erfinv(1-1./16), 1.863, 5e-4)
	return nil
}

// lemma12Tail is P[‖P̂ − P‖₁ > √(3 ln(1/δ)/n)] of n draws from p. Counts on the border, within 1e-12, are beyond it.
func lemma12Tail(n int, delta float64, p ...float64) (tail float64) {
	radius := math.Sqrt(3 * math.Log(1/delta) / float64(n))
	histograms(len(p), n, func(x []int) {
		gap, l := 0.0, lnFactorial(n)
		for i, v := range x {
			gap += math.Abs(float64(v)/float64(n) - p[i])
			l += float64(v)*math.Log(p[i]) - lnFactorial(v)
		}
		if gap > radius-1e-12 {
			tail += math.Exp(l)
		}
	})
	return tail
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
			if want, ok := map[float64][2]float64{.5: {21.5, 26.8}, 1: {5.59, 6.91}}[lrho]; ok && d == .05 {
				t.f.number("N by the divergence", divergence, want[0], .003*want[0])
				t.f.number("N by the affinity", affinity, want[1], .003*want[1])
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

// deterministic answers with the most probable of two parameters. An answer that differs is certain under x and
// impossible under y.
func deterministic(t *trial, trust float64) error {
	for i := 1; i < 10; i++ {
		for _, half := range []float64{.05, .1, .3} {
			weight := float64(i) / 10
			g := bernoulli([]float64{.5 - half, .5 + half}, []float64{weight, 1 - weight})
			law := func(x int) []float64 {
				if p := g.posterior(x); p[0] > p[1] {
					return []float64{1, 0}
				}
				return []float64{0, 1}
			}
			_, hi := lossRange(law(0), law(1))
			private := !math.IsInf(hi, 1)
			if p, q := law(0), law(1); p[0] != q[0] || trust != 0 {
				t.printed(!private, weight, "the two answers differ at weight %v", weight)
			} else if math.Abs(weight-.5) > .01 {
				t.outside(!private, half-weight, "the most probable of Θ = {%.2f, %.2f} under the weights (%.1f, %.1f), one "+
					"bit: the same for both bits", .5-half, .5+half, weight, 1-weight)
			}
		}
	}
	return nil
}

// jointChoice compares the exact errors of one draw.
func jointChoice(t *trial, k float64) error {
	alone, err := families.TemperedDraw(100, 30, 1, .3, 1e-6)
	if err != nil {
		return err
	}
	prior, err := families.StrongestPrior(100, 30, .3, 1e-6)
	if err != nil {
		return err
	}
	best := families.Draw{Error: math.Inf(1)}
	for _, alpha := range []float64{8, 12, 20} {
		d, err := families.TemperedDraw(100, 30, alpha, .3, 1e-6)
		if err != nil {
			return err
		}
		if d.Error < best.Error {
			best = d
		}
	}
	t.printed(k*best.Error < math.Min(alone.Error, prior.Error), 1, "both %v, temperature %v, prior %v", best.Error,
		alone.Error, prior.Error)
	t.f.number("error, temperature alone", alone.Error, .21282, 1e-4)
	t.f.number("error, prior alone", prior.Error, .17254, 1e-4)
	t.f.number("error, both", best.Error, .13241, 1e-4)
	return nil
}

// temperature weighs the prior by powers of the likelihood.
func temperature(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 55))
	for range 1000 {
		g := randomFamily(r)
		l := g.uniform()
		target := .05 + 2*r.Float64()
		g.pairs(func(x, y int) {
			at := func(power float64) (exact float64, law []float64) {
				other, sum := family{prior: g.prior, lik: [][]float64{nil, nil}}, 0.0
				for i := range g.prior {
					other.lik[0] = append(other.lik[0], math.Pow(g.lik[x][i], power))
					other.lik[1] = append(other.lik[1], math.Pow(g.lik[y][i], power))
					sum += g.prior[i] * other.lik[0][i]
				}
				for i, w := range g.prior {
					law = append(law, w*other.lik[0][i]/sum)
				}
				_, exact = lossRange(other.posterior(0), other.posterior(1))
				return exact, law
			}
			_, one := at(1)
			for i, v := range g.posterior(x) {
				t.printed(near(v, one[i], 1e-9), 1, "power 1 is not the posterior")
			}
			exact, _ := at(k * target / (2 * l * g.rho(x, y)))
			t.printed(exact <= target*(1+1e-9), target, "target %v: ε = %v", target, exact)
		})
	}
	return nil
}

// halfOfC compares k times the bound of Theorem 7.2 with both divergences together. Beside it, the bound without C
// fails where a parameter B of little weight explains x alone: likelihoods of about (1, 1) of A and (e^(ℓ/2)/w,
// e^(−ℓ/2)/w) of B, up to a factor.
func halfOfC(t *trial, k float64) error {
	both := func(g family, l0, c float64) {
		g.pairs(func(x, y int) {
			p, q := g.posterior(x), g.posterior(y)
			t.printed(klDivergence(p, q)+klDivergence(q, p) <= k*g.constant()*(1+2*l0+1/c)*g.rho(x, y)*(1+1e-9)+1e-13, l0,
				"L0 = %v, c = %v", l0, c)
		})
	}
	assumptions(56, 3000, func(g family, l0, c, _ float64) {
		if c > 1 {
			both(g, l0, c)
		}
	})
	for _, a := range []float64{3, 8, 20} { // the two points of betterTheorem, where any c serves
		s := math.Exp(a / 2)
		both(family{prior: []float64{.5, .5}, lik: [][]float64{{s, 1 / s}, {1 / s, s}}, rho: apart(1)}, a, 1000)
	}
	failed := 0
	for _, lnw := range []float64{3, 5, 7, 9} {
		for _, ell := range []float64{2, 4, 6, 8} {
			const l0 = .01
			w, a := math.Exp(-lnw), math.Exp(l0/2)
			g := family{prior: []float64{1 - w, w}, rho: apart(1),
				lik: [][]float64{{1, math.Exp(ell/2) / w}, {a, math.Exp(-ell/2) / w}}}
			c := g.bestC(l0)
			if !(c > 1) {
				continue
			}
			both(g, l0, c)
			d, bound := klDivergence(g.posterior(0), g.posterior(1)), 1+2*l0+1/c
			if d > bound {
				failed++
			}
			if lnw == 7 && ell == 6 {
				t.f.number("ξ(B) = e^(−7), ℓ(B) = 6: D", d, 2.72, .005)
				t.f.number("the bound without C", bound, 1.88, .005)
			}
		}
	}
	t.f.require(failed > 0, "the bound without C holds")
	return nil
}

// informative compares the exact δ of untrimmed priors, and the exact pure ε of trimmed ones.
func informative(t *trial, sign float64) error {
	for _, n := range []float64{1, 2, 10, 100} {
		last := neighbourTV(1.01, n+1.01)
		for _, alpha := range []float64{1.5, 2, 4, 16, 50} {
			v := neighbourTV(alpha, n+alpha)
			t.printed(sign*v < sign*last, alpha, "n = %v, α = %v: %v after %v", n, alpha, v, last)
			last = v
		}
	}
	for _, n := range []int{10, 100, 1000} {
		last, half := math.Inf(int(sign)), math.Log(19)
		for _, alpha := range []float64{1, 5, 50} {
			f, err := families.NewTrimmedBeta(n, alpha, alpha, .05, .95)
			if err != nil {
				return err
			}
			t.printed(sign*f.Epsilon() < sign*last, alpha, "pure ε, n = %d, α = %v: %v after %v", n, alpha, f.Epsilon(), last)
			last = f.Epsilon()
			t.f.require(last >= half && last <= 2*half, "n = %d, α = %v: ε = %v", n, alpha, last)
		}
	}
	return nil
}

// simplification visits exponential laws, whose natural parameter is −θ.
func simplification(t *trial, s scale) error {
	for _, theta := range []float64{.5, 1, 2} {
		for _, l := range []float64{1, 2} {
			holds := theta <= l // |ln p(x)/p(y)| = θ|x − y|
			t.printed((1 <= s.Printed*l/-theta) == holds, theta+l, "Exp(%v), η = −%v, τ = x, L = %v: 1 ≤ −%v fails, "+
				"|ln p(x)/p(y)| = %v·ρ holds", theta, theta, l, l/theta, theta)
			t.repaired((1 <= s.Repaired*l/math.Abs(-theta)) == holds, "Exp(%v), L = %v", theta, l)
		}
	}
	return nil
}

// rejection sums over the trials that fail: the allowed part of the posterior, divided by its mass.
func rejection(t *trial, k float64) error {
	r := rand.New(rand.NewPCG(6, 59))
	for range 1000 {
		g := randomFamily(r)
		cut := family{lik: g.lik, rho: g.rho, prior: append([]float64(nil), g.prior...)}
		cut.prior[r.IntN(len(cut.prior))] = 0
		for x := range g.lik {
			p, want, allowed := g.posterior(x), cut.posterior(x), 0.0
			for i, w := range cut.prior {
				if w > 0 {
					allowed += p[i]
				}
			}
			for i, w := range cut.prior {
				if w > 0 {
					t.printed(near(k*p[i]/allowed, want[i], 1e-9), float64(i), "x = %d, θ number %d", x, i)
				}
			}
		}
	}
	return nil
}
