package regression_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// released is a release of moments of the wages, or of as many columns of simulated rows.
func released(t testing.TB, numbers, rows int, target dp.Request) *release.Release {
	t.Helper()
	st := statistics(model.LinearRegression("wage", "school"))
	if numbers > 1 {
		s, values := &frame.Schema{Dataset: "wide"}, map[string]any{}
		for j := range numbers + 1 {
			x := make([]float64, rows)
			for i := range x {
				x[i] = math.Mod(float64((i+1)*(j+3))*.618, 2) - 1
			}
			name := fmt.Sprint("x", j)
			s.Columns, values[name] = append(s.Columns, frame.Real(name, -1, 1)), x
		}
		f, err := frame.FromColumns(s, values)
		if err != nil {
			t.Fatal(err)
		}
		sh, err := model.NewShape(s, model.LinearRegression("x0"), rows, true, "")
		if err != nil {
			t.Fatal(err)
		}
		if st, err = model.Count(sh, f); err != nil {
			t.Fatal(err)
		}
	}
	p, err := regression.SufficientStatistics().Plan(t.Context(), st.Shape(), target)
	if err != nil {
		t.Fatal(err)
	}
	d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(5))
	if err != nil {
		t.Fatal(err)
	}
	r, err := release.New(t.Context(), p, d)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A file has the moments and no chain. What is read from it has the same draws, and the intervals are their quantiles.
