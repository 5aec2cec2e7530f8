package figure_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/privbayes/dp"
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

// everything is a figure with all that can be drawn on plain axes.
func everything() *figure.Figure {
	return &figure.Figure{
		Title: "All <kinds> & a long title", XLabel: "attribute", YLabel: "error (records)",
		Caption: "ε = 1, \"votes\", replace-one", Private: true,
		XTicks: []string{"one", "a name that is too long for its place", "three"},
		HLines: []figure.Reference{{Name: "non-private", Y: 2}},
		Series: []figure.Series{
			{Name: "bars", Kind: figure.Bars, X: []float64{0, 1, 2}, Y: []float64{3, -1, 2}, Lo: []float64{2, -2, 1},
				Hi: []float64{4, 0, 3}},
			{Name: "points", Kind: figure.Points, X: []float64{0, 2}, Y: []float64{1, 1.5}},
			{Name: "band", Kind: figure.Band, X: []float64{0, 1, 2}, Y: []float64{1, 1, 1}, Lo: []float64{0, 0, 0},
				Hi: []float64{2, 2, 2}},
			{Name: "steps", Kind: figure.Step, X: []float64{0, 1, 2}, Y: []float64{1, 2, 3}},
			{Name: "dashed", X: []float64{0, 2}, Y: []float64{3, 1}, Dashed: true},
			{Name: "guide", X: []float64{0, 2}, Y: []float64{0, 3}, Guide: true},
		},
	}
}

