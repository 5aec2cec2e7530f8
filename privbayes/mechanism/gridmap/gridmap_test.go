package gridmap_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	_ "github.com/privbayes/privbayes-go/privbayes/mechanism/catalog" // files load
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func shape(t testing.TB, m model.Model, n int, levels ...int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "test"}
	for i, d := range levels {
		var labels []string
		for j := range d {
			labels = append(labels, fmt.Sprint(j))
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), labels...))
	}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

func plan(t testing.TB, m mechanism.Mechanism, sh *model.Shape, target dp.Request) *mechanism.Plan {
	t.Helper()
	return must.Get(m.Plan(t.Context(), sh, target))(t)
}

// direct is the log-law of one Bernoulli row computed here from the definition, for a rate and a score.
type direct struct {
	rate      float64
	posterior bool
	half      bool // mutant: half the range sold as the bound
}

func (d direct) Outputs() int { return 19 }

func (d direct) LogLaw(x []int, out []float64) {
	sum := 0.0
	for i := range out {
		th := float64(i+1) / 20
		out[i] = float64(x[0])*math.Log(th) + float64(x[1])*math.Log(1-th)
		sum += math.Exp(out[i])
	}
	if d.posterior {
		for i := range out {
			out[i] = math.Exp(out[i]) / sum
		}
	}
	rate, total := d.rate, 0.0
	if d.half {
		rate *= 2
	}
	for i := range out {
		out[i] *= rate
		total += math.Exp(out[i])
	}
	for i := range out {
		out[i] -= math.Log(total)
	}
}

// The golden figure of theory/networks.md §4: at η = ε/(2L), L = ln 19, the exact loss at n = 50 and ε = 1 is 0.865;
// the plan's η spends 1.
func TestExactLossByEnumeration(t *testing.T) {
	space := finite.Space{Cells: 2, N: 50}
	exact := func(d direct) float64 {
		r := must.Get(finite.Audit(t.Context(), d, space, nil, nil))(t)
		return r.Epsilon
	}
	if got := exact(direct{rate: 1 / (2 * math.Log(19))}); math.Abs(got-.865) > .0006 {
		t.Errorf("ε by the usual bound: exact %v, golden .865", got)
	}
	p := plan(t, gridmap.New(), shape(t, model.Binary("c0"), 50, 2), dp.PureDP(1))
	rate := rateOf(t, p)
	if got := exact(direct{rate: rate}); !(got <= 1 && got > .99999) {
		t.Errorf("the plan's η spends %v", got)
	}
	if got := exact(direct{rate: rate, half: true}); got <= 1 {
		t.Errorf("twice η spends %v: half the oscillation passes as a bound", got)
	}
	if v := p.Certificate().Verify(t.Context()); !v.OK() || p.Certified().Arithmetic != dp.Exact {
		t.Error(v)
	}
}

func rateOf(t testing.TB, p *mechanism.Plan) float64 {
	t.Helper()
	var q struct {
		Steps     int     `json:"steps"`
		Floor     int     `json:"floor"`
		Posterior bool    `json:"posterior_score"`
		Rate      float64 `json:"rate"`
	}
	must.Do(t, mechanism.DecodeParams(gridmap.Kind, p.Params(), &q))
	return q.Rate
}

// The paper's score: its √L is a valid sensitivity on a grid, tanh(L/2) is exact over all priors and grids, and the
// estimate is useless.
func TestPosteriorScore(t *testing.T) {
	sh := shape(t, model.Binary("c0"), 50, 2)
	p := plan(t, gridmap.New().WithPosteriorScore(), sh, dp.AsPublished(1))
	if got, want := rateOf(t, p), 1/(2*math.Sqrt(math.Log(19))); math.Abs(got-want) > 1e-12 {
		t.Errorf("η = %v, Algorithm 3 has %v", got, want)
	}
	if e := float64(p.Certified().Epsilon); !(e > 0 && e < 1) {
		t.Errorf("at nominal 1 it spends %v", e)
	}
	own := plan(t, gridmap.New().WithPosteriorScore(), sh, dp.PureDP(1))
	log := plan(t, gridmap.New(), sh, dp.PureDP(1))
	a, _ := own.ExpectedValue(mechanism.ProportionErrorName)
	b, _ := log.ExpectedValue(mechanism.ProportionErrorName)
	if !(a > 1.5*b) {
		t.Errorf("expected errors: posterior score %v, log posterior %v", a, b)
	}
}

