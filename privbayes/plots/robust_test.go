package plots_test

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/plots"
)

// colours counts the pixels of each colour.
func colours(t testing.TB, f *figure.Figure) map[string]int {
	t.Helper()
	b := must.Get(plots.PNG(f))(t)
	m := must.Get(png.Decode(bytes.NewReader(b)))(t)
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
	for _, c := range []string{"0072b2", "c24e00", "007a59"} {
		if seen[c] < 100 {
			t.Errorf("%d pixels of %s", seen[c], c)
		}
	}
	if seen["ffffff"] < 50_000 {
		t.Error("the background is not white")
	}
}

// The stamp is the only red thing in a figure whose one series is blue: it is there for private figures and for no
// others.
func TestPrivateFiguresAreStamped(t *testing.T) {
	f := *figures()["points"]
	stamped := colours(t, &f)
	svg, err := f.SVG()
	if err != nil || !bytes.Contains(svg, []byte("PRIVATE – for the data holder only.")) || stamped["reddish"] < 100 {
		t.Error("no stamp", stamped["reddish"], err)
	}
	f.Private = false
	plain := colours(t, &f)
	if svg, err = f.SVG(); err != nil || bytes.Contains(svg, []byte("PRIVATE")) || plain["reddish"] > 0 {
		t.Error("a public figure is stamped", err)
	}
}

func TestSize(t *testing.T) {
	f := figures()["bars"]
	sized := func(f figure.Figure, w, h float64) *figure.Figure {
		f.Width, f.Height = w, h
		return &f
	}
	b := must.Get(plots.PNG(sized(*f, 4, 3)))(t)
	if c, err := png.DecodeConfig(bytes.NewReader(b)); err != nil || c.Width != 440 || c.Height != 330 {
		t.Error(c.Width, c.Height, err)
	}
	long := *f
	long.Caption = strings.Repeat("many words ", 200)
	for name, f := range map[string]*figure.Figure{
		"tiny": sized(*f, 1, 1), "huge": sized(*f, 1e6, 3), "NaN": sized(*f, math.NaN(), 3), "half": sized(*f, 4, 0),
		"no room beside the words": sized(long, 2.5, 1.8),
	} {
		for form, draw := range map[string]func() ([]byte, error){"SVG": f.SVG,
			"PNG": func() ([]byte, error) { return plots.PNG(f) }} {
			var se *dp.ParameterError
			if _, err := draw(); !errors.As(err, &se) {
				t.Errorf("%s, %s: %v", name, form, err)
			}
		}
	}
	if _, err := plots.PNG(&long); err != nil {
		t.Error("a long caption is cut, not refused:", err)
	}
}

// The text of vector pictures is laid out by a table of widths; pixels measure the font itself. Both agree on what
// figures say.
func TestWidthsAgreeWithTheFont(t *testing.T) {
	for name, f := range figures() {
		for _, words := range append([]string{f.Title, f.XLabel, f.YLabel, f.Caption, "0.001", "1e-06"}, f.XTicks...) {
			for _, bold := range []bool{false, true} {
				table, font := plots.Widths(words, bold)
				if math.Abs(table-font) > 0.07*font+2 {
					t.Errorf("%s: %q, bold %v: %.1f by the table, %.1f in the font", name, words, bold, table, font)
				}
			}
		}
	}
}

func BenchmarkPNG(b *testing.B) {
	f := figures()["three"]
	b.ReportAllocs()
	for b.Loop() {
		must.Get(plots.PNG(f))(b)
	}
}
