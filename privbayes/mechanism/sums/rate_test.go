package sums

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The relative error of an exponential rate θ = .5 on [0, 10] is at most 1.1 times that of the table of
// theory/numbers.md §2, and far below that of a posterior sample (.246 at n = 500, ε = 1; .080 at n = 5000).
func TestErrorOfARate(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	s := &frame.Schema{Dataset: "rate", Columns: []frame.Column{frame.Real("x", 0, 10)}}
	src := dp.Seeded(31)
	for _, c := range []struct {
		n         int
		eps, want float64
	}{{500, 1, .049}, {500, 5, .044}, {5000, .1, .0203}, {5000, 1, .0143}} {
		sh := must.Get(model.NewShape(s, model.Exponential("x").WithRange(.1, 3), c.n, true, ""))(t)
		p := plan(t, New(), sh, dp.PureDP(c.eps))
		const times = 60
		square := 0.0
		for range times {
			whole := []int64{0}
			for range c.n {
				sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, math.Exp(sample.LogGamma(src, 1))/.5)}, 0)
			}
			st := must.Get(model.FromWhole(sh, c.n, whole))(t)
			d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			e := must.Get(p.Estimate(t.Context(), d))(t)
			off := e.Draws.Mean()[0]/.5 - 1
			square += off * off / times
		}
		// a mean of 60 squares of nearly normal errors has a standard error of .19 of itself; six of them
		got := math.Sqrt(square)
		t.Logf("n = %d, ε = %v: %.4f for %.4f", c.n, c.eps, got, c.want)
		if got > 1.1*c.want*math.Sqrt(1+6.2*.19) || got < c.want/math.Sqrt(1+6.2*.19)/1.1 {
			t.Errorf("n = %d, ε = %v: relative error %.4f for %.4f", c.n, c.eps, got, c.want)
		}
	}
}
