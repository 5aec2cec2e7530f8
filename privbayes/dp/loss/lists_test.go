package loss_test

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
)

// inside is a pair of another package that has a [loss.LatticePair].
type inside struct {
	loss.Pair
	vector loss.LatticePair
}

func (p inside) Lattice() loss.LatticePair { return p.vector.Lattice() }

// In lists a pair that has a vector of sums is that vector, though alone it states what ρ proves.
func TestVectorsInsideAnotherPair(t *testing.T) {
	vector := loss.LatticePair{DiscreteGaussianPair: loss.DiscreteGaussianPair{Sigma2: 400, Cells: 1, Shift: 9}, Least: 90,
		ByRho: true}
	list := func(p loss.Pair) float64 {
		return declare(t, times(7, p), times(2, loss.GeometricPair{Rate: .1, Cells: 1})).Delta(1)
	}
	if got, want := list(inside{vector.DiscreteGaussianPair, vector}), list(vector); got != want {
		t.Errorf("δ = %v inside another pair, %v alone", got, want)
	}
}

func times(n int, p loss.Pair) loss.Repeat { return loss.Repeat{Pair: p, Times: n} }

// Whole publications at ε = 1: the exact δ, by the contour or with continuous Gaussians, to the digits given, and what
// losses strictly rounded up to a grid of 2e-5 give, from another program. A grid that keeps the masses of both
// distributions lies between the two. byCurve is what one part without a contour made of the whole list.
func TestListsOfAPublication(t *testing.T) {
	noise := loss.DiscreteGaussianPair{Sigma2: 720, Cells: 2, Shift: 1}
	for _, c := range []struct {
		parts                   []loss.Repeat
		exact, rounded, byCurve float64
	}{
		{[]loss.Repeat{times(20, loss.GeometricPair{Rate: .038, Cells: 2})}, 5.372414104e-7, 5.37289e-7, 0},
		{[]loss.Repeat{times(20, noise)}, 9.160086302e-7, 9.19215e-7, 0},
		{[]loss.Repeat{times(8, loss.GeometricPair{Rate: .035, Cells: 2}),
			times(4, loss.ShiftedGeometricPair{Rate: .0007, Shift: 100, Cells: 1}), times(4, loss.PurePair{Epsilon: .07}),
			times(4, loss.SelectionPair{Epsilon: .07})}, 8.609811687e-7, 8.61851e-7, 0},
		{[]loss.Repeat{times(19, noise), times(1, loss.SelectionPair{Epsilon: .0745})}, 7.535e-7, 7.56221e-7,
			3.092928762e-6},
		{[]loss.Repeat{times(19, noise), times(1, loss.RangePair{Range: .0745, Pure: .0745})}, 7.535e-7, 7.56221e-7, 0},
		{[]loss.Repeat{times(19, noise), times(1, loss.IntegerSumPair{Sigma2: 3.6e6, Shift: 100})}, 9.160086302e-7,
			9.19243e-7, 4.022677322e-6},
	} {
		d := declare(t, c.parts...)
		have := d.Compose(1)
		if !(have.Delta >= c.exact*(1-1e-9) && have.Delta <= c.rounded) || have.Delta > c.exact*(1+5e-4) {
			t.Errorf("%s: %+v, exactly %v, rounded up %v", d, have, c.exact, c.rounded)
		}
		before := must.Get(loss.DeclareByCurve(c.parts...))(t).Delta(1)
		if c.byCurve > 0 && math.Abs(before/c.byCurve-1) > 1e-3 {
			t.Errorf("%s: by the curve %v, want %v", d, before, c.byCurve)
		}
	}
	// the curve of two-point distributions is below the product of pairs
	for _, one := range []loss.Pair{loss.SelectionPair{Epsilon: .1}, loss.RangePair{Range: .1, Pure: .1}} {
		c := declare(t, times(20, one)).Compose(1)
		if math.Abs(c.Exact/2.5030e-6-1) > 1e-3 || math.Abs(c.Delta/6.11376e-7-1) > 1e-5 {
			t.Errorf("20 choices: %+v", c)
		}
	}
	// one vector among tables no longer sends the list to the curve
	vector := loss.DiscreteGaussianPair{Sigma2: 3.6e6, Cells: 1, Shift: 100}
	c := declare(t, times(19, noise), times(1, vector)).Compose(1)
	if c.Method != "convolution" || c.Delta > 1.26e-6 || c.Delta < 9.16e-7 {
		t.Errorf("with a vector: %+v", c)
	}
}

// Levels of 5, 20 and 100 items at δ = 1e-6: the noise of tables, and what each item may have over ε/m.
func TestLevelsOfManyItems(t *testing.T) {
	const delta = 1e-6
	meets := func(eps float64, parts ...loss.Repeat) bool { return declare(t, parts...).Delta(eps) <= delta }
	for _, c := range []struct {
		eps                      float64
		items                    int
		sd, pure, choices, mixed float64
	}{
		{.3, 5, 41, 1, 1.22, 1.01}, {.3, 20, 82, 1.25, 2.19, 1.50}, {.3, 100, 184, 2.60, 4.78, 3.18},
		{1, 5, 13.4, 1, 1.16, 1.01}, {1, 20, 26.7, 1.14, 2.04, 1.41}, {1, 100, 59.7, 2.40, 4.44, 2.95},
		{3, 5, 4.9, 1, 1.11, 1.00}, {3, 20, 9.8, 1.08, 1.89, 1.31}, {3, 100, 21.8, 2.20, 4.09, 2.70},
	} {
		if testing.Short() && c.eps != 1 {
			continue
		}
		share, fifth := c.eps/float64(c.items), c.items/5
		near := func(what string, want, tol float64, parts func(x float64) []loss.Repeat) {
			if !meets(c.eps, parts(want*(1-tol))...) || meets(c.eps, parts(want*(1+tol))...) {
				t.Errorf("%d items at ε = %v: %s is not %v", c.items, c.eps, what, want)
			}
		}
		near("1/sd of Gaussian tables", 1/c.sd, .012, func(x float64) []loss.Repeat {
			return []loss.Repeat{times(c.items, loss.DiscreteGaussianPair{Sigma2: 1 / (x * x), Cells: 2, Shift: 1})}
		})
		near("ε of pure items", c.pure, .006, func(x float64) []loss.Repeat {
			return []loss.Repeat{times(c.items, loss.PurePair{Epsilon: x * share})}
		})
		near("ε of choices", c.choices, .006, func(x float64) []loss.Repeat {
			return []loss.Repeat{times(c.items, loss.SelectionPair{Epsilon: x * share})}
		})
		near("ε of mixed items", c.mixed, .006, func(x float64) []loss.Repeat {
			e := x * share
			return []loss.Repeat{times(2*fifth, loss.GeometricPair{Rate: e / 2, Cells: 2}),
				times(fifth, loss.ShiftedGeometricPair{Rate: e / 100, Shift: 100, Cells: 1}),
				times(fifth, loss.PurePair{Epsilon: e}), times(fifth, loss.SelectionPair{Epsilon: e})}
		})
	}
}

func BenchmarkTenItems(b *testing.B) {
	for b.Loop() {
		declare(b, times(4, loss.DiscreteGaussianPair{Sigma2: 360, Cells: 2, Shift: 1}),
			times(2, loss.IntegerSumPair{Sigma2: 3.6e6, Shift: 100}), times(2, loss.RangePair{Range: .07, Pure: .07}),
			times(1, loss.DiscreteGaussianPair{Sigma2: 3e6, Cells: 1, Shift: 100}),
			times(1, loss.GeometricPair{Rate: .04, Cells: 2})).Compose(1)
	}
}
