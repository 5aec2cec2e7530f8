package plots_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
	"pgregory.net/rapid"
)

// colours counts the pixels of each colour.
func colours(t testing.TB, f *figure.Figure) map[string]int {
	t.Helper()
	b, err := plots.PNG(f)
	if err != nil {
		t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	pal, ok := m.(*image.Paletted)
	if !ok {
		t.Fatalf("%T is not paletted", m)
	}
	var counts [256]int
	for _, i := range pal.Pix {
		counts[i]++
	}
	out := map[string]int{}
	for i, c := range pal.Palette {
		cr, cg, cb, _ := c.RGBA()
		out[fmt.Sprintf("%02x%02x%02x", cr>>8, cg>>8, cb>>8)] += counts[i]
		if cr>>8 > cg>>8+50 && cr>>8 > cb>>8+50 {
			out["reddish"] += counts[i] // thin letters are blends of red and white
		}
	}
	return out
}

func TestEverySeriesHasItsColour(t *testing.T) {
	seen := colours(t, figures()["three"])
	for _, c := range []string{"0072b2", "d55e00", "009e73"} {
		if seen[c] < 100 {
			t.Errorf("%d pixels of %s", seen[c], c)
		}
	}
	if seen["ffffff"] < 50_000 {
		t.Error("the background is not white")
	}
}

// The stamp is the only red thing in a figure whose one series is blue: it is there for private figures and for no others.
func TestPrivateFiguresAreStamped(t *testing.T) {
	f := *figures()["points"]
	stamped := colours(t, &f)
	svg, err := plots.SVG(&f)
	if err != nil || !bytes.Contains(svg, []byte("private: do not publish")) || stamped["reddish"] < 100 {
		t.Error("no stamp", stamped["reddish"], err)
	}
	f.Private = false
	plain := colours(t, &f)
	if svg, err = plots.SVG(&f); err != nil || bytes.Contains(svg, []byte("private")) || plain["reddish"] > 0 {
		t.Error("a public figure is stamped", err)
	}
}

func TestSize(t *testing.T) {
	f := figures()["bars"]
	b, err := plots.Draw(f, plots.Size(4, 3)).PNG()
	if err != nil {
		t.Fatal(err)
	}
	if c, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || c.Width != 440 || c.Height != 330 {
		t.Error(c.Width, c.Height, err)
	}
	long := *f
	long.Caption = strings.Repeat("many words ", 200)
	for name, draw := range map[string]func() ([]byte, error){
		"tiny": plots.Draw(f, plots.Size(1, 1)).PNG, "huge": plots.Draw(f, plots.Size(1e6, 3)).SVG, "NaN": plots.Draw(f, plots.Size(math.NaN(), 3)).PNG,
		"no room beside the words": plots.Draw(&long, plots.Size(2.5, 1.8)).PNG,
	} {
		var se *plots.SizeError
		if _, err := draw(); !errors.As(err, &se) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := plots.PNG(&long); err != nil {
		t.Error("a long caption is cut, not refused:", err)
	}
}

// Any figure that can be validated is drawn or refused with a typed error, whatever its numbers and names: no panic, and XML.
func TestAnyFigureIsDrawnOrRefused(t *testing.T) {
	kinds := []figure.SeriesKind{"", figure.Line, figure.Points, figure.Band, figure.Bars, figure.Step}
	names := []string{"", "a", "<&\"'>", "line\nbreak\x00\x1b", "\xff", strings.Repeat("word ", 40), strings.Repeat("x", 300), "ε ≤ 1"}
	tame := []float64{0.5, 1, 1e-9, 3, 0.2, 12345678, 1e-100}
	wild := append([]float64{0, -1, 1e-300, 1e300, -1e300, math.MaxFloat64, 3.0000000000000004}, tame...)
	rapid.Check(t, func(t *rapid.T) {
		values := wild
		if rapid.Bool().Draw(t, "tame") {
			values = tame // most of these can be drawn
		}
		name := func(l string) string { return rapid.SampledFrom(names).Draw(t, l) }
		value := func(l string) float64 { return rapid.SampledFrom(values).Draw(t, l) }
		f := &figure.Figure{Title: name("title"), XLabel: name("x label"), YLabel: name("y label"), Caption: name("caption"), Private: rapid.Bool().Draw(t, "private")}
		f.LogX, f.LogY = rapid.Bool().Draw(t, "log x"), rapid.Bool().Draw(t, "log y")
		for range rapid.IntRange(1, 3).Draw(t, "series") {
			s := figure.Series{Name: name("name"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"), Guide: rapid.Bool().Draw(t, "guide")}
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
		b, err := plots.SVG(f)
		if err != nil {
			var fe *figure.FigureError
			var se *plots.SizeError
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

func ExampleSize() {
	f := &figure.Figure{Title: "Two points", XLabel: "x", YLabel: "y", Series: []figure.Series{{Name: "s", X: []float64{0, 1}, Y: []float64{1, 2}}}}
	b, err := plots.PNG(f, plots.Size(4, 3))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := png.DecodeConfig(bytes.NewReader(b))
	fmt.Println(c.Width, c.Height, err)
	// Output: 440 330 <nil>
}

func BenchmarkPNG(b *testing.B) {
	f := figures()["three"]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := plots.PNG(f); err != nil {
			b.Fatal(err)
		}
	}
}
