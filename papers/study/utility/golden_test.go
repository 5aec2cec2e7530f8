package utility

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Golden values: 50-digit or tensor-quadrature arithmetic, independent of this code.

func TestMaxNoiseGolden(t *testing.T) {
	p := must[Bound](t)(MaxNoiseBound(66, 34, .05))
	near(t, "paper", p.Paper, 244.30315852973416, 1e-14)
	near(t, "exact", p.Exact, 243.44811074983465, 1e-14)
	half := must[float64](t)(HalfCellsBound(66, 34, .05))
	near(t, "exceed", must[float64](t)(ExceedProbability(66, 34, half)), 0.09523119697104265, 1e-12)
	near(t, "exact level", must[float64](t)(ExceedProbability(66, 34, p.Exact)), .05, 1e-12)
}

func TestClampedMeanGolden(t *testing.T) {
	for _, c := range []struct {
		d    float64
		n    int
		b    float64
		want float64
	}{{50, 50, 2, 49.00000000001389}, {0, 50, 34, 13.093565330558715}, {3, 5, 1, 2.9572258925656256},
		{20, 50, 6, 20.0868081390445}} {
		near(t, fmt.Sprint(c), must[float64](t)(ClampedMean(c.d, c.n, c.b)), c.want, 1e-13)
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
		near(t, fmt.Sprint(c), must[Moments](t)(ExpectedKL(c.cell, c.n, c.b)).Mean, c.want, 1e-9)
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
		near(t, fmt.Sprint(c), must[float64](t)(CornerMax(c.cell, c.n)), c.want, 1e-12)
	}
	for _, c := range []struct {
		p    Prior
		n    int
		want float64
	}{{Prior{1, 1}, 50, 224.96026691647126}, {Prior{2, 2}, 50, 175.94065907333402},
		{Prior{.5, 2}, 9, 34.849919440590355}} {
		near(t, fmt.Sprint(c), must[float64](t)(PublicRange(c.p, c.n)), c.want, 1e-12)
	}
	near(t, "dirichlet", must[float64](t)(DirichletCornerMax([]float64{1, 2, .5}, []float64{3, 0, 4}, 7)),
		13.295818170643699, 1e-12)
}

func TestPosteriorLossGolden(t *testing.T) {
	full, empty := cell(1, 1, 20, 0), cell(1, 1, 0, 0)
	l := must[*Loss](t)(PosteriorLoss([]Cell{full, full, empty, full, empty}, 20, 6, .05))
	near(t, "scale", l.Scale, 6, 0)
	near(t, "expected", l.Expected, 23.478997193462348, 1e-9)
	near(t, "variance", l.Variance, 385.105948580052, 1e-8)
	near(t, "McDiarmid", l.McDiarmid, 155.328068001668, 1e-12)
	near(t, "Bernstein", l.Bernstein, 147.92821733160508, 1e-9)
	near(t, "Cantelli", l.Cantelli, 85.53954069914677, 1e-9)
	near(t, "least", l.Tail, l.Cantelli, 0)
	for i, want := range []float64{71.95479314287364, 71.95479314287364, 16.955477562276577, 71.95479314287364,
		16.955477562276577} {
		near(t, "range", l.Ranges[i], want, 1e-12)
	}
}

func TestIncrementGolden(t *testing.T) {
	for _, c := range []struct {
		n           int
		delta, want float64
	}{{34, .1, 41.65395118982595}, {33, .1, 40.542743062800824}, {8, .05, 13.148113802432116},
		{6, .01, 13.108483652767926}} {
		near(t, fmt.Sprint(c), must[float64](t)(IncrementQuantile(c.n, 1, c.delta)), c.want, 1e-9)
	}
	for n, want := range map[int]float64{
		2: 0.183400247219689529, 4: 0.338014098143032268, 8: 0.410186225351234142, 10: 0.424590224867613795,
		34: 0.468189099976931960,
	} {
		near(t, fmt.Sprint("t0 of ", n), must[float64](t)(SmallestT(n)), want, 1e-11)
	}
	near(t, "t0 of 1", must[float64](t)(SmallestT(1)), 0, 0)
	near(t, "t0 of 10000", must[float64](t)(SmallestT(10000)), .4986, 1e-4)
}

