package utility

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/must"
)

// Golden values: 50-digit or tensor-quadrature arithmetic, independent of this code.

func TestClampedMeanGolden(t *testing.T) {
	for _, c := range []struct {
		d    float64
		n    int
		b    float64
		want float64
	}{{50, 50, 2, 49.00000000001389}, {0, 50, 34, 13.093565330558715}, {3, 5, 1, 2.9572258925656256},
		{20, 50, 6, 20.0868081390445}} {
		near(t, fmt.Sprint(c), must.Get(ClampedMean(c.d, c.n, c.b))(t), c.want, 1e-13)
	}
}

func cell(al, be, a, b float64) Cell { return Cell{Prior{al, be}, a, b} }

func TestDivergenceGolden(t *testing.T) {
	for _, c := range []struct{ a, b, a2, b2, want float64 }{
		{2, 2, 3, 2, 0.14018615277338786}, {1, 51, 51, 1, 224.96026691647126},
		{31, 21, 11, 41, 16.376148953783456}, {0.5, 3.5, 2.5, 0.5, 6.162693862340731},
	} {
		p := cell(.25, .25, c.a-.25, c.b-.25)
		near(t, fmt.Sprint(c), p.Divergence(c.a2-.25, c.b2-.25), c.want, 1e-13)
	}
}

func TestExpectedKLGolden(t *testing.T) {
	for _, c := range []struct {
		cell    Cell
		n       int
		b, want float64
	}{
		{cell(1, 1, 30, 20), 50, 34, 10.8060360646476}, {cell(2, 2, 0, 0), 10, 1, 0.16202439541002},
		{cell(1, 1, 20, 0), 20, 20, 16.442500887958737}, {cell(2, 2, 20, 0), 20, 6, 3.6432906597669756},
		{cell(1, 1, 25, 25), 50, .5, 0.009909285533694856},
	} {
		near(t, fmt.Sprint(c), must.Get(ExpectedKL(c.cell, c.n, c.b))(t).Mean, c.want, 1e-9)
	}
}

func TestCornerMaxGolden(t *testing.T) {
	for _, c := range []struct {
		cell Cell
		n    int
		want float64
	}{
		{cell(1, 1, 30, 20), 50, 43.401338355490665}, {cell(2, 2, 0, 0), 10, 5.075236795311849},
		{cell(1, 1, 50, 0), 50, 224.96026691647126}, {cell(.5, 2, 3, 4), 9, 5.699207602559817},
	} {
		near(t, fmt.Sprint(c), must.Get(CornerMax(c.cell, c.n))(t), c.want, 1e-12)
	}
	for _, c := range []struct {
		p    Prior
		n    int
		want float64
	}{{Prior{1, 1}, 50, 224.96026691647126}, {Prior{2, 2}, 50, 175.94065907333402},
		{Prior{.5, 2}, 9, 34.849919440590355}} {
		near(t, fmt.Sprint(c), must.Get(PublicRange(c.p, c.n))(t), c.want, 1e-12)
	}
}

func TestClampedMeanAgainstSimulation(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 3))
	mean, se := average(400_000, func() float64 { return clamp(25+laplace(r, 34), 50) })
	if right := must.Get(ClampedMean(25, 50, 34))(t); math.Abs(mean-right) > sigmas*se || right != 25 {
		t.Errorf("mean %g, simulated %g ± %g", right, mean, se)
	}
}

// Every printed form that fails is shown to fail here, at its smallest known case, and its correction to hold there.

func TestPrintedRangesFailForSmallPriors(t *testing.T) {
	p := Prior{.1, .1}
	c := must.Get(PublicRange(p, 1))(t)
	near(t, "range", c, 10, .01)
	for f, want := range map[Form]float64{TheoremForm: 4.305, LemmaForm: 8.526, ProofForm: 4.452} {
		printed := must.Get(PaperRange(f, p, 1))(t)
		near(t, f.String(), printed, want, 1e-3)
		if printed >= c {
			t.Errorf("%v should be below the range %g", f, c)
		}
	}
	for n := 1; n <= 200; n++ {
		for _, a := range []float64{.5, 1, 2, 10} {
			for _, b := range []float64{.5, 1, 2, 10} {
				p := Prior{a, b}
				if must.Get(PaperRange(ProofForm, p, n))(t) < must.Get(PublicRange(p, n))(t) {
					t.Errorf("the proof's form fails at %v, n = %d, though priors are at least ½", p, n)
				}
			}
		}
	}
}

