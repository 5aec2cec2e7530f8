// Package plots draws the figures that package eval describes: PNG for notebooks, SVG for files.
//
// Importing it also teaches reports to embed pictures.
package plots

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/eval"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgsvg"
)

func init() { eval.RegisterRenderer(SVG) }

// The colour-blind-safe palette of Okabe and Ito (2008), without yellow, which is too light for lines.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255}, {230, 159, 0, 255}, {0, 0, 0, 255},
}

var grey = color.RGBA{110, 110, 110, 255}

// Size of a figure.
const (
	width  = 6.2 * vg.Inch
	height = 3.9 * vg.Inch
)

// Drawing is a figure that can be shown: PNG in a notebook, its table twin as text.
type Drawing struct{ Figure *eval.Figure }

// Draw wraps a figure.
func Draw(f *eval.Figure) Drawing { return Drawing{f} }

// PNG renders the figure.
func (d Drawing) PNG() ([]byte, error) { return PNG(d.Figure) }

// SVG renders the figure.
func (d Drawing) SVG() ([]byte, error) { return SVG(d.Figure) }

// String is the table twin.
func (d Drawing) String() string { return d.Figure.String() }

// HTML is the table twin.
func (d Drawing) HTML() string { return d.Figure.HTML() }

// SVG renders a figure for files and reports; the same bytes for the same figure. Errors: *eval.FigureError.
func SVG(f *eval.Figure) ([]byte, error) {
	p, err := build(f)
	if err != nil {
		return nil, err
	}
	c := vgsvg.New(width, height)
	layout(p, f, draw.New(c))
	var b bytes.Buffer
	if _, err := c.WriteTo(&b); err != nil {
		return nil, fmt.Errorf("plots: %w", err)
	}
	return b.Bytes(), nil
}

// layout draws the plot with its caption and, for private figures, its stamp below.
func layout(p *plot.Plot, f *eval.Figure, c draw.Canvas) {
	const foot = 0.36 * vg.Inch
	p.Draw(draw.Crop(c, 0.04*vg.Inch, -0.12*vg.Inch, foot, -0.06*vg.Inch))
	style := text.Style{Color: grey, Font: font.From(plot.DefaultFont, 8.5), Handler: plot.DefaultTextHandler}
	c.FillText(style, vg.Point{X: 0.12 * vg.Inch, Y: c.Min.Y + 0.19*vg.Inch}, f.Caption)
	if f.Private {
		style.Color = color.RGBA{170, 30, 30, 255}
		c.FillText(style, vg.Point{X: 0.12 * vg.Inch, Y: c.Min.Y + 0.05*vg.Inch}, "private: do not publish")
	}
}

// build makes the gonum plot of a figure.
func build(f *eval.Figure) (*plot.Plot, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	p := plot.New()
	p.Title.Text = f.Title
	p.Title.TextStyle.Font.Size = 12
	p.Title.Padding = 6
	p.X.Label.Text, p.Y.Label.Text = f.XLabel, f.YLabel
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size = 10.5, 9.5
		a.Label.Padding = 4
		a.LineStyle.Color, a.Tick.LineStyle.Color = grey, grey
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = color.Gray{228}, color.Gray{228}
	p.Add(grid)
	p.Legend.Top = true
	p.Legend.TextStyle.Font.Size = 9.5
	p.Legend.Padding = 2
	if err := addSeries(p, f); err != nil {
		return nil, err
	}
	addReferences(p, f)
	roomForLegend(p, f)
	scales(p, f)
	return p, nil
}

func addSeries(p *plot.Plot, f *eval.Figure) error {
	bars := 0
	for i, s := range f.Series {
		col := palette[i%len(palette)]
		pts := make(plotter.XYs, len(s.X))
		for k := range s.X {
			pts[k] = plotter.XY{X: s.X[k], Y: s.Y[k]}
		}
		switch s.Kind {
		case eval.Bars:
			b, err := plotter.NewBarChart(plotter.Values(s.Y), 0.5*vg.Inch)
			if err != nil {
				return fmt.Errorf("plots: %w", err)
			}
			b.Color, b.LineStyle.Width = col, 0
			b.Offset = vg.Length(bars) * 0.55 * vg.Inch
			bars++
			p.Add(b)
			if len(f.Series) > 1 {
				p.Legend.Add(s.Name, b)
			}
			labels(p, s)
			continue
		case eval.Points:
			sc, err := plotter.NewScatter(pts)
			if err != nil {
				return fmt.Errorf("plots: %w", err)
			}
			sc.GlyphStyle = draw.GlyphStyle{Color: col, Radius: 3.2, Shape: draw.CircleGlyph{}}
			p.Add(sc)
			p.Legend.Add(s.Name, sc)
			continue
		case eval.Band:
			if err := band(p, s, col); err != nil {
				return err
			}
		}
		l, err := plotter.NewLine(pts)
		if err != nil {
			return fmt.Errorf("plots: %w", err)
		}
		l.Color, l.Width = col, 1.8
		if s.Dashed {
			l.Dashes = []vg.Length{5, 3}
		}
		if s.Kind == eval.Step {
			l.StepStyle = plotter.MidStep
		}
		p.Add(l)
		if s.Kind == eval.Band {
			sc, err := plotter.NewScatter(pts)
			if err != nil {
				return fmt.Errorf("plots: %w", err)
			}
			sc.GlyphStyle = draw.GlyphStyle{Color: col, Radius: 2.6, Shape: draw.CircleGlyph{}}
			p.Add(sc)
		}
		p.Legend.Add(s.Name, l)
	}
	return nil
}