func TestFourierTableGolden(t *testing.T) {
	e := must[TableError](t)(FourierTable(34, 32, 2, 1, .05, 1))
	near(t, "paper", e.Paper, 6398.0092411022815, 1e-13)
	near(t, "Parseval", e.ParsevalNoise, 595.9556223156478, 1e-13)
	near(t, "exact", e.ExactNoise, 595.9556223156478*32/34, 1e-13)
	near(t, "increment", e.Increment, 4*34*34, 1e-13)
	near(t, "exact increment", e.ExactIncrement, 4*34*32, 1e-13)
	near(t, "exact total", e.Exact, e.ExactNoise+e.ExactIncrement, 1e-13)
}

// Every printed form that fails is shown to fail here, at its smallest known case, and its correction to hold there.

func TestHalfTheCellsFails(t *testing.T) {
	z := must[float64](t)(HalfCellsBound(2, 1, .5)) // one root: m = 1
	if p := must[float64](t)(ExceedProbability(2, 1, z)); p <= .5 {
		t.Errorf("exceeded with probability %g, should be above 0.5", p)
	}
	full := must[Bound](t)(MaxNoiseBound(2, 1, .5))
	if p := must[float64](t)(ExceedProbability(2, 1, full.Paper)); p > .5 || full.Loose < 1 {
		t.Errorf("the printed bound is exceeded with probability %g", p)
	}
}

func TestPrintedClampedMeanFails(t *testing.T) {
	if got := must[float64](t)(PaperClampedMean(1, 1, 1)); got <= 1 {
		t.Errorf("printed mean %g should be above n = 1", got)
	}
	near(t, "printed, n = 50", must[float64](t)(PaperClampedMean(50, 50, 2)), 74, 1e-9)
	near(t, "printed, D = 25", must[float64](t)(PaperClampedMean(25, 50, 34)), 36.98, 1e-3)
	r := rand.New(rand.NewPCG(1, 3))
	mean, se := average(400_000, func() float64 { return clamp(25+laplace(r, 34), 50) })
	if right := must[float64](t)(ClampedMean(25, 50, 34)); math.Abs(mean-right) > sigmas*se || right != 25 {
		t.Errorf("mean %g, simulated %g ± %g", right, mean, se)
	}
	if printed := must[float64](t)(PaperClampedMean(25, 50, 34)); math.Abs(mean-printed) < sigmas*se {
		t.Errorf("the simulation has no power against the printed mean %g", printed)
	}
}

func TestLemmaA3Fails(t *testing.T) {
	for _, c := range []struct {
		prior, z, divergence, claim float64
		n                           int
	}{{2, .5, .0394, 0, 1}, {3, 1, .0902, -math.Ln2, 1}} {
		x := cell(c.prior, c.prior, 0, 0)
		f, claim := x.Divergence(c.z, 0), must[float64](t)(PaperLemmaA3(x, c.n, c.z, 0))
		near(t, "divergence", f, c.divergence, 2e-3)
		near(t, "claim", claim, c.claim, 1e-12)
		if f <= claim {
			t.Errorf("Lemma A.3 should fail at %v: %g ≤ %g", x, f, claim)
		}
	}
}

func TestPrintedRangesFailForSmallPriors(t *testing.T) {
	p := Prior{.1, .1}
	c := must[float64](t)(PublicRange(p, 1))
	near(t, "range", c, 10, .01)
	for f, want := range map[Form]float64{TheoremForm: 4.305, LemmaForm: 8.526, ProofForm: 4.452} {
		printed := must[float64](t)(PaperRange(f, p, 1))
		near(t, f.String(), printed, want, 1e-3)
		if printed >= c {
			t.Errorf("%v should be below the range %g", f, c)
		}
	}
	for n := 1; n <= 200; n++ {
		for _, a := range []float64{.5, 1, 2, 10} {
			for _, b := range []float64{.5, 1, 2, 10} {
				p := Prior{a, b}
				if must[float64](t)(PaperRange(ProofForm, p, n)) < must[float64](t)(PublicRange(p, n)) {
					t.Errorf("the proof's form fails at %v, n = %d, though priors are at least ½", p, n)
				}
			}
		}
	}
}

