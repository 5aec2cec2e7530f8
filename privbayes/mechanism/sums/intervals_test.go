package sums

import (
	"math"
	"strconv"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Skewed and flat populations, every model of means, both adjacencies, pure ε and zCDP, one row a unit and two that are
// alike: the intervals of the population and of the rows hold what they are about in .93 of the draws but for chance
// (false alarm below 1e-9 each). The interval of the rows does not hold the mean of the population where the noise is
// small, nor does that of one row a unit where two are alike.
func TestIntervalsHold(t *testing.T) {
	src := dp.Seeded(21)
	times := 400
	if testing.Short() {
		times = 120
	}
	least := .93 - 6.2*math.Sqrt(.93*.07/float64(times))
	populations := map[string]func() float64{
		"squares": func() float64 { u := sample.Float64(src); return u * u },
		"skewed":  func() float64 { return math.Min(1, math.Exp(sample.Normal(src)-3)) },
	}
	forgotten := 1.0 // the least coverage of the population by the interval of the rows
	for name, draw := range populations {
		mean := 0.0
		for range 400_000 {
			mean += draw() / 400_000
		}
		for _, c := range []struct {
			m      model.Model
			n      int
			unit   int
			target dp.Request
		}{
			{model.Mean("x"), 50, 1, dp.PureDP(.5)}, {model.Mean("x"), 500, 1, dp.PureDP(5)},
			{model.Mean("x"), 500, 1, dp.ZCDP(.1)}, {model.Mean("x"), 300, 1, dp.PureDP(.3).Under(dp.AddRemove)},
			{model.Mean("x"), 500, 2, dp.PureDP(4)}, {model.Mean("x"), 500, 2, dp.PureDP(4).Under(dp.AddRemove)},
			{model.MeanSD("x"), 200, 1, dp.PureDP(2)}, {model.MeanSD("x"), 200, 1, dp.ZCDP(.5)},
			{model.GroupMeans("x", "g"), 300, 1, dp.PureDP(1)}, {model.GroupMeans("x", "g"), 300, 1, dp.ZCDP(.5)},
			{model.GroupMeans("x", "g"), 300, 1, dp.PureDP(1).Under(dp.AddRemove)},
			{model.Mean("z"), 300, 1, dp.PureDP(1)}, {model.Mean("z"), 300, 1, dp.ZCDP(.5).Under(dp.AddRemove)},
			{model.Mean("z"), 500, 2, dp.PureDP(4)}, {model.GroupMeans("z", "g"), 600, 1, dp.PureDP(1)},
			{model.Means("x", "y"), 200, 1, dp.PureDP(2)}, {model.Means("x", "y"), 500, 1, dp.ZCDP(.5)},
			{model.Means("x", "y"), 500, 2, dp.ZCDP(2)}, {model.Means("x", "y"), 200, 1, dp.PureDP(2).Under(dp.AddRemove)},
		} {
			z := frame.Real("z", 0, 1)
			z.Missing, z.OnMissing = []string{""}, frame.MissingOmitted
			s := &frame.Schema{Dataset: "pop", RowsPerUnit: c.unit, Columns: []frame.Column{frame.Real("x", 0, 1),
				frame.Real("y", 0, 1), z, frame.Categorical("g", "a", "b", "none")}}
			sh := must.Get(model.NewShape(s, c.m, c.n, true, ""))(t)
			p := plan(t, New(), sh, c.target)
			held, rowsHeld := 0, 0
			var asRows int
			for range times {
				whole, sum := make([]int64, sh.Lattice().Len()), 0.0
				for i := 0; i < c.n; i += c.unit {
					if sh.Lattice().Omits && i%4 > 1 { // half of the rows have no value
						continue
					}
					x := sh.Lattice().At(0, draw())
					places := []int64{x, x}[:len(sh.Lattice().Low)]
					for range c.unit {
						group := i % min(2, max(sh.Lattice().Groups, 1))
						sh.Lattice().Add(whole, places, group)
						if group == 0 { // of the first group
							sum += sh.Lattice().Value(0, float64(x))
						}
					}
				}
				rows := float64(c.n)
				if sh.Lattice().Groups > 0 {
					rows = float64(whole[0])
				}
				st := must.Get(model.FromWhole(sh, c.n, whole))(t)
				d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				list, _, ok, err := p.Intervals(t.Context(), d, .95)
				if err != nil || !ok || len(list) != len(sh.Parameters()) {
					t.Fatal(list, ok, err)
				}
				inside := func(r *mechanism.Range, v float64) int {
					if r.Lower <= v && v <= r.Upper {
						return 1
					}
					return 0
				}
				held += inside(list[0].Population, mean)
				rowsHeld += inside(list[0].Rows, sum/rows)
				asRows += inside(list[0].Rows, mean)
				if len(list) == 3 { // a group without rows: nearly nothing is known
					held += inside(list[2].Population, mean) - 1
				}
			}
			of := c.m.String() + ", " + name + ", " + c.target.Parameters.String() + ", n = " + strconv.Itoa(c.n)
			if share := float64(held) / float64(times); share < least {
				t.Errorf("%s: the mean of the population held in %.3f", of, share)
			}
			if share := float64(rowsHeld) / float64(times); share < least {
				t.Errorf("%s: the mean of the rows held in %.3f", of, share)
			}
			forgotten = math.Min(forgotten, float64(asRows)/float64(times))
		}
	}
	if forgotten >= least {
		t.Errorf("the interval of the rows holds the mean of the population in %.3f: the test tells nothing", forgotten)
	}
}

// A column of zeros and ones with few ones has the interval of a share, which holds where that of any values does not:
// of Bernoulli .1 and n = 30 at ε = 3, and in groups, in .93 of the draws.
func TestZerosAndOnesHold(t *testing.T) {
	src := dp.Seeded(6)
	const times, share = 1000, .1
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Integer("x", 0, 1), frame.Categorical("g", "a", "b")}}
	for _, m := range []model.Model{model.Mean("x"), model.MeanSD("x"), model.GroupMeans("x", "g")} {
		for _, target := range []dp.Request{dp.PureDP(3), dp.PureDP(3).Under(dp.AddRemove)} {
			sh := must.Get(model.NewShape(s, m, 30, true, ""))(t)
			p, err := New().Plan(t.Context(), sh, target)
			if err != nil {
				continue // a spread with private n
			}
			held, values := 0, 0
			for range times {
				whole := make([]int64, sh.Lattice().Len())
				for range 30 {
					x := int64(0)
					if sample.Float64(src) < share {
						x = 1
					}
					sh.Lattice().Add(whole, []int64{x}, 0)
				}
				st := must.Get(model.FromWhole(sh, 30, whole))(t)
				d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				list, _, _, err := p.Intervals(t.Context(), d, .95)
				if err != nil {
					t.Fatal(err)
				}
				if r := list[0].Population; r.Lower <= share && share <= r.Upper {
					held++
				}
				test, _ := p.Sampler(access.Mine()).(*sampler).test(0, d.Raw[0])
				if lower, upper := test.Interval(.95); lower <= share && share <= upper {
					values++
				}
			}
			if float64(held) < times*.93-6.2*math.Sqrt(times*.93*.07) {
				t.Errorf("%s, %s: held in %d of %d; as any values in %d", m, target.Adjacency, held, times, values)
			}
		}
	}
}

