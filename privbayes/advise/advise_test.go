package advise_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/quantiles"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// unhurried is for tests of what is compared, which should not depend on how busy the machine is.
const unhurried = time.Hour

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

// The simulation agrees with what a plan knows: the error of unpolished noise on counts is E|Z|/n.
func TestSimulationAgreesWithTheClosedForm(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 100_000, 4)
	clamp := counts.Geometric().WithPostProcess(counts.Clamp)
	a := must.Get(advise.For(t.Context(), sh, []dp.Request{dp.PureDP(.1)},
		advise.Options{Mechanisms: []mechanism.Mechanism{clamp}, Data: 400, Time: unhurried}))(t)
	r := a.Rows(0)[0]
	// the total's noise and empty cells change it by far less than a standard error
	if z := math.Abs(r.Error-r.Expected) / r.SE; z > 6.5 {
		t.Errorf("simulated %v ± %v, closed form %v", r.Error, r.SE, r.Expected)
	}
	if z := math.Abs(2*r.Expected-r.Error) / r.SE; z < 6.5 {
		t.Error("twice the noise passes")
	}
}

func TestAdvice(t *testing.T) {
	targets := []dp.Request{dp.ApproxDP(.1, 1e-6), dp.ApproxDP(1, 1e-6), dp.ApproxDP(5, 1e-6)}
	for _, sh := range []*model.Shape{
		shape(t, model.Categorical("c0"), 200, 5), shape(t, model.NaiveBayes("c0"), 300, 2, 3, 2, 4),
		shape(t, model.Network("c2", model.Node("c0"), model.Node("c1"), model.Node("c2", "c0", "c1")), 300, 2, 2, 2),
	} {
		if testing.Short() && (len(sh.Conditionals()) != 1 || sh.Classes() == 2) {
			continue
		}
		a := must.Get(advise.For(t.Context(), sh, targets, advise.Options{Data: 8, Time: unhurried}))(t)
		applied := 0
		for i := range targets {
			for _, r := range a.Rows(i) {
				if r.Refused == "" {
					applied++
					if !(r.Error >= 0 && r.KL >= -1e-12) || !r.Certified.Satisfies(targets[i].Parameters) {
						t.Errorf("%s at %s: %+v", r.Mechanism, targets[i].Parameters, r)
					}
				}
			}
			if best, ok := a.Best(i); !ok || !strings.Contains(a.Reason(i), best.Mechanism) {
				t.Errorf("no best at %s: %s", targets[i].Parameters, a.Reason(i))
			}
		}
		if applied < 3*len(targets) {
			t.Errorf("%s: only %d rows apply", sh.Model(), applied)
		}
		first, _ := a.Best(0)
		last, _ := a.Best(2)
		if first.Error <= last.Error {
			t.Errorf("%s: error %v at ε = 0.1, %v at 5", sh.Model(), first.Error, last.Error)
		}
		middle := math.Sqrt(first.Error * last.Error)
		if eps, ok := a.LevelFor(middle); !ok || !(eps > .1 && eps < 5) {
			t.Errorf("error %v at ε = %v, %v", middle, eps, ok)
		}
		if _, _, err := a.Figure().Size(); err != nil {
			t.Error(err)
		}
		if s := a.String(); !strings.Contains(s, "no data was read") {
			t.Error(s)
		}
	}
}

// A level at which two mechanisms change places is found between the targets around it.
func TestCrossings(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 200, 6)
	a := must.Get(advise.For(t.Context(), sh, []dp.Request{dp.RenyiDP(5, .001), dp.RenyiDP(5, 3)}, advise.Options{
		Mechanisms: []mechanism.Mechanism{dirichlet.New().Raw().WithCalibration(dirichlet.Average(1)),
			counts.DiscreteGaussian().WithPostProcess(counts.Clamp)}, Data: 60, Time: unhurried,
	}))(t)
	c := a.Crossovers()
	if len(c) != 1 || !(c[0].Level > .001 && c[0].Level < 3) || !strings.HasPrefix(c[0].From, "Dirichlet") {
		t.Errorf("%+v\n%s", c, a)
	}
}

