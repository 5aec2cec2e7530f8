package figure_test

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

func TestFiguresThatCannotBeDrawn(t *testing.T) {
	one, inf := []float64{1}, []float64{math.Inf(1)}
	ok := figure.Series{Name: "s", X: one, Y: one}
	for name, f := range map[string]*figure.Figure{
		"no series":       {},
		"kind":            {Series: []figure.Series{{Kind: "pie", X: one, Y: one}}},
		"order of a band": {Series: []figure.Series{{Kind: figure.Band, X: one, Y: one, Lo: []float64{2}, Hi: one}}},
		"half a range":    {Series: []figure.Series{{Kind: figure.Bars, X: one, Y: one, Lo: one}}},
		"infinite range":  {Series: []figure.Series{{Kind: figure.Band, X: one, Y: one, Lo: one, Hi: inf}}},
		"log of a band": {LogY: true,
			Series: []figure.Series{{Kind: figure.Band, X: one, Y: one, Lo: []float64{0}, Hi: one}}},
		"infinite":          {Series: []figure.Series{{X: inf, Y: one}}},
		"beyond the labels": {XTicks: []string{"a"}, Series: []figure.Series{{Kind: figure.Bars, X: one, Y: one}}},
		"reference":         {HLines: []figure.Reference{{Name: "r", Y: math.NaN()}}, Series: []figure.Series{ok}},
		"log of reference":  {LogY: true, HLines: []figure.Reference{{Name: "r"}}, Series: []figure.Series{ok}},
	} {
		var fe *figure.FigureError
		if err := f.Validate(); !errors.As(err, &fe) {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.String() + table.HTML(f) // the table twin never fails
	}
	if err := (&figure.Figure{Series: []figure.Series{ok}}).Validate(); err != nil {
		t.Error("the zero kind is a line:", err)
	}
}

// The table twin holds every number: one row a point and one a reference, with ranges only where there are some.
func TestTableTwin(t *testing.T) {
	f := &figure.Figure{
		Title: "t", XLabel: "x", YLabel: "y", Caption: "n = 3", Private: true, XTicks: []string{"a", "b"},
		HLines: []figure.Reference{{Name: "r", Y: 0.5}},
		Series: []figure.Series{{Name: "s", Kind: figure.Bars, X: []float64{0, 1}, Y: []float64{0.25, 0.75}}},
	}
	want := "t (private: do not publish)\nseries  x       y\n------  ---  ----\ns       a    0.25\ns       b    " +
		"0.75\nr       all   0.5\nn = 3\n"
	if got := f.String(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
	f.Series[0].Lo, f.Series[0].Hi = []float64{0.125, 0.625}, []float64{0.375, 0.875}
	if got := f.String(); !strings.Contains(got, "from") || !strings.Contains(got, "0.625") {
		t.Error(got)
	}
}

func TestROC(t *testing.T) {
	points, err := eval.ROC([]float64{0.9, 0.5, 0.5, 0.1}, []bool{true, true, false, false})
	if last := points[len(points)-1]; last.Threshold != 0.1 {
		t.Errorf("%+v", last)
	}
	if got := fmt.Sprint(points); err != nil || got != "[{0.9 0 0} {0.9 0 0.5} {0.5 0.5 1} {0.1 1 1}]" {
		t.Error(got, err)
	}
	for name, c := range map[string]struct {
		scores   []float64
		positive []bool
	}{"nothing": {}, "lengths": {[]float64{1}, nil}, "NaN": {[]float64{math.NaN(), 1}, []bool{true, false}},
		"one kind": {[]float64{1, 2}, []bool{true, true}}} {
		var in *dp.ParameterError
		if _, err := eval.ROCFigure(c.scores, c.positive, ""); !errors.As(err, &in) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The trapezoids below the characteristic sum to the AUC, ties included.
func TestAreaBelowROCIsAUC(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 30).Draw(t, "n")
		scores, positive := make([]float64, n), make([]bool, n)
		for i := range n {
			scores[i], positive[i] = float64(rapid.IntRange(0, 5).Draw(t, "score")), rapid.Bool().Draw(t, "positive")
		}
		positive[0], positive[1] = true, false
		points, err := eval.ROC(scores, positive)
		if err != nil {
			t.Fatal(err)
		}
		area := 0.0
		for i := 1; i < len(points); i++ {
			a, b := points[i-1], points[i]
			area += (b.FalsePositive - a.FalsePositive) * (a.TruePositive + b.TruePositive) / 2
		}
		if want := eval.AUC(scores, positive); math.Abs(area-want) > 1e-12 {
			t.Fatalf("area %v, AUC %v", area, want)
		}
		f, err := eval.ROCFigure(scores, positive, "")
		if err != nil || f.Validate() != nil || !f.Private {
			t.Fatal(err, f)
		}
	})
}

func ExampleFigure() {
	f := &figure.Figure{
		Title: "Accuracy", XLabel: "ε", YLabel: "accuracy", LogX: true, Caption: "n = 304, replace-one",
		Series: []figure.Series{{Name: "geometric", Kind: figure.Band, X: []float64{0.5, 1}, Y: []float64{0.8, 0.9},
			Lo: []float64{0.7, 0.85}, Hi: []float64{0.9, 0.95}}},
		HLines: []figure.Reference{{Name: "majority", Y: 0.61}},
	}
	fmt.Print(f)
	// Output:
	// Accuracy
	// series     ε    accuracy  from    to
	// ---------  ---  --------  ----  ----
	// geometric  0.5       0.8   0.7   0.9
	// geometric  1         0.9  0.85  0.95
	// majority   all      0.61
	// n = 304, replace-one
}
