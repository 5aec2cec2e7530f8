package posterior_test

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func dirichlet(t testing.TB, alpha ...float64) *posterior.Dirichlet {
	t.Helper()
	return must.Get(posterior.NewDirichlet(alpha))(t)
}

// near compares to a relative tolerance, and absolutely below 1.
func near(got, want, tolerance float64) bool {
	return math.Abs(got-want) <= tolerance*math.Max(1, math.Abs(want))
}

func TestParameterErrors(t *testing.T) {
	d := dirichlet(t, 1, 2, 3)
	nan, inf := math.NaN(), math.Inf(1)
	second := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err             error
		parameter, want string
	}{
		{second(posterior.NewBeta(0, 1)), "a", "> 0"},
		{second(posterior.NewBeta(1, nan)), "b", "> 0"},
		{second(posterior.NewBeta(inf, 1)), "a", "finite"},
		{second(posterior.NewDirichlet(nil)), "dimension", "at least 2"},
		{second(posterior.NewDirichlet([]float64{1, -2})), "α[1]", "> 0"},
		{second(posterior.NewDirichlet([]float64{1e308, 1e308})), "Σα", "finite"},
		{second(d.Update([]float64{1, 2})), "number of counts", "3"},
		{second(d.Update([]float64{1, -2, 0})), "counts[1]", "> -2"},
		{second(d.Update([]float64{1, 0, inf})), "counts[2]", "finite"},
	} {
		var p *domain.Error
		if !errors.As(c.err, &p) || p.Parameter != c.parameter || !strings.Contains(p.Want, c.want) ||
			!strings.Contains(c.err.Error(), c.parameter) {
			t.Errorf("got %v, want a *domain.Error of %s naming %q", c.err, c.parameter, c.want)
		}
	}
}

func TestDomainIsNaN(t *testing.T) {
	b := posterior.Beta{A: 2, B: 3}
	lo, hi := b.CredibleInterval(1)
	zero := posterior.Beta{}
	d := dirichlet(t, 1, 2)
	for i, v := range []float64{
		b.Quantile(-0.1), b.Quantile(math.NaN()), lo, hi, zero.Mean(), zero.SD(), zero.Variance(), zero.Quantile(0.5),
		zero.LogDensity(0.5),
		d.Sample(nil)[0], d.Marginal(2).Mean(), d.Marginal(-1).SD(),
		d.LogDensity([]float64{1}),
		zero.CDF(0.5), b.LogDensity(math.NaN()),
	} {
		if !math.IsNaN(v) {
			t.Errorf("case %d = %g, want NaN", i, v)
		}
	}
}

func TestImmutable(t *testing.T) {
	alpha := []float64{1, 2}
	d := dirichlet(t, alpha...)
	alpha[0] = 9
	d.Alpha()[1] = 9
	d.Mean()[0] = 9
	if a := d.Alpha(); a[0] != 1 || a[1] != 2 || d.Dim() != 2 {
		t.Errorf("changed from outside: %v", a)
	}
}

func TestMoments(t *testing.T) {
	d := dirichlet(t, 1, 2, 5)
	for i, want := range []struct{ mean, variance float64 }{{1. / 8, 7. / 576}, {2. / 8, 12. / 576},
		{5. / 8, 15. / 576}} {
		if !near(d.Mean()[i], want.mean, 1e-15) || !near(d.Variance()[i], want.variance, 1e-15) ||
			!near(d.Marginal(i).SD(), math.Sqrt(want.variance), 1e-15) {
			t.Errorf("component %d: mean %g, variance %g, want %v", i, d.Mean()[i], d.Variance()[i], want)
		}
	}
}

