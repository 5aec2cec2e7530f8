package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

var toy = &frame.Schema{Dataset: "toy", Columns: []frame.Column{
	frame.Categorical("y", "a", "b"), frame.Categorical("x", "p", "q", "r"), frame.Integer("age", 0, 10, 20),
}}

func toyFrame(t testing.TB) *frame.Frame {
	t.Helper()
	return must.Get(frame.FromColumns(toy, map[string]any{
		"y": []string{"a", "a", "b", "b", "b"}, "x": []string{"p", "q", "q", "r", "r"}, "age": []int{1, 15, 12, 20, 3},
	}))(t)
}

func toyShape(t testing.TB, m model.Model) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(toy, m, 5, true, ""))(t)
}

func TestNaiveBayesByHand(t *testing.T) {
	f, sh := toyFrame(t), toyShape(t, model.NaiveBayes("y"))
	st := must.Get(model.Count(sh, f))(t)
	if got := fmt.Sprint(st.Open(access.Mine())); got != "[[1 1 0 0 1 2] [1 1 1 2]]" {
		t.Fatal("counts", got)
	}
	fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
	probs := must.Get(fit.Predict(f))(t)
	// row 0: y=a: 3/7 · (1+1)/(2+3) · (1+1)/(2+2); y=b: 4/7 · (0+1)/(3+3) · (1+1)/(3+2)
	a, b := 3.0/7*2/5*2/4, 4.0/7*1/6*2/5
	if math.Abs(probs[0][0]-a/(a+b)) > 1e-14 {
		t.Errorf("P(a | row 0) = %v, want %v", probs[0][0], a/(a+b))
	}
	ll, err := fit.LogLikelihood(f)
	if err != nil || ll >= 0 {
		t.Error(ll, err)
	}
	if tb, err := fit.Conditionals("x"); err != nil || len(tb.Rows) != 2 || tb.Rows[0][1] != "0.4" {
		t.Error(tb, err)
	}
	if _, err := fit.Conditionals("X"); err == nil || !strings.Contains(err.Error(), `did you mean "x"?`) {
		t.Error(err)
	}
	if _, err := fit.Conditionals("z"); err == nil {
		t.Error("an unknown feature")
	}
}

func TestStatisticsAreSealed(t *testing.T) {
	st := must.Get(model.Count(toyShape(t, model.NaiveBayes("y")), toyFrame(t)))(t)
	for _, s := range []string{fmt.Sprint(st), fmt.Sprintf("%v", st), fmt.Sprintf("%+v", st), fmt.Sprintf("%#v", st),
		st.String()} {
		if !strings.Contains(s, "sealed") || strings.Contains(s, "[") {
			t.Errorf("statistics print %q", s)
		}
	}
	if _, err := json.Marshal(st); !errors.Is(err, model.ErrSealed) {
		t.Error(err)
	}
}

func TestShapesSurviveJSON(t *testing.T) {
	for _, m := range []model.Model{model.NaiveBayes("y"), model.NaiveBayes("y", "age").WithPrior(0.5),
		model.Binary("y"), model.Categorical("x")} {
		for _, sh := range []*model.Shape{toyShape(t, m), toyShape(t, m).WithoutN()} {
			b := must.Get(json.Marshal(sh))(t)
			var back model.Shape
			if err := json.Unmarshal(b, &back); err != nil || !back.Equal(sh) || back.Digest() != sh.Digest() {
				t.Errorf("%s: %v", b, err)
			}
		}
	}
}

