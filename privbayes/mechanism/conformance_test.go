package mechanism_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/catalog"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// variants are mechanisms with other choices than the catalogue's.
var variants = []mechanism.Mechanism{
	counts.Geometric().WithPostProcess(counts.Clamp), counts.DiscreteGaussian().WithPostProcess(counts.Clamp),
	counts.BySize().WithPostProcess(counts.Consistent), counts.Fourier().WithNonNegative(0.9), hellinger.New().Global(),
	dirichlet.New().Raw().WithCalibration(dirichlet.Average(1)), dirichlet.New().BySize(),
	dirichlet.New().WithSeparatePrior(),
	gridmap.New().WithGrid(12, 2), counts.KNorm().WithPostProcess(counts.PosteriorMean),
	counts.Laplace().WithPostProcess(counts.PosteriorMean), sums.New().Gaussian(), sums.New().Geometric(),
}

// mechanisms is the list for a run: every mechanism of the catalogue, and the variants. What plans slowly, and has long
// tests of its own, stays out of short runs.
func mechanisms() (out []mechanism.Mechanism) {
	for _, d := range catalog.All() {
		switch d.Kind {
		case posteriorsample.Kind:
			if !testing.Short() {
				out = append(out, d.New(mechanism.Options{Count: 2}))
			}
		case regression.SamplerKind:
			out = append(out, d.New(mechanism.Options{Count: 1}))
		default:
			out = append(out, d.New(mechanism.Options{Count: 40}))
		}
	}
	return append(out, variants...)
}

var targets = []dp.Request{
	dp.PureDP(0.05), dp.PureDP(1), dp.PureDP(8), dp.ApproxDP(0.1, 1e-9), dp.ApproxDP(1, 1e-6), dp.ApproxDP(5, 1e-3),
	dp.RenyiDP(2, 0.5), dp.RenyiDP(20, 1), dp.ZCDP(0.01), dp.ZCDP(2), dp.TCDP(0.05, 4),
}

func schema(rows int, levels ...int) *frame.Schema {
	s := &frame.Schema{Dataset: "test", RowsPerUnit: rows}
	for i, l := range levels {
		cats := make([]string, l)
		for c := range cats {
			cats[c] = fmt.Sprint("v", c)
		}
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), cats...))
	}
	return s
}

func shape(t testing.TB, m model.Model, n int, rows int, levels ...int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(schema(rows, levels...), m, n, true, ""))(t)
}

// collider is a network with a node of two parents and a node alone.
var collider = model.Network("c2", model.Node("c0"), model.Node("c1"), model.Node("c2", "c0", "c1"), model.Node("c3"))

func shapes(t testing.TB) []*model.Shape {
	numbers := &frame.Schema{Dataset: "test",
		Columns: []frame.Column{frame.Real("y", -10, 0, 10), frame.Real("x", -1, 0, 1)}}
	line := must.Get(model.NewShape(numbers, model.LinearRegression("y", "x"), 50, true, ""))(t)
	classes := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Categorical("c", "a", "b"),
		frame.Real("x", -1, 0, 1), frame.Categorical("g", "p", "q", "r")}}
	logit := must.Get(model.NewShape(classes, model.LogisticRegression("c", "x", "g"), 50, true, ""))(t)
	tens := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("k", 0, 30), frame.Real("x", -1, 0, 1),
		frame.Categorical("g", "a", "b")}}
	var averages []*model.Shape
	for _, m := range []model.Model{model.Mean("k"), model.MeanSD("k"), model.Means("k", "x"), model.GroupMeans("x", "g"),
		model.Poisson("k"), model.Quantiles("k"), model.Quantiles("x", .9).WithResolution(64)} {
		sh := must.Get(model.NewShape(tens, m, 50, true, ""))(t)
		averages = append(averages, sh)
	}
	weights := weightedShapes(t, 50)
	return append(averages,
		line, logit,
		shape(t, model.Binary("c0"), 50, 1, 2), shape(t, model.Categorical("c0"), 50, 1, 5),
		shape(t, model.Categorical("c0"), 50, 3, 3),
		shape(t, model.ContingencyTable("c0", "c1"), 50, 1, 2, 2),
		shape(t, model.ContingencyTable("c1", "c0"), 40, 3, 2, 2),
		shape(t, model.Tree().Always(), 60, 1, 2, 3, 2), shape(t, model.MaxEntropy().Always(), 60, 3, 2, 2, 3),
		shape(t, model.Cliques(3), 900, 1, 2, 2, 2, 2), shape(t, model.MaxEntropy().Star("c1"), 40, 1, 3, 2, 2),
		shape(t, model.NaiveBayes("c0"), 50, 1, 2, 2, 3), shape(t, collider, 30, 1, 2, 3, 2, 2),
		shape(t, model.NaiveBayes("c0"), 400, 1, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3),
		weights[0], weights[1], weights[2],
	)
}