// A file of a version that kept draws is read: they are not looked at.
func TestIntervalsOfARegression(t *testing.T) {
	r := released(t, 1, 500, dp.ApproxDP(1, 1e-6))
	b, err := r.JSON()
	if err != nil {
		t.Fatal(err)
	}
	again, err := release.Parse(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	list, how, err := again.Intervals(t.Context(), .9)
	draws, err2 := r.Model().CoefficientDraws()
	if err != nil || err2 != nil || len(list) != 2 || how == "" || len(draws.Values) != 1000 {
		t.Fatal(list, how, err, err2)
	}
	for i, v := range list {
		if v.Of != draws.Names[i] || v.Population.Lower != draws.Quantile(i, .05) ||
			v.Population.Upper != draws.Quantile(i, .95) || v.Estimate != draws.Mean()[i] || v.Rows != nil {
			t.Errorf("%+v", v)
		}
	}
	effects := r.Model().Effects()
	if f, err := r.Figure(); err != nil || len(f.Rows) != 1 || f.Rows[0].Name != "2 more of school" ||
		f.Rows[0].Marks[0].To != effects.Quantile(0, .975) {
		t.Errorf("%+v, %v", f, err)
	}
	var refused *dp.ParameterError
	if _, _, err := r.Intervals(t.Context(), 1); !errors.As(err, &refused) {
		t.Error(err)
	}
	var tree map[string]any
	if err := json.Unmarshal(b, &tree); err != nil {
		t.Fatal(err)
	}
	if kind := tree["artifact"].(map[string]any)["kind"]; kind != "chains" {
		t.Error(kind)
	}
	tree["artifact"] = map[string]any{"kind": "draws", "draws": map[string]any{
		"names": []any{"(intercept)", "school", "(residual sd)"}, "values": []any{[]any{.1, .2, .3}}}}
	old, err := json.Marshal(tree)
	if err != nil {
		t.Fatal(err)
	}
	if again, err = release.Parse(t.Context(), old); err != nil {
		t.Fatal(err)
	}
	if next, err := again.JSON(); err != nil || !bytes.Equal(next, b) {
		t.Error("a file with draws is not written as others are", err)
	}
	tree["artifact"] = map[string]any{"kind": "chains"}
	if old, err = json.Marshal(tree); err == nil {
		_, err = release.Parse(t.Context(), old)
	}
	if err == nil {
		t.Error("a file whose estimate does not follow from its moments is read")
	}
}

// Twenty slopes wait until they are asked for, and the release says so; sixty columns have no intervals at all.
func TestLongChainsWait(t *testing.T) {
	for _, numbers := range []int{20, 60} {
		r := released(t, numbers, 200, dp.ApproxDP(1, 1e-6))
		err := r.Model().Unsampled()
		if err == nil || r.Draws().Len() != 1 || !strings.Contains(r.String(), err.Error()) {
			t.Errorf("%d slopes: %v, %d draws:\n%s", numbers, err, r.Draws().Len(), r)
		}
		if _, err := r.Figure(); err == nil {
			t.Error("a figure without intervals")
		}
		var long *model.LongError
		if !errors.As(err, &long) || !(long.Seconds > model.MostSeconds) || len(r.Warnings()) != 0 {
			t.Errorf("%d slopes: %v, %v", numbers, err, r.Warnings())
		}
	}
	r := released(t, 60, 200, dp.ApproxDP(1, 1e-6)) // 61 columns with the intercept
	var wide *regression.TooWideError
	if _, _, err := r.Intervals(t.Context(), .95); !errors.As(err, &wide) || wide.Columns != 61 || wide.Products != 1890 {
		t.Error(err)
	}
	if !errors.As(r.Model().Unsampled(), &wide) || r.Draws().Len() != 1 {
		t.Error(r.Model().Unsampled())
	}
}

// Where noise drowns the data the weights are named; where responses are cut off at their bounds that is said; where
// neither is so nothing is.
func TestWarningsOfARegression(t *testing.T) {
	clipped := func(bound float64, refuses bool) *model.Statistics {
		y0 := frame.Real("y", -bound, bound)
		if y0.OnOutOfDomain = "clamp"; refuses {
			y0.OnOutOfDomain = "" // what is beyond is refused, so that nothing was moved
		}
		s := &frame.Schema{Dataset: "cut", Columns: []frame.Column{y0, frame.Real("x", -1, 1)}}
		x, y := make([]float64, 3000), make([]float64, 3000)
		for i := range x {
			x[i] = math.Mod(float64(i)*.618, 2) - 1
			y[i] = math.Min(math.Max(2*x[i]+math.Sin(float64(i*i)), -bound), bound)
		}
		f, err := frame.FromColumns(s, map[string]any{"y": y, "x": x})
		if err != nil {
			t.Fatal(err)
		}
		sh, err := model.NewShape(s, model.LinearRegression("y", "x"), 3000, true, "")
		if err != nil {
			t.Fatal(err)
		}
		st, err := model.Count(sh, f)
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	for _, c := range []struct {
		bound, epsilon float64
		want           warning.Kind
		words          string
	}{
		{5, 1, "", ""}, {1.4, 1, "", ""}, {1.5, 1, warning.KindClippedResponses, "values of y were beyond its public bounds"},
		{5, .001, warning.KindNoiseDrowns, "data for x"},
	} {
		st := clipped(c.bound, c.bound == 1.4)
		p, err := regression.SufficientStatistics().Plan(t.Context(), st.Shape(), dp.ApproxDP(c.epsilon, 1e-6))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Draw(t.Context(), st, "0123456789abcdef0123456789abcdef", dp.Seeded(3))
		if err != nil {
			t.Fatal(err)
		}
		var got []warning.Warning
		for _, w := range p.DrawnWarnings(d) {
			if w.Kind == warning.KindNoiseDrowns || w.Kind == warning.KindClippedResponses {
				got = append(got, w)
			}
		}
		if c.want == "" && got != nil || c.want != "" && (len(got) != 1 || got[0].Kind != c.want ||
			!strings.Contains(got[0].Text, c.words)) {
			t.Errorf("bounds ±%g, ε = %g: %+v", c.bound, c.epsilon, got)
		}
	}
}

// An error of a shape names the parameter and how far it moves.
func TestShapeErrorSpeaks(t *testing.T) {
	err := &regression.ShapeError{Parameter: "age", Distance: 2.5, Most: .5}
	text := err.Error()
	if !strings.Contains(text, "age may be off by 2.5 of its standard deviations") ||
		!strings.HasSuffix(text, "at most 0.5") {
		t.Error(text)
	}
}