// labels writes the value over each bar.
func labels(p *plot.Plot, s eval.Series) {
	xy := plotter.XYLabels{}
	for k := range s.Y {
		xy.XYs = append(xy.XYs, plotter.XY{X: float64(k), Y: s.Y[k]})
		xy.Labels = append(xy.Labels, strconv.FormatFloat(s.Y[k], 'f', 3, 64))
	}
	l, err := plotter.NewLabels(xy)
	if err != nil {
		return // no labels for an empty series
	}
	for k := range l.TextStyle {
		l.TextStyle[k].XAlign, l.TextStyle[k].Font.Size = text.XCenter, 9.5
	}
	l.Offset = vg.Point{Y: 3}
	p.Add(l)
}

// band shades between Lo and Hi in a light tint of the line's colour.
func band(p *plot.Plot, s eval.Series, col color.RGBA) error {
	outline := make(plotter.XYs, 0, 2*len(s.X))
	for k := range s.X {
		outline = append(outline, plotter.XY{X: s.X[k], Y: s.Hi[k]})
	}
	for k := len(s.X) - 1; k >= 0; k-- {
		outline = append(outline, plotter.XY{X: s.X[k], Y: s.Lo[k]})
	}
	g, err := plotter.NewPolygon(outline)
	if err != nil {
		return fmt.Errorf("plots: %w", err)
	}
	g.Color = color.NRGBA{col.R, col.G, col.B, 48}
	g.LineStyle.Width = 0
	p.Add(g)
	return nil
}

// addReferences draws dashed horizontal lines with their names at the right end.
func addReferences(p *plot.Plot, f *eval.Figure) {
	for _, h := range f.HLines {
		fn := plotter.NewFunction(func(float64) float64 { return h.Y })
		fn.Color, fn.Width, fn.Dashes, fn.Samples = grey, 1.1, []vg.Length{4, 3}, 2
		p.Add(fn)
		p.Y.Min, p.Y.Max = math.Min(p.Y.Min, h.Y), math.Max(p.Y.Max, h.Y)
		xy := plotter.XYLabels{XYs: plotter.XYs{{X: p.X.Max, Y: h.Y}}, Labels: []string{h.Name}}
		if l, err := plotter.NewLabels(xy); err == nil {
			l.TextStyle[0].XAlign, l.TextStyle[0].Color, l.TextStyle[0].Font.Size = text.XRight, grey, 9
			l.Offset = vg.Point{X: -2, Y: 3}
			p.Add(l)
		}
	}
}

// roomForLegend raises the top so that the legend never covers data.
func roomForLegend(p *plot.Plot, f *eval.Figure) {
	entries := 0
	for _, s := range f.Series {
		if s.Kind != eval.Bars || len(f.Series) > 1 {
			entries++
		}
	}
	if entries > 0 && !f.LogY {
		p.Y.Max += (p.Y.Max - p.Y.Min) * 0.075 * float64(entries)
	}
}

// scales sets ranges, logarithmic axes and ticks.
func scales(p *plot.Plot, f *eval.Figure) {
	pad := 0.06 * (p.Y.Max - p.Y.Min)
	if pad == 0 {
		pad = 0.5
	}
	if f.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.LogTicks{Prec: -1}
	} else {
		p.Y.Max += 1.5 * pad
		if p.Y.Min != 0 {
			p.Y.Min -= pad
		}
	}
	if f.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, ticksAt(f)
	}
	if len(f.XTicks) > 0 {
		p.NominalX(f.XTicks...)
		p.Y.Min = 0
		p.X.Min, p.X.Max = -0.6, float64(len(f.XTicks))-0.4
	}
}

// ticksAt marks the x values that were computed: on a logarithmic axis of a handful of ε these say more than powers of ten.
func ticksAt(f *eval.Figure) plot.Ticker {
	seen, ticks := map[float64]bool{}, plot.ConstantTicks{}
	for _, s := range f.Series {
		for _, x := range s.X {
			if !seen[x] {
				seen[x] = true
				ticks = append(ticks, plot.Tick{Value: x, Label: strconv.FormatFloat(x, 'g', 4, 64)})
			}
		}
	}
	if len(ticks) > 12 {
		return plot.LogTicks{Prec: -1}
	}
	return ticks
}