func TestPrintedMeansFail(t *testing.T) {
	x := cell(1, 1, 0, 0)
	near(t, "mean", must[Moments](t)(ExpectedKL(x, 1, 1)).Mean, .125, 5e-3)
	near(t, "U", must[float64](t)(PaperExpected(x, 1)), 0, 0)
	for _, c := range []struct {
		cell                     Cell
		n                        int
		b, mean, claim, nearness float64
	}{{cell(2, 2, 0, 2), 2, .25, .0187, .00108, 5e-3}, {cell(2, 2, 0, 50), 50, 1, math.NaN(), 4e-20, 1}} {
		m, claim := must[Moments](t)(ExpectedKL(c.cell, c.n, c.b)).Mean,
			must[float64](t)(PaperRefined(c.cell.Prior, c.n, c.b))
		if m <= claim {
			t.Errorf("refined claim %g should be below the mean %g", claim, m)
		}
		if !math.IsNaN(c.mean) {
			near(t, "mean", m, c.mean, c.nearness)
			near(t, "claim", claim, c.claim, 5e-3)
		}
	}
	// The mean is polynomial in b and falls with n.
	x = cell(2, 2, 500, 500)
	near(t, "interior", must[float64](t)(ExpectedKLInterior(x, 1000, 34)), 2.306, 2e-3)
	near(t, "exact", must[Moments](t)(ExpectedKL(x, 1000, 34)).Mean, 2.343, 2e-3)
}

func TestPrintedTailFails(t *testing.T) {
	for _, c := range []struct {
		form     Form
		cell     Cell
		n        int
		b, delta float64
	}{
		{TheoremForm, cell(2, 2, 10, 0), 10, 5, .01}, {TheoremForm, cell(2, 2, 10, 0), 10, 1000, .05},
		{ProofForm, cell(1, 1, 50, 0), 50, 1000, .05}, {LemmaForm, cell(1, 1, 50, 0), 50, 1000, .05},
	} {
		printed := must[float64](t)(PaperTail([]float64{must[float64](t)(PaperRange(c.form, c.cell.Prior, c.n))},
			c.delta))
		l := must[*Loss](t)(PosteriorLoss([]Cell{c.cell}, c.n, c.b, c.delta))
		rng := rand.New(rand.NewPCG(5, 7))
		const draws = 100_000
		var over, bad float64
		for range draws {
			f := c.cell.Divergence(clamp(c.cell.A+laplace(rng, c.b), c.n), clamp(c.cell.B+laplace(rng, c.b), c.n))
			if f >= l.Expected+printed {
				over++
			}
			if f >= l.Expected+l.Tail {
				bad++
			}
		}
		se := math.Sqrt(c.delta * (1 - c.delta) / draws)
		if over/draws < c.delta+sigmas*se {
			t.Errorf("%v: printed threshold exceeded with probability %g, should be above δ = %g", c, over/draws,
				c.delta)
		}
		if bad/draws > c.delta+sigmas*se {
			t.Errorf("%v: corrected threshold exceeded with probability %g, δ = %g", c, bad/draws, c.delta)
		}
	}
}

// The collider at t = 0.03 with empty cells: 8 noisy coefficients, of which the first carries the increment 2tNb.
func TestCorollary3FailsForSmallT(t *testing.T) {
	const N, T, draws = 8, .03, 200_000
	if t0 := must[float64](t)(SmallestT(N)); t0 < T {
		t.Errorf("t0 = %g, should be above %g", t0, T)
	}
	rng := rand.New(rand.NewPCG(11, 13))
	mean, se := average(draws, func() float64 {
		var h [N]float64
		for i := range h {
			h[i] = laplace(rng, 1)
		}
		h[0] += 2 * T * N
		for step := 1; step < N; step *= 2 { // Walsh–Hadamard
			for i := range h {
				if i&step == 0 {
					h[i], h[i+step] = h[i]+h[i+step], h[i]-h[i+step]
				}
			}
		}
		for _, v := range h {
			if v < 0 {
				return 0
			}
		}
		return 1
	})
	claim := -math.Expm1(-T)
	if mean+sigmas*se >= claim {
		t.Errorf("non-negative with probability %g ± %g, should be below the claim %g", mean, se, claim)
	}
	if math.Abs(mean-.0194) > sigmas*se+.0005 {
		t.Errorf("non-negative with probability %g ± %g, want about 0.0194", mean, se)
	}
}

