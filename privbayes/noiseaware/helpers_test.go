package noiseaware

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

var background = context.Background()

// levels names d levels.
func levels(d int) []string {
	out := make([]string, d)
	for i := range out {
		out[i] = fmt.Sprintf("v%d", i)
	}
	return out
}

// categorical is the shape of one column with d levels.
func categorical(t testing.TB, d, n int, alpha ...float64) *model.Shape {
	t.Helper()
	m := model.Categorical("x")
	if d == 2 {
		m = model.Binary("x")
	}
	if len(alpha) > 0 {
		m = m.WithPrior(alpha...)
	}
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Categorical("x", levels(d)...)}}
	sh, err := model.NewShape(s, m, n, true, "")
	must(t, err)
	return sh
}

// bayes is a class with j levels and one feature for each number of levels.
func bayes(t testing.TB, n, j int, features ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "simulated", Columns: []frame.Column{frame.Categorical("class", levels(j)...)}}
	for k, d := range features {
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprintf("x%d", k), levels(d)...))
	}
	sh, err := model.NewShape(s, model.NaiveBayes("class"), n, true, "")
	must(t, err)
	return sh
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func plan(t testing.TB, mech mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	p, err := mech.Plan(background, sh, target)
	must(t, err)
	return p
}

// raws makes a release of given raw numbers.
func raws(t testing.TB, p *mechanism.Plan, raw ...[]int64) *release.Release {
	t.Helper()
	seed := uint64(1)
	r, err := release.New(t.Context(), p, &mechanism.Drawn{ID: "0123456789abcdef", Seed: &seed,
		Output: mechanism.Output{Raw: raw}})
	must(t, err)
	return r
}

// draw releases tables.
func draw(t testing.TB, p *mechanism.Plan, src *dp.Stream, tables ...[]int64) *release.Release {
	t.Helper()
	st, err := model.FromCounts(p.Shape(), tables)
	must(t, err)
	d, err := p.Draw(background, st, "0123456789abcdef", src)
	must(t, err)
	r, err := release.New(t.Context(), p, d)
	must(t, err)
	return r
}

func posteriorOf(t testing.TB, r *release.Release) *Posterior {
	t.Helper()
	p, err := Of(r)
	must(t, err)
	return p
}

func near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(1, math.Abs(want))) {
		t.Errorf("%s: %.17g, want %.17g", what, got, want)
	}
}

// logProb is the log-probability of noise by the sampler's own law, up to a constant for sum-zero noise.
func logProb(t testing.TB, p *mechanism.Plan) func(y int64, f int) float64 {
	t.Helper()
	z, err := noiseOf(p)
	must(t, err)
	unit, form := z.Unit(), noise.FormOf(z)
	if form.Sigma2 > 0 {
		g, err := sample.NewDiscreteGaussian(uint64(form.Sigma2*(1<<20)), 1<<20)
		must(t, err)
		near(t, "σ²", g.Sigma2(), form.Sigma2, 1e-12)
		return func(y int64, f int) float64 { return g.LogProb(y - int64(f)) }
	}
	g, err := sample.NewTwoSidedGeometric(uint64(form.Rate*(1<<40)), 1<<40)
	must(t, err)
	near(t, "rate", g.Rate(), form.Rate, 1e-6*form.Rate)
	return func(y int64, f int) float64 { return g.LogProb(y - unit*int64(f)) }
}

// tables lists the count tables of d cells with total n.
func tables(d, n int) [][]int {
	if d == 1 {
		return [][]int{{n}}
	}
	var out [][]int
	for f := 0; f <= n; f++ {
		for _, rest := range tables(d-1, n-f) {
			out = append(out, append([]int{f}, rest...))
		}
	}
	return out
}

// logUrnOf is the log Dirichlet-multinomial probability of a table.
func logUrnOf(alpha []float64, f []int) float64 {
	l, sum, n := 0.0, 0.0, 0
	for i, a := range alpha {
		l += num.LogGamma(a+float64(f[i])) - num.LogGamma(a) - num.LogGamma(float64(f[i])+1)
		sum, n = sum+a, n+f[i]
	}
	return l + num.LogGamma(float64(n)+1) + num.LogGamma(sum) - num.LogGamma(sum+float64(n))
}

func constant(a float64, d int) []float64 {
	out := make([]float64, d)
	for i := range out {
		out[i] = a
	}
	return out
}

// betas is a mixture of Beta laws written down term by term.
type betas struct{ w, a, b []float64 }

func (m *betas) add(w, a, b float64) { m.w, m.a, m.b = append(m.w, w), append(m.a, a), append(m.b, b) }

func (m *betas) sum(f func(a, b float64) float64) float64 {
	s, z := 0.0, 0.0
	for i, w := range m.w {
		s, z = s+w*f(m.a[i], m.b[i]), z+w
	}
	return s / z
}

// same compares a mixture with one written down term by term.
func same(t testing.TB, what string, got *Mixture, want *betas, tol float64) {
	t.Helper()
	mean := want.sum(func(a, b float64) float64 { return a / (a + b) })
	square := want.sum(func(a, b float64) float64 { return a * (a + 1) / ((a + b) * (a + b + 1)) })
	near(t, what+" mean", got.Mean(), mean, tol)
	near(t, what+" sd", got.SD(), math.Sqrt(square-mean*mean), math.Max(tol, 1e-12))
	for _, x := range []float64{1e-9, 0.01, 0.2, 0.5, 0.77, 0.99, 1 - 1e-9} {
		near(t, fmt.Sprintf("%s cdf(%g)", what, x), got.CDF(x),
			want.sum(func(a, b float64) float64 { return num.RegIncBeta(a, b, x) }), tol)
		near(t, fmt.Sprintf("%s pdf(%g)", what, x), got.PDF(x), want.sum(func(a, b float64) float64 {
			return math.Exp(num.LogBetaKernel(a, b, x, 1-x)) / (x * (1 - x))
		}), tol*10)
	}
	for _, p := range []float64{1e-6, 0.025, 0.5, 0.9, 0.975} {
		q := got.Quantile(p)
		if q == 0 || q == 1 {
			continue
		}
		near(t, fmt.Sprintf("%s cdf(quantile(%g))", what, p),
			want.sum(func(a, b float64) float64 { return num.RegIncBeta(a, b, q) })/p, 1, 1e-9)
	}
}

var kinds = []struct {
	name   string
	mech   mechanism.Mechanism
	target dp.Request
}{
	{"geometric", counts.Geometric(), dp.PureDP(1)},
	{"clamped geometric", counts.Geometric().WithPostProcess(counts.Clamp), dp.PureDP(0.25)},
	{"gaussian", counts.DiscreteGaussian(), dp.ApproxDP(1, 1e-5)},
	{"laplace", counts.Laplace(), dp.PureDP(0.5)},
	{"k-norm", counts.KNorm(), dp.PureDP(1)},
}
