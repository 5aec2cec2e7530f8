package truncated

import (
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/num"
)

func source(seed uint64) *rand.PCG { return rand.NewPCG(seed, 0x5eed) }

// ksLimit is the Kolmogorov–Smirnov statistic that n draws from the right law exceed with probability at most 1e-9
// (Massart: 2e^{−2nD²}).
func ksLimit(n int) float64 { return math.Sqrt(math.Log(2e9) / (2 * float64(n))) }

func ks(draws []float64, cdf func(x float64) float64) float64 {
	x := append([]float64(nil), draws...)
	sort.Float64s(x)
	worst, n := 0.0, float64(len(x))
	for i, v := range x {
		f := cdf(v)
		worst = math.Max(worst, math.Max(f-float64(i)/n, float64(i+1)/n-f))
	}
	return worst
}

// cdfByQuadrature is the distribution function of a log-density on [l, u] on a grid of 4000 cells in x itself,
// interpolated: it shares nothing with the sampler.
func cdfByQuadrature(log func(x float64) float64, l, u float64) func(x float64) float64 {
	const cells = 4000
	top := math.Inf(-1)
	for i := range cells {
		top = math.Max(top, log(l+(u-l)*(float64(i)+0.5)/cells))
	}
	acc := make([]float64, cells+1)
	for i := range cells {
		a, b := l+(u-l)*float64(i)/cells, l+(u-l)*float64(i+1)/cells
		acc[i+1] = acc[i] + num.Integrate24(func(x float64) float64 { return math.Exp(log(x) - top) }, a, b, 1)
	}
	return func(x float64) float64 {
		g := (x - l) / (u - l) * cells
		i := int(math.Min(math.Max(g, 0), cells-1))
		return (acc[i] + (g-float64(i))*(acc[i+1]-acc[i])) / acc[cells]
	}
}

// Draws against quadrature, and the same comparison for a mutant law: one success more (Beta), a rate 10 % off (Gamma).
func TestDrawsAgainstQuadrature(t *testing.T) {
	const n = 20000
	draw := func(s *Sampler, seed uint64) []float64 {
		src, out := source(seed), make([]float64, n)
		for i := range out {
			out[i] = s.Draw(src)
		}
		return out
	}
	for i, c := range []struct{ a, b, l, u float64 }{
		{2, 3, .1, .9}, {1, 12, .2, .8}, {12, 1.5, .05, .4}, {.5, .5, .3, .7}, {40, 60, .35, .38}, {1, 1001, .2, .3},
		{.05, .3, .01, .99},
	} {
		want := cdfByQuadrature(func(x float64) float64 { return (c.a-1)*math.Log(x) + (c.b-1)*math.Log1p(-x) }, c.l,
			c.u)
		if d := ks(draw(mustBeta(t, c.a, c.b, c.l, c.u).Sampler(), uint64(i)), want); d > ksLimit(n) {
			t.Errorf("Beta %v: KS %g > %g", c, d, ksLimit(n))
		}
		mutant := mustBeta(t, c.a+1+c.a/4, c.b, c.l, c.u).Sampler()
		if c.u-c.l > .1 {
			if d := ks(draw(mutant, uint64(i)), want); d <= ksLimit(n) {
				t.Errorf("Beta %v: a mutant with another count passes, KS %g", c, d)
			}
		}
	}
	for i, c := range []struct{ k, r, l, u float64 }{{3, 2, .5, 2}, {.2, 1, .01, 4}, {50, 1, 90, 120}, {5, 0, .1, .9},
		{21, 11, .5, 2}} {
		want := cdfByQuadrature(func(x float64) float64 { return (c.k-1)*math.Log(x) - c.r*x }, c.l, c.u)
		if d := ks(draw(mustGamma(t, c.k, c.r, c.l, c.u).Sampler(), uint64(i)), want); d > ksLimit(n) {
			t.Errorf("Gamma %v: KS %g > %g", c, d, ksLimit(n))
		}
		mutant := mustGamma(t, c.k, c.r+.5, c.l, c.u).Sampler()
		if d := ks(draw(mutant, uint64(i)), want); d <= ksLimit(n) {
			t.Errorf("Gamma %v: a mutant with another rate passes, KS %g", c, d)
		}
	}
}