// Every model is what its description makes again, and its expression is the Go code that makes it.
func TestModelsSayWhatTheyAre(t *testing.T) {
	for want, m := range map[string]model.Model{
		`Categorical("x").WithPrior(1)`: model.Categorical("x"),
		`Binary("y").WithPrior(7, 4)`:   model.Binary("y").WithPrior(7, 4),
		`NaiveBayes("y", "x").WithPrior(0.5)`: model.NaiveBayes("y",
			"x").WithPrior(.5),
		`Network("y", Node("x"), Node("y", "x")).WithEveryFamily()`: model.Network("y",
			model.Node("x"), model.Node("y", "x")).WithEveryFamily(),
		`Network("y", Node("x"), Node("y", "x")).WithPrior(1)`: model.Network("y",
			model.Node("x"), model.Node("y", "x")).WithPrior(1),
		`Network("y", Node("x"), Node("y", "x")).WithPrior(0.5)`: model.Network("y",
			model.Node("x"), model.Node("y", "x")).WithPrior(.5),
		`Exponential("age").WithPrior(1).WithRange(0.1, 2)`: model.Exponential("age").WithRange(.1, 2),
		`LaplaceScale("age", 0).WithPrior(1).WithRange(0.1, 2)`: model.LaplaceScale("age",
			0).WithRange(.1, 2),
		`NormalPrecision("age", 3).WithPrior(2).WithRange(0.1, 2)`: model.NormalPrecision("age",
			3).WithRange(.1, 2).WithPrior(2),
		`LinearRegression("z", "age").WithPrior(1).WithRadius(3).WithoutIntercept()`: model.LinearRegression("z",
			"age").WithRadius(3).WithoutIntercept(),
		`LinearRegression("z").WithPrior(1)`: model.LinearRegression("z"),
	} {
		if got := model.Expression(m); got != want {
			t.Errorf("%s, want %s", got, want)
		}
		s := toy.Clone()
		s.Columns = append(s.Columns, frame.Real("z", -1, 0, 1))
		sh := must.Get(model.NewShape(s, m, 5, true, ""))(t)
		b, err := json.Marshal(sh)
		var back model.Shape
		if err := errors.Join(err, json.Unmarshal(b, &back)); err != nil || !back.Equal(sh) ||
			model.Expression(back.Model()) != want {
			t.Errorf("%s: %v", b, err)
		}
	}
}

func TestShapeErrors(t *testing.T) {
	var me *model.Error
	for name, m := range map[string]model.Model{
		"three levels": model.Binary("x"), "α = 0": model.Binary("y").WithPrior(0),
		"α = ∞": model.Binary("y").WithPrior(math.Inf(1)),
		"twice": model.NaiveBayes("y", "x", "x"), "class as feature": model.NaiveBayes("y", "y"), "none": nil,
	} {
		if _, err := model.NewShape(toy, m, 5, true, ""); !errors.As(err, &me) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, d := range map[string]model.Description{
		"kind":      {Kind: "magic", Target: "y", Alpha: model.Prior{1}},
		"another's": {Kind: "binary", Target: "y", Alpha: model.Prior{1}, Radius: 2},
	} {
		if m, err := d.Model(); !errors.As(err, &me) || m != nil {
			t.Errorf("%s: %v, %v", name, m, err)
		}
	}
	if _, err := model.NewShape(nil, model.Binary("y"), 5, true, ""); !errors.As(err, &me) {
		t.Error(err)
	}
	if _, err := model.NewShape(toy, model.Binary("y"), -1, true, ""); !errors.As(err, &me) {
		t.Error(err)
	}
	if _, err := model.NewShape(toy, model.Binary("z"), 5, true, ""); !errors.As(err, new(*frame.ColumnError)) {
		t.Error(err)
	}
	sh := toyShape(t, model.Categorical("x"))
	for _, bad := range [][][]int64{{{1, 2}}, {{1, 2, 3}}, {{6, -1, 0}}, {}} {
		if _, err := model.FromCounts(sh, bad); !errors.As(err, &me) {
			t.Errorf("%v: %v", bad, err)
		}
	}
	var mm *model.MismatchError
	other := *toy
	other.Columns = append([]frame.Column{frame.Categorical("y", "b", "a")}, toy.Columns[1:]...)
	f := must.Get(frame.FromColumns(&other, map[string]any{"y": []string{"a"}, "x": []string{"p"}, "age": []int{1}}))(t)
	if _, err := model.Count(toyShape(t, model.NaiveBayes("y")), f); !errors.As(err, &mm) || mm.Column != "y" {
		t.Error(err)
	}
}

// Synthetic rows have the model's law: the joint of class and a feature within 6.5 standard errors, for random counts;
// and bins give values that read back to the same bin.
func TestSynthesisFollowsTheModel(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		est := model.Estimate{Tables: [][]float64{make([]float64, 6), make([]float64, 4)}, Class: make([]float64, 2)}
		for _, list := range append(est.Tables, est.Class) {
			for i := range list {
				list[i] = rapid.Float64Range(0, 50).Draw(r, "count")
			}
		}
		fit := must.Get(model.Fit(toyShape(t, model.NaiveBayes("y")), est))(r)
		const n = 4000
		f := must.Get(fit.Synthesize(n, dp.Seeded(rapid.Uint64().Draw(r, "seed"))))(r)
		joint := must.Get(f.TablesPrivate([][]string{{"y", "x"}, {"y", "age"}}))(r)
		all := fit.Posteriors()
		for j := range 2 {
			for c := range 3 {
				p := all[0].Mean()[j] * all[1+j].Mean()[c]
				if d := math.Abs(float64(joint[0][j*3+c])/n - p); d > 6.5*math.Sqrt(p*(1-p)/n)+1e-3 {
					r.Fatalf("P(y = %d, x = %d): %v, want %v", j, c, float64(joint[0][j*3+c])/n, p)
				}
			}
		}
	})
}

