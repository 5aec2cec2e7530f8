package advise_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
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
	sh, err := model.NewShape(s, m, n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// The simulation agrees with what a plan knows: the error of unpolished noise on counts is E|Z|/n.
func TestSimulationAgreesWithTheClosedForm(t *testing.T) {
	sh := shape(t, model.Categorical("c0"), 100_000, 4)
	clamp := counts.Geometric().WithPostProcess(counts.Clamp)
	a, err := advise.For(t.Context(), sh, []dp.Request{dp.PureDP(.1)},
		advise.Options{Mechanisms: []mechanism.Mechanism{clamp}, Data: 400, Time: unhurried})
	if err != nil {
		t.Fatal(err)
	}
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
		a, err := advise.For(t.Context(), sh, targets, advise.Options{Data: 8, Time: unhurried})
		if err != nil {
			t.Fatal(err)
		}
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
		if err := a.Figure().Validate(); err != nil {
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
	a, err := advise.For(t.Context(), sh, []dp.Request{dp.RenyiDP(5, .001), dp.RenyiDP(5, 3)}, advise.Options{
		Mechanisms: []mechanism.Mechanism{dirichlet.New().Raw().WithCalibration(dirichlet.Average(1)),
			counts.DiscreteGaussian().WithPostProcess(counts.Clamp)}, Data: 60, Time: unhurried,
	})
	if err != nil {
		t.Fatal(err)
	}
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
	a, err := advise.For(ctx, sh, []dp.Request{dp.PureDP(1)}, advise.Options{Data: 4, Time: unhurried})
	if err != nil {
		t.Fatal(err)
	}
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
	// Output: 0.03, sum over the law, uniform p
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
	sh, err := model.NewShape(s, model.Binary("answer"), 100, true, "")
	if err != nil {
		t.Fatal(err)
	}
	a, err := advise.For(t.Context(), sh, []dp.Request{dp.PureDP(1)}, advise.Options{})
	if err != nil {
		t.Fatal(err)
	}
	best, ok := a.Best(0)
	if !ok || best.Go == "" || !strings.Contains(a.Reason(0), "In Go: "+best.Go) {
		t.Fatalf("%+v: %s", best, a.Reason(0))
	}
	p, err := best.Chosen.Plan(t.Context(), sh, dp.PureDP(1))
	if err != nil || p.Certified() != best.Certified {
		t.Error(p, err)
	}
}