func TestPrintedMeansFail(t *testing.T) {
	x := cell(1, 1, 0, 0)
	near(t, "mean", must.Get(ExpectedKL(x, 1, 1))(t).Mean, .125, 5e-3)
	near(t, "U", must.Get(PaperExpected(x, 1))(t), 0, 0)
	for _, c := range []struct {
		cell                     Cell
		n                        int
		b, mean, claim, nearness float64
	}{{cell(2, 2, 0, 2), 2, .25, .0187, .00108, 5e-3}, {cell(2, 2, 0, 50), 50, 1, math.NaN(), 4e-20, 1}} {
		m, claim := must.Get(ExpectedKL(c.cell, c.n, c.b))(t).Mean,
			must.Get(PaperRefined(c.cell.Prior, c.n, c.b))(t)
		if m <= claim {
			t.Errorf("refined claim %g should be below the mean %g", claim, m)
		}
		if !math.IsNaN(c.mean) {
			near(t, "mean", m, c.mean, c.nearness)
			near(t, "claim", claim, c.claim, 5e-3)
		}
	}
	near(t, "many records", must.Get(ExpectedKL(cell(2, 2, 500, 500), 1000, 34))(t).Mean, 2.343, 2e-3)
}

func TestArgumentsAreChecked(t *testing.T) {
	ok := cell(1, 1, 1, 1)
	nan := math.NaN()
	first := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err       error
		parameter string
	}{
		{first(ClampedMean(2, 1, 1)), "D"},
		{first(ClampedMean(nan, 1, 1)), "D"},
		{first(ClampedMean(0, 0, 1)), "n"},
		{first(ExpectedKL(cell(0, 1, 0, 0), 1, 1)), "alpha"},
		{first(ExpectedKL(cell(1, nan, 0, 0), 1, 1)), "beta"},
		{first(ExpectedKL(cell(1, 1, 2, 0), 1, 1)), "A"},
		{first(CornerMax(ok, 0)), "n"},
		{first(PublicRange(Prior{1, -1}, 1)), "beta"},
		{first(PublicTail([]Prior{{1, 1}, {1, 0}}, 2, .1)), "beta"},
		{first(PaperRange(Form(3), Prior{1, 1}, 1)), "form"},
		{first(PaperExpected(ok, 0)), "n"},
		{first(PaperRefined(Prior{1, 1}, 2, 3)), "b"},
	} {
		var p *domain.Error
		if !errors.As(c.err, &p) || p.Parameter != c.parameter || p.Error() == "" {
			t.Errorf("error %v, want a *domain.Error about %s", c.err, c.parameter)
		}
	}
	if Form(7).String() != "unknown form" || LemmaForm.String() != "Lemma A.4" {
		t.Error("names of forms")
	}
	if s := cell(1, 1, 0, 0).Divergence(-2, 0); !math.IsNaN(s) {
		t.Errorf("divergence outside the domain is %g", s)
	}
}

func BenchmarkExpectedKL(b *testing.B) {
	for b.Loop() {
		if _, err := ExpectedKL(cell(1, 1, 300, 200), 1000, 34); err != nil {
			b.Fatal(err)
		}
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Max(math.Abs(want), 1e-300)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

func laplace(r *rand.Rand, b float64) float64 {
	x := b * r.ExpFloat64()
	if r.Uint64()&1 == 0 {
		return -x
	}
	return x
}

func clamp(x float64, n int) float64 { return min(max(x, 0), float64(n)) }

// sigmas is the allowed distance of a Monte Carlo mean in standard errors: false alarms below 1e-10 per comparison.
const sigmas = 6.5

// average is the mean of f and its standard error.
func average(draws int, f func() float64) (mean, se float64) {
	var s, q float64
	for range draws {
		v := f()
		s += v
		q += v * v
	}
	n := float64(draws)
	mean = s / n
	return mean, math.Sqrt(max(q/n-mean*mean, 1/n) / n)
}