func TestRefusals(t *testing.T) {
	var e *advise.Error
	sh := shape(t, model.Categorical("c0"), 50, 3)
	ctx := context.Background()
	for _, err := range []error{
		second(advise.For(ctx, sh, nil, advise.Options{})),
		second(advise.For(ctx, sh.WithoutN(), []dp.Request{dp.PureDP(1)}, advise.Options{})),
		second(advise.For(ctx, sh, []dp.Request{dp.PureDP(1), dp.ZCDP(1)}, advise.Options{})),
		second(advise.For(ctx, sh, []dp.Request{dp.PureDP(1)}, advise.Options{Data: -1})),
	} {
		if !errors.As(err, &e) {
			t.Error(err)
		}
	}
	a := must.Get(advise.For(ctx, sh, []dp.Request{dp.PureDP(1)}, advise.Options{Data: 4, Time: unhurried}))(t)
	if s := a.NotApplicable(0).String(); !strings.Contains(s, "unbounded") {
		t.Error("the Dirichlet's refusal of pure ε is missing:", s)
	}
}

func second[T any](_ T, err error) error { return err }

func ExampleFor() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 1000, true, "")
	a, err := advise.For(context.Background(), sh, []dp.Request{dp.PureDP(1)},
		advise.Options{Data: 200, Time: unhurried})
	best, _ := a.Best(0)
	fmt.Println(best.Mechanism, best.Error < .002, best.How, err)
	// Output: K-norm: sum-zero geometric noise on counts true exact enumeration <nil>
}

// How many people must answer for an error of half a percent at ε = 0.5?
func ExampleAdvice_NFor() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 1000, true, "")
	a, err := advise.For(context.Background(), sh, []dp.Request{dp.PureDP(.5)}, advise.Options{Time: unhurried})
	if err != nil {
		fmt.Println(err)
		return
	}
	size, err := a.NFor(context.Background(), 0, .005)
	fmt.Println(size.N/50*50, size.Best.Error <= .005, err)
	// Output: 350 true <nil>
}

// What theory predicts for a plan that has no formula of its own.
func ExamplePredict() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 1000, true, "")
	p, err := gridmap.New().Plan(context.Background(), sh, dp.ApproxDP(1, 1e-6))
	if err != nil {
		fmt.Println(err)
		return
	}
	value, how := advise.Predict(p)
	fmt.Printf("%.2f, %s\n", value, how)
	// Output: 0.03, sum over all outcomes, uniform p
}

// The choices that are tried for one mechanism.
func ExampleFamilies() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 1000, true, "")
	for _, c := range advise.Families(sh)[1].Choices {
		fmt.Println(c.Name+":", c.Go)
	}
	// Output:
	// posterior mean: Geometric().WithPostProcess(counts.PosteriorMean)
	// clamp: Geometric().WithPostProcess(counts.Clamp)
}

// A row carries the mechanism that it recommends, and the Go that makes it: both plan the same.
func TestRowsCarryTheirMechanism(t *testing.T) {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh := must.Get(model.NewShape(s, model.Binary("answer"), 100, true, ""))(t)
	a := must.Get(advise.For(t.Context(), sh, []dp.Request{dp.PureDP(1)}, advise.Options{}))(t)
	best, ok := a.Best(0)
	if !ok || best.Go == "" || !strings.Contains(a.Reason(0), "In Go: "+best.Go) {
		t.Fatalf("%+v: %s", best, a.Reason(0))
	}
	p, err := best.Chosen.Plan(t.Context(), sh, dp.PureDP(1))
	if err != nil || p.Certified() != best.Certified {
		t.Error(p, err)
	}
}

// Rows are told of one by one, in the order of the answer and while the others are still to come; searches for n, which
// compare again, tell of none.
func TestRowsAreToldAsTheyComeIn(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 200, 3)
	targets := []dp.Request{dp.PureDP(.5), dp.PureDP(1)}
	type told struct {
		target int
		row    advise.Row
	}
	var list []told
	a := must.Get(advise.For(t.Context(), sh, targets, advise.Options{Time: unhurried, Data: 20,
		Row: func(i int, r advise.Row) { list = append(list, told{i, r}) }}))(t)
	k := 0
	for i := range targets {
		for _, r := range a.Rows(i) {
			if k >= len(list) || list[k].target != i || list[k].row.Mechanism != r.Mechanism ||
				!reflect.DeepEqual(list[k].row.Certified, r.Certified) || list[k].row.Refused != r.Refused {
				t.Fatalf("row %d is not %s at target %d", k, r.Mechanism, i)
			}
			k++
		}
	}
	if k != len(list) || k == 0 {
		t.Errorf("%d rows told, %d in the answer", len(list), k)
	}
	must.Get(a.NFor(t.Context(), 1, 0.05))(t)
	if len(list) != k {
		t.Errorf("a search told of %d rows", len(list)-k)
	}
}

