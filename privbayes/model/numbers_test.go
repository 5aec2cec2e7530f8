package model_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// binned fits counts of the bins between edges.
func binned(t rapid.TB, c frame.Column, m model.HistogramModel, counts ...float64) *model.Fitted {
	sh := must.Get(model.NewShape(&frame.Schema{Dataset: "test", Columns: []frame.Column{c}}, m, 1000, true, ""))(t)
	return must.Get(model.Fit(sh, model.Estimate{Tables: [][]float64{counts}}))(t)
}

// A CDF is the running sum of its histogram, with Beta laws whose parameters are the sums of the bins'.
func TestSharesOfBins(t *testing.T) {
	x := frame.Real("x", -2, 0, 1, 10)
	h := must.Get(binned(t, x, model.Histogram("x").WithPrior(.5, 1, 2), 3, 0, 7).Shares())(t)
	cdf := must.Get(binned(t, x, model.CDF("x").WithPrior(.5, 1, 2), 3, 0, 7).Shares())(t)
	if len(h) != 3 || len(cdf) != 2 || h[2].From != 1 || h[2].To != 10 || h[2].A != 9 || h[2].B != 4.5 {
		t.Errorf("bins %+v", h)
	}
	if cdf[0].To != 0 || cdf[0].A != 3.5 || cdf[1].From != -2 || cdf[1].To != 1 || cdf[1].A != 4.5 || cdf[1].B != 9 {
		t.Errorf("edges %+v", cdf)
	}
}

// Quantiles and the mean are those of rows that are spread evenly over their bins: of a fine grid of such rows.
func TestReadOffBins(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		edges := []float64{-3, 0, 4, 5, 20}
		counts := rapid.SliceOfN(rapid.Float64Range(.01, 50), 4, 4).Draw(r, "counts")
		whole := rapid.Bool().Draw(r, "whole")
		c := frame.Real("x", edges...)
		if whole {
			c = frame.Integer("x", edges...)
		}
		f := binned(r, c, model.Histogram("x").WithPrior(1e-9), counts...)
		type row struct{ x, weight float64 }
		var rows []row
		total, mean := 0.0, 0.0
		for i, n := range counts {
			var in []float64
			if whole {
				for v := edges[i]; v < edges[i+1] || i == 3 && v == edges[i+1]; v++ {
					in = append(in, v)
				}
			} else {
				for k := range 2000 {
					in = append(in, edges[i]+(edges[i+1]-edges[i])*(float64(k)+.5)/2000)
				}
			}
			for _, x := range in {
				rows = append(rows, row{x, n / float64(len(in))})
				mean += x * n / float64(len(in))
			}
			total += n
		}
		if got, err := f.BinnedMean(); err != nil || math.Abs(got-mean/total) > 1e-6 {
			r.Fatalf("mean %v, want %v (%v)", got, mean/total, err)
		}
		p := rapid.Float64Range(.001, .999).Draw(r, "p")
		got := must.Get(f.BinnedQuantile(p))(r)
		sum, at := 0.0, 0
		for sum < p*total*(1-1e-9) && at < len(rows) {
			sum += rows[at].weight
			at++
		}
		want := rows[max(at-1, 0)].x
		if whole && math.Abs(got-want) > 1e-9 && math.Abs(sum-p*total) > 1e-6*total &&
			math.Abs(sum-rows[at-1].weight-p*total) > 1e-6*total || !whole && math.Abs(got-want) > 15./1000 {
			r.Fatalf("%v-quantile of %v: %v, want %v", p, counts, got, want)
		}
	})
	f := binned(t, frame.Real("x", 0, 1, 2), model.CDF("x"), 4, 4)
	var e *model.Error
	for _, p := range []float64{0, 1, -1, math.NaN(), math.Inf(1)} {
		if _, err := f.BinnedQuantile(p); !errors.As(err, &e) {
			t.Errorf("p = %v: %v", p, err)
		}
	}
}

// What is shown has the edges in the column's units and says how numbers are read off; figures can be drawn.
func TestBinsAreShown(t *testing.T) {
	day := frame.Date("day", "2006-01-02", "2020-01-01", "2020-07-01", "2021-01-01")
	clamped := frame.Integer("age", 0, 18, 65, 120)
	clamped.OnOutOfDomain = frame.DomainClamp
	for _, c := range []frame.Column{day, clamped, frame.Real("x", -1, .5, 2)} {
		for _, m := range []model.HistogramModel{model.Histogram(c.Name), model.CDF(c.Name)} {
			counts := slices.Repeat([]float64{30}, c.Levels())
			f := binned(t, c, m, counts...)
			text := f.Summary().String() + f.Parts()[0].String()
			for _, want := range []string{"share", "interpolation", "prior", c.Text(c.Edges[1])} {
				if !strings.Contains(text, want) {
					t.Errorf("%s: no %q in\n%s", m, want, text)
				}
			}
			if strings.Contains(text, "beyond") != (c.Name == "age") {
				t.Errorf("%s: clamping is said or not in\n%s", m, text)
			}
			fig := must.Get(f.Figure(f, "caption"))(t)
			if err := fig.Validate(); err != nil || !fig.Private || len(fig.Series) != 2 {
				t.Errorf("%s: %v, %d series", m, err, len(fig.Series))
			}
			if at := fig.Table().Rows[0][1]; c.Date != "" && !strings.Contains(at, "2020-01-01") {
				t.Errorf("%s: at %s, want a date", m, at)
			}
		}
	}
}

