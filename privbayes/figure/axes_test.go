package figure_test

import (
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// A figure has an axis, facets those of their panels, a forest one, and a record those that it was made with.
func TestAxes(t *testing.T) {
	f := figure.Figure{Title: "t", Series: []figure.Series{{Name: "s", X: []float64{0, 1}, Y: []float64{1, 2}}}}
	r := figure.Record{Planes: f.Axes()}
	facets, forest := figure.Facets{Panels: []*figure.Figure{&f, &f}}, figure.Forest{Title: "t"}
	if one := len(f.Axes()); one == 0 || len(facets.Axes()) != 2*one || len(r.Axes()) != one {
		t.Error(one, len(facets.Axes()), len(r.Axes()))
	}
	forest.Rows = []figure.ForestRow{{Name: "a", Marks: []figure.Mark{{At: 1, From: 0, To: 2}}}}
	if len(forest.Axes()) != 1 {
		t.Error(forest.Axes())
	}
}
