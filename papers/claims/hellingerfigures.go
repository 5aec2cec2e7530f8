package claims

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// noteFigure1 finds where the maximum over the neighbours is greatest; at the first candidate instead when elsewhere.
func noteFigure1(_ context.Context, f *Finding, elsewhere bool) error {
	for _, c := range []struct {
		n     int
		alpha []float64
	}{{20, []float64{1, 1}}, {20, []float64{7, 4}}, {30, []float64{.3, 2}}, {6, []float64{1, 1, 1}},
		{6, []float64{7, 4, 5}}} {
		s := space(c.n, c.alpha...)
		eachHistogram(s, func(x []int64) {
			height := func(r []int64) float64 {
				most := 0.0
				for i, j := range hellinger.Neighbours(append([]int64(nil), x...)) {
					y := append([]int64(nil), x...)
					y[i]--
					y[j]++
					most = math.Max(most, math.Abs(s.Distance(x, r)-s.Distance(y, r)))
				}
				return most
			}
			at := append([]int64(nil), x...)
			if elsewhere {
				at = make([]int64, len(x))
				at[0] = int64(c.n)
			}
			top := height(at)
			ls, _, _ := s.Local(x)
			f.require(elsewhere || math.Abs(top-ls) < 1e-13, "prior %v, x = %v: %v, LS = %v", c.alpha, x, top, ls)
			eachHistogram(s, func(r []int64) {
				f.trial().printed(height(r) <= top+1e-13, float64(c.n), "prior %v, x = %v: higher at r = %v", c.alpha,
					x, r)
			})
		})
	}
	return nil
}

func printedGlobal(_ context.Context, f *Finding, printed float64) error {
	f.number("edge(3, 7), the printed number", space(1, 7, 4, 5).Edge(3, 7), 0.239992747797, 5e-13)
	for _, n := range []int{1, 2, 7, 100, 120, 150} {
		s := space(n, 7, 4, 5)
		most := 0.0
		eachHistogram(s, func(x []int64) { v, _, _ := s.Local(x); most = math.Max(most, v); f.Cases++ })
		if n >= 100 {
			f.trial().printed(math.Abs(most-printed) < 5e-13, float64(n), "n = %d: %.14f", n, most)
		}
		f.trial().repaired(math.Abs(most-s.Edge(4, 5)) < 1e-14, "n = %d: max LS = %v", n, most)
	}
	f.number("edge(4, 5)", space(1, 7, 4, 5).Edge(4, 5), 0.23362948070888, 1e-14)
	return nil
}

// caption is what a caption claims, and the sizes at which it is executed.
type caption struct {
	Claimed float64
	Sizes   []int
}

// captionGlobal is the exact ε of the global mode with the printed sensitivity.
func captionGlobal(ctx context.Context, f *Finding, c caption) error {
	for _, n := range c.Sizes {
		s := space(n, 7, 4, 5)
		e, _ := exactPure(f, s, func([]int64) float64 { return .4 / .239992747797 })
		f.trial().bound(c.Claimed, e, float64(n), "n = %d: exact ε = %.4f", n, e)
		if n == 30 { // the enumeration of this file and that of package finite agree
			res, err := audit(ctx, f, s, func([]int64) float64 { return .4 / .239992747797 }, finite.Options{})
			if err != nil {
				return err
			}
			f.number("exact ε by package finite, n = 30", res.Epsilon, e, 1e-9)
		}
	}
	s := space(100, 7, 4, 5)
	most := 0.0
	_, x, y := s.Global()
	hx, zx := lawAt(s, x, .4/.239992747797)
	hy, zy := lawAt(s, y, .4/.239992747797)
	for r := range hx {
		most = math.Max(most, math.Abs(hy[r]-hx[r]+zy-zx))
	}
	f.trial().bound(c.Claimed, most, 100, "n = 100: %.4f at the extremal pair", most)
	f.number("ε at the extremal pair, n = 100", most, .3897, 5e-5)
	return nil
}

// printedBeta compares the printed β with the formula at n + extra.
func printedBeta(_ context.Context, f *Finding, extra float64) error {
	t := f.trial()
	for _, c := range []struct{ n, printed float64 }{{100, .0699407108115}, {120, .0677791100173}, {150, .0677791100173}} {
		if extra == 0 && c.n == 150 {
			continue
		}
		own := notesBeta(.8, .8, c.n+extra)
		t.printed(near(own, c.printed, 1e-11), c.n, "n = %v: with n + 1 = %v it is %.16f", c.n, c.n+extra, own)
	}
	t.repaired(near(notesBeta(.8, .8, 100), .0699407108115, 1e-11) &&
		near(notesBeta(.8, .8, 120), .0677791100173, 1e-11), "N = n = 100 and 120")
	f.number("β, N = 150", notesBeta(.8, .8, 150), 0.0653087964221843, 1e-15)
	return nil
}

// printedLocal looks for a table with both numbers, to half a unit of their last digit; with one of them when either.
func printedLocal(_ context.Context, f *Finding, either bool) error {
	for _, c := range []struct {
		n                 int
		beta, ls, s, a, w float64
	}{{100, .0699407108115, .08, .09, .005, .005}, {120, .0677791100173, .0945, .096, .00005, .0005},
		{150, .0677791100173, .0945, .096, .00005, .0005}} {
		sp := space(c.n, 7, 4, 5)
		found, tables := false, 0
		eachHistogram(sp, func(x []int64) {
			ls, _, _ := sp.Local(x)
			s := sp.Smooth(x, c.beta).Value
			one, other := math.Abs(ls-c.ls) <= c.a, math.Abs(s-c.s) <= c.w
			found = found || one && other || either && (one || other)
			tables++
			f.Cases++
		})
		f.trial().printed(found, float64(c.n), "n = %d: none of the %d tables has both, DL(7,4,5)", c.n, tables)
	}
	return nil
}
