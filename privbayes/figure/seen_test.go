package figure_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/seen"
	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// No word of a figure stands over another, over a line or beyond the sheet, whatever its series and names.
func TestWordsKeepApart(t *testing.T) {
	names := []string{"geometric", "discrete Gaussian", "Laplace noise on counts", "noise-aware", "naive", "non-private",
		"λ = 2",
		"exact", "a longer name of several words that needs more than one line"}
	rapid.Check(t, func(t *rapid.T) {
		f := &figure.Figure{Title: "Some of everything", XLabel: "ε", YLabel: "error, records",
			Private: rapid.Bool().Draw(t, "private"), LogX: rapid.Bool().Draw(t, "log")}
		flat := rapid.Bool().Draw(t, "flat")
		if flat {
			f.LogX, f.XTicks = false, []string{"one", "two of them", "three"}
		}
		for k := range rapid.IntRange(1, 6).Draw(t, "series") {
			s := figure.Series{Name: names[k], Kind: rapid.SampledFrom([]figure.SeriesKind{figure.Line, figure.Points,
				figure.Band,
				figure.Step}).Draw(t, "kind")}
			for i := range 3 {
				x := float64(i)
				if !flat {
					x = []float64{.1, 1, 5}[i]
				}
				y := float64(rapid.IntRange(1, 40).Draw(t, "y"))
				s.X, s.Y = append(s.X, x), append(s.Y, y)
				s.Lo, s.Hi = append(s.Lo, y-.5), append(s.Hi, y+2)
			}
			f.Series = append(f.Series, s)
		}
		if rapid.Bool().Draw(t, "reference") {
			f.HLines = []figure.Reference{{Name: "majority class", Y: float64(rapid.IntRange(1, 40).Draw(t, "at"))}}
		}
		for _, fault := range seen.Faults(f) {
			t.Error(fault)
		}
	})
}

// Numbers can be read on every shade of a heat map.
func TestNumbersOnShades(t *testing.T) {
	h := &figure.HeatMap{Title: "Shades", Value: "Share of the largest number.", Rows: []string{"a"}}
	h.Cells = [][]float64{nil}
	for i := range 15 {
		h.Columns, h.Cells[0] = append(h.Columns, string(rune('a'+i))), append(h.Cells[0], float64(i)/14)
	}
	for _, fault := range seen.Faults(h) {
		t.Error(fault)
	}
}

// Each fault is found.
func TestFaultsAreFound(t *testing.T) {
	f := &figure.Figure{Title: strings.Repeat("word ", 14), XLabel: "value", YLabel: strings.Repeat("unit ", 90),
		Series: []figure.Series{{Name: "s", X: []float64{1}, Y: []float64{2}}}}
	all := strings.Join(seen.Faults(f), "\n")
	for _, want := range []string{"a title of", "mixed units", "cut: ", "a single point"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in %s", want, all)
		}
	}
}
