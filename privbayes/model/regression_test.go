package model_test

import (
	"errors"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func passSchema() *frame.Schema {
	return &frame.Schema{Dataset: "exam", Columns: []frame.Column{frame.Categorical("pass", "no", "yes"),
		frame.Real("hours", 0, 20, 40), frame.Categorical("school", "north", "south", "west"), frame.Integer("age", 10, 20),
		frame.Categorical("colour", "red", "green", "blue")}}
}

// passed has log-odds −2 + .12·hours + {0, 1, −1}[school].
func passed(t testing.TB, n int) *frame.Frame {
	t.Helper()
	src := dp.Seeded(4)
	var hours []float64
	var age []int
	var pass, school, colour []string
	for range n {
		h, s := 40*sample.Float64(src), int(sample.Uniform(src, 3))
		odds := -2 + .12*h + []float64{0, 1, -1}[s]
		y := "no"
		if sample.Float64(src) < 1/(1+math.Exp(-odds)) {
			y = "yes"
		}
		pass, hours, school = append(pass, y), append(hours, h), append(school, []string{"north", "south", "west"}[s])
		age, colour = append(age, 10+int(sample.Uniform(src, 11))), append(colour, "red")
	}
	f, err := frame.FromColumns(passSchema(), map[string]any{"pass": pass, "hours": hours, "school": school, "age": age,
		"colour": colour})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Without noise the moments give coefficients near the truth, probabilities that add up, scores above the guess, and
// the same in every part of a table; a frame without the target is predicted just so.
func TestLogisticOfMoments(t *testing.T) {
	f := passed(t, 6000)
	sh := must.Get(model.NewShape(f.Schema(), model.LogisticRegression("pass", "hours", "school"), f.Len(), true, ""))(t)
	st := must.Get(model.Count(sh, f))(t)
	np := must.Get(model.FitPrivately(access.Mine(), st))(t)
	d := must.Get(np.CoefficientDraws())(t)
	for i, want := range []float64{-2, .12, 1, -1} { // within a third: least squares are flatter
		if got := d.Values[0][i]; math.Abs(got-want) > .35*math.Abs(want) {
			t.Errorf("%s: %.3f, want about %v", d.Names[i], got, want)
		}
	}
	flat, classes, err := np.Probabilities(f)
	if err != nil || classes != 2 || len(flat) != 2*f.Len() {
		t.Fatal(classes, len(flat), err)
	}
	for i := range f.Len() {
		if math.Abs(flat[2*i]+flat[2*i+1]-1) > 1e-15 || !(flat[2*i] > 0) || !(flat[2*i+1] > 0) {
			t.Fatal(flat[2*i : 2*i+2])
		}
	}
	measures := must.Get(np.Measure(np, f))(t)
	guess, err := np.Guess(f)
	if err != nil || !(measures[0] > guess+.1) || !(measures[1] < .55) || guess < .5 {
		t.Error(measures, guess, err)
	}
	without := must.Get(f.Drop("pass"))(t)
	again, _, err := np.Probabilities(without)
	if err != nil || again[3] != flat[3] {
		t.Error(err)
	}
	if !sh.Classifies() || sh.Counts() {
		t.Error("a logistic regression has classes and no count tables")
	}
	var e *model.Error
	if _, _, err := np.Forecast(f); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := np.LogLikelihood(f); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := np.Synthesize(3, dp.Seeded(1)); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := np.Figure(np, "x"); err != nil {
		t.Error(err)
	}
}

// What is no column of two classes, or no feature, is refused with its name.
func TestLogisticRefuses(t *testing.T) {
	for name, m := range map[string]model.Model{
		"numbers":        model.LogisticRegression("hours", "age"),
		"three levels":   model.LogisticRegression("school", "hours"),
		"twice":          model.LogisticRegression("pass", "hours", "hours"),
		"itself":         model.LogisticRegression("pass", "pass"),
		"no such column": model.LogisticRegression("pass", "minutes"),
		"no such target": model.LogisticRegression("fail", "hours"),
		"λ = 0":          model.LogisticRegression("pass", "hours").WithPrior(0),
		"λ NaN":          model.LogisticRegression("pass", "hours").WithPrior(math.NaN()),
	} {
		var e *model.Error
		var column *frame.ColumnError
		if _, err := model.NewShape(passSchema(), m, 100, true, ""); !errors.As(err, &e) && !errors.As(err, &column) {
			t.Errorf("%s: %v", name, err)
		}
	}
	only := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Categorical("a", "p", "q"), frame.Categorical("b", "p", "q")}}
	var e *model.Error
	if _, err := model.NewShape(only, model.LogisticRegression("a"), 10, true, ""); !errors.As(err, &e) {
		t.Error(err)
	}
	m := model.LogisticRegression("pass", "hours").WithPrior(3)
	if s := model.Expression(m); s != `LogisticRegression("pass", "hours").WithPrior(3)` {
		t.Error(s)
	}
}

