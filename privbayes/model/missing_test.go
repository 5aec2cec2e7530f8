package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// someMissing is a table of groups and numbers, of which two have no value.
func someMissing(t testing.TB, on string) *frame.Frame {
	t.Helper()
	x := frame.Integer("x", 0, 5, 10)
	x.Missing, x.OnMissing = []string{"NA"}, on
	if on == frame.MissingImputed {
		x = x.ImputedAs(4)
	}
	s := &frame.Schema{Dataset: "t", Columns: []frame.Column{frame.Categorical("g", "a", "b"), x, frame.Real("y", 0, 1)}}
	return must.Get(frame.FromColumns(s, map[string]any{"g": []string{"a", "a", "b", "b", "b"},
		"x": []float64{2, math.NaN(), 9, 10, math.NaN()}, "y": []float64{0, .5, 1, 1, 1}}))(t)
}

// Rows without a value are in no sum and in no count of rows with one; imputed ones are as any other.
func TestNumbersThatAreMissing(t *testing.T) {
	for on, want := range map[string][3]string{
		frame.MissingOmitted: {"[3 21 21 185] [7]", "[1 2 2 4 2 19 19 181] [2 9.5]",
			"[0 0 1 0 0 0 0 0 0 1 1] [2 9]"},
		frame.MissingAsCategory: {"[3 21 21 185] [7]", "[1 2 2 4 2 19 19 181] [2 9.5]",
			"[0 0 1 0 0 0 0 0 0 1 1] [2 9]"},
		frame.MissingImputed: {"[29 29 217] [5.8]", "[2 6 6 20 3 23 23 197] [3 7.666666666666667]",
			"[0 0 1 0 2 0 0 0 0 1 1] [4 4]"},
	} {
		f := someMissing(t, on)
		for i, m := range []model.Model{model.Mean("x"), model.GroupMeans("x", "g"),
			model.Quantiles("x", .25, .5)} {
			sh := shapeOf(t, f, m)
			st := must.Get(model.Count(sh, f))(t)
			fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
			if got := fmt.Sprint(st.OpenWhole(access.Mine()), fit.Draws().Mean()); got != want[i] {
				t.Errorf("%s, %s: %s", on, m, got)
			}
			b := must.Get(json.Marshal(sh))(t)
			var again model.Shape
			if err := json.Unmarshal(b, &again); err != nil || !again.Equal(sh) ||
				again.Lattice().Omits != sh.Lattice().Omits {
				t.Errorf("%s is read again as %v: %v", b, again, err)
			}
		}
	}
}

// Models for which the number of rows with a value would have to be public refuse the column by its name, and say what
// to do; after Present, and with an imputed value, they take it.
func TestMissingNumbersAreRefused(t *testing.T) {
	for name, m := range map[string]model.Model{
		"mean and spread": model.MeanSD("x"), "means": model.Means("y", "x"),
		"Poisson": model.Poisson("x"), "rate": model.Exponential("x").WithRange(.1, 2), "histogram": model.Histogram("x"),
		"CDF": model.CDF("x"), "response": model.LinearRegression("x", "y"), "feature": model.LinearRegression("y", "x"),
		"odds": model.LogisticRegression("g", "x"), "categories": model.Categorical("x"),
		"naive Bayes": model.NaiveBayes("g", "x"), "groups": model.GroupMeans("y", "x"),
		"network": model.Network("g", model.Node("g"), model.Node("x", "g")),
	} {
		counted := map[string]bool{"categories": true, "naive Bayes": true, "groups": true, "network": true}[name]
		for _, on := range []string{frame.MissingOmitted, frame.MissingAsCategory} {
			f := someMissing(t, on)
			_, err := model.NewShape(f.Schema(), m, f.Len(), true, "")
			var e *model.Error
			switch {
			case counted && on == frame.MissingAsCategory:
				if err != nil {
					t.Errorf("%s by category: %v", name, err)
				}
			case !errors.As(err, &e) || e.Column != "x" || !strings.Contains(err.Error(), `"impute"`) ||
				!strings.Contains(err.Error(), "Present") || counted && !strings.Contains(err.Error(), `"category"`):
				t.Errorf("%s, %s: %v", name, on, err)
			}
			g := must.Get(f.Present("x"))(t)
			if _, err := model.NewShape(g.Schema(), m, 0, false, g.PrivateNStep()); err != nil {
				t.Errorf("%s of the rows with a value: %v", name, err)
			}
		}
		f := someMissing(t, frame.MissingImputed)
		if _, err := model.NewShape(f.Schema(), m, f.Len(), true, ""); err != nil {
			t.Errorf("%s, imputed: %v", name, err)
		}
	}
}