// The box of mass e^−1000 and beyond: the law there is the exponential of its slope.
func TestFarBox(t *testing.T) {
	m := mustBeta(t, 1, 4001, .2, .9) // density (1−x)^4000 from .2 on
	if got, want := m.LogMass(), 4001*math.Log(.8)-math.Log(4001); math.Abs(got-want) > 1e-11 {
		t.Errorf("log-mass %g, want %g", got, want)
	}
	s, src := m.Sampler(), source(3)
	const n = 20000
	draws := make([]float64, n)
	for i := range draws {
		draws[i] = s.Draw(src)
	}
	exact := func(x float64) float64 { return -math.Expm1(4001 * (math.Log1p(-x) - math.Log(.8))) }
	if d := ks(draws, exact); d > ksLimit(n) {
		t.Errorf("KS %g > %g", d, ksLimit(n))
	}
	for _, p := range []float64{1e-12, .001, .3, .999, 1 - 1e-5} {
		want := -math.Expm1(math.Log(.8) + math.Log1p(-p)/4001)
		near(t, "quantile", s.Quantile(p), want, 2e-14+1e-19/(1-p))
	}
}

// Moments of truncated Dirichlet draws against nested quadrature, r = 3, and against the untilted identity for r = 2.
// The mutant is the tempting sequential sampler with each stage's own normaliser.
func TestDirichletMoments(t *testing.T) {
	const n = 40000
	for i, c := range []struct {
		alpha []float64
		w     float64
	}{
		{[]float64{1, 1, 1}, .1}, {[]float64{5, 2, 9}, .2}, {[]float64{60, 2, 2}, .25}, {[]float64{.1, .1, .1}, .001},
		{[]float64{30, .2, .2}, .05},
	} {
		d := must.Get(NewDirichlet(c.alpha, c.w))(t)
		mean, square := simplexMoments(c.alpha, c.w)
		src, out := source(uint64(i)), make([]float64, 3)
		trials := 0
		if z := worstZ(n, mean, square, func() []float64 {
			k := must.Get(d.Draw(src, out))(t)
			trials += k
			if s := out[0] + out[1] + out[2]; math.Abs(s-1) > 1e-14 ||
				math.Min(out[0], math.Min(out[1], out[2])) < c.w {
				t.Fatalf("draw %v is outside the box", out)
			}
			return out
		}); z > 6.5 {
			t.Errorf("Dirichlet %v, w %g: %g standard errors", c.alpha, c.w, z)
		}
		if per := float64(trials) / n; per > 6 {
			t.Errorf("Dirichlet %v, w %g: %g proposals a draw", c.alpha, c.w, per)
		} else {
			t.Logf("Dirichlet %v, w %g: %.2f proposals, tilt %.3g", c.alpha, c.w, per, d.Rate())
		}
		if i == 1 || i == 2 {
			if z := worstZ(n/8, mean, square, func() []float64 { return sequential(t, src, c.alpha, c.w) }); z <= 6.5 {
				t.Errorf("Dirichlet %v: the sequential mutant passes, %g standard errors", c.alpha, z)
			}
		}
	}
}

// More cells: α = (2, 1, …, 1) on the shrunken simplex θ = w + cφ, c = 1 − rw, is the uniform law of φ weighted by w +
// cφ₁, whose moments are rational: E φ₁ = 1/r, E φ₁² = 2/(r(r+1)), E φ₁³ = 6/(r(r+1)(r+2)).
func TestDirichletManyCells(t *testing.T) {
	const n = 30000
	for _, r := range []int{2, 4, 7, 12} {
		for _, w := range []float64{.01 / float64(r), .3 / float64(r), .9 / float64(r)} {
			alpha, out := make([]float64, r), make([]float64, r)
			for i := range alpha {
				alpha[i] = 1
			}
			alpha[0] = 2
			d := must.Get(NewDirichlet(alpha, w))(t)
			k, c := float64(r), 1-float64(r)*w
			e1, e2, e3 := 1/k, 2/(k*(k+1)), 6/(k*(k+1)*(k+2))
			z := w + c*e1
			m1, m2 := (w*e1+c*e2)/z, (w*e2+c*e3)/z
			mean, square := w+c*m1, w*w+2*w*c*m1+c*c*m2
			src := source(uint64(r))
			if z := worstZ(n, []float64{mean}, []float64{square}, func() []float64 {
				must.Get(d.Draw(src, out))(t)
				return out[:1]
			}); z > 6.5 {
				t.Errorf("r %d, w %g: mean of θ₁ off by %g standard errors", r, w, z)
			}
			flat := (w + c/k) // the mean if α₁ were 1
			if sd := math.Sqrt((square - mean*mean) / n); w*k < .5 && math.Abs(flat-mean) < 6.5*sd {
				t.Errorf("r %d, w %g: the test could not tell α₁ = 2 from 1", r, w)
			}
		}
	}
}

