package release_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// population is a law of records of every kind of column.
var population = &frame.Schema{Dataset: "population", Columns: []frame.Column{
	frame.Categorical("yes", "no", "yes"), frame.Categorical("class", "a", "b", "c"), frame.Categorical("of", "p", "q"),
	frame.Real("bins", 0, .1, .3, 1), frame.Integer("whole", 0, 20), frame.Real("skewed", 0, 1), frame.Real("flat", -1, 1),
	frame.Real("line", -3, 3)}}

// people are n independent records of the population.
func people(t *testing.T, n int, src *dp.Stream) *frame.Frame {
	t.Helper()
	column := map[string]any{}
	texts := func(name string, labels []string, code func() int) {
		list := make([]string, n)
		for i := range list {
			list[i] = labels[code()]
		}
		column[name] = list
	}
	numbers := func(name string, value func(i int) float64) []float64 {
		list := make([]float64, n)
		for i := range list {
			list[i] = value(i)
		}
		column[name] = list
		return list
	}
	below := func(shares ...float64) func() int {
		return func() int {
			u := sample.Float64(src)
			return slices.IndexFunc(shares, func(s float64) bool { return u < s })
		}
	}
	texts("yes", []string{"no", "yes"}, below(.3, 1))
	texts("class", []string{"a", "b", "c"}, below(.5, .8, 1))
	texts("of", []string{"p", "q"}, below(.6, 1))
	numbers("bins", func(int) float64 { u := sample.Float64(src); return u * u })
	numbers("whole", func(int) float64 { // Poisson with mean 3
		k := -1.
		for left := 1.; left > math.Exp(-3); k++ {
			left *= sample.Float64(src)
		}
		return min(k, 20)
	})
	numbers("skewed", func(int) float64 { return math.Min(1, -.2*math.Log(1-sample.Float64(src))) })
	x := numbers("flat", func(int) float64 { return 2*sample.Float64(src) - 1 })
	numbers("line", func(i int) float64 {
		return math.Max(-3, math.Min(3, .5+x[i]+.4*sample.Normal(src)))
	})
	return must.Get(frame.FromColumns(population, column))(t)
}

// plainly are the numbers of a model without privacy, by the names of the shown ones.
func plainly(t *testing.T, st *model.Statistics) map[string]float64 {
	t.Helper()
	f := must.Get(model.FitPrivately(access.Mine(), st))(t)
	out := map[string]float64{}
	if d := f.Draws(); d != nil {
		for i, v := range d.Mean() {
			out[d.Names[i]] = v
		}
		return out
	}
	if shares, err := f.Shares(); err == nil && st.Shape().Model().(model.HistogramModel).Cumulative() {
		for _, s := range shares {
			out["bins = below "+st.Shape().Columns()[0].Text(s.To)] = s.Mean()
		}
		return out
	}
	if st.Shape().Learning() != nil { // every column
		for i, c := range st.Shape().Columns() {
			node, _ := f.Network().DAG().Index(st.Shape().Columns()[i].Name)
			for k, v := range must.Get(f.Network().Marginal(node))(t) {
				out[c.Name+" = "+c.Labels()[k]] = v
			}
		}
		return out
	}
	for _, p := range append(f.Posteriors(), f.Margins()...) {
		of, given, ok := strings.Cut(p.Name, " | ")
		for i, v := range p.Mean() {
			name := of + " = " + p.Labels[i]
			if ok {
				name += " | " + given
			}
			out[name] = v
		}
	}
	return out
}

// walked are the models of the walk; truth replaces the population's own numbers where the law's are meant.
var walked = [...]struct {
	model model.Model
	truth map[string]float64
}{
	{model.Binary("yes"), nil}, {model.Categorical("class"), nil}, {model.Histogram("bins"), nil}, {model.CDF("bins"), nil},
	{model.NaiveBayes("class", "yes", "of"), nil},
	{model.Network("of", model.Node("yes"), model.Node("class", "yes"), model.Node("of", "class", "yes")), nil},
	{model.Mean("skewed"), nil}, {model.Mean("whole"), nil}, {model.Means("skewed", "flat"), nil}, {model.MeanSD("flat"), nil},
	{model.GroupMeans("skewed", "class"), nil}, {model.Quantiles("flat", .25, .5), nil},
	{model.Poisson("whole").WithRange(.5, 8), map[string]float64{"mean": 3}},
	{model.Exponential("skewed").WithRange(1, 20), map[string]float64{"rate": 5}},
	{model.LinearRegression("line", "flat"), nil}, {model.LogisticRegression("yes", "flat"), nil},
	{model.Tree().Of("yes", "class", "of"), nil}, {model.ContingencyTable("class", "of"), nil},
}

// sampled are the statistics of a model's samples, its numbers without privacy, their spread, and the population's.
type sampled struct {
	statistics []*model.Statistics
	plain      []map[string]float64
	truth, sd  map[string]float64
}

func shapeOf(t *testing.T, m model.Model, f *frame.Frame) (*model.Shape, *model.Statistics) {
	t.Helper()
	sh := must.Get(model.NewShape(f.Schema(), m, f.Len(), true, ""))(t)
	st := must.Get(model.Count(sh, f))(t)
	return sh, st
}