func TestArgumentsAreChecked(t *testing.T) {
	ok := cell(1, 1, 1, 1)
	nan, inf := math.NaN(), math.Inf(1)
	first := func(_ any, err error) error { return err }
	for _, c := range []struct {
		err       error
		parameter string
	}{
		{first(MaxNoiseBound(0, 1, .1)), "cells"},
		{first(MaxNoiseBound(1, nan, .1)), "b"},
		{first(MaxNoiseBound(1, 1, 1)), "delta"},
		{first(HalfCellsBound(3, 1, .1)), "cells"},
		{first(ExceedProbability(1, 1, nan)), "z"},
		{first(ClampedMean(2, 1, 1)), "D"},
		{first(ClampedMean(nan, 1, 1)), "D"},
		{first(ClampedMean(0, 0, 1)), "n"},
		{first(PaperClampedMean(0, 1, inf)), "b"},
		{first(ExpectedKL(cell(0, 1, 0, 0), 1, 1)), "alpha"},
		{first(ExpectedKL(cell(1, nan, 0, 0), 1, 1)), "beta"},
		{first(ExpectedKL(cell(1, 1, 2, 0), 1, 1)), "A"},
		{first(ExpectedKLInterior(cell(1, 1, 0, -1), 1, 1)), "B"},
		{first(CornerMax(ok, 0)), "n"},
		{first(PublicRange(Prior{1, -1}, 1)), "beta"},
		{first(DirichletCornerMax([]float64{1}, []float64{1}, 1)), "number of levels"},
		{first(DirichletCornerMax([]float64{1, 1}, []float64{1}, 1)), "number of counts"},
		{first(DirichletCornerMax([]float64{1, 1}, []float64{1, 2}, 1)), "counts[1]"},
		{first(DirichletPublicRange([]float64{1, 0}, 1)), "alpha[1]"},
		{first(PosteriorLoss(nil, 1, 1, .1)), "number of cells"},
		{first(PosteriorLoss([]Cell{ok, cell(1, 1, 5, 0)}, 2, 1, .1)), "A"},
		{first(PosteriorLoss([]Cell{ok}, 2, 1, 0)), "delta"},
		{first(PublicTail([]Prior{{1, 1}, {1, 0}}, 2, .1)), "beta"},
		{first(PaperRange(Form(3), Prior{1, 1}, 1)), "form"},
		{first(PaperTail(nil, .1)), "number of ranges"},
		{first(PaperTail([]float64{1, -1}, .1)), "range"},
		{first(PaperExpected(ok, 0)), "n"},
		{first(PaperRefined(Prior{1, 1}, 2, 3)), "b"},
		{first(PaperLemmaA3(ok, 1, 0, 0)), "alpha"},
		{first(PaperLemmaA3(cell(2, 2, 0, 0), 1, 2, 0)), "z1"},
		{first(IncrementFailure(0, 1)), "coefficients"},
		{first(IncrementFailure(1, -1)), "t"},
		{first(SmallestT(0)), "coefficients"},
		{first(SmallestT(2_000_000)), "coefficients"},
		{first(PaperIncrement(1, 0, 1)), "epsilon"},
		{first(IncrementQuantile(1, 1, 0)), "delta"},
		{first(FourierTable(3, 2, 2, 1, .1, 1)), "coefficients"},
		{first(FourierTable(4, 5, 2, 1, .1, 1)), "odd"},
		{first(FourierTable(4, 2, 63, 1, .1, 1)), "s"},
		{first(FourierTable(4, 2, 2, nan, .1, 1)), "t"},
	} {
		wantParameterError(t, c.err, c.parameter)
	}
	var p *ParameterError
	if err := first(PosteriorLoss([]Cell{ok, cell(1, 1, 5, 0)}, 2, 1, .1)); !errors.As(err, &p) || p.Value != 5. {
		t.Errorf("%v does not carry the value", err)
	}
	if Form(7).String() != "unknown form" || LemmaForm.String() != "Lemma A.4" {
		t.Error("names of forms")
	}
	if p, err := ExceedProbability(3, 1, -1); p != 1 || err != nil {
		t.Errorf("negative level: %g, %v", p, err)
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

func BenchmarkSmallestT(b *testing.B) {
	for b.Loop() {
		if _, err := SmallestT(10_000); err != nil {
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

// must fails the test on an error; use as must(t)(f(x)).
func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func wantParameterError(t *testing.T, err error, parameter string) {
	t.Helper()
	var p *ParameterError
	if !errors.As(err, &p) || p.Parameter != parameter || p.Error() == "" {
		t.Errorf("error %v, want a *ParameterError about %s", err, parameter)
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