// weightedShapes are of rows with weights: a mean, a table and totals by group.
func weightedShapes(t testing.TB, n int) (out []*model.Shape) {
	s := &frame.Schema{Dataset: "test", Weight: &frame.Weight{Column: "w", Min: "1", Max: "8", Step: "0.5",
		Computed: frame.FromDesign}, Columns: []frame.Column{frame.Categorical("g", "a", "b"), frame.Integer("k", 0, 30)}}
	for _, m := range []model.Model{model.Mean("k"), model.ContingencyTable("g"), model.Total("k", "g")} {
		out = append(out, must.Get(model.NewShape(s, m, n, true, ""))(t))
	}
	return out
}

// quick keeps enumerations small: larger spaces take the theorems' way, which the suite must see too.
func quick(t *testing.T) context.Context { return cert.WithWorkLimit(t.Context(), 1_000_000) }

// conforming is a plan of the suite.
type conforming struct {
	mechanism mechanism.Mechanism
	shape     *model.Shape
	plan      *mechanism.Plan
}

var (
	conformingOnce sync.Once
	conformingList []conforming
)

// eachPlan visits the plans of every mechanism on every shape, target and adjacency, which are made once; what the
// mechanism refuses with a typed error is skipped.
func eachPlan(t *testing.T, visit func(t *testing.T, m mechanism.Mechanism, sh *model.Shape, p *mechanism.Plan)) {
	conformingOnce.Do(func() { conformingList = conformingPlans(t) })
	least := 400
	if testing.Short() {
		least = 40
	}
	if len(conformingList) < least {
		t.Fatalf("only %d plans were made", len(conformingList))
	}
	for _, c := range conformingList {
		visit(t, c.mechanism, c.shape, c.plan)
	}
}

func conformingPlans(t *testing.T) (out []conforming) {
	targets := targets
	if testing.Short() {
		targets = []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6)}
	}
	for _, m := range mechanisms() {
		targets := targets
		switch m.Name() { // these calibrate by enumeration or by integrals: a few targets show every path
		case hellinger.Kind, posteriorsample.Kind:
			targets = []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6)}
		case dirichlet.Kind, dirichlet.RecordsKind, gridmap.Kind, "laplace":
			targets = []dp.Request{dp.PureDP(1), dp.ApproxDP(0.1, 1e-9), dp.ApproxDP(5, 1e-3), dp.RenyiDP(20, 1),
				dp.ZCDP(0.01), dp.TCDP(0.05, 4)}
			if testing.Short() {
				targets = []dp.Request{dp.ApproxDP(1, 1e-6)}
			}
		}
		for i, sh := range shapes(t) {
			_, learned := sh.Model().(model.LearnedModel)
			for k, target := range targets {
				for a, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove, dp.ReplaceValue} {
					if testing.Short() && (i+a)%3 > 0 || learned && (i+a+k)%3 > 0 { // each on some shapes
						continue
					}
					p, err := m.Plan(quick(t), sh, target.Under(adj))
					var no *mechanism.UnsupportedError
					var few *regression.NotWorthError
					if errors.As(err, &no) || errors.As(err, &few) {
						continue
					}
					if err != nil {
						t.Fatalf("%s, shape %d, %s, %s: %v", m.Name(), i, target.Parameters, adj, err)
					}
					out = append(out, conforming{m, sh, p})
				}
			}
		}
	}
	return out
}

