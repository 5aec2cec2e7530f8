package model_test

import (
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
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
	sh, err := model.NewShape(f.Schema(), model.LogisticRegression("pass", "hours", "school"), f.Len(), true, "")
	if err != nil {
		t.Fatal(err)
	}
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	np, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	d, err := np.CoefficientDraws()
	if err != nil {
		t.Fatal(err)
	}
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
	measures, err := np.Measure(np, f)
	if err != nil {
		t.Fatal(err)
	}
	guess, err := np.Guess(f)
	if err != nil || !(measures[0] > guess+.1) || !(measures[1] < .55) || guess < .5 {
		t.Error(measures, guess, err)
	}
	without, err := f.Drop("pass")
	if err != nil {
		t.Fatal(err)
	}
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
