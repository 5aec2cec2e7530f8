package quantiles

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// The variance of consistent counts is the sum of the squares of what every noisy count weighs in them.
func TestVarianceUpTo(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		d := &countSampler{counted: &counted{known: rapid.Bool().Draw(r, "known")}, tree: anyTree(r)}
		leaves, p := rapid.IntRange(0, int(d.leaves())).Draw(r, "leaves"), rapid.Float64Range(.01, .99).Draw(r, "p")
		const one = 1 << 20
		want := 0.0
		for l, size := range d.sizes() {
			for i := range size {
				noisy := make([][]int64, d.levels())
				for k, n := range d.sizes() {
					noisy[k] = make([]int64, n)
				}
				noisy[l][i] = one
				weight := 0.0
				for k, c := range d.consistent(noisy, 0, d.known) {
					if k < leaves {
						weight += c / one
					}
					if !d.known {
						weight -= p * c / one
					}
				}
				want += weight * weight
			}
		}
		if got := d.varianceUpTo(leaves, p, d.upwards()); math.Abs(got-want) > 1e-9*(1+want) {
			r.Fatalf("%+v, known %v, %d leaves: %v for %v", d.tree, d.known, leaves, got, want)
		}
	})
}

// The intervals hold the quantiles of a skewed population, and of the rows, in .93 of the draws but for chance (false
// alarm below 1e-9); those of the rows do not hold the quantiles of the population. In the last case 300 rows more have
// no value.
func TestIntervalsHold(t *testing.T) {
	times := 300
	if testing.Short() {
		times = 100
	}
	least := .93 - 6.2*math.Sqrt(.93*.07/float64(times))
	s := &frame.Schema{Dataset: "pop", Columns: []frame.Column{frame.Real("x", 0, 1)}}
	src, at := dp.Seeded(5), []float64{.1, .5, .9}
	forgotten := 1.0
	for c, target := range []dp.Request{dp.PureDP(3), dp.ZCDP(2), dp.PureDP(3).Under(dp.AddRemove), dp.PureDP(3)} {
		n := 1000
		if c == 3 {
			n, s.Columns[0].Missing, s.Columns[0].OnMissing = 1300, []string{"NA"}, frame.MissingOmitted
		}
		sh := must.Get(model.NewShape(s, model.Quantiles("x", at...).WithResolution(255), n, true, ""))(t)
		p := must.Get(Histogram().Plan(t.Context(), sh, target))(t)
		var held, rows, asRows [3]int
		for range times {
			counts, values := make([]int64, sh.Lattice().Len()), make([]float64, 1000)
			for k := range values {
				u := sample.Float64(src) // the value is its square
				values[k] = u * u
				counts[sh.Lattice().At(0, u*u)]++
			}
			slices.Sort(values)
			st := must.Get(model.FromWhole(sh, n, counts))(t)
			d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
			list, _, ok, err := p.Intervals(t.Context(), d, .95)
			if err != nil || !ok || len(list) != len(at) {
				t.Fatal(list, err)
			}
			for i, q := range at {
				inside := func(r *mechanism.Range, v float64) int {
					if r.Lower <= v && v <= r.Upper {
						return 1
					}
					return 0
				}
				held[i] += inside(list[i].Population, q*q)
				rows[i] += inside(list[i].Rows, values[int(q*1000)-1])
				asRows[i] += inside(list[i].Rows, q*q)
			}
		}
		for i, q := range at {
			if a, b := float64(held[i])/float64(times), float64(rows[i])/float64(times); a < least || b < least {
				t.Errorf("%s, %s, %v: held in %.3f, of the rows in %.3f", target.Parameters, target.Adjacency, q, a, b)
			}
			forgotten = math.Min(forgotten, float64(asRows[i])/float64(times))
		}
	}
	if forgotten >= least {
		t.Errorf("the intervals of the rows hold the population's in %.3f: the test tells nothing", forgotten)
	}
}

// Values that were rounded are within the intervals, also where most of them tie and only one point of the grid is
// left; whole numbers that were not rounded have the point itself.
func TestIntervalsOfRoundedValues(t *testing.T) {
	for _, c := range []struct {
		column frame.Column
		steps  int64
		value  float64
		width  float64
	}{{frame.Real("x", 0, 1), 10, .26, .1}, {frame.Real("x", 0, 1), 10, 0, .05}, {frame.Real("x", 0, 1), 10, 1, .05},
		{frame.Integer("x", 0, 1000), 10, 349, 100}, {frame.Integer("x", 0, 10), 10, 3, 0}} {
		s := &frame.Schema{Dataset: "ties", Columns: []frame.Column{c.column}}
		sh := must.Get(model.NewShape(s, model.Quantiles("x", .5).WithResolution(c.steps), 1000, true, ""))(t)
		counts := make([]int64, sh.Lattice().Len())
		counts[sh.Lattice().At(0, c.value)] = 1000
		for _, how := range []mechanism.Mechanism{Histogram(), EM().WithIntervals()} {
			p := must.Get(how.Plan(t.Context(), sh, dp.PureDP(10)))(t)
			d := must.Get(p.Draw(t.Context(), must.Get(model.FromWhole(sh, 1000, counts))(t), "id", dp.Seeded(1)))(t)
			list, _, ok, err := p.Intervals(t.Context(), d, .95)
			if err != nil || !ok {
				t.Fatal(list, err)
			}
			for _, r := range []*mechanism.Range{list[0].Population, list[0].Rows} {
				if r.Lower > c.value || r.Upper < c.value || math.Abs(r.Upper-r.Lower-c.width) > 1e-9 {
					t.Errorf("%s, %v: %v of a column of %v", how.Name(), c.column.Kind, *r, c.value)
				}
			}
		}
	}
}
