// Package plots draws figures in pixels, for notebooks: the layout is the figure's own, as in [figure.Figure.SVG].
//
// The same figure gives the same bytes on every run.
package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"image/png"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"

	"github.com/privbayes/privbayes-go/privbayes/figure"
)

// dpi gives pictures that are sharp on a page and small in a repository.
const dpi = 110

// PNG renders a figure or a graph for notebooks: paletted, so that it is small, and the same bytes for the same figure.
// Errors: *figure.FigureError for what cannot be drawn, *dp.ParameterError.
func PNG(f figure.Drawing) ([]byte, error) {
	w, h, err := f.Size()
	if err != nil {
		return nil, err
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(w)*vg.Inch, vg.Length(h)*vg.Inch), vgimg.UseDPI(dpi))
	if err := f.Draw(pixels{draw.New(c)}); err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, paletted(c.Image())); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return b.Bytes(), nil
}

// pixels is a canvas of pixels.
type pixels struct{ draw.Canvas }

// style is how the text is written there, at the left end and the bottom of its place.
func style(f figure.Font) text.Style {
	s := text.Style{Font: font.Font{Typeface: "Liberation", Variant: "Sans", Size: vg.Length(f.Size)},
		Handler: plot.DefaultTextHandler}
	if f.Bold {
		s.Font.Weight = 3 // bold, by its number: the package that names it is not a direct dependency
	}
	return s
}

// Width is that of a text.
func (p pixels) Width(text string, f figure.Font) float64 { return float64(style(f).Width(text)) }

// path goes through points.
func path(points []figure.Point) []vg.Point {
	out := make([]vg.Point, len(points))
	for i, q := range points {
		out[i] = vg.Point{X: vg.Length(q.X), Y: vg.Length(q.Y)}
	}
	return out
}

// Fill fills a polygon.
func (p pixels) Fill(c color.Color, outline []figure.Point) { p.FillPolygon(c, path(outline)) }

// Stroke draws a line through points.
func (p pixels) Stroke(s figure.Stroke, line []figure.Point) {
	l := draw.LineStyle{Color: s.Color, Width: vg.Length(s.Width)}
	for _, d := range s.Dashes {
		l.Dashes = append(l.Dashes, vg.Length(d))
	}
	p.StrokeLines(l, path(line))
}

// glyphs draw the shapes of canvas, in their order.
var glyphs = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.RingGlyph{},
	draw.SquareGlyph{}, draw.TriangleGlyph{}}

// Mark draws a mark.
func (p pixels) Mark(s figure.Shape, at figure.Point, radius float64, c color.RGBA) {
	p.DrawGlyphNoClip(draw.GlyphStyle{Color: c, Radius: vg.Length(radius), Shape: glyphs[s]},
		vg.Point{X: vg.Length(at.X), Y: vg.Length(at.Y)})
}

// Write writes a text.
func (p pixels) Write(t figure.Text, at figure.Point, words string) {
	s := style(t.Font)
	s.Color, s.Rotation, s.XAlign, s.YAlign = t.Color, t.Angle, text.XAlignment(t.X), text.YAlignment(t.Y)
	p.FillText(s, vg.Point{X: vg.Length(at.X), Y: vg.Length(at.Y)}, words)
}