// The certified loss meets the target and spends at least 99.9 % of it.
func TestCalibrationIsTight(t *testing.T) {
	eachPlan(t, func(t *testing.T, m mechanism.Mechanism, sh *model.Shape, p *mechanism.Plan) {
		want, got := p.Target().Parameters, p.Certified()
		if !got.Satisfies(want) || got.Arithmetic != arithmetic(p) {
			t.Errorf("%s on %s: certified %s for %s", m.Name(), sh.Model(), got, want)
		}
		var ratio float64
		switch want.Notion {
		case dp.Approximate:
			ratio = loss.EpsilonFor(p.Pair(), want.Delta) / float64(want.Epsilon)
			if got.Delta > want.Delta {
				t.Errorf("δ = %v for %v", got.Delta, want.Delta)
			}
		case dp.Concentrated:
			ratio = got.Rho / want.Rho
		default:
			ratio = float64(got.Epsilon) / float64(want.Epsilon)
		}
		if ratio < 0.999 || ratio > 1+1e-9 {
			t.Errorf("%s on %s at %s, %s: spends %.6f of the target (%s)", m.Name(), sh.Model(), want,
				p.Target().Adjacency, ratio, p.Params())
		}
	})
}

// arithmetic is ideal where real numbers are drawn.
func arithmetic(p *mechanism.Plan) dp.Arithmetic {
	if p.Draws() == mechanism.Reals {
		return dp.Ideal
	}
	return dp.Exact
}

// Every check of every certificate derives again, and the plan survives its JSON.
func TestCertificatesDeriveAgain(t *testing.T) {
	eachPlan(t, func(t *testing.T, m mechanism.Mechanism, _ *model.Shape, p *mechanism.Plan) {
		if !p.Certificate().OK() {
			t.Fatalf("%s:\n%s", m.Name(), p.Certificate())
		}
		if p.Target().Epsilon == 1 { // one target is enough for the slower part
			if v := p.Certificate().Verify(t.Context()); !v.OK() {
				t.Errorf("%s:\n%s", m.Name(), v)
			}
		}
		b := must.Get(json.Marshal(p))(t)
		q, err := mechanism.ParsePlan(t.Context(), b)
		if err != nil {
			t.Fatalf("%s: %v", b, err)
		}
		c, err := json.Marshal(q)
		if err != nil || string(b) != string(c) || p.Certificate().String() != q.Certificate().String() {
			t.Errorf("the plan changed on its way through JSON: %s, %s, %v", b, c, err)
		}
	})
}

// A plan is a function of public inputs: the same for any data of the shape, and under add-remove without n.
func TestPlansAreDataFree(t *testing.T) {
	for _, m := range mechanisms() {
		sh := shape(t, model.NaiveBayes("c0"), 50, 1, 2, 3)
		p, err := m.Plan(t.Context(), sh, dp.ApproxDP(1, 1e-6).Under(dp.AddRemove))
		var no *mechanism.UnsupportedError
		if errors.As(err, &no) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		other := must.Get(m.Plan(t.Context(), shape(t, model.NaiveBayes("c0"), 70, 1, 2, 3),
			dp.ApproxDP(1, 1e-6).Under(dp.AddRemove)))(t)
		a, _ := json.Marshal(p)
		b, _ := json.Marshal(other)
		if string(a) != string(b) {
			t.Errorf("an add-remove plan knows n: %s, %s", a, b)
		}
	}
}

func randomCounts(t testing.TB, sh *model.Shape, r *rapid.T) *model.Statistics {
	t.Helper()
	n, _ := sh.N()
	cols := sh.Columns()
	tables := make([][]int64, len(sh.Tables()))
	for i, tb := range sh.Tables() {
		tables[i] = make([]int64, tb.Cells())
	}
	for range n {
		y := rapid.IntRange(0, cols[0].Levels()-1).Draw(r, "y")
		if len(cols) == 1 {
			tables[0][y]++
		}
		for k, c := range cols[1:] {
			tables[k][y*c.Levels()+rapid.IntRange(0, c.Levels()-1).Draw(r, "x")]++
		}
	}
	return must.Get(model.FromCounts(sh, tables))(t)
}

