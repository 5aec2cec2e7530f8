package plots

import (
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// painter is a plotter made of a function.
type painter func(c draw.Canvas, p *plot.Plot)

// Plot draws; gonum/plot calls it.
func (f painter) Plot(c draw.Canvas, p *plot.Plot) { f(c, p) }

// tint is the light form of a colour for bands.
func tint(c color.RGBA) color.Color { return color.NRGBA{c.R, c.G, c.B, 45} }

// addData adds, from the back to the front: bands, bars, reference lines, lines and points, the names of references.
func addData(p *plot.Plot, f *figure.Figure) {
	all := looks(f)
	for i, s := range f.Series {
		if s.Kind == figure.Band {
			p.Add(painter(func(c draw.Canvas, p *plot.Plot) { drawBand(c, p, s, all[i]) }))
		}
	}
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) { drawBars(c, p, f, all) }))
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) { drawReferences(c, p, f) }))
	for i, s := range f.Series {
		if s.Kind != figure.Bars {
			p.Add(painter(func(c draw.Canvas, p *plot.Plot) { drawLine(c, p, s, all[i]) }))
		}
	}
	p.Add(painter(func(c draw.Canvas, p *plot.Plot) { nameReferences(c, p, f) }))
}

// points are places of a list of values on the canvas.
func points(c draw.Canvas, p *plot.Plot, x, y []float64) []vg.Point {
	trX, trY := p.Transforms(&c)
	out := make([]vg.Point, len(x))
	for i := range x {
		out[i] = vg.Point{X: trX(x[i]), Y: trY(y[i])}
	}
	return out
}

// path is the line of a series: through its points, or in steps that jump half way between them.
func path(c draw.Canvas, p *plot.Plot, s figure.Series) []vg.Point {
	pts := points(c, p, s.X, s.Y)
	if s.Kind != figure.Step {
		return pts
	}
	out := pts[:1:1]
	for i := 1; i < len(pts); i++ {
		mid := (pts[i-1].X + pts[i].X) / 2
		out = append(out, vg.Point{X: mid, Y: pts[i-1].Y}, vg.Point{X: mid, Y: pts[i].Y})
	}
	return append(out, pts[len(pts)-1])
}

func drawLine(c draw.Canvas, p *plot.Plot, s figure.Series, l look) {
	pts := path(c, p, s)
	if s.Kind != figure.Points {
		c.StrokeLines(l.line, pts)
	}
	if s.Kind == figure.Points || s.Kind == figure.Band || len(s.X) == 1 { // a single point has no line to show it
		for i, pt := range points(c, p, s.X, s.Y) {
			if s.Kind == figure.Points && len(s.Lo) > 0 {
				whisker(c, p, s, i, pt.X, draw.LineStyle{Color: l.colour, Width: 1})
			}
			c.DrawGlyphNoClip(l.glyph, pt)
		}
	}
}

// drawBand shades between Lo and Hi.
func drawBand(c draw.Canvas, p *plot.Plot, s figure.Series, l look) {
	outline := points(c, p, s.X, s.Hi)
	low := points(c, p, s.X, s.Lo)
	for k := len(low) - 1; k >= 0; k-- {
		outline = append(outline, low[k])
	}
	c.FillPolygon(tint(l.colour), outline)
}

// whisker is the range of one value.
func whisker(c draw.Canvas, p *plot.Plot, s figure.Series, i int, x vg.Length, style draw.LineStyle) {
	_, trY := p.Transforms(&c)
	lo, hi := trY(s.Lo[i]), trY(s.Hi[i])
	c.StrokeLine2(style, x, lo, x, hi)
	c.StrokeLine2(style, x-3, lo, x+3, lo)
	c.StrokeLine2(style, x-3, hi, x+3, hi)
}

// labelled is the most bars that have their values written on them.
const labelled = 16

// drawBars draws the bars of all series side by side, with their ranges and, if they are few, their values.
func drawBars(c draw.Canvas, p *plot.Plot, f *figure.Figure, all []look) {
	groups, total := 0, 0
	for _, s := range f.Series {
		if s.Kind == figure.Bars {
			groups++
			total += len(s.X)
		}
	}
	share := 0.55
	if groups > 1 || len(f.XTicks) == 0 {
		share = 0.8
	}
	values := barLabels(f)
	w, k := share*slot(f)/math.Max(1, float64(groups)), 0
	trX, trY := p.Transforms(&c)
	base := trY(math.Max(p.Y.Min, math.Min(0, p.Y.Max)))
	if f.LogY {
		base = c.Min.Y
	}
	for i, s := range f.Series {
		if s.Kind != figure.Bars {
			continue
		}
		shift := (float64(k) - float64(groups-1)/2) * w
		k++
		for j := range s.X {
			left, right, y := trX(s.X[j]+shift-w*0.48), trX(s.X[j]+shift+w*0.48), trY(s.Y[j])
			if f.LogX {
				left, right = trX(s.X[j])-6, trX(s.X[j])+6
			}
			c.FillPolygon(all[i].colour, []vg.Point{{X: left, Y: base}, {X: right, Y: base}, {X: right, Y: y}, {X: left, Y: y}})
			tip, mid := y, (left+right)/2
			if len(s.Lo) > 0 {
				whisker(c, p, s, j, mid, draw.LineStyle{Color: ink, Width: 1})
				tip = trY(s.Hi[j])
			}
			if total > labelled {
				continue
			}
			style := words(tickSize, ink)
			style.XAlign = text.XCenter
			foot := y
			if len(s.Lo) > 0 {
				foot = trY(s.Lo[j])
			}
			if groups == 1 { // points stand on the bars
				if lo, hi, ok := pointsAt(f, s.X[j]); ok {
					tip, foot = max(tip, trY(hi)+3), min(foot, trY(lo)-3)
				}
			}
			at := vg.Point{X: mid, Y: tip + 3}
			if s.Y[j] < 0 {
				style.YAlign, at.Y = text.YTop, foot-3
			}
			c.FillText(style, at, values[i][j])
		}
	}
}

// pointsAt is the range of the points at x, with their whiskers; ok is false where there are none.
func pointsAt(f *figure.Figure, x float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for j := range s.X {
			if s.Kind != figure.Points || s.X[j] != x {
				continue
			}
			lo, hi, ok = math.Min(lo, s.Y[j]), math.Max(hi, s.Y[j]), true
			if len(s.Lo) > 0 {
				lo, hi = math.Min(lo, s.Lo[j]), math.Max(hi, s.Hi[j])
			}
		}
	}
	return lo, hi, ok
}

// barLabels are the values of all bars, with as many decimals as the longest of them needs, at most four digits altogether.
func barLabels(f *figure.Figure) [][]string {
	decimals, plain := 0, true
	each := func(do func(i, j int, y float64)) {
		for i, s := range f.Series {
			if s.Kind == figure.Bars {
				for j, y := range s.Y {
					do(i, j, y)
				}
			}
		}
	}
	each(func(_, _ int, y float64) {
		n := table.Number(y)
		plain = plain && !strings.Contains(n, "e")
		if dot := strings.IndexByte(n, '.'); dot >= 0 {
			decimals = max(decimals, len(n)-dot-1)
		}
	})
	out := make([][]string, len(f.Series))
	each(func(i, _ int, y float64) {
		label := table.Number(y)
		if plain && decimals <= 4 {
			label = strconv.FormatFloat(y, 'f', decimals, 64)
		}
		out[i] = append(out[i], label)
	})
	return out
}