// Any law of reasonable size is drawn within a bounded number of proposals.
func TestDirichletCost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := rapid.IntRange(3, 9).Draw(t, "r")
		alpha, out := make([]float64, r), make([]float64, r)
		for i := range alpha {
			alpha[i] = math.Pow(10, rapid.Float64Range(-2, 4).Draw(t, "log alpha"))
		}
		w := math.Pow(10, rapid.Float64Range(-5, -.01).Draw(t, "log share")) / float64(r)
		d := must.Get(NewDirichlet(alpha, w))(t)
		src, total := source(1), 0
		for range 20 {
			k := must.Get(d.Draw(src, out))(t)
			total += k
		}
		if total > 20*100 {
			t.Fatalf("%d proposals for 20 draws", total)
		}
	})
}

// sequential draws θ₁ then θ₂/(1−θ₁) from truncated Betas with their own normalisers: not the truncated Dirichlet.
func sequential(t *testing.T, src rand.Source, alpha []float64, w float64) []float64 {
	first := mustBeta(t, alpha[0], alpha[1]+alpha[2], w, 1-2*w)
	x := first.Sampler().Draw(src)
	left := 1 - x
	if left-2*w < 1e-9 {
		return []float64{x, left / 2, left / 2}
	}
	y := left * mustBeta(t, alpha[1], alpha[2], w/left, 1-w/left).Sampler().Draw(src)
	return []float64{x, y, left - y}
}

// worstZ is the largest deviation of the sample means of θ_i from mean_i, in standard errors from the exact second
// moments.
func worstZ(n int, mean, square []float64, draw func() []float64) float64 {
	sum := make([]float64, len(mean))
	for range n {
		for i, v := range draw() {
			sum[i] += v
		}
	}
	worst := 0.0
	for i := range sum {
		se := math.Sqrt((square[i] - mean[i]*mean[i]) / float64(n))
		worst = math.Max(worst, math.Abs(sum[i]/float64(n)-mean[i])/se)
	}
	return worst
}

// simplexMoments is E θ_i and E θ_i² for r = 3 by nested quadrature in ln θ₁ and the logit of the share of θ₂.
func simplexMoments(alpha []float64, w float64) (mean, square []float64) {
	nodes, weights := num.GaussLegendre24()
	peak := math.Inf(-1)
	log := func(x [3]float64) float64 {
		return (alpha[0]-1)*math.Log(x[0]) + (alpha[1]-1)*math.Log(x[1]) + (alpha[2]-1)*math.Log(x[2])
	}
	logit := func(p float64) float64 { return math.Log(p) - math.Log1p(-p) }
	panels := func(lo, hi float64, f func(t, weight float64)) {
		const k = 12
		for i := range k {
			for j, x := range nodes {
				f(lo+(hi-lo)*(float64(i)+(x+1)/2)/k, weights[j]*(hi-lo))
			}
		}
	}
	visit := func(f func(x [3]float64, jacobian float64)) {
		panels(logit(w), logit(1-2*w), func(s, outer float64) {
			x, y := num.Logistic(s)
			edge := logit(w / y)
			panels(edge, -edge, func(v, inner float64) {
				p, q := num.Logistic(v)
				f([3]float64{x, y * p, y * q}, outer*inner*x*y*y*p*q)
			})
		})
	}
	visit(func(x [3]float64, _ float64) { peak = math.Max(peak, log(x)) })
	mean, square = make([]float64, 3), make([]float64, 3)
	total := 0.0
	visit(func(x [3]float64, jacobian float64) {
		m := jacobian * math.Exp(log(x)-peak)
		total += m
		for i, v := range x {
			mean[i] += m * v
			square[i] += m * v * v
		}
	})
	for i := range mean {
		mean[i] /= total
		square[i] /= total
	}
	return mean, square
}

func BenchmarkBetaDraws1e5(b *testing.B) {
	s, src := mustBeta(b, 11, 41, .1, .9).Sampler(), source(1)
	for b.Loop() {
		for range 100_000 {
			s.Draw(src)
		}
	}
}

func BenchmarkBetaLogMass(b *testing.B) {
	for b.Loop() {
		NewBeta(1, 101, .05, .95)
	}
}

func BenchmarkBetaEvidenceRatio(b *testing.B) {
	for b.Loop() {
		m, _ := NewBeta(31, 71, .05, .95)
		m.LogMoment(0, 1)
		m.LogMoment(1, 0)
	}
}

func BenchmarkBetaSampler(b *testing.B) {
	m := mustBeta(b, 11, 41, .1, .9)
	for b.Loop() {
		m.Sampler()
	}
}

func BenchmarkDirichlet10(b *testing.B) {
	d := must.Get(NewDirichlet([]float64{5, 3, 8, 1, 2, 9, 30, 4, 2, 1}, .03))(b)
	src, out := source(1), make([]float64, 10)
	for b.Loop() {
		must.Get(d.Draw(src, out))(b)
	}
}
