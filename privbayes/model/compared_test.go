package model

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

var toy = &frame.Schema{Dataset: "toy", Columns: []frame.Column{
	frame.Categorical("c", "a", "b"), frame.Categorical("d", "a", "b"),
	frame.Real("x", 0, .5, 1), frame.Real("y", 0, .5, 1),
}}

func fitted(t *testing.T, m Model, n int) *Fitted {
	t.Helper()
	sh := must.Get(NewShape(toy, m, n, true, ""))(t)
	st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(1)))(t)
	return must.Get(sh.model.fitPlain(st))(t)
}

// A model is compared with one of its own kind and schema only, whatever n is; nothing and another model are refused.
func TestComparisonsAreOfOneModel(t *testing.T) {
	x := must.Get(frame.Read(t.Context(), strings.NewReader("c,d,x,y\na,b,.1,.2\nb,b,.3,.4\n"), "", toy))(t)
	models := []Model{Categorical("c"), NaiveBayes("c"), Exponential("x").WithRange(.1, 2), LinearRegression("y", "x")}
	for i, m := range models {
		f, more, other := fitted(t, m, 200), fitted(t, m, 300), fitted(t, models[(i+1)%len(models)], 200)
		for name, np := range map[string]*Fitted{"none": nil, "another model": other, "more rows": more, "itself": f} {
			same := np == f || np == more
			fails := func(what string, err error) {
				t.Helper()
				var refused *Error
				if same && err != nil || !same && !errors.As(err, &refused) {
					t.Errorf("%s of %s beside %s: %v", what, m, name, err)
				}
			}
			_, err := f.Measure(np, x)
			fails("measures", err)
			if f.shape.linear != nil {
				_, err = f.Coverage(np, x, "")
				fails("coverage", err)
				_, err = f.Residuals(np, x, "")
				fails("residuals", err)
			}
			if np != nil {
				_, err = f.Figure(np, "")
				fails("figure", err)
			}
		}
		var refused *Error
		if _, err := f.Measure(f, nil); !errors.As(err, &refused) {
			t.Error(err)
		}
		if _, err := f.Guess(nil); !errors.As(err, &refused) {
			t.Error(err)
		}
		means := f.Means()
		if d, _ := f.shape.Distance(means, means); d != 0 {
			t.Errorf("%s is %v from itself", m, d)
		}
		for _, wrong := range [][][]float64{nil, {}, {{}}, means[:len(means)-1], append(means[1:], nil)} {
			if d, kl := f.shape.Distance(means, wrong); !math.IsNaN(d) || !math.IsNaN(kl) {
				t.Errorf("%s: %v from %v is %v, %v", m, means, wrong, d, kl)
			}
			if d, _ := f.shape.Distance(wrong, means); !math.IsNaN(d) {
				t.Errorf("%s: %v from %v is %v", m, wrong, means, d)
			}
		}
	}
}

// Simulations need a public n and a prior.
func TestSimulationsThatCannotBe(t *testing.T) {
	sh := must.Get(NewShape(toy, Categorical("c"), 10, true, ""))(t)
	var refused *Error
	if _, err := fitted(t, Categorical("c"), 10).Synthesize(3, nil); !errors.As(err, &refused) {
		t.Error(err)
	}
	if _, err := sh.WithoutN().Simulate(t.Context(), 1, dp.Seeded(1)); !errors.As(err, &refused) {
		t.Error(err)
	}
	for _, a0 := range []float64{0, -1, math.NaN(), math.Inf(1)} {
		if _, err := sh.Simulate(t.Context(), a0, dp.Seeded(1)); !errors.As(err, &refused) {
			t.Error(a0, err)
		}
	}
}

// foreign embeds a model: it has its sealed methods, and could say anything of itself.
type foreign struct{ Model }

func (foreign) String() string { return "something else" }

// Only the values that the makers return are models.
func TestModelsAreSealed(t *testing.T) {
	d := Categorical("c")
	for _, m := range []Model{foreign{d}, &d, (*CategoricalModel)(nil), &foreign{d}, foreign{}} {
		var refused *Error
		if _, err := NewShape(toy, m, 10, true, ""); !errors.As(err, &refused) {
			t.Errorf("%T: %v", m, err)
		}
	}
}

// wide is a schema of many columns of two levels.
func wide(columns int) *frame.Schema {
	s := &frame.Schema{Dataset: "wide"}
	for i := range columns {
		s.Columns = append(s.Columns, frame.Categorical(fmt.Sprint("c", i), "a", "b"))
	}
	return s
}

// A fitted model shows its conditional distributions: all levels of few features in one table, the first of many, and
// says how many there are more.
func TestConditionalsAreShown(t *testing.T) {
	chain := []Family{Node("c0")}
	for i := 1; i < 9; i++ {
		chain = append(chain, Node(fmt.Sprint("c", i), fmt.Sprint("c", i-1)))
	}
	for _, c := range []struct {
		columns      int
		model        Model
		parts, rows  int
		want, wanted string // in the last part, and in Table
	}{
		{1, Categorical("c0"), 0, 0, "", "Posterior of c0"},
		{3, NaiveBayes("c0"), 1, 4, "c2", "Posterior of c0"},
		{30, NaiveBayes("c0"), 1, shownRows, "38 rows more", "Posterior of c0"},
		{9, Network("c0", chain...), shownNodes, 2, "3 nodes more", "Posterior of c0"},
	} {
		sh := must.Get(NewShape(wide(c.columns), c.model, 100, true, ""))(t)
		st := must.Get(sh.Simulate(t.Context(), 1, dp.Seeded(1)))(t)
		f := must.Get(sh.model.fitPlain(st))(t)
		parts := f.Parts()
		if len(parts) != c.parts || !strings.Contains(f.Table().Title, c.wanted) {
			t.Fatalf("%s: %d parts below %q", c.model, len(parts), f.Table().Title)
		}
		if c.parts > 0 {
			if last := parts[c.parts-1]; len(last.Rows) != c.rows || !strings.Contains(last.String(), c.want) {
				t.Errorf("%s:\n%s", c.model, last)
			}
		}
		if !strings.Contains(f.String(), c.wanted) || strings.Contains(sh.String(), "NaN") {
			t.Error(f, sh)
		}
	}
}

// A regression shows coefficients in the units of the data.
func TestRegressionIsShownInTheUnitsOfTheData(t *testing.T) {
	f := fitted(t, LinearRegression("y", "x"), 300)
	if s := f.String(); !strings.Contains(s, "intercept") || !strings.Contains(s, "In the units of the data") ||
		len(f.Parts()) != 0 {
		t.Error(s)
	}
}