// What is told of the first row can end the work: the others are not worked out.
func TestARowCanBeTheLast(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 200, 3)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	rows := 0
	_, err := advise.For(ctx, sh, []dp.Request{dp.PureDP(1)}, advise.Options{Time: unhurried,
		Row: func(int, advise.Row) { rows++; cancel() }})
	if !errors.Is(err, context.Canceled) || rows == 0 || rows > 2 {
		t.Errorf("after %d rows: %v", rows, err)
	}
}

// numbers is a shape of a model of numbers, with the response or the value first.
func numbers(t testing.TB, m model.Model, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "numbers",
		Columns: []frame.Column{frame.Real("y", 0, 20), frame.Real("u", 0, 1), frame.Real("v", -3, 3)}}
	return must.Get(model.NewShape(s, m, n, true, ""))(t)
}

// Rates and regressions are compared; what theory predicts to first order is near what the simulation finds, and twice
// that is not.
func TestModelsOfNumbers(t *testing.T) {
	for i, c := range []struct {
		model   model.Model
		target  dp.Request
		applies int
	}{
		{model.Exponential("y").WithRange(.3, 5), dp.PureDP(2), 2},
		{model.LaplaceScale("y", 10).WithRange(.7, 5), dp.PureDP(2), 2},
		{model.NormalPrecision("y", 10).WithRange(.3, 5), dp.ApproxDP(10, 1e-6), 2},
		{model.Mean("y"), dp.PureDP(1), 1},
		{model.LinearRegression("y"), dp.PureDP(1), 1}, {model.LinearRegression("y"), dp.ApproxDP(1, 1e-6), 3},
		{model.LinearRegression("y").WithoutIntercept(), dp.ZCDP(.1), 3},
	} {
		if testing.Short() && i != 3 {
			continue
		}
		a := must.Get(advise.For(t.Context(), numbers(t, c.model, 4000), []dp.Request{c.target},
			advise.Options{Data: 120, Time: unhurried}))(t)
		applied := 0
		for _, r := range a.Rows(0) {
			if r.Refused != "" {
				continue
			}
			applied++
			near := math.Abs(math.Log(r.Error/r.Expected)) < .45
			if !near || r.How != advise.Simulation || r.Choice == "" || !math.IsNaN(r.KL) ||
				!r.Certified.Satisfies(c.target.Parameters) {
				t.Errorf("%s: %+v", c.model, r)
			}
			if math.Abs(math.Log(r.Error/(2*r.Expected))) < .2 {
				t.Errorf("%s, %s: twice the prediction would be near", c.model, r.Mechanism)
			}
		}
		if applied != c.applies {
			t.Errorf("%s at %s: %d rows apply, want %d\n%s", c.model, c.target.Parameters, applied, c.applies,
				a.NotApplicable(0))
		}
		if best, ok := a.Best(0); !ok || !strings.Contains(a.Reason(0), best.Mechanism) ||
			!strings.Contains(a.String(), "no data was read") {
			t.Error(a)
		}
		if _, _, err := a.Figure().Size(); err != nil {
			t.Error(err)
		}
	}
}

// A mechanism that does not fit the model or the target has a row that says so.
func TestRefusalsOfARegression(t *testing.T) {
	a := must.Get(advise.For(t.Context(), numbers(t, model.LinearRegression("y"), 1000), []dp.Request{dp.PureDP(1)},
		advise.Options{Data: 4, Time: unhurried}))(t)
	s := a.NotApplicable(0).String()
	for _, want := range []string{"LinearSampler(N)", "second moments"} {
		if !strings.Contains(s, want) {
			t.Errorf("no %q in\n%s", want, s)
		}
	}
	if len(a.Rows(0)) != len(advise.Families(a.Shape())) {
		t.Error("a family has no row")
	}
}