func TestBinsThatDoNotFit(t *testing.T) {
	missing := frame.Integer("missing", 0, 1, 2)
	missing.OnMissing, missing.Missing = frame.MissingAsCategory, []string{"?"}
	s := &frame.Schema{Dataset: "test", Columns: []frame.Column{frame.Integer("one", 0, 10), missing,
		frame.Categorical("g", "a", "b"), frame.Real("x", 0, 1, 2)}}
	var e *model.Error
	for _, m := range []model.Model{model.Histogram("one"), model.CDF("missing"), model.Histogram("g"),
		model.CDF("x").WithPrior(0), model.Histogram("x").WithPrior(1, 2, 3)} {
		if _, err := model.NewShape(s, m, 10, true, ""); !errors.As(err, &e) {
			t.Errorf("%s: %v", m, err)
		}
	}
	f := binned(t, frame.Real("x", 0, 1, 2), model.Histogram("x"), 1, 1)
	if s := model.Expression(f.Shape().Model()); s != `Histogram("x").WithPrior(1)` {
		t.Error(s)
	}
	if s := model.Expression(model.CDF("x")); s != `CDF("x").WithPrior(1)` {
		t.Error(s)
	}
	sh := must.Get(model.NewShape(s, model.Categorical("g"), 10, true, ""))(t)
	other := must.Get(model.Fit(sh, model.Estimate{Tables: [][]float64{{1, 2}}}))(t)
	if _, err := other.Shares(); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := other.BinnedMean(); !errors.As(err, &e) {
		t.Error(err)
	}
}

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
	return must.Get(frame.FromColumns(s, map[string]any{"x": x, "y": y}))(t)
}

func shapeOf(t testing.TB, f *frame.Frame, m model.Model) *model.Shape {
	t.Helper()
	n, public := f.PublicN()
	return must.Get(model.NewShape(f.Schema(), m, n, public, ""))(t)
}

func TestRegressionSums(t *testing.T) {
	f := line(t, 400)
	sh := shapeOf(t, f, model.LinearRegression("y", "x").WithPrior(1e-6))
	st := must.Get(model.Count(sh, f))(t)
	if got := st.OpenSums(access.Mine()); len(got) != len(sh.Sums()) || math.Abs(got[0]-200) > 1e-9 {
		t.Errorf("sums %v, names %v; the intercept's square is ½ per row", got, sh.Sums())
	}
	fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
	intercept, slopes := must.Get2(sh.Linear().Coefficients(fit.Means()[0]))(t)
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
		st := must.Get(model.Count(sh, f))(t)
		if got := st.OpenSums(access.Mine())[0]; math.Abs(got-c.sum) > .01*c.sum {
			t.Errorf("%s: %s = %v, want %v", c.m, sh.Sums()[0], got, c.sum)
		}
		fit := must.Get(model.FitPrivately(access.Mine(), st))(t)
		if m := fit.Draws().Mean()[0]; m < .1 || m > 2 {
			t.Errorf("%s: posterior mean %v outside the range", c.m, m)
		}
		b := must.Get(json.Marshal(sh))(t)
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

// lineShape is a regression of y on x with x in [0, 10], y in [0, 30]: two coordinates, x̃ = (1, (x−5)/5)/√2, ỹ =
// (y−15)/15.
func lineShape(t testing.TB, n int) *model.Shape {
	t.Helper()
	return must.Get(model.NewShape(line(t, n).Schema(), model.LinearRegression("y", "x"), n, true, ""))(t)
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
	return must.Get(model.Fit(sh, model.Estimate{Draws: d}))(t)
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
		mean, sd := must.Get2(f.Forecast(x))(t)
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
	want := [][]string{{"intercept", "2.0", "1.4"}, {"x", "1.50", "0.71"}}
	if s := c.String(); fmt.Sprint(c.Rows) != fmt.Sprint(want) || !strings.Contains(s, "Residual standard deviation "+
		"3.") {
		t.Error(s)
	}
	// the non-private fit finds the line
	st := must.Get(model.Count(sh, line(t, 11)))(t)
	np := must.Get(model.FitPrivately(access.Mine(), st))(t)
	if c, err = np.Coefficients(); err != nil || len(c.Rows) != 2 || len(c.Columns) != 5 {
		t.Errorf("%v, %v", c, err)
	}
}

// The golden of units: weights of scaled rows, divided by √3, in dollars and in the columns' units.
func TestGoldenUnits(t *testing.T) {
	s := &frame.Schema{Dataset: "golden", Columns: []frame.Column{frame.Real("a", 20, 60), frame.Real("b", 6, 18),
		frame.Real("y", 0, 2000)}}
	sh := must.Get(model.NewShape(s, model.LinearRegression("y", "a", "b"), 10, true, ""))(t)
	d := &model.Draws{Names: []string{"(intercept)", "a", "b"}, Values: [][]float64{{.2, .5, -.3}, {.2, .5, -.3}}}
	c := must.Get(fit(t, sh, d).Coefficients())(t)
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
	other := must.Get(frame.FromColumns(&frame.Schema{Dataset: "line",
		Columns: []frame.Column{frame.Real("x", 0, 5, 11), frame.Real("y", 0, 15, 30)}},
		map[string]any{"x": []float64{1}, "y": []float64{1}}))(t)
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

// What is written into a description does not reach the defaults of this package.
func TestDescriptionsAreTheCallersOwn(t *testing.T) {
	d := must.Get(model.Describe("quantiles"))(t)
	d.Quantiles[0] = .7
	if again, _ := model.Describe("quantiles"); again.Quantiles[0] != .25 {
		t.Errorf("the quartiles are now %v", again.Quantiles)
	}
}
