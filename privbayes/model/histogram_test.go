package model_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// binned fits counts of the bins between edges.
func binned(t rapid.TB, c frame.Column, m model.HistogramModel, counts ...float64) *model.Fitted {
	sh, err := model.NewShape(&frame.Schema{Dataset: "test", Columns: []frame.Column{c}}, m, 1000, true, "")
	if err != nil {
		t.Fatal(err)
	}
	f, err := model.Fit(sh, model.Estimate{Tables: [][]float64{counts}})
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// A CDF is the running sum of its histogram, with Beta laws whose parameters are the sums of the bins'.
func TestSharesOfBins(t *testing.T) {
	x := frame.Real("x", -2, 0, 1, 10)
	h, err := binned(t, x, model.Histogram("x").WithPrior(.5, 1, 2), 3, 0, 7).Shares()
	if err != nil {
		t.Fatal(err)
	}
	cdf, err := binned(t, x, model.CDF("x").WithPrior(.5, 1, 2), 3, 0, 7).Shares()
	if err != nil {
		t.Fatal(err)
	}
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
		got, err := f.BinnedQuantile(p)
		if err != nil {
			r.Fatal(err)
		}
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
			fig, err := f.Figure(f, "caption")
			if err != nil {
				t.Fatal(err)
			}
			if err := fig.Validate(); err != nil || !fig.Private || len(fig.Series) != 2 {
				t.Errorf("%s: %v, %d series", m, err, len(fig.Series))
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
	sh, err := model.NewShape(s, model.Categorical("g"), 10, true, "")
	if err != nil {
		t.Fatal(err)
	}
	other, err := model.Fit(sh, model.Estimate{Tables: [][]float64{{1, 2}}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Shares(); !errors.As(err, &e) {
		t.Error(err)
	}
	if _, err := other.BinnedMean(); !errors.As(err, &e) {
		t.Error(err)
	}
}