// Algorithm 3 with a density in place of a probability: the smallest counterexamples of theory/networks.md §4.
func TestDensityScoreIsNotPrivate(t *testing.T) {
	const cells = 4000 // midpoints on [.1, .9]
	loss := func(n int) float64 {
		delta, worst := math.Sqrt(math.Log(9)), 0.0
		law := func(k int) []float64 {
			out, sum := make([]float64, cells), 0.0
			for i := range out {
				th := .1 + .8*(float64(i)+.5)/cells
				out[i] = math.Pow(th, float64(k)) * math.Pow(1-th, float64(n-k))
				sum += out[i] * .8 / cells
			}
			norm := 0.0
			for i := range out {
				out[i] = math.Exp(out[i] / sum / (2 * delta)) // ε = 1
				norm += out[i]
			}
			for i := range out {
				out[i] = math.Log(out[i] / norm)
			}
			return out
		}
		for k := range n {
			a, b := law(k), law(k+1)
			for i := range a {
				worst = math.Max(worst, math.Abs(a[i]-b[i]))
			}
		}
		return worst
	}
	for _, c := range []struct {
		n    int
		want float64
	}{{1, .675}, {2, .882}, {5, 1.340}, {50, 3.22}} {
		if got := loss(c.n); math.Abs(got-c.want) > .004*c.want {
			t.Errorf("n = %d: %v, golden %v", c.n, got, c.want)
		}
	}
}

// Draws follow the enumerated law: χ² with a threshold passed once in 1e9 runs; a draw from the untempered posterior is
// rejected.
func TestDrawsFollowTheLaw(t *testing.T) {
	sh := shape(t, model.Binary("c0"), 30, 2)
	p := plan(t, gridmap.New(), sh, dp.PureDP(2))
	st := must.Get(model.FromCounts(sh, [][]int64{{21, 9}}))(t)
	law := make([]float64, 19)
	direct{rate: rateOf(t, p)}.LogLaw([]int{21, 9}, law)
	const draws = 40000
	statistic := func(draw func(src *dp.Stream) int64) float64 {
		seen, src, sum := make([]float64, 19), dp.Seeded(3), 0.0
		for range draws {
			seen[draw(src)-1]++
		}
		for i, l := range law {
			e := draws * math.Exp(l)
			sum += (seen[i] - e) * (seen[i] - e) / e
		}
		return sum
	}
	x := -math.Log(1e-9)
	threshold := 18 + 2*math.Sqrt(18*x) + 2*x
	if got := statistic(func(src *dp.Stream) int64 {
		d := must.Get(p.Draw(t.Context(), st, "id", src))(t)
		return d.Raw[0][0]
	}); got > threshold {
		t.Errorf("χ² = %v, threshold %v", got, threshold)
	}
	other := plan(t, gridmap.New(), sh, dp.PureDP(2.5))
	if got := statistic(func(src *dp.Stream) int64 {
		d, _ := other.Draw(t.Context(), st, "id", src)
		return d.Raw[0][0]
	}); got < threshold {
		t.Error("a quarter more ε passes")
	}
}

// Whole models: every conditional gets its share, by the bound; the plan survives its JSON; the parameters fit a model.
func TestModels(t *testing.T) {
	net := model.Network("c2", model.Node("c0"), model.Node("c1"), model.Node("c2", "c0", "c1"))
	for _, sh := range []*model.Shape{shape(t, model.NaiveBayes("c0"), 8, 2, 3, 2), shape(t, net, 8, 2, 2, 2),
		shape(t, model.Categorical("c0").WithPrior(2, 1, 3), 12, 3), shape(t, model.Categorical("c0"), 40, 9)} {
		for _, target := range []dp.Request{dp.PureDP(3), dp.ApproxDP(1, 1e-6), dp.ZCDP(.2), dp.RenyiDP(4, .5)} {
			p := plan(t, gridmap.New(), sh, target)
			if !p.Certified().Satisfies(target.Parameters) || !p.Certificate().Verify(t.Context()).OK() {
				t.Errorf("%s at %s: %s\n%s", sh.Model(), target.Parameters, p.Certified(), p.Certificate())
			}
			b := must.Get(p.MarshalJSON())(t)
			q, err := mechanism.ParsePlan(t.Context(), b)
			if err != nil || q.Certificate().String() != p.Certificate().String() {
				t.Errorf("%s: %v", b, err)
			}
		}
	}
	sh := shape(t, net, 8, 2, 2, 2)
	st := must.Get(model.FromCounts(sh, [][]int64{{1, 0, 2, 1, 1, 1, 0, 2}}))(t)
	p := plan(t, gridmap.New(), sh, dp.PureDP(3))
	d := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(1)))(t)
	e := must.Get(p.Estimate(t.Context(), d))(t)
	f := must.Get(model.Fit(sh, e))(t)
	for _, law := range f.Posteriors() {
		for _, m := range law.Mean() {
			if !(m >= .05-1e-9 && m <= .95+1e-9) {
				t.Errorf("%s: %v off the grid's range", law.Name, law.Mean())
			}
		}
	}
}

