package plots_test

import (
	"bytes"
	"errors"
	"image/png"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
)

// A picture carries what a reader sees of it, and is a PNG like any other: the faults found in its record are those of
// the figure, good or bad, and the record draws the same pixels.
func TestPicturesCarryTheirRecord(t *testing.T) {
	all := map[string]figure.Drawing{
		"bad": &figure.Figure{Title: strings.Repeat("word ", 14), XLabel: "value", YLabel: strings.Repeat("unit ", 90),
			Series: []figure.Series{{Name: "s", X: []float64{1}, Y: []float64{2}}}},
		"map": &figure.HeatMap{Title: "Pairs", Value: "Distance.", Rows: []string{"a", "b"}, Columns: []string{"a", "b"},
			Cells: [][]float64{{math.NaN(), math.NaN()}, {.5, math.NaN()}}, Private: true},
		"forest": &figure.Forest{Title: "Means", XLabel: "value", Series: []string{"s"},
			Rows: []figure.ForestRow{{Name: "a", Marks: []figure.Mark{{At: 1, From: 0, To: 2}}}}},
	}
	for name, f := range figures() {
		all[name] = f
	}
	for name, f := range all {
		b, err := plots.PNG(f)
		if err != nil {
			t.Fatal(name, err)
		}
		if _, err := png.Decode(bytes.NewReader(b)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		r, err := seen.Recorded(b)
		if err != nil {
			t.Fatal(name, err)
		}
		if have, want := seen.Faults(r), seen.Faults(f); !slices.Equal(have, want) {
			t.Errorf("%s: %q, of the figure %q", name, have, want)
		}
		_, alt := f.Words()
		if !bytes.Contains(b, []byte("Description")) || r.Alt != alt {
			t.Errorf("%s: %q", name, r.Alt)
		}
	}
	var e *dp.ParameterError
	good, err := plots.PNG(figures()["density"])
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{"none": nil, "short": good[:60], "text": []byte(strings.Repeat("text", 90)),
		"broken": bytes.Replace(good, []byte("privbayes\x00\x01\x00\x00\x00x"), []byte("privbayes\x00\x01\x00\x00\x00y"),
			1)} {
		if _, err := seen.Recorded(b); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