func simulated(t *testing.T, m model.Model, truth map[string]float64, samples []*frame.Frame, all *frame.Frame) *sampled {
	t.Helper()
	s := &sampled{truth: truth, sd: map[string]float64{}}
	for _, f := range samples {
		_, st := shapeOf(t, m, f)
		s.statistics, s.plain = append(s.statistics, st), append(s.plain, plainly(t, st))
	}
	if _, st := shapeOf(t, m, all); truth == nil {
		s.truth = plainly(t, st)
	}
	for name, want := range s.truth {
		ss := 0.
		for _, p := range s.plain {
			ss += (p[name] - want) * (p[name] - want)
		}
		s.sd[name] = math.Sqrt(ss / float64(len(samples)))
	}
	return s
}

// leastHeld of 400 intervals at 95 % hold what they are about where each holds with probability .93, but for one set
// in 1e9.
const leastHeld, walkedTimes = 337, 400

// Every mechanism, on every model that it releases, for both adjacencies, pure and concentrated: the interval that a
// release shows first holds what it is about, the population's number, in at least 337 of 400 samples of 60 records;
// or none is shown. An interval of the same estimate that leaves out the noise fails this in at least one case of every
// mechanism with intervals. Regression by moments refuses so few rows; TestIntegerMomentsCover of mechanism/regression
// counts how often its intervals hold, at 300 and 3000 rows.
func TestShownIntervalsHold(t *testing.T) {
	const n = 60
	src := dp.Seeded(36)
	all := people(t, 200_000, src)
	times, least := walkedTimes, leastHeld
	if testing.Short() {
		times, least = 40, 24 // below 1e-9 for .93, too
	}
	samples := make([]*frame.Frame, times)
	for i := range samples {
		samples[i] = people(t, n, src)
	}
	fails := map[string]bool{} // the mechanisms with intervals: whether that without the noise fails
	for i, w := range walked {
		sh, _ := shapeOf(t, w.model, samples[0])
		var known *sampled // made when a mechanism releases the model
		for _, d := range catalog.All() {
			m, err := catalog.For(sh, d.New(mechanism.Options{Count: 40}))
			if err != nil {
				continue
			}
			second := []dp.Request{dp.PureDP(.5).Under(dp.AddRemove), dp.ZCDP(.02)}[i%2] // in turn
			for _, target := range []dp.Request{dp.PureDP(.5), second} {
				of := fmt.Sprintf("%s, %s, %s, %s", d.Flag, w.model, target.Parameters, target.Adjacency)
				p, err := m.Plan(t.Context(), sh, target)
				var no *mechanism.UnsupportedError
				var bad *dp.ParameterError
				var few *regression.NotWorthError // 60 rows are refused before anything is charged
				if errors.As(err, &no) || errors.As(err, &bad) || errors.As(err, &few) {
					continue
				}
				if err != nil {
					t.Fatalf("%s: %v", of, err)
				}
				if known == nil {
					known = simulated(t, w.model, w.truth, samples, all)
				}
				held, blind := map[string]int{}, map[string]int{}
				walk(t, of, p, known.statistics, func(i int, name string, estimate float64, within mechanism.Interval) {
					want, ok := known.truth[name]
					if !ok {
						t.Fatalf("%s: %q is not in %v", of, name, known.truth)
					}
					if math.Abs(estimate-want) <= 1.96*known.sd[name] {
						blind[name]++
					}
					r := within.Population
					if r == nil {
						r, want = within.Rows, known.plain[i][name]
					}
					held[name] += 0
					if r.Lower <= want && want <= r.Upper {
						held[name]++
					}
				})
				if len(held) == 0 {
					continue
				}
				for name, times := range held {
					if times < least {
						t.Errorf("%s: %s is held %d times", of, name, times)
					}
					fails[d.Flag] = fails[d.Flag] || blind[name] < least
				}
			}
		}
	}
	for flag, failed := range fails {
		if !failed {
			t.Errorf("%s: intervals without the noise hold everywhere: the test tells nothing", flag)
		}
	}
}

// walk draws a release of each statistics and visits the intervals that it shows first, if it shows any.
func walk(t *testing.T, of string, p *mechanism.Plan, list []*model.Statistics,
	visit func(i int, name string, estimate float64, within mechanism.Interval)) {
	t.Helper()
	src := dp.Seeded(63)
	for i, st := range list {
		d, err := p.Draw(t.Context(), st, "id", src)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		r, err := release.New(t.Context(), p, d)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		shown, _, err := r.Intervals(t.Context(), .95)
		if err != nil {
			t.Fatalf("%s: %v", of, err)
		}
		for _, s := range shown {
			name := s.Of
			if of, given, ok := strings.Cut(s.Of, " | "); ok {
				name = of + " = " + s.Label + " | " + given
			} else if s.Label != "" {
				name = of + " = " + s.Label
			}
			visit(i, name, s.Estimate, s.Interval)
		}
		if len(shown) > 0 {
			continue
		}
		percent := func(c string) bool { return strings.Contains(c, "%") }
		if i == 0 && !slices.ContainsFunc(r.Summary().Columns, percent) {
			return
		}
		draws := r.Draws()
		if draws == nil {
			t.Fatalf("%s: %v", of, r.Summary())
		}
		for k, v := range draws.Mean() {
			lo, hi := draws.Quantile(k, .025), draws.Quantile(k, .975)
			if lo < hi { // else a point, shown as one
				visit(i, draws.Names[k], v, mechanism.Interval{Population: &mechanism.Range{Lower: lo, Upper: hi}})
			}
		}
	}
}