// Joint releases of two conditionals, enumerated: all data of two columns, all neighbours, all outputs, against the
// certified bound.
func TestNaiveBayesBoundByEnumeration(t *testing.T) {
	sh := shape(t, model.NaiveBayes("c0"), 3, 2, 2)
	p := plan(t, gridmap.New().WithGrid(4, 1), sh, dp.PureDP(2))
	rate, worst := rateOf(t, p), 0.0
	row := func(a, b int) []float64 { // log-law of one row on {1/4, 2/4, 3/4}
		out, total := make([]float64, 3), 0.0
		for i := range out {
			th := float64(i+1) / 4
			out[i] = rate * (float64(a)*math.Log(th) + float64(b)*math.Log(1-th))
			total += math.Exp(out[i])
		}
		for i := range out {
			out[i] -= math.Log(total)
		}
		return out
	}
	greatest := func(p, q []float64) float64 {
		m := math.Inf(-1)
		for i := range p {
			m = math.Max(m, p[i]-q[i])
		}
		return m
	}
	for x, y := range (finite.Space{Cells: 4, N: 3}).Neighbours() {
		// independent rows: the greatest log-ratio is the sum of the rows' greatest
		sum := greatest(row(x[0]+x[1], x[2]+x[3]), row(y[0]+y[1], y[2]+y[3]))
		sum += greatest(row(x[0], x[1]), row(y[0], y[1])) + greatest(row(x[2], x[3]), row(y[2], y[3]))
		worst = math.Max(worst, sum)
	}
	bound := float64(p.Certified().Epsilon)
	if !(worst <= bound && worst > bound/2) {
		t.Errorf("enumerated %v, certified %v", worst, bound)
	}
}

func TestRefusals(t *testing.T) {
	var no *mechanism.UnsupportedError
	var bad *dp.ParameterError
	sh := shape(t, model.NaiveBayes("c0"), 20, 2, 3)
	for _, c := range []struct {
		name   string
		m      gridmap.MAP
		target dp.Request
		as     any
	}{
		{"add-remove", gridmap.New(), dp.PureDP(1).Under(dp.AddRemove), &no},
		{"posterior score of a whole model", gridmap.New().WithPosteriorScore(), dp.PureDP(1), &no},
		{"nominal", gridmap.New(), dp.AsPublished(1), &no},
		{"no floor", gridmap.New().WithGrid(20, 0), dp.PureDP(1), &bad},
		{"no room", gridmap.New().WithGrid(6, 3), dp.PureDP(1), &bad},
	} {
		if _, err := c.m.Plan(context.Background(), sh, c.target); !errors.As(err, c.as) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	p := plan(t, gridmap.New(), sh, dp.PureDP(1))
	for _, raw := range [][][]int64{{{10, 10}}, {{10, 10}, {1, 2, 3, 4, 5, 6}}, {{0, 20}, {10, 5, 5, 10, 5, 5}}} {
		drawn := &mechanism.Drawn{ID: "x", Output: mechanism.Output{Raw: raw}}
		if _, err := p.Estimate(t.Context(), drawn); !errors.As(err, &bad) {
			t.Errorf("%v: %v", raw, err)
		}
	}
}

func BenchmarkPlan(b *testing.B) {
	sh := shape(b, model.Binary("c0"), 1000, 2)
	for b.Loop() {
		must.Get(gridmap.New().Plan(context.Background(), sh, dp.PureDP(1)))(b)
	}
}