// The standard deviation of the rows, of values and of columns of 0 and 1, also where the noise leaves nothing: its
// interval has a width.
func TestSpreadsHold(t *testing.T) {
	src := dp.Seeded(3)
	const times = 300
	for _, share := range []float64{.5, .1, 0} {
		for _, eps := range []float64{.1, 3} {
			s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Integer("x", 0, 1)}}
			sh := must.Get(model.NewShape(s, model.MeanSD("x"), 100, true, ""))(t)
			p, ones := plan(t, New(), sh, dp.PureDP(eps)), int64(100*share)
			st := must.Get(model.FromWhole(sh, 100, []int64{ones, ones}))(t)
			want, held := math.Sqrt(100*share*(1-share)/99), 0
			for range times {
				d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
				list, _, _, err := p.Intervals(t.Context(), d, .95)
				if err != nil || !(list[1].Rows.Lower < list[1].Rows.Upper) || list[1].Population != nil {
					t.Fatal(list, err)
				}
				if list[1].Rows.Lower <= want+1e-9 && want <= list[1].Rows.Upper+1e-9 {
					held++
				}
			}
			if got := float64(held) / times; got < .92-6.2*math.Sqrt(.92*.08/times) {
				t.Errorf("share %v, ε = %v: held in %.3f", share, eps, got)
			}
		}
	}
}

// What an interval cannot be made of, and what a schema says of the rows.
func TestWhichIntervals(t *testing.T) {
	s := schema(1)
	for sampling, want := range map[frame.Sampling][2]bool{"": {true, true}, frame.Sample: {true, false},
		frame.Census: {false, true}} {
		s.Sampling = sampling
		sh := must.Get(model.NewShape(s, model.Mean("wage"), 100, true, ""))(t)
		p := plan(t, New(), sh, dp.PureDP(3))
		st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(1)))(t)
		d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(2)))(t)
		list, _, ok, err := p.Intervals(t.Context(), d, .95)
		if err != nil || !ok || (list[0].Population != nil) != want[0] || (list[0].Rows != nil) != want[1] {
			t.Errorf("%q: %+v, %v", sampling, list, err)
		}
		if _, _, _, err := p.Intervals(t.Context(), d, 1); err == nil {
			t.Error("level 1 is accepted")
		}
		if one := len(d.Raw[0]) == 1; one != (sampling == frame.Census) {
			t.Errorf("%q: %d sums", sampling, len(d.Raw[0]))
		}
	}
	sh := shapeOf(t, model.Poisson("visits"), 100, 1)
	p := plan(t, New(), sh, dp.PureDP(3))
	st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(1)))(t)
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(2)))(t)
	if list, _, ok, err := p.Intervals(t.Context(), d, .95); ok || err != nil {
		t.Errorf("a rate: %v, %v", list, err)
	}
}