func factorShape(t testing.TB, n int) *model.Shape {
	t.Helper()
	s := &frame.Schema{Dataset: "pay", Columns: []frame.Column{frame.Real("wage", 0, 20, 40), frame.Real("school", 0, 9, 18),
		frame.Categorical("region", "north", "south", "west"), frame.Categorical("union", "no", "yes")}}
	return must.Get(model.NewShape(s, model.LinearRegression("wage", "region", "school", "union"), n, true, ""))(t)
}

// Sums of rows with factors are exact: the same bits from blocks, from groups of equal rows and from merged parts, in
// any order.
func TestMomentsWithFactorsAreExactInEveryOrder(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.IntRange(0, 60).Draw(r, "rows")
		sh := factorShape(t, n)
		type row struct {
			wage, school  float64
			region, union int32
		}
		rows := make([]row, n)
		for i := range rows {
			rows[i] = row{rapid.Float64Range(-5, 50).Draw(r, "wage"), rapid.Float64Range(0, 18).Draw(r, "school"),
				rapid.Int32Range(0, 2).Draw(r, "region"), rapid.Int32Range(0, 1).Draw(r, "union")}
		}
		fresh := func() *model.Tally {
			return must.Get(model.NewTally(access.Mine(), sh))(t)
		}
		add := func(tally *model.Tally, rows []row) {
			for _, x := range rows {
				must.Do(t, tally.Group([]int32{0, x.region, 0, x.union}, []float64{x.wage, 0, x.school, 0}, 1))
			}
		}
		all, head, tail := fresh(), fresh(), fresh()
		add(all, rows)
		cut := rapid.IntRange(0, n).Draw(r, "cut")
		slices.Reverse(rows)
		add(head, rows[:cut])
		add(tail, rows[cut:])
		must.Do(t, tail.Merge(head))
		a, b := all.Numbers(access.Mine()), tail.Numbers(access.Mine())
		if !slices.Equal(a, b) {
			r.Fatal("parts in another order have other sums")
		}
	})
}

// Slopes of a factor are differences from its first level, in the units of the data; the bound on the norm of rows
// counts a factor once.
func TestFactorsAreComparedWithTheFirstLevel(t *testing.T) {
	const n = 600
	sh := factorShape(t, n)
	var wage, school []float64
	var region, union []string
	for i := range n {
		x, g, u := float64(i%19), i/19%3, i/57%2
		school, region = append(school, x), append(region, []string{"north", "south", "west"}[g])
		union = append(union, []string{"no", "yes"}[u])
		wage = append(wage, 8+.5*x+[]float64{0, 3, -2}[g]+4*float64(u)+float64(i*7%5-2)/4)
	}
	f, err := frame.FromColumns(sh.Schema(), map[string]any{"wage": wage, "school": school, "region": region, "union": union})
	if err != nil {
		t.Fatal(err)
	}
	st := must.Get(model.Count(sh, f))(t)
	if d := sh.Linear(); d.Dim() != 5 || d.Square() != 4 {
		t.Errorf("%d coordinates, squared norm %d", d.Dim(), d.Square())
	}
	fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
	names, cov := must.Get2(fit.CoefficientCovariance())(t)
	d := must.Get(fit.CoefficientDraws())(t)
	mean, want := d.Mean(), []float64{8, 3, -2, .5, 4}
	if !slices.Equal(names, []string{"intercept", "region=south", "region=west", "school", "union=yes"}) {
		t.Errorf("names %q", names)
	}
	for i, w := range want {
		if math.Abs(mean[i]-w) > .25 || !(cov[i][i] > 1e-6 && cov[i][i] < .02) {
			t.Errorf("%s: %.3f ± %.3f, want %g", names[i], mean[i], math.Sqrt(cov[i][i]), w)
		}
	}
	forecast, _ := must.Get2(fit.Forecast(f))(t)
	for i := range n {
		if math.Abs(forecast[i]-wage[i]) > 1 {
			t.Fatalf("row %d: forecast %v of %v", i, forecast[i], wage[i])
		}
	}
	var bad *model.Error
	twice := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("y", 0, 1), frame.Real("f=b", 0, 1),
		frame.Categorical("f", "a", "b"), frame.Categorical("one", "a")}}
	for _, features := range [][]string{{"f", "f=b"}, {"one"}, {"f", "f"}} {
		if _, err := model.NewShape(twice, model.LinearRegression("y", features...), 9, true, ""); !errors.As(err, &bad) {
			t.Errorf("%q: %v", features, err)
		}
	}
	if _, err := fit.Draws(), fit.Shape().Accepts(nil); !errors.As(err, &bad) {
		t.Error(err)
	}
}
