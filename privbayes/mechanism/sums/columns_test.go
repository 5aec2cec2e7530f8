package sums

import (
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// With squares of every column, too, one record moves the sums by at most 1 in the norm of every noise, on lattices
// that are odd, even and rounded. Rejected are the cube's sums at the whole of ε with squares, and squares of which one
// column alone is charged.
func TestSquaresOfColumnsAreCharged(t *testing.T) {
	for _, c := range [][2]int64{{2, 2}, {3, 3}, {5, 5}, {6, 2}, {7, 4}, {12, 4}} {
		for width := 1; width <= 2; width++ {
			d := design{Kind: columnsSquares, Steps: c[0], Coarse: c[1], Width: width}
			counted := d
			counted.Kind = countedSquares
			for adj, d := range map[dp.Adjacency]design{dp.ReplaceOne: d, dp.ReplaceValue: d, dp.AddRemove: counted} {
				for _, law := range []string{geometricLaw, gaussianLaw, cubeLaw} {
					got := d.farthest(adj, d.records(), d.gauge(law, adj)).Value
					if got > 1+1e-12 || got < .6 || adj == dp.AddRemove && got < 1-1e-12 {
						t.Errorf("%+v, %s, %s: %v", d, law, adj, got)
					}
				}
			}
			m, _ := d.coarseHalf()
			for law, least := range map[string]float64{geometricLaw: 1.2, gaussianLaw: 1.1, cubeLaw: 1.1} {
				z := make([]int64, counted.dims())
				counted.record(make([]int64, width), 0, z)
				plain := design{Kind: columnsCount, Steps: d.Steps, Width: width} // the squares' part not charged
				squares := append(make([]int64, width+1), z[width+1:]...)
				over := plain.gauge(law, dp.AddRemove)(z[:width+1]) + counted.gauge(law, dp.AddRemove)(squares)
				if over < least {
					t.Errorf("%+v, %s: squares for nothing: %v", counted, law, over)
				}
			}
			if m > 1 && width == 2 {
				whole := func(z []int64) float64 {
					return d.gauge(cubeLaw, dp.ReplaceOne)(z) * cubeShare / (cubeShare - 1)
				}
				if got := d.farthest(dp.ReplaceOne, d.records(), whole).Value; got < 1.1 {
					t.Errorf("%+v: sums at the whole of ε: %v", d, got)
				}
				for law, least := range map[string]float64{geometricLaw: 1.5, gaussianLaw: 1.1} {
					one := d.gauge(law, dp.ReplaceValue)
					if got := d.farthest(dp.ReplaceOne, d.records(), one).Value; got < least {
						t.Errorf("%+v, %s: one column charged: %v", d, law, got)
					}
				}
			}
		}
	}
}

// Squares of several means are planned, drawn and planned again for every notion and adjacency, but not of a census.
// The exponents are those of the samplers.
func TestPlansWithSquaresOfColumns(t *testing.T) {
	sh := shapeOf(t, model.Means("age", "wage").WithResolution(4), 60, 1)
	for _, c := range []struct {
		m      Noisy
		target dp.Request
		want   string
	}{
		{New(), dp.PureDP(3), columnsSquares}, {New(), dp.ZCDP(2), columnsSquares},
		{New().Gaussian(), dp.ApproxDP(1, 1e-6), columnsSquares}, {New().Geometric(), dp.PureDP(3), columnsSquares},
		{New(), dp.PureDP(3).Under(dp.ReplaceValue), columnsSquares},
		{New(), dp.ZCDP(2).Under(dp.ReplaceValue), columnsSquares},
		{New(), dp.PureDP(3).Under(dp.AddRemove), countedSquares}, {New(), dp.ZCDP(2).Under(dp.AddRemove), countedSquares},
		{New().Geometric(), dp.PureDP(3).Under(dp.AddRemove), countedSquares},
	} {
		p := plan(t, c.m, sh, c.target)
		allowed := float64(loss.Allowed(c.target.Parameters))
		if got := loss.Spent(p.Pair(), c.target.Parameters); p.Setting("released") != c.want || !p.Certificate().OK() ||
			got > allowed || got < .98*allowed && c.target.Notion != dp.Approximate {
			t.Errorf("%v: %q spends %v of %v", c.target, p.Setting("released"), got, allowed)
		}
		released(t, p, sh, 3)
		var q params
		must.Do(t, mechanism.DecodeParams(kind, p.Params(), &q))
		must.Get(New().mathematics().Rebuild(t.Context(), sh, c.target, q))(t)
		pose := must.Get(c.m.prepare(t.Context(), sh, c.target))(t).of(q)
		z := must.Get(pose.noise(q))(t)
		src, n, dims := dp.Seeded(5), 60_000, pose.dims()
		zero, first, last := make([]int64, dims), make([]int64, dims), make([]int64, dims)
		first[0], last[dims-1] = 1, 1
		times, out := [3]float64{}, make([]int64, dims)
		for range n {
			z.draw(src, out)
			for i, v := range [][]int64{zero, first, last} {
				if equal(out, v) {
					times[i]++
				}
			}
		}
		for i, v := range [][]int64{zero, first, last} {
			ratio := math.Exp(z.exponent(zero) - z.exponent(v))
			share, want, both := times[i]/(times[i]+times[0]), ratio/(1+ratio), times[i]+times[0]
			if both > 300 && math.Abs(share-want) > 6.2*math.Sqrt(want*(1-want)/both) { // a false alarm of 1e-9 each
				t.Errorf("%v: P(%v) : P(0) is %.3f for %.3f", c.target, v, share, want)
			}
		}
	}
	one := shapeOf(t, model.Means("age", "wage").WithResolution(1), 60, 1)
	if p := plan(t, New(), one, dp.PureDP(1)); p.Setting("released") != columns {
		t.Errorf("one step releases %s", p.Setting("released"))
	}
	s := schema(1)
	s.Sampling = frame.Census
	census := must.Get(model.NewShape(s, model.Means("age", "wage"), 50, true, ""))(t)
	if p := plan(t, New(), census, dp.ZCDP(1)); p.Setting("released") != columns {
		t.Errorf("a census releases %s", p.Setting("released"))
	}
}

// The population's means of two skewed columns lie in their intervals with squares in .93 of releases but for chance
// (false alarm below 1e-9), at less than half of the width without squares.
func TestIntervalsWithSquaresOfColumns(t *testing.T) {
	const times, n = 300, 2000
	least := .93 - 6.2*math.Sqrt(.93*.07/times)
	src := dp.Seeded(9)
	draw := func() float64 { return math.Min(1, math.Exp(sample.Normal(src)-4)) }
	mean := 0.0
	for range 400_000 {
		mean += draw() / 400_000
	}
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Real("x", 0, 1), frame.Real("y", 0, 1)}}
	sh := must.Get(model.NewShape(s, model.Means("x", "y"), n, true, ""))(t)
	c := *s
	c.Sampling = frame.Census
	census := must.Get(model.NewShape(&c, model.Means("x", "y"), n, true, ""))(t)
	for _, target := range []dp.Request{dp.PureDP(3), dp.PureDP(3).Under(dp.AddRemove),
		dp.ZCDP(1).Under(dp.AddRemove)} {
		with := plan(t, New(), sh, target)
		var q params // of a release without squares
		must.Do(t, mechanism.DecodeParams(kind, plan(t, New(), census, target).Params(), &q))
		without := must.Get(New().mathematics().Rebuild(t.Context(), sh, target, q))(t)
		held, width, wide := [2]int{}, 0.0, 0.0
		for range times {
			whole := make([]int64, sh.Lattice().Len())
			for range n {
				sh.Lattice().Add(whole, []int64{sh.Lattice().At(0, draw()), sh.Lattice().At(1, draw())}, 0)
			}
			st := must.Get(model.FromWhole(sh, n, whole))(t)
			of := func(p *mechanism.Plan) []mechanism.Interval {
				d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				list, _, ok, err := p.Intervals(t.Context(), d, .95)
				if err != nil || !ok {
					t.Fatal(ok, err)
				}
				return list
			}
			for i, v := range of(with) {
				if v.Population.Lower <= mean && mean <= v.Population.Upper {
					held[i]++
				}
				width += (v.Population.Upper - v.Population.Lower) / 2
			}
			r := of(without)[0].Population
			wide += r.Upper - r.Lower
		}
		if float64(min(held[0], held[1]))/times < least {
			t.Errorf("%v: held in %v of %d", target, held, times)
		}
		if width > wide/2 {
			t.Errorf("%v: width %.4f, without squares %.4f", target, width/times, wide/times)
		}
	}
}
