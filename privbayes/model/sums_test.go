package model_test

import (
	"encoding/json"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// line is y = 1 + 2x on x in [0, 10], y in [0, 30], with a zig-zag of ±1.
func line(t testing.TB, n int) *frame.Frame {
	t.Helper()
	s := &frame.Schema{Dataset: "line", Columns: []frame.Column{frame.Real("x", 0, 5, 10), frame.Real("y", 0, 15, 30)}}
	x, y := make([]float64, n), make([]float64, n)
	for i := range x {
		x[i] = 10 * float64(i) / float64(n-1)
		y[i] = 1 + 2*x[i] + float64(i%2)*2 - 1
		y[i] = math.Min(math.Max(y[i], 0), 30)
	}
	f, err := frame.FromColumns(s, map[string]any{"x": x, "y": y})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func shapeOf(t testing.TB, f *frame.Frame, m model.Model) *model.Shape {
	t.Helper()
	n, public := f.PublicN()
	sh, err := model.NewShape(f.Schema(), m, n, public, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

func TestRegressionSums(t *testing.T) {
	f := line(t, 400)
	sh := shapeOf(t, f, model.LinearRegression("y", "x").WithPrior(1e-6))
	st, err := model.Count(sh, f)
	if err != nil {
		t.Fatal(err)
	}
	if got := st.OpenSums(access.Mine()); len(got) != len(sh.Sums()) || math.Abs(got[0]-200) > 1e-9 {
		t.Errorf("sums %v, names %v; the intercept's square is ½ per row", got, sh.Sums())
	}
	fit, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	intercept, slopes, err := sh.Linear().Coefficients(fit.Means()[0])
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(intercept-1) > .2 || math.Abs(slopes[0]-2) > .05 {
		t.Errorf("y = %v + %v x; want 1 + 2x", intercept, slopes[0])
	}
}

func TestRates(t *testing.T) {
	f := line(t, 100)
	for _, c := range []struct {
		m          model.Model
		x          float64
		t, lo, hi  float64
		power, sum float64
	}{
		{model.Exponential("x").WithRange(.1, 2), 3, 3, 0, 10, 1, 500},
		{model.LaplaceScale("x", 4).WithRange(.1, 2), 3, 1, 0, 6, 1, 260},
		{model.NormalPrecision("x", 12).WithRange(.1, 2), 10, 2, 2, 72, .5, 2875.1},
	} {
		sh := shapeOf(t, f, c.m)
		r := sh.Rate()
		if r == nil || r.Statistic(c.x) != c.t || r.Least != c.lo || r.Most != c.hi || r.Power != c.power {
			t.Errorf("%s: T(%v): %+v", c.m, c.x, r)
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.OpenSums(access.Mine())[0]; math.Abs(got-c.sum) > .01*c.sum {
			t.Errorf("%s: %s = %v, want %v", c.m, sh.Sums()[0], got, c.sum)
		}
		fit, err := model.FitPrivately(access.Mine(), st)
		if err != nil {
			t.Fatal(err)
		}
		if m := fit.Draws().Mean()[0]; m < .1 || m > 2 {
			t.Errorf("%s: posterior mean %v outside the range", c.m, m)
		}
		b, err := json.Marshal(sh)
		if err != nil {
			t.Fatal(err)
		}
		var again model.Shape
		if err := json.Unmarshal(b, &again); err != nil || !again.Equal(sh) {
			t.Errorf("%s does not survive JSON: %v", b, err)
		}
	}
}

func TestNumberModelsRefuse(t *testing.T) {
	s := &frame.Schema{Dataset: "x", Columns: []frame.Column{frame.Real("x", -1, 1), frame.Real("y", 0, 1),
		frame.Categorical("c", "a", "b")}}
	var bad *model.Error
	for _, m := range []model.Model{
		model.Exponential("x").WithRange(1, 2), model.Exponential("y"), model.Exponential("y").WithRange(2, 1),
		model.Exponential("c").WithRange(1, 2),
		model.LaplaceScale("x", math.NaN()).WithRange(1, 2), model.LinearRegression("y", "x").WithRadius(0),
		model.LinearRegression("c", "x"),
		model.LinearRegression("y", "x").WithPrior(0), model.LinearRegression("y", "x", "x"),
		model.LinearRegression("y", "y"),
	} {
		if _, err := model.NewShape(s, m, 10, true, ""); !errors.As(err, &bad) {
			t.Errorf("%+v: %v", m, err)
		}
	}
}

func TestDraws(t *testing.T) {
	d := &model.Draws{Names: []string{"a", "b"}}
	for i := range 21 {
		d.Values = append(d.Values, []float64{float64(i), float64(-i)})
	}
	if m := d.Mean(); math.Abs(m[0]-10) > 1e-12 || d.Quantile(0, .5) != 10 || d.Quantile(1, .025) != -19.5 {
		t.Error(m, d.Quantile(0, .5), d.Quantile(1, .025))
	}
	if v, ok := d.Parameter("b"); !ok || v[3] != -3 {
		t.Error(v, ok)
	}
	if _, ok := d.Parameter("c"); ok {
		t.Error("a parameter that is not there")
	}
}
