package sums

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Both ways to release a mean of units of several rows predict the same two widths, whichever of them is planned: with
// little noise √(1 + (k−1)ρ) for √k of the width of independent rows. The plan says which is the wider. A census,
// units without a key and single rows have one way.
func TestUnitWaysAreCompared(t *testing.T) {
	const rows, k = 4000, 4
	shape := func(m model.Model, key string, sampling frame.Sampling, low, high float64) *model.Shape {
		s := &frame.Schema{Dataset: "visits", UnitKey: key, RowsPerUnit: k, Sampling: sampling, ApproximateRows: rows,
			Columns: []frame.Column{frame.Real("x", low, high), frame.Integer("b", 0, 1), frame.Categorical("g", "u", "v")}}
		return must.Get(model.NewShape(s, m, 0, false, "the test"))(t)
	}
	for _, c := range []struct {
		m         model.Model
		low, high float64
		sd        float64 // of a row
		rows      float64 // of a group
	}{{model.Mean("x"), 0, 1, math.Sqrt(1.0 / 12), rows}, {model.Mean("x"), 10, 30, 20 * math.Sqrt(1.0/12), rows},
		{model.Mean("b"), 0, 1, .5, rows}, {model.GroupMeans("x", "g"), 0, 1, math.Sqrt(1.0 / 12), rows / 2}} {
		sh := shape(c.m, "who", "", c.low, c.high)
		for _, target := range []dp.Request{dp.PureDP(50), dp.ZCDP(500)} {
			target = target.Under(dp.AddRemove)
			ways := func(m Noisy) mechanism.UnitWays {
				q := must.Get(m.prepare(t.Context(), sh, target))(t)
				made := must.Get(calibrate(t.Context(), q))(t)
				with := q.of(made)
				w, ok := (&sampler{with, must.Get(with.noise(made))(t)}).UnitWays(t.Context())
				if !ok {
					t.Fatal(c.m, "one way only")
				}
				return w
			}
			byRows, byUnit := ways(New()), ways(New().ByUnit())
			independent := 2 * 1.96 * c.sd / math.Sqrt(c.rows)
			for rho, times := range map[float64]float64{0: 1, .5: math.Sqrt(2.5), 1: 2} {
				if got := byRows.ByUnit(rho); math.Abs(got/independent/times-1) > .06 || got != byUnit.ByUnit(rho) {
					t.Errorf("%s, %v: by unit %v and %v at ρ = %v, want %v", c.m, target, got, byUnit.ByUnit(rho), rho,
						independent*times)
				}
			}
			if got := byRows.ByRows; math.Abs(got/independent/2-1) > .06 || got != byUnit.ByRows || byRows.Chosen ||
				!byUnit.Chosen || byRows.Rows != rows {
				t.Errorf("%s, %v: by rows %v and %v, want %v", c.m, target, got, byUnit.ByRows, 2*independent)
			}
		}
	}
	target := dp.PureDP(.05).Under(dp.AddRemove)
	for _, c := range []struct {
		m        Noisy
		sh       *model.Shape
		epsilon  float64
		want, no string
	}{
		{New(), shape(model.Mean("x"), "who", "", 0, 1), 1, "It is narrower ", "by rows"},
		{New().ByUnit(), shape(model.Mean("x"), "who", "", 0, 1), 1, "The other way is by rows", "which measures"},
		{New(), shape(model.Mean("x"), "who", "", 0, 1), .05, "It is wider at every correlation", "narrower"},
		{New(), shape(model.Mean("x"), "", "", 0, 1), 1, "", "other way"},
		{New(), shape(model.Mean("x"), "who", frame.Census, 0, 1), 1, "", "other way"},
		{New(), shape(model.Means("x", "b"), "who", "", 0, 1), 1, "", "other way"},
	} {
		target.Epsilon = dp.PureDP(c.epsilon).Epsilon
		p := plan(t, c.m, c.sh, target)
		note := p.UnitNote(t.Context())
		if !strings.Contains(note, c.want) || strings.Contains(note, c.no) || (note == "") != (c.want == "") ||
			!strings.Contains(p.Table().Markdown(), note) {
			t.Errorf("%s at %v: %q", c.sh.Model(), c.epsilon, note)
		}
	}
}
