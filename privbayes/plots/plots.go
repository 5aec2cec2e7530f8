// Package plots draws figures in pixels, for notebooks: the layout is the figure's own, as in [figure.Figure.SVG].
//
// The same figure gives the same bytes on every run.
package plots

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"image/color"
	stdraw "image/draw"
	"image/png"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
)

// dpi gives pictures that are sharp on a page and small in a repository.
const dpi = 110

// PNG renders a figure or a graph for notebooks: paletted, so that it is small, and the same bytes for the same figure.
// It carries what the picture shows in words, and the record of what is drawn.
// Errors: *figure.FigureError for what cannot be drawn, *dp.ParameterError.
func PNG(f figure.Drawing) ([]byte, error) {
	r, err := figure.NewRecord(f)
	if err != nil {
		return nil, err
	}
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(r.Width)*vg.Inch, vg.Length(r.Height)*vg.Inch), vgimg.UseDPI(dpi))
	if err := f.Draw(pixels{draw.New(c)}); err != nil {
		return nil, err
	}
	card(c.Image())
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, paletted(c.Image())); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return described(b.Bytes(), r)
}

// card gives a picture a thin border, so that on a dark page it is a card.
func card(m stdraw.Image) {
	r, line := m.Bounds(), color.RGBA{226, 226, 226, 255}
	for x := r.Min.X; x < r.Max.X; x++ {
		m.Set(x, r.Min.Y, line)
		m.Set(x, r.Max.Y-1, line)
	}
	for y := r.Min.Y; y < r.Max.Y; y++ {
		m.Set(r.Min.X, y, line)
		m.Set(r.Max.X-1, y, line)
	}
}

// pixels is a canvas of pixels.
type pixels struct{ draw.Canvas }

// face is a font in pixels.
func face(f figure.Font) font.Face {
	of := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if f.Bold {
		of.Weight = 3 // bold, by its number: the package that names it is not a direct dependency
	}
	return plot.DefaultTextHandler.Cache().Lookup(of, vg.Length(f.Size))
}

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

// Write writes a text, character by character at the widths of the layout: the font's pairs would let a comma vanish
// under a P, and narrow an 11.
func (p pixels) Write(t figure.Text, at figure.Point, words string) {
	p.SetColor(t.Color)
	p.Push()
	p.Translate(vg.Point{X: vg.Length(at.X), Y: vg.Length(at.Y)})
	p.Rotate(t.Angle)
	x := t.X * t.Width(words)
	for _, run := range figure.Runs(words, t.Font) {
		in := face(run.Font)
		for _, r := range run.Text {
			p.FillString(in, vg.Point{X: vg.Length(x), Y: vg.Length(t.Baseline() + run.Rise)}, string(r))
			x += run.Font.Advance(r)
		}
	}
	p.Pop()
}

// recordKey is the keyword of the text of a PNG that holds the record of the drawing, which internal/seen reads;
// descriptionKey that of what the picture shows, in words.
const (
	recordKey      = "privbayes"
	descriptionKey = "Description"
	header         = 8 + 12 + 13 // signature and IHDR
)

// described puts a picture's record and its words behind the header of its PNG.
func described(png []byte, r *figure.Record) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	out.Write(png[:header])
	for _, t := range []struct {
		key  string
		text []byte
	}{{descriptionKey, []byte(r.Alt)}, {recordKey, text}} {
		var packed bytes.Buffer
		z, _ := zlib.NewWriterLevel(&packed, zlib.BestCompression) // the level is one that there is
		_, _ = z.Write(t.text)                                     // a buffer takes all
		_ = z.Close()
		chunk := append([]byte("iTXt"+t.key+"\x00\x01\x00\x00\x00"), packed.Bytes()...)
		out.Write(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)))
		out.Write(chunk)
		out.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	}
	out.Write(png[header:])
	return out.Bytes(), nil
}