func TestSingleColumnModels(t *testing.T) {
	f := toyFrame(t)
	for _, m := range []model.Model{model.Binary("y"), model.Categorical("x"), model.Categorical("age")} {
		st := must.Get(model.Count(toyShape(t, m), f))(t)
		fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
		sum := 0.0
		for _, p := range fit.Target().Mean() {
			sum += p
		}
		if math.Abs(sum-1) > 1e-12 || len(fit.Summary().Rows) != toyShape(t, m).Classes() {
			t.Errorf("%s: %v\n%s", m, sum, fit.Summary())
		}
		if probs, err := fit.Predict(f); err != nil || len(probs) != 5 {
			t.Error(err)
		}
		if s, err := fit.Synthesize(10, dp.Seeded(1)); err != nil || s.Len() != 10 {
			t.Error(err)
		}
	}
}

func BenchmarkPredict(b *testing.B) {
	s := &frame.Schema{Dataset: "b", Columns: []frame.Column{frame.Categorical("y", "0", "1")}}
	cols := map[string]any{}
	const n = 100_000
	y := make([]string, n)
	for i := range y {
		y[i] = fmt.Sprint(i % 2)
	}
	cols["y"] = y
	for k := range 14 {
		name := fmt.Sprint("x", k)
		s.Columns = append(s.Columns, frame.Categorical(name, "0", "1", "2", "3", "4", "5", "6", "7"))
		v := make([]string, n)
		for i := range v {
			v[i] = fmt.Sprint((i * (k + 3)) % 8)
		}
		cols[name] = v
	}
	f := must.Get(frame.FromColumns(s, cols))(b)
	sh := must.Get(model.NewShape(s, model.NaiveBayes("y"), n, true, ""))(b)
	st := must.Get(model.Count(sh, f))(b)
	fit := must.Get(model.FitPrivately(access.Mine(), st))(b)
	for b.Loop() {
		must.Get(fit.Predict(f))(b)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/row")
}

func ExampleFitted_Predict() {
	f, _ := frame.FromColumns(toy, map[string]any{"y": []string{"a", "a", "b", "b"}, "x": []string{"p", "p", "r", "r"},
		"age": []int{1, 2, 15, 16}})
	sh, _ := model.NewShape(toy, model.NaiveBayes("y"), 4, true, "")
	fit, _ := model.Fit(sh, model.Estimate{Tables: [][]float64{{2, 0, 0, 0, 0, 2}, {2, 0, 0, 2}},
		Class: []float64{2, 2}})
	probs, _ := fit.Predict(f)
	fmt.Printf("%.3f\n", probs[0][0])
	// Output: 0.900
}