// Theory predicts an error for every mechanism and model, except where its law is a sum over more candidates than can
// be visited.
func TestEveryPlanHasAPrediction(t *testing.T) {
	net := model.Network("c2", model.Node("c0"), model.Node("c1"), model.Node("c2", "c0", "c1"))
	shapes := []*model.Shape{
		shape(t, model.Binary("c0"), 60, 2), shape(t, model.Binary("c0"), 3_000_000, 2),
		shape(t, model.Categorical("c0"), 60, 4), shape(t, model.Categorical("c0"), 5000, 6),
		shape(t, model.NaiveBayes("c0"), 300, 2, 3, 2), shape(t, net, 300, 2, 3, 2),
		numbers(t, model.LinearRegression("y"), 500),
		numbers(t, model.Exponential("y").WithRange(.3, 5), 500),
	}
	missing := map[string]bool{}
	for _, sh := range shapes {
		n, _ := sh.N()
		for _, target := range []dp.Request{dp.PureDP(1), dp.ApproxDP(1, 1e-6)} {
			for _, f := range advise.Families(sh) {
				p, err := f.Choices[0].Mechanism.Plan(t.Context(), sh, target)
				if err != nil {
					continue
				}
				if v, how := advise.Predict(p); math.IsNaN(v) || how == "" {
					missing[f.Title] = true
					if !strings.HasPrefix(f.Title, "Hellinger") || n == 60 && len(sh.Conditionals()) == 1 &&
						sh.Classes() == 2 {
						t.Errorf("%s on %s, n = %d: no prediction", f.Title, sh.Model(), n)
					}
				} else if !(v > 0 && v < 2) {
					t.Errorf("%s on %s: %v", f.Title, sh.Model(), v)
				}
			}
		}
	}
	if !missing[hellinger.New().Title()] || missing[counts.KNorm().Title()] {
		t.Errorf("no prediction: %v", missing)
	}
}

// The n that reaches an error does, and one 5 % smaller does not; both by exact enumeration.
func TestNFor(t *testing.T) {
	a := must.Get(advise.For(t.Context(), shape(t, model.Binary("c0"), 100, 2), []dp.Request{dp.PureDP(1)},
		advise.Options{Time: unhurried}))(t)
	s, err := a.NFor(t.Context(), 0, .003)
	if err != nil || s.Best.Error > .003 {
		t.Fatal(s, err)
	}
	b := must.Get(advise.For(t.Context(), shape(t, model.Binary("c0"), s.N*95/100, 2), []dp.Request{dp.PureDP(1)},
		advise.Options{Time: unhurried}))(t)
	if best, _ := b.Best(0); best.Error <= .003 {
		t.Errorf("n = %d is not the least: %v at %d", s.N, best.Error, s.N*95/100)
	}
	if _, err := a.NFor(t.Context(), 0, -1); err == nil {
		t.Error("a negative error")
	}
	if _, err := a.NFor(t.Context(), 1, .1); err == nil {
		t.Error("a target that is not there")
	}
}

// Advice finds by measurement what docs/reference/numbers.md says: the exponential mechanism for one quantile, the
// joint draw for several where n·ε is large, the histogram where it is not.
func TestAdviceOnQuantiles(t *testing.T) {
	if testing.Short() {
		t.Skip("simulations only")
	}
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("k", 0, 1000)}}
	em, joint, histogram := quantiles.EM().Title(), quantiles.Joint().Title(), quantiles.Histogram().Title()
	nine := model.Quantiles("k", .1, .2, .3, .4, .5, .6, .7, .8, .9)
	for _, c := range []struct {
		model model.Model
		n     int
		want  []string // of one quantile, the joint draw has the same law but for ties
	}{
		{model.Quantiles("k", .5), 300, []string{em, joint}},
		{nine, 100, []string{histogram}}, {nine, 1000, []string{joint}},
	} {
		sh := must.Get(model.NewShape(s, c.model, c.n, true, ""))(t)
		a := must.Get(advise.For(t.Context(), sh, []dp.Request{dp.PureDP(1)}, advise.Options{Data: 40, Time: unhurried}))(t)
		if best, ok := a.Best(0); !ok || !slices.Contains(c.want, best.Mechanism) {
			t.Errorf("%s, n = %d: %s, want %v\n%s", c.model, c.n, best.Mechanism, c.want, a)
		}
	}
}
