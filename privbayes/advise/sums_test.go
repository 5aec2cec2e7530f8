package advise_test

import (
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// numbers is a shape of a model of numbers, with the response or the value first.
func numbers(t testing.TB, m model.Model, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "numbers",
		Columns: []frame.Column{frame.Real("y", 0, 20), frame.Real("u", 0, 1), frame.Real("v", -3, 3)}}
	sh, err := model.NewShape(s, m, n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
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
		a, err := advise.For(t.Context(), numbers(t, c.model, 4000), []dp.Request{c.target},
			advise.Options{Data: 120, Time: unhurried})
		if err != nil {
			t.Fatal(err)
		}
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
			t.Errorf("%s at %s: %d rows apply, want %d\n%s", c.model, c.target.Parameters, applied, c.applies, a.NotApplicable(0))
		}
		if best, ok := a.Best(0); !ok || !strings.Contains(a.Reason(0), best.Mechanism) ||
			!strings.Contains(a.String(), "no data was read") {
			t.Error(a)
		}
		if err := a.Figure().Validate(); err != nil {
			t.Error(err)
		}
	}
}

// A mechanism that does not fit the model or the target has a row that says so.
func TestRefusalsOfARegression(t *testing.T) {
	a, err := advise.For(t.Context(), numbers(t, model.LinearRegression("y"), 1000), []dp.Request{dp.PureDP(1)},
		advise.Options{Data: 4, Time: unhurried})
	if err != nil {
		t.Fatal(err)
	}
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
	a, err := advise.For(t.Context(), shape(t, model.Binary("c0"), 100, 2), []dp.Request{dp.PureDP(1)},
		advise.Options{Time: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.NFor(t.Context(), 0, .003)
	if err != nil || s.Best.Error > .003 {
		t.Fatal(s, err)
	}
	b, err := advise.For(t.Context(), shape(t, model.Binary("c0"), s.N*95/100, 2), []dp.Request{dp.PureDP(1)},
		advise.Options{Time: unhurried})
	if err != nil {
		t.Fatal(err)
	}
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