func TestQuantileClosedForms(t *testing.T) {
	for _, p := range []float64{1e-12, 0.025, 0.5, 0.975} {
		for _, a := range []float64{0.5, 1, 3, 1e6} {
			if got, want := (posterior.Beta{A: a, B: 1}).Quantile(p), math.Pow(p, 1/a); !near(got/want, 1, 1e-13) {
				t.Errorf("Beta(%g, 1) at %g: %.16g, want %.16g", a, p, got, want)
			}
		}
		arcsine := math.Pow(math.Sin(math.Pi*p/2), 2)
		if got := (posterior.Beta{A: 0.5, B: 0.5}).Quantile(p); !near(got/arcsine, 1, 1e-13) {
			t.Errorf("arcsine law at %g: %.16g, want %.16g", p, got, arcsine)
		}
	}
	lo, hi := posterior.Beta{A: 5e8, B: 5e8}.CredibleInterval(0.95)
	if z := (hi - lo) * math.Sqrt(1e9+1); math.Abs(z-1.959963984540054) > 1e-7 || math.Abs(lo+hi-1) > 1e-13 {
		t.Errorf("normal limit: [%.12g, %.12g], half-width %g sd", lo, hi, z)
	}
}

func TestLogDensity(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct{ got, want float64 }{
		{posterior.Beta{A: 1, B: 1}.LogDensity(0), 0},
		{posterior.Beta{A: 1, B: 1}.LogDensity(0.3), 0},
		{posterior.Beta{A: 2, B: 1}.LogDensity(0.25), math.Log(0.5)},
		{posterior.Beta{A: 1, B: 3}.LogDensity(0), math.Log(3)},
		{posterior.Beta{A: 2, B: 1}.LogDensity(0), -inf},
		{posterior.Beta{A: 0.5, B: 1}.LogDensity(0), inf},
		{posterior.Beta{A: 0.5, B: 0.5}.LogDensity(0.5), math.Log(2 / math.Pi)},
		{posterior.Beta{A: 2, B: 2}.LogDensity(-1), -inf},
		{posterior.Beta{A: 1, B: 3}.LogDensity(1e-30), math.Log(3)},
		{posterior.Beta{A: 40, B: 1}.LogDensity(1e-30), math.Log(40) + 39*math.Log(1e-30)},
		{dirichlet(t, 1, 1, 1).LogDensity([]float64{0.2, 0.3, 0.5}), math.Ln2},
		{dirichlet(t, 2, 1, 1).LogDensity([]float64{0.2, 0.3, 0.5}), math.Log(6 * 0.2)},
		{dirichlet(t, 1, 1, 1).LogDensity([]float64{0.2, 0.3, 0.6}), -inf},
		{dirichlet(t, 1, 1, 1).LogDensity([]float64{-0.2, 0.7, 0.5}), -inf},
		{dirichlet(t, 0.01, 0.01).LogDensity([]float64{0.5, 0.5}), posterior.Beta{A: 0.01, B: 0.01}.LogDensity(0.5)},
		// at the mean of Beta(n/2, n/2): ½ ln(2n/π) − 1/(4n)
		{posterior.Beta{A: 5e8, B: 5e8}.LogDensity(0.5), 0.5*math.Log(2e9/math.Pi) - 0.25e-9},
	} {
		if c.got != c.want && !near(c.got, c.want, 2e-9) {
			t.Errorf("got %.15g, want %.15g", c.got, c.want)
		}
	}
}

func TestUpdateIsAssociative(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.IntRange(0, 1e6), 2, 2).Draw(t, "a")
		b := rapid.SliceOfN(rapid.IntRange(0, 1e6), 2, 2).Draw(t, "b")
		prior, _ := posterior.NewDirichlet([]float64{0.5, 1.5})
		x, y := []float64{float64(a[0]), float64(a[1])}, []float64{float64(b[0]), float64(b[1])}
		one, _ := prior.Update(x)
		one, _ = one.Update(y)
		two, _ := prior.Update(y)
		two, _ = two.Update(x)
		all, err := prior.Update([]float64{x[0] + y[0], x[1] + y[1]})
		if err != nil || !slices.Equal(one.Alpha(), two.Alpha()) || !slices.Equal(one.Alpha(), all.Alpha()) {
			t.Fatalf("%v, %v, %v, %v", one, two, all, err)
		}
	})
}

