package sums

import (
	"math"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// covered releases sums of the shape again and again, and counts how often the 95 % interval of each parameter holds
// the truth that draw made them with.
func covered(t testing.TB, p *mechanism.Plan, times int, draw func() (rows int, whole []int64,
	truth []float64)) []float64 {
	t.Helper()
	src := dp.Seeded(11)
	var share []float64
	for range times {
		rows, sums, truth := draw()
		sh := p.Shape()
		st := must.Get(model.FromWhole(sh, rows, sums))(t)
		d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
		e := must.Get(p.Estimate(t.Context(), d))(t)
		if share == nil {
			share = make([]float64, len(truth))
		}
		for i, v := range truth {
			if v >= e.Draws.Quantile(i, .025) && v <= e.Draws.Quantile(i, .975) {
				share[i] += 1 / float64(times)
			}
		}
	}
	return share
}

// near95 is false with probability below 1e-9 for a right coverage.
func near95(share float64, times int) bool {
	return math.Abs(share-.95) < 6.2*math.Sqrt(.95*.05/float64(times))
}

// spread adds n records of a group to the sums: places as equal as can be, with the given sum in every column.
func spread(l *model.Lattice, sums []int64, n, group int, whole ...int64) {
	places := make([]int64, len(whole))
	for r := range int64(n) {
		for i, s := range whole {
			places[i] = (r+1)*s/int64(n) - r*s/int64(n)
		}
		l.Add(sums, places, group)
	}
}

// Sample means: sums uniform on what is possible, which is the posterior's prior, every law of noise.
func TestSampleMeansAreCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	src := dp.Seeded(7)
	uniform := func(most int64) int64 { return int64(sample.Uniform(src, uint64(most)+1)) }
	for name, c := range map[string]struct {
		m      model.Model
		target dp.Request
		n      int
	}{
		"geometric, mostly noise": {model.Mean("age"), dp.PureDP(.1), 20},
		"geometric":               {model.Mean("wage"), dp.PureDP(1), 50},
		"staircase":               {model.Mean("wage"), dp.PureDP(4), 50},
		"Gaussian, mostly noise":  {model.Mean("age"), dp.ZCDP(.001), 20},
		"Gaussian":                {model.Mean("wage"), dp.ZCDP(.5), 50},
		"cube":                    {model.Means("age", "wage"), dp.PureDP(.3), 20},
		"columns, Gaussian":       {model.Means("age", "wage"), dp.ZCDP(.1), 20},
	} {
		sh := shapeOf(t, c.m, c.n, 1)
		p := plan(t, New(), sh, c.target)
		l, times := sh.Lattice(), 400
		draw := func() (rows int, whole []int64, truth []float64) {
			for i := range l.Low {
				s := uniform(int64(c.n) * l.Steps)
				whole, truth = append(whole, s), append(truth, l.Value(i, float64(s)/float64(c.n)))
			}
			sums := make([]int64, l.Len())
			spread(l, sums, c.n, 0, whole...)
			return c.n, sums, truth
		}
		for i, share := range covered(t, p, times, draw) {
			if !near95(share, times) {
				t.Errorf("%s: parameter %d is covered %.3f of the time", name, i, share)
			}
		}
	}
}

// Groups, and means with a private n: pairs of sums of what is there, with counts far above the noise's reach.
func TestPairsAreCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	src := dp.Seeded(8)
	for name, c := range map[string]struct {
		m   model.Model
		adj dp.Adjacency
	}{
		"mean":            {model.Mean("age"), dp.AddRemove},
		"groups":          {model.GroupMeans("age", "job"), dp.AddRemove},
		"groups, replace": {model.GroupMeans("age", "job"), dp.ReplaceOne},
		"means":           {model.Means("age", "wage"), dp.AddRemove},
	} {
		sh := shapeOf(t, c.m, 300, 1)
		p := plan(t, New(), sh, dp.PureDP(.4).Under(c.adj))
		l, times := sh.Lattice(), 400
		draw := func() (rows int, whole []int64, truth []float64) {
			share := func() float64 { return .2 + .6*sample.Float64(src) }
			sums := make([]int64, l.Len())
			if l.Groups > 0 {
				for g := range l.Groups {
					s := int64(100 * share() * float64(l.Steps))
					truth = append(truth, l.Value(0, float64(s)/100))
					spread(l, sums, 100, g, s)
				}
				return 300, sums, truth
			}
			for i := range l.Low {
				s := int64(300 * share() * float64(l.Steps))
				whole, truth = append(whole, s), append(truth, l.Value(i, float64(s)/300))
			}
			spread(l, sums, 300, 0, whole...)
			return 300, sums, truth
		}
		for i, share := range covered(t, p, times, draw) {
			// the truth is not drawn from the posterior's flat prior on pairs: a little more is allowed
			if math.Abs(share-.95) > .01+6.2*math.Sqrt(.95*.05/float64(times)) {
				t.Errorf("%s: parameter %d is covered %.3f of the time", name, i, share)
			}
		}
	}
}

