package plots

import (
	"image/color"
	"strings"
	"unicode"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// The colour-blind-safe palette of Okabe and Ito (2008), without yellow, which is too light for lines.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255},
}

// Shapes tell series apart where colours cannot, as in print.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}

var (
	ink     = color.RGBA{40, 40, 40, 255}
	grey    = color.RGBA{105, 105, 105, 255}
	light   = color.RGBA{228, 228, 228, 255}
	stamp   = color.RGBA{170, 30, 30, 255}
	backing = color.NRGBA{255, 255, 255, 205} // behind words inside the plot
)

// look is how a series is drawn.
type look struct {
	colour color.RGBA
	line   draw.LineStyle
	glyph  draw.GlyphStyle
}

// looks gives each series its own colour and shape, in order; guides are grey and take none.
func looks(f *figure.Figure) []look {
	out, k := make([]look, len(f.Series)), 0
	for i, s := range f.Series {
		if s.Guide {
			out[i] = look{grey, draw.LineStyle{Color: grey, Width: 1, Dashes: []vg.Length{3, 3}}, draw.GlyphStyle{Color: grey, Radius: 2.5, Shape: draw.CircleGlyph{}}}
			continue
		}
		l := look{colour: palette[k%len(palette)]}
		l.line = draw.LineStyle{Color: l.colour, Width: 1.8}
		if s.Dashed {
			l.line.Dashes = []vg.Length{5, 3}
		}
		l.glyph = draw.GlyphStyle{Color: l.colour, Radius: 2.7, Shape: shapes[k%len(shapes)]}
		if s.Kind == figure.Points {
			l.glyph.Radius = 3.2
		}
		out[i] = l
		k++
	}
	return out
}

func sans(size vg.Length) font.Font {
	return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size}
}

func words(size vg.Length, c color.Color) text.Style {
	return text.Style{Color: c, Font: sans(size), Handler: plot.DefaultTextHandler}
}

func bold(size vg.Length, c color.Color) text.Style {
	s := words(size, c)
	s.Font.Weight = 3 // bold, by its number: the package that names it is not a direct dependency
	return s
}

// printable drops what a picture cannot show and XML must not hold.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar || r == 0xfffe || r == 0xffff {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, " "))
}

// wrap breaks a text into lines that fit the width, at most limit of them; what does not fit ends in an ellipsis.
func wrap(s string, style text.Style, width vg.Length, limit int) []string {
	var lines []string
	line := ""
	for _, w := range strings.Fields(printable(s)) {
		switch longer := strings.TrimSpace(line + " " + w); {
		case style.Width(longer) <= width:
			line = longer
		case line == "":
			line = fit(w, style, width)
		default:
			lines = append(lines, line)
			line = fit(w, style, width)
		}
	}
	if line != "" {
		lines = append(lines, line)
	}
	if len(lines) > limit {
		lines = append(lines[:limit-1:limit-1], fit(lines[limit-1]+" …", style, width))
	}
	return lines
}

// fit cuts a text to the width.
func fit(s string, style text.Style, width vg.Length) string {
	if style.Width(s) <= width {
		return s
	}
	runes := []rune(s)
	lo, hi := 0, len(runes) // the longest start that fits with an ellipsis, by bisection
	for lo < hi {
		if mid := (lo + hi + 1) / 2; style.Width(string(runes[:mid])+"…") <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	return string(runes[:lo]) + "…"
}
