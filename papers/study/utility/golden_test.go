package utility

import (
	"fmt"
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
