package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/plots"
)

// figures are one of each kind that the library draws.
func figures() map[string]*eval.Figure {
	acc := &eval.Figure{
		Title: "Accuracy of naive Bayes of Class", XLabel: "ε", YLabel: "accuracy on held-out rows", LogX: true, Private: true,
		Caption: "votes, n = 304, δ = 1e-06, replace-one; bands: ±2 standard errors",
		HLines:  []eval.Reference{{Name: "non-private", Y: 0.9}, {Name: "majority class", Y: 0.61}},
	}
	for k, name := range []string{"Geometric noise on counts", "Discrete Gaussian noise on counts"} {
		s := eval.Series{Name: name, Kind: eval.Band}
		for _, e := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
			y := 0.9 - 0.3*math.Exp(-3*e)/float64(k+1)
			s.X, s.Y, s.Lo, s.Hi = append(s.X, e), append(s.Y, y), append(s.Lo, y-0.02), append(s.Hi, y+0.02)
		}
		acc.Series = append(acc.Series, s)
	}
	dens := &eval.Figure{Title: "Posterior", XLabel: "probability", YLabel: "density", Caption: "n = 304"}
	for i, shift := range []float64{0.5, 0.55} {
		s := eval.Series{Name: fmt.Sprint("curve ", i), Kind: eval.Line, Dashed: i == 1}
		for k := range 100 {
			x := float64(k) / 99
			s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(-(x-shift)*(x-shift)*200))
		}
		dens.Series = append(dens.Series, s)
	}
	bars := &eval.Figure{
		Title: "Accuracy on held-out rows", XLabel: "model", YLabel: "accuracy", Caption: "ε = 1", XTicks: []string{"release", "non-private", "majority"},
		Series: []eval.Series{{Name: "accuracy", Kind: eval.Bars, X: []float64{0, 1, 2}, Y: []float64{0.88, 0.91, 0.6}}},
	}
	points := &eval.Figure{
		Title: "Calibration", XLabel: "mean predicted probability", YLabel: "observed share", Caption: "ε = 1", Private: true,
		Series: []eval.Series{{Name: "ideal", Kind: eval.Line, Guide: true, X: []float64{0, 1}, Y: []float64{0, 1}}, {Name: "release", Kind: eval.Points, X: []float64{0.55, 0.9}, Y: []float64{0.5, 0.95}}},
	}
	three := *acc
	three.Title, three.Series = "Accuracy on held-out rows against the privacy budget", append([]eval.Series(nil), acc.Series...)
	third := eval.Series{Name: "Laplace noise on counts", Kind: eval.Band}
	for _, e := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
		y := 0.89 - 0.45*math.Exp(-2*e)
		third.X, third.Y, third.Lo, third.Hi = append(third.X, e), append(third.Y, y), append(third.Lo, y-0.03), append(third.Hi, y+0.03)
	}
	three.Series = append(three.Series, third)
	grouped := &eval.Figure{
		Title: "Error of each count before and after the projection", XLabel: "attribute", YLabel: "mean absolute error (records)", Caption: "ε = 1, replace-one",
		XTicks: []string{"handicapped infants", "water project", "adoption of the budget", "physician fee freeze", "El Salvador aid", "religious groups"},
		Series: []eval.Series{
			{Name: "raw", Kind: eval.Bars, X: []float64{0, 1, 2, 3, 4, 5}, Y: []float64{31, 33, 30, 32, 31, 35}, Lo: []float64{28, 30, 28, 30, 29, 32}, Hi: []float64{34, 36, 32, 34, 33, 38}},
			{Name: "projected", Kind: eval.Bars, X: []float64{0, 1, 2, 3, 4, 5}, Y: []float64{21, 23, 20, 22, 21, 25}},
		},
	}
	decay := &eval.Figure{Title: "Loss", XLabel: "threshold", YLabel: "δ(ε)", LogY: true, HLines: []eval.Reference{{Name: "target δ", Y: 1e-6}}}
	steps := eval.Series{Name: "exact profile", Kind: eval.Step}
	for k := range 30 {
		steps.X, steps.Y = append(steps.X, float64(k)/10), append(steps.Y, math.Exp(-float64(k)*0.8))
	}
	decay.Series = []eval.Series{steps}
	single := &eval.Figure{Title: "One ε", XLabel: "ε", YLabel: "accuracy", LogX: true, LogY: true, Series: []eval.Series{{Name: "s", X: []float64{0.5}, Y: []float64{0.8}}}}
	return map[string]*eval.Figure{"accuracy": acc, "density": dens, "bars": bars, "points": points, "three": &three, "grouped": grouped, "decay": decay, "single": single}
}

func TestPicturesAreStableAndNotBlank(t *testing.T) {
	for name, f := range figures() {
		a, err := plots.PNG(f)
		if err != nil {
			t.Fatal(name, err)
		}
		b, err := plots.PNG(f)
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two renderings differ, %v", name, err)
		}
		if dir := os.Getenv("PRIVBAYES_PICTURES"); dir != "" { // to look at them
			if err := os.WriteFile(filepath.Join(dir, name+".png"), a, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if seen := colours(t, f); seen["0072b2"] < 20 || len(seen) < 10 {
			t.Errorf("%s: %d pixels of the first series' colour among %d colours", name, seen["0072b2"], len(seen))
		}
		if len(a) > 60_000 {
			t.Errorf("%s: %d bytes", name, len(a))
		}
	}
}

func TestSVGIsXML(t *testing.T) {
	for name, f := range figures() {
		b, err := f.SVG() // through the renderer that importing plots registers
		if err != nil {
			t.Fatal(name, err)
		}
		d := xml.NewDecoder(bytes.NewReader(b))
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(name, err)
			}
		}
	}
}

func TestBadFiguresAreRefused(t *testing.T) {
	var fe *eval.FigureError
	if _, err := plots.PNG(&eval.Figure{Series: []eval.Series{{X: []float64{1}}}}); !errors.As(err, &fe) {
		t.Error(err)
	}
}

func ExampleDraw() {
	f := &eval.Figure{Title: "Two points", XLabel: "x", YLabel: "y", Series: []eval.Series{{Name: "s", Kind: eval.Line, X: []float64{0, 1}, Y: []float64{1, 2}}}}
	fmt.Print(plots.Draw(f))
	// Output:
	// Two points
	// series  x  y
	// ------  -  -
	// s       0  1
	// s       1  2
}
