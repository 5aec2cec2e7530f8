package figure_test

import (
	"errors"
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

// Rows of several units stand over an axis each, in a forest as in a figure: with one axis the interval of the spread
// would be a point. What has no such axes is refused.
func TestUnitsApart(t *testing.T) {
	mean, sd := figure.Mark{At: 1200, From: 1190, To: 1215}, figure.Mark{At: .8, From: .7, To: .9}
	forest := func(units ...string) *figure.Forest {
		return &figure.Forest{Title: "Mean and spread", XLabel: "dollars", Series: []string{"released"},
			Rows: []figure.ForestRow{{Name: "mean", Marks: []figure.Mark{mean}, Unit: units[0]},
				{Name: "sd", Marks: []figure.Mark{sd}, Unit: units[1]}}}
	}
	f := &figure.Figure{Title: "Mean and spread", XLabel: "quantity", YLabel: "dollars", XTicks: []string{"mean", "sd"},
		Units: []string{"mean, dollars", "sd, dollars"}, Series: []figure.Series{{Name: "released", Kind: figure.Points,
			X: []float64{0, 1}, Y: []float64{mean.At, sd.At}, Lo: []float64{mean.From, sd.From}, Hi: []float64{mean.To, sd.To}},
			{Name: "non-private", Kind: figure.Points, X: []float64{0, 1}, Y: []float64{1201, .81}}}}
	for name, d := range map[string]figure.Drawing{"forest": forest("a", "b"), "figure": f} {
		for _, fault := range seen.Faults(d) {
			t.Errorf("%s: %s", name, fault)
		}
	}
	_, one, _ := forest("a", "a").Size()
	_, two, _ := forest("a", "b").Size()
	if two <= one {
		t.Errorf("%v inches with two axes, %v with one", two, one)
	}
	if svg, err := forest("a", "b").SVG(); err != nil || !strings.Contains(string(svg), ">1190<") ||
		!strings.Contains(string(svg), ">0.70<") {
		t.Errorf("no ticks of both axes: %v\n%s", err, svg)
	}
	log := forest("a", "b")
	log.LogX = true
	broken := *f
	broken.Units = broken.Units[:1]
	broken.Units = append(broken.Units, "b", "c")
	var refused *figure.FigureError
	for name, err := range map[string]error{"log": log.Draw(nil), "units": broken.Validate()} {
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
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

// Five digits are too many unless four would show one number for two.
func TestDigitsThatAreNeeded(t *testing.T) {
	for _, c := range []struct {
		from, at, to float64
		text         string
		fault        bool
	}{{13, 14, 15, "14.003 (13.004 to 15.001)", true}, {13.0656, 13.0679, 13.0702, "13.0679 (13.0656 to 13.0702)", false},
		{13, 14, 15, "14.00", false}, {13, 14, 15, "14.253", true}} {
		f := &figure.Forest{Title: "Means", XLabel: "dollars", Series: []string{"s"}, Rows: []figure.ForestRow{
			{Name: "a", Text: c.text, Marks: []figure.Mark{{At: c.at, From: c.from, To: c.to}}}}}
		if all := strings.Join(seen.Faults(f), "; "); strings.Contains(all, "four digits") != c.fault {
			t.Errorf("%s: %s", c.text, all)
		}
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