// Draws have the measured shape, are stable for a seed, and give estimates ≥ 0 that fit a model, whatever the data.
func TestDraws(t *testing.T) {
	for _, m := range mechanisms() {
		type made struct {
			plan *mechanism.Plan
			err  error
		}
		known := map[string]made{}
		rapid.Check(t, func(r *rapid.T) {
			n := rapid.SampledFrom([]int{0, 1, 3, 20}).Draw(r, "n")
			sh := shape(t, model.NaiveBayes("c0"), n, 1, 2, 3)
			st := randomCounts(t, sh, r)
			eps := rapid.SampledFrom([]float64{0.01, 0.3, 4}).Draw(r, "ε")
			key := fmt.Sprint(n, eps)
			if _, ok := known[key]; !ok {
				p, err := m.Plan(quick(t), sh, dp.ApproxDP(eps, 1e-5))
				known[key] = made{p, err}
			}
			p, err := known[key].plan, known[key].err
			var bad *dp.ParameterError
			if errors.As(err, new(*mechanism.UnsupportedError)) {
				return
			}
			if n, _ := sh.N(); n == 0 && errors.As(err, &bad) {
				return // a mechanism may need a record
			}
			if err != nil {
				r.Fatal(err)
			}
			a := must.Get(p.Draw(t.Context(), st, "id", dp.Seeded(3)))(r)
			b, _ := p.Draw(t.Context(), st, "id", dp.Seeded(3))
			if fmt.Sprint(a.Raw, a.Real) != fmt.Sprint(b.Raw, b.Real) {
				r.Fatal("a seed does not fix the draw")
			}
			e := must.Get(p.Estimate(t.Context(), a))(r)
			for _, v := range flat(e) {
				n, _ := sh.N()
				if !(v >= 0 && (v <= float64(n) || e.WithPrior || e.Conditionals != nil ||
					p.Setting("increment") != "")) {
					r.Fatalf("an estimate of %v out of [0, %d] from %v", v, n, a.Raw)
				}
			}
			must.Get(model.Fit(sh, e))(r)
			if g := p.Guarantee(a); g.Notion != dp.None {
				r.Fatal("a seeded draw claims", g)
			}
		})
	}
}

func TestTypedErrors(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 10, 1, 3)
	private := must.Get(model.NewShape(schema(1, 3), model.Categorical("c0"), 0, false, `Where("c0")`))(t)
	var param *dp.ParameterError
	var unmet *mechanism.UnmetTarget
	var no *mechanism.UnsupportedError
	var stats *mechanism.StatisticsError
	var params *dp.ParameterError
	for _, c := range []struct {
		name string
		err  error
		as   any
	}{
		{"ε = 0", plan(counts.Geometric(), sh, dp.PureDP(0)), &param},
		{"unreachable", plan(counts.Geometric(), sh, dp.PureDP(1e-12)), &unmet},
		{"pure Gaussian", plan(counts.DiscreteGaussian(), sh, dp.PureDP(1)), &no},
		{"nominal", plan(counts.Geometric(), sh, dp.AsPublished(1)), &no},
		{"post-processing", plan(counts.Geometric().WithPostProcess("magic"), sh, dp.PureDP(1)), &params},
	} {
		if !errors.As(c.err, c.as) {
			t.Errorf("%s: %v", c.name, c.err)
		}
	}
	if err := plan(counts.Geometric(), private, dp.PureDP(1)); !errors.Is(err, frame.ErrPrivateN) {
		t.Error("replace-one with private n:", err)
	}
	if err := plan(counts.Geometric(), private, dp.PureDP(1).Under(dp.AddRemove)); err != nil {
		t.Error("add-remove with private n:", err)
	}
	p := must.Get(counts.Geometric().Plan(t.Context(), sh, dp.PureDP(1)))(t)
	wrong := must.Get(model.FromCounts(shape(t, model.Categorical("c0"), 9, 1, 3), [][]int64{{3, 3, 3}}))(t)
	if _, err := p.Draw(t.Context(), wrong, "id", dp.Seeded(1)); !errors.As(err, &stats) {
		t.Error("statistics of another n:", err)
	}
}

func plan(m mechanism.Mechanism, sh *model.Shape, t dp.Request) error {
	_, err := m.Plan(context.Background(), sh, t)
	return err
}

func BenchmarkPlan(b *testing.B) {
	sh := shape(b, model.NaiveBayes("c0"), 300, 1, 2, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3)
	for _, m := range []mechanism.Mechanism{counts.Geometric(), counts.DiscreteGaussian()} {
		b.Run(m.Name(), func(b *testing.B) {
			for b.Loop() {
				must.Get(m.Plan(context.Background(), sh, dp.ApproxDP(1, 1e-6)))(b)
			}
		})
	}
}

// flat lists every number of an estimate.
func flat(e model.Estimate) []float64 {
	out := append([]float64(nil), e.Class...)
	for _, t := range append(append([][]float64(nil), e.Tables...), e.Conditionals...) {
		out = append(out, t...)
	}
	return out
}
