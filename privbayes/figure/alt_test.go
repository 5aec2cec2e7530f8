package figure_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// Who cannot see a picture is told the words given in place of those made of title and numbers, and that it is private.
func TestGivenWords(t *testing.T) {
	const given = "Errors fall as ε grows"
	one := func(alt string) *figure.Figure {
		return &figure.Figure{Title: "Error", XLabel: "ε", YLabel: "error", Alt: alt,
			Series: []figure.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{.2, .1}}}}
	}
	row := figure.ForestRow{Name: "north", Marks: []figure.Mark{{At: 1, From: -1, To: 3}}}
	for _, alt := range []string{"", given} {
		for name, d := range map[string]interface{ Words() (title, alt string) }{
			"figure": one(alt),
			"facets": &figure.Facets{Title: "Error", Alt: alt, Private: true, Panels: []*figure.Figure{one("")}},
			"forest": &figure.Forest{Title: "Error", XLabel: "x", Alt: alt, Series: []string{"a"},
				Rows: []figure.ForestRow{row}},
			"graph": &figure.Graph{Title: "Error", Alt: alt, Vertices: []figure.Vertex{{Name: "a"}}},
			"heat map": &figure.HeatMap{Title: "Error", Value: "v", Alt: alt, Rows: []string{"r"}, Columns: []string{"c"},
				Cells: [][]float64{{1}}},
		} {
			title, words := d.Words()
			private := strings.HasPrefix(words, "Private. ")
			if title != "Error" || strings.Contains(words, given) != (alt == given) || words == "" ||
				private != (name == "facets") {
				t.Errorf("%s, %q: %q, %q", name, alt, title, words)
			}
		}
	}
}

// Panels bear the band of private pictures, and a muted row has another colour.
func TestBandAndMuted(t *testing.T) {
	panel := &figure.Figure{Title: "n = 1", XLabel: "ε", YLabel: "error",
		Series: []figure.Series{{Name: "a", X: []float64{1, 2}, Y: []float64{.2, .1}}}}
	b, err := (&figure.Facets{Title: "Error", Private: true, Panels: []*figure.Figure{panel, panel}}).SVG()
	if err != nil || !strings.Contains(string(b), "PRIVATE") {
		t.Errorf("%s, %v", b, err)
	}
	drawn := func(muted bool) []byte {
		f := &figure.Forest{Title: "Effects", XLabel: "x", Series: []string{"a"}, Rows: []figure.ForestRow{
			{Name: "north", Marks: []figure.Mark{{At: 1, From: -1, To: 3}}, Muted: muted}}}
		b, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	if bytes.Equal(drawn(true), drawn(false)) {
		t.Error("a muted row looks like the others")
	}
}