// ofParameter draws θ from its prior by its grid, and records by their law.
func ofParameter(sh *model.Shape, src *dp.Stream) func() (int, []int64, []float64) {
	one := sh.OneParameter()
	law, low, high, prior := one.Record, one.Low, one.High, one.LogPrior
	n, _ := sh.N()
	l := sh.Lattice()
	cells := make([]float64, l.Steps+1)
	return func() (int, []int64, []float64) {
		theta := low + sample.Float64(src)*(high-low)
		for sample.Float64(src) > math.Exp(prior(theta)-prior(low)) {
			theta = low + sample.Float64(src)*(high-low)
		}
		law(theta, cells)
		below, sum := make([]float64, len(cells)), 0.0
		for k, v := range cells {
			sum += v
			below[k] = sum
		}
		s := int64(0)
		for range n {
			k, _ := slices.BinarySearch(below, sample.Float64(src)*sum)
			s += int64(min(k, int(l.Steps)))
		}
		return n, []int64{s}, []float64{theta}
	}
}

// The parameter of a law, drawn from its prior, with bounds that cut a good part of the values off; an analysis that
// ignores the bounds does not pass.
func TestParametersAreCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	const times = 120
	cut := &frame.Schema{Dataset: "cut", Columns: []frame.Column{frame.Integer("visits", 0, 6), frame.Real("wait", 0, 2)}}
	wide := &frame.Schema{Dataset: "cut", Columns: []frame.Column{frame.Integer("visits", 0, 6),
		frame.Real("wait", 0, 16)}}
	of := func(s *frame.Schema, m model.Model) *model.Shape {
		return must.Get(model.NewShape(s, m, 60, true, ""))(t)
	}
	for name, c := range map[string]struct {
		sh     *model.Shape
		target dp.Request
	}{
		"Poisson":               {of(cut, model.Poisson("visits").WithRange(.5, 8)), dp.PureDP(1)},
		"Poisson, mostly noise": {of(cut, model.Poisson("visits").WithRange(.5, 8)), dp.PureDP(.05)},
		"Poisson, Gaussian":     {of(cut, model.Poisson("visits").WithRange(.5, 8)), dp.ZCDP(.2)},
		"Exponential":           {of(cut, model.Exponential("wait").WithRange(.2, 3).WithResolution(8)), dp.PureDP(1)},
		"Poisson, private n":    {of(cut, model.Poisson("visits").WithRange(.5, 8)), dp.PureDP(1).Under(dp.AddRemove)},
		"private n, mostly noise": {of(cut, model.Exponential("wait").WithRange(.2, 3)),
			dp.PureDP(.2).Under(dp.AddRemove)},
	} {
		p := plan(t, New(), c.sh, c.target)
		if share := covered(t, p, times, ofParameter(c.sh, dp.Seeded(9)))[0]; !near95(share, times) {
			t.Errorf("%s: covered %.3f of the time", name, share)
		}
	}
	// the bounds are ignored: values were cut at 2, the likelihood says 16, on the same lattice
	cutShape := of(cut, model.Exponential("wait").WithRange(.2, 3).WithResolution(8))
	wideShape := of(wide, model.Exponential("wait").WithRange(.2, 3).WithResolution(64))
	p, draw := plan(t, New(), wideShape, dp.PureDP(1)), ofParameter(cutShape, dp.Seeded(9))
	if share := covered(t, p, times, draw)[0]; near95(share, times) {
		t.Errorf("an analysis that ignores the bounds covers %.3f and passes", share)
	}
}

// ofNormal draws μ and log σ from the model's prior, and records that are clipped and rounded.
func ofNormal(sh *model.Shape, src *dp.Stream) func() (int, []int64, []float64) {
	l := sh.Lattice()
	n, _ := sh.N()
	return func() (int, []int64, []float64) {
		r := l.High[0] - l.Low[0]
		mu, sigma := l.Low[0]+sample.Float64(src)*r, r/500*math.Pow(500, sample.Float64(src))
		whole := []int64{0, 0}
		for range n {
			l.Add(whole, []int64{l.At(0, mu+sigma*sample.Normal(src))}, 0)
		}
		return n, whole, []float64{mu, sigma}
	}
}

func TestMeanAndSpreadAreCovered(t *testing.T) {
	if testing.Short() {
		t.Skip("a study by simulation")
	}
	for name, c := range map[string]struct {
		target dp.Request
		times  int
	}{"K-norm": {dp.PureDP(1), 150}, "Gaussian": {dp.ZCDP(.3), 400}} {
		sh := shapeOf(t, model.MeanSD("wage").Latent(), 100, 1)
		p := plan(t, New(), sh, c.target)
		for i, share := range covered(t, p, c.times, ofNormal(sh, dp.Seeded(10))) {
			if !near95(share, c.times) {
				t.Errorf("%s: %s is covered %.3f of the time", name, sh.Parameters()[i], share)
			}
		}
	}
}