func TestBetaIsDirichletOfTwo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, q := drawDirichlet(t, 2, "p"), drawDirichlet(t, 2, "q")
		a, b := p.Marginal(0), q.Marginal(0)
		x := rapid.Float64Range(0.01, 0.99).Draw(t, "x")
		if !near(a.LogDensity(x), p.LogDensity([]float64{x, 1 - x}), 1e-9) ||
			posterior.KL(a, b) != posterior.KL(p, q) ||
			posterior.Hellinger(a, b) != posterior.Hellinger(p, q) || a.Mean() != p.Mean()[0] {
			t.Fatalf("Beta %v and Dirichlet %v differ", a, p.Alpha())
		}
		level := rapid.Float64Range(0.01, 0.99).Draw(t, "level")
		lo, hi := a.CredibleInterval(level)
		lower, upper := p.CredibleInterval(level)
		if lo != lower[0] || hi != upper[0] || !(lo <= hi) {
			t.Fatalf("[%g, %g] and [%g, %g]", lo, hi, lower[0], upper[0])
		}
		if a.B > 0.5 { // for smaller B much of the mass is within one spacing of 1
			if c := a.CDF(hi) - a.CDF(lo); math.Abs(c-level) > 1e-7 {
				t.Fatalf("%v: interval of level %g holds %g", a, level, c)
			}
		}
	})
}

// agrees reports whether n draws have the mean and variance of component i of d, to 6.5 standard errors each: a false
// alarm has probability below 2·1e-10 for a right sampler.
func agrees(d *posterior.Dirichlet, i, n int, draw func() float64) bool {
	b := d.Marginal(i)
	m, v := b.Mean(), b.Variance()
	total := b.A + b.B
	// excess kurtosis of the Beta law
	kurtosis := 3 + 6*((b.A-b.B)*(b.A-b.B)*(total+1)-b.A*b.B*(total+2))/(b.A*b.B*(total+2)*(total+3))
	sum, square := 0.0, 0.0
	for range n {
		e := draw() - m
		sum, square = sum+e, square+e*e
	}
	meanError := math.Abs(sum/float64(n)) / math.Sqrt(v/float64(n))
	varianceError := math.Abs(square/float64(n)-v) / (v * math.Sqrt((kurtosis-1)/float64(n)))
	return meanError < 6.5 && varianceError < 6.5
}

func TestSample(t *testing.T) {
	const n = 40_000
	src := rand.NewChaCha8([32]byte{7})
	for _, alpha := range [][]float64{{2, 3, 5}, {0.3, 0.7}, {40, 60, 1}} {
		d := dirichlet(t, alpha...)
		if !agrees(d, 0, n, func() float64 { return d.Sample(src)[0] }) {
			t.Errorf("draws from Dirichlet(%v) disagree with it", alpha)
		}
		half := make([]float64, len(alpha)) // the mutant: right mean, concentration halved
		for i, a := range alpha {
			half[i] = a / 2
		}
		mutant := dirichlet(t, half...)
		if agrees(d, 0, n, func() float64 { return mutant.Sample(src)[0] }) {
			t.Errorf("the test accepts Dirichlet(%v) for Dirichlet(%v)", half, alpha)
		}
	}
	tiny := dirichlet(t, 1e-6, 1e-6, 1e-6)
	for range 100 {
		sum, top := 0.0, 0.0
		for i, l := range tiny.LogSample(src) {
			if math.IsNaN(l) || l > 0 {
				t.Fatalf("log draw %d = %g", i, l)
			}
			sum += math.Exp(l)
			top = math.Max(top, math.Exp(l))
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Fatalf("draw sums to %g", sum)
		}
	}
}

func TestSummary(t *testing.T) {
	s := dirichlet(t, 3, 5, 2).Summary("low", "middle")
	if s.Level != 0.95 || len(s.Rows) != 3 || s.Rows[0].Label != "low" || s.Rows[2].Label != "2" {
		t.Errorf("%+v", s)
	}
	for _, r := range s.Rows {
		if !(r.Lower < r.Mean && r.Mean < r.Upper && r.SD > 0) {
			t.Errorf("%+v", r)
		}
	}
	if b := dirichlet(t, 3, 7).Summary("low"); b.Rows[0] != s.Rows[0] {
		t.Errorf("%+v, %+v", b.Rows[0], s.Rows[0])
	}
	if text := table.Text(s); !strings.Contains(text, "middle") || !strings.Contains(text, "95% from") ||
		!strings.Contains(table.HTML(s), "<table>") {
		t.Error(text)
	}
}

func BenchmarkSummary(b *testing.B) {
	d := dirichlet(b, 41, 37, 38, 1000, 2.5)
	for b.Loop() {
		d.Summary()
	}
}
