package model_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// lineShape is a regression of y on x with x in [0, 10], y in [0, 30]: two coordinates, x̃ = (1, (x−5)/5)/√2, ỹ =
// (y−15)/15.
func lineShape(t testing.TB, n int) *model.Shape {
	t.Helper()
	sh, err := model.NewShape(line(t, n).Schema(), model.LinearRegression("y", "x"), n, true, "")
	if err != nil {
		t.Fatal(err)
	}
	return sh
}

// planeDraws are weights of planes y = intercept + slope·x.
func planeDraws(planes ...[2]float64) *model.Draws {
	d := &model.Draws{Names: []string{"(intercept)", "x"}}
	for _, p := range planes {
		slope := p[1] * 5 * math.Sqrt2 / 15
		d.Values = append(d.Values, []float64{(p[0] + 5*p[1] - 15) * math.Sqrt2 / 15, slope})
	}
	return d
}

func fit(t testing.TB, sh *model.Shape, d *model.Draws) *model.Fitted {
	t.Helper()
	f, err := model.Fit(sh, model.Estimate{Draws: d})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Forecasts by hand: two planes that differ by 2 everywhere and by 1 in slope, with and without noise of 3.
func TestForecast(t *testing.T) {
	sh, x := lineShape(t, 11), line(t, 11)
	planes := planeDraws([2]float64{1, 2}, [2]float64{3, 1})
	for _, noise := range []float64{0, 3} {
		d := planes
		if noise > 0 {
			d = planes.WithResidual(noise / 15)
		}
		f := fit(t, sh, d)
		if f.KnowsResidual() != (noise > 0) {
			t.Error("KnowsResidual")
		}
		mean, sd, err := f.Forecast(x)
		if err != nil {
			t.Fatal(err)
		}
		for i := range mean { // x = i
			a, b := 1+2*float64(i), 3+float64(i)
			want := math.Sqrt((a-b)*(a-b)/2 + noise*noise)
			if math.Abs(mean[i]-(a+b)/2) > 1e-9 || math.Abs(sd[i]-want) > 1e-7 {
				t.Errorf("x = %d: %g ± %g, want %g ± %g", i, mean[i], sd[i], (a+b)/2, want)
			}
		}
	}
	if _, sd, err := fit(t, sh, planeDraws([2]float64{1, 2})).Forecast(x); err != nil || sd[0] != 0 {
		t.Errorf("one draw: sd %v, %v", sd, err)
	}
}

func TestCoefficients(t *testing.T) {
	sh := lineShape(t, 11)
	c, err := fit(t, sh, planeDraws([2]float64{1, 2}, [2]float64{3, 1}).WithResidual(.2)).Coefficients()
	if err != nil {
		t.Fatal(err)
	}
	want := [][]string{{"intercept", "2", "1.414"}, {"x", "1.5", "0.7071"}}
	if s := c.String(); fmt.Sprint(c.Rows) != fmt.Sprint(want) || !strings.Contains(s, "Residual standard deviation "+
		"3.") {
		t.Error(s)
	}
	// the non-private fit finds the line
	st, err := model.Count(sh, line(t, 11))
	if err != nil {
		t.Fatal(err)
	}
	np, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = np.Coefficients(); err != nil || len(c.Rows) != 2 || len(c.Columns) != 5 {
		t.Errorf("%v, %v", c, err)
	}
}

// The golden of units: weights of scaled rows, divided by √3, in dollars and in the columns' units.
func TestGoldenUnits(t *testing.T) {
	s := &frame.Schema{Dataset: "golden", Columns: []frame.Column{frame.Real("a", 20, 60), frame.Real("b", 6, 18),
		frame.Real("y", 0, 2000)}}
	sh, err := model.NewShape(s, model.LinearRegression("y", "a", "b"), 10, true, "")
	if err != nil {
		t.Fatal(err)
	}
	d := &model.Draws{Names: []string{"(intercept)", "a", "b"}, Values: [][]float64{{.2, .5, -.3}, {.2, .5, -.3}}}
	c, err := fit(t, sh, d).Coefficients()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{884.5299461620748, 14.433756729740645, -28.867513459481287} {
		if want := fmt.Sprintf("%.4g", want); c.Rows[i][1] != want {
			t.Errorf("%v for %s", c.Rows[i], want)
		}
	}
}

func TestForecastErrors(t *testing.T) {
	sh := lineShape(t, 11)
	var e *model.Error
	var mismatch *model.MismatchError
	wrong := &model.Draws{Names: []string{"(intercept)", "z"}, Values: [][]float64{{0, 0}}}
	if _, _, err := fit(t, sh, wrong).Forecast(line(t, 11)); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := fit(t, sh, wrong).Coefficients(); !errors.As(err, &e) {
		t.Error(err)
	}
	other, err := frame.FromColumns(&frame.Schema{Dataset: "line",
		Columns: []frame.Column{frame.Real("x", 0, 5, 11), frame.Real("y", 0, 15, 30)}},
		map[string]any{"x": []float64{1}, "y": []float64{1}})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := fit(t, sh, planeDraws([2]float64{1, 2})).Forecast(other); !errors.As(err, &mismatch) {
		t.Error(err)
	}
}

func ExampleFitted_Forecast() {
	s := &frame.Schema{Dataset: "line", Columns: []frame.Column{frame.Real("x", 0, 5, 10), frame.Real("y", 0, 15, 30)}}
	sh, _ := model.NewShape(s, model.LinearRegression("y", "x"), 100, true, "")
	draws := planeDraws([2]float64{1, 2}, [2]float64{3, 1}).WithResidual(.2) // such as a release holds
	f, _ := model.Fit(sh, model.Estimate{Draws: draws})
	x, _ := frame.FromColumns(s, map[string]any{"x": []float64{4}, "y": []float64{0}})
	mean, sd, _ := f.Forecast(x)
	fmt.Printf("%.1f ± %.1f\n", mean[0], sd[0])
	// Output: 8.0 ± 3.3
}