// elements counts the elements of a picture by name, and lists its texts.
func elements(t *testing.T, svg []byte) (count map[string]int, texts []string) {
	t.Helper()
	count = map[string]int{}
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		switch e := token.(type) {
		case xml.StartElement:
			count[e.Name.Local]++
		case xml.CharData:
			if s := strings.TrimSpace(string(e)); s != "" {
				texts = append(texts, s)
			}
		}
		if errors.Is(err, io.EOF) {
			return count, texts
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// A picture has its parts, says its words as text, refers to nothing, and is the same every time; names are no markup.
func TestSVG(t *testing.T) {
	f := everything()
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if path := os.Getenv("PRIVBAYES_PICTURES"); path != "" { // to look at it
		if err := os.WriteFile(path+"/everything.svg", svg, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	again, err := f.SVG()
	if err != nil || !bytes.Equal(svg, again) {
		t.Error("two pictures of one figure differ", err)
	}
	count, texts := elements(t, svg)
	for name, least := range map[string]int{"svg": 1, "polygon": 5, "polyline": 20, "text": 15} {
		if count[name] < least {
			t.Errorf("%d elements %s, want at least %d", count[name], name, least)
		}
	}
	for name := range count {
		if !strings.Contains("svg title desc style polygon polyline circle text tspan", name) {
			t.Errorf("an element %q", name)
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{f.Title, f.YLabel, f.Caption, "one", "non-private",
		"PRIVATE – for the data holder only. Shows " +
			"values computed from the raw records.", "bars", "guide", "−2"} {
		if !strings.Contains(all, want) && !strings.Contains(all, strings.TrimSuffix(want, ".0")) {
			t.Errorf("%q is not said:\n%s", want, all)
		}
	}
	for _, dashes := range []string{`stroke-dasharray="5 3"`, `stroke-dasharray="3 3"`,
		`stroke-dasharray="4 3"`} { // dashed, guide, reference
		if !bytes.Contains(svg, []byte(dashes)) {
			t.Error("no", dashes)
		}
	}
	if bytes.Contains(svg, []byte("href")) || bytes.Contains(svg, []byte("url(")) {
		t.Error("the picture refers to something")
	}
	f.Private = false
	if svg, err = f.SVG(); err != nil || bytes.Contains(svg, []byte("PRIVATE")) {
		t.Error("a public figure is stamped", err)
	}
}

// The values of one series stand beside the rows, all with the same decimals; an estimate has its interval there.
func TestRowsSayTheirValues(t *testing.T) {
	bars := figure.Series{Kind: figure.Bars, X: []float64{0, 1, 2}, Y: []float64{48.08, 22.63, 5.3e-16}}
	f := &figure.Figure{XTicks: []string{"a", "b", "c"}, YLabel: "ns", Series: []figure.Series{bars}}
	said := func() string {
		svg, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		_, texts := elements(t, svg)
		texts = texts[slices.IndexFunc(texts, func(s string) bool { return strings.HasPrefix(s, "@media") }):]
		return strings.Join(texts, "|")
	}
	for _, want := range []string{"|48.1|", "|22.6|", "|< 0.1"} {
		if got := said(); !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	f.Series[0].Lo, f.Series[0].Hi = []float64{46, 21, 0}, []float64{50, 24, 1}
	if got := said(); !strings.Contains(got, "48.1 (46.0 to 50.0)") {
		t.Error(got)
	}
	f.Series = append(f.Series, bars)
	if got := said(); strings.Contains(got, "48.1") {
		t.Error("numbers of two series in one row:", got)
	}
}

// Logarithmic axes mark 1, 2 and 5 of each decade or the values themselves, and place decades at equal distances.
func TestLogarithmicTicks(t *testing.T) {
	f := &figure.Figure{Title: "t", LogX: true, LogY: true,
		Series: []figure.Series{{Name: "s", X: []float64{0.1, 0.5, 10}, Y: []float64{1e-6, 1e-3, 1}}}}
	svg, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	_, texts := elements(t, svg)
	all := "\n" + strings.Join(texts, "\n") + "\n"
	for _, want := range []string{"0.1", "0.5", "10", "10", "−6", "1"} {
		if !strings.Contains(all, "\n"+want+"\n") {
			t.Errorf("no tick %s:%s", want, all)
		}
	}
	if strings.Contains(all, "\n0.2\n") {
		t.Error("a tick where no value is", all)
	}
}

// Any figure that can be validated is drawn or refused with a typed error, whatever its numbers and names: no panic,
// and XML.
func TestAnyFigureIsDrawnOrRefused(t *testing.T) {
	kinds := []figure.SeriesKind{"", figure.Line, figure.Points, figure.Band, figure.Bars, figure.Step}
	names := []string{"", "a", "<&\"'>", "line\nbreak\x00\x1b", "\xff", strings.Repeat("word ", 40),
		strings.Repeat("x", 300), "ε ≤ 1"}
	tame := []float64{0.5, 1, 1e-9, 3, 0.2, 12345678, 1e-100}
	wild := append([]float64{0, -1, 1e-300, 1e300, -1e300, math.MaxFloat64, 3.0000000000000004}, tame...)
	rapid.Check(t, func(t *rapid.T) {
		values := wild
		if rapid.Bool().Draw(t, "tame") {
			values = tame // most of these can be drawn
		}
		name := func(l string) string { return rapid.SampledFrom(names).Draw(t, l) }
		value := func(l string) float64 { return rapid.SampledFrom(values).Draw(t, l) }
		f := &figure.Figure{Title: name("title"), XLabel: name("x label"), YLabel: name("y label"),
			Caption: name("caption"), Private: rapid.Bool().Draw(t, "private")}
		f.LogX, f.LogY = rapid.Bool().Draw(t, "log x"), rapid.Bool().Draw(t, "log y")
		for range rapid.IntRange(1, 3).Draw(t, "series") {
			s := figure.Series{Name: name("name"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
				Guide: rapid.Bool().Draw(t, "guide")}
			for range rapid.IntRange(1, 4).Draw(t, "points") {
				y := value("y")
				s.X, s.Y = append(s.X, value("x")), append(s.Y, y)
				if s.Kind == figure.Band {
					s.Lo, s.Hi = append(s.Lo, y), append(s.Hi, y)
				}
			}
			f.Series = append(f.Series, s)
		}
		if rapid.Bool().Draw(t, "reference") {
			f.HLines = []figure.Reference{{Name: name("reference"), Y: value("at")}}
		}
		b, err := f.SVG()
		if err != nil {
			var fe *figure.FigureError
			var se *dp.ParameterError
			if !errors.As(err, &fe) && !errors.As(err, &se) {
				t.Fatal(err)
			}
			return
		}
		if bytes.Contains(b, []byte("NaN")) || bytes.Contains(b, []byte("Inf")) {
			t.Fatal("a coordinate is not a number")
		}
		for d := xml.NewDecoder(bytes.NewReader(b)); ; {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatal(err)
			}
		}
	})
}
