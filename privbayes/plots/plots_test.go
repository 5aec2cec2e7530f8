package plots_test

import (
	"bytes"
	"errors"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
)

// figures are one of each kind that the library draws.
func figures() map[string]*figure.Figure {
	acc := &figure.Figure{
		Title: "Accuracy of naive Bayes of Class", XLabel: "ε", YLabel: "accuracy on held-out rows", LogX: true,
		Private: true,
		Caption: "votes, n = 304, δ = 1e-06, replace-one; bands: ±2 standard errors",
		HLines:  []figure.Reference{{Name: "non-private", Y: 0.9}, {Name: "majority class", Y: 0.61}},
	}
	for k, name := range []string{"Geometric noise on counts", "Discrete Gaussian noise on counts"} {
		s := figure.Series{Name: name, Kind: figure.Band}
		for _, e := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
			y := 0.9 - 0.3*math.Exp(-3*e)/float64(k+1)
			s.X, s.Y, s.Lo, s.Hi = append(s.X, e), append(s.Y, y), append(s.Lo, y-0.02), append(s.Hi, y+0.02)
		}
		acc.Series = append(acc.Series, s)
	}
	dens := &figure.Figure{Title: "Posterior", XLabel: "probability", YLabel: "density", Caption: "n = 304"}
	for i, shift := range []float64{0.5, 0.55} {
		s := figure.Series{Name: fmt.Sprint("curve ", i), Kind: figure.Line, Dashed: i == 1}
		for k := range 100 {
			x := float64(k) / 99
			s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(-(x-shift)*(x-shift)*200))
		}
		dens.Series = append(dens.Series, s)
	}
	bars := &figure.Figure{
		Title: "Accuracy on held-out rows", XLabel: "model", YLabel: "accuracy", Caption: "ε = 1",
		XTicks: []string{"release", "non-private", "majority"},
		Series: []figure.Series{{Name: "accuracy", Kind: figure.Bars, X: []float64{0, 1, 2},
			Y: []float64{0.88, 0.91, 0.6}}},
	}
	points := &figure.Figure{
		Title: "Calibration", XLabel: "mean predicted probability", YLabel: "observed share", Caption: "ε = 1",
		Private: true,
		Series: []figure.Series{{Name: "ideal", Kind: figure.Line, Guide: true, X: []float64{0, 1},
			Y: []float64{0, 1}}, {Name: "release", Kind: figure.Points, X: []float64{0.55, 0.9},
			Y: []float64{0.5, 0.95}}},
	}
	three := *acc
	three.Title, three.Series = "Accuracy on held-out rows against the privacy budget",
		append([]figure.Series(nil), acc.Series...)
	third := figure.Series{Name: "Laplace noise on counts", Kind: figure.Band}
	for _, e := range []float64{0.1, 0.2, 0.5, 1, 2, 5} {
		y := 0.89 - 0.45*math.Exp(-2*e)
		third.X, third.Y, third.Lo, third.Hi = append(third.X, e), append(third.Y, y), append(third.Lo, y-0.03),
			append(third.Hi, y+0.03)
	}
	three.Series = append(three.Series, third)
	grouped := &figure.Figure{
		Title: "Error of each count before and after the projection", XLabel: "attribute", YLabel: "mean absolute " +
			"error (records)", Caption: "ε = 1, replace-one",
		XTicks: []string{"handicapped infants", "water project", "adoption of the budget", "physician fee freeze",
			"El Salvador aid", "religious groups"},
		Series: []figure.Series{
			{Name: "raw", Kind: figure.Bars, X: []float64{0, 1, 2, 3, 4, 5}, Y: []float64{31, 33, 30, 32, 31, 35},
				Lo: []float64{28, 30, 28, 30, 29, 32}, Hi: []float64{34, 36, 32, 34, 33, 38}},
			{Name: "projected", Kind: figure.Bars, X: []float64{0, 1, 2, 3, 4, 5},
				Y: []float64{21, 23, 20, 22, 21, 25}},
		},
	}
	decay := &figure.Figure{Title: "Loss", XLabel: "threshold", YLabel: "δ(ε)", LogY: true,
		HLines: []figure.Reference{{Name: "target δ", Y: 1e-6}}}
	steps := figure.Series{Name: "exact profile", Kind: figure.Step}
	for k := range 30 {
		steps.X, steps.Y = append(steps.X, float64(k)/10), append(steps.Y, math.Exp(-float64(k)*0.8))
	}
	decay.Series = []figure.Series{steps}
	single := &figure.Figure{Title: "One ε", XLabel: "ε", YLabel: "accuracy", LogX: true, LogY: true,
		Series: []figure.Series{{Name: "s", X: []float64{0.5}, Y: []float64{0.8}}}}
	return map[string]*figure.Figure{"accuracy": acc, "density": dens, "bars": bars, "points": points, "three": &three,
		"grouped": grouped, "decay": decay, "single": single}
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
			must.Do(t, os.WriteFile(filepath.Join(dir, name+".png"), a, 0o644))
		}
		if seen := colours(t, f); seen["0072b2"] < 20 || len(seen) < 10 {
			t.Errorf("%s: %d pixels of the first series' colour among %d colours", name, seen["0072b2"], len(seen))
		}
		if len(a) > 60_000 {
			t.Errorf("%s: %d bytes", name, len(a))
		}
	}
}

func TestBadFiguresAreRefused(t *testing.T) {
	var fe *figure.FigureError
	if _, err := plots.PNG(&figure.Figure{Series: []figure.Series{{X: []float64{1}}}}); !errors.As(err, &fe) {
		t.Error(err)
	}
}

func ExamplePNG() {
	f := &figure.Figure{Title: "Two points", XLabel: "x", YLabel: "y",
		Series: []figure.Series{{Name: "s", X: []float64{0, 1}, Y: []float64{1, 2}}}}
	f.Width, f.Height = 4, 3 // inches
	b, err := plots.PNG(f)
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := png.DecodeConfig(bytes.NewReader(b))
	fmt.Println(c.Width, c.Height, err)
	// Output: 440 330 <nil>
}
