package plots

import (
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// drawReferences draws the dashed horizontal lines.
func drawReferences(c draw.Canvas, p *plot.Plot, f *figure.Figure) {
	_, trY := p.Transforms(&c)
	for _, h := range f.HLines {
		c.StrokeLine2(draw.LineStyle{Color: grey, Width: 1.1, Dashes: []vg.Length{4, 3}}, c.Min.X, trY(h.Y), c.Max.X, trY(h.Y))
	}
}

// nameReferences writes the name of each reference on its line, where it covers least of the data: at the right if it can be.
func nameReferences(c draw.Canvas, p *plot.Plot, f *figure.Figure) {
	_, trY := p.Transforms(&c)
	style := words(legendSize, grey)
	marks := obstacles(c, p, f)
	var taken []vg.Rectangle
	for i, h := range f.HLines {
		name := fit(printable(h.Name), style, (c.Max.X-c.Min.X)*0.9)
		if name == "" {
			continue
		}
		w, y := style.Width(name), trY(h.Y)
		best, least := vg.Rectangle{}, -1
		for _, x := range []vg.Length{c.Max.X - w - 3, c.Min.X + 3, (c.Min.X + c.Max.X - w) / 2} {
			for _, low := range []vg.Length{y + 2, y - 2 - legendSize} {
				r := vg.Rectangle{Min: vg.Point{X: x, Y: low}, Max: vg.Point{X: x + w, Y: low + legendSize}}
				cost := 0
				for _, m := range marks {
					if inside(r, m, 2) {
						cost++
					}
				}
				for j, o := range f.HLines {
					if at := trY(o.Y); j != i && at > r.Min.Y-1 && at < r.Max.Y+1 {
						cost += 40
					}
				}
				for _, t := range taken {
					if r.Min.X < t.Max.X && t.Min.X < r.Max.X && r.Min.Y < t.Max.Y && t.Min.Y < r.Max.Y {
						cost += 10_000
					}
				}
				if r.Min.Y < c.Min.Y || r.Max.Y > c.Max.Y {
					cost += 1000
				}
				if least < 0 || cost < least {
					best, least = r, cost
				}
			}
		}
		taken = append(taken, best)
		c.SetColor(backing)
		c.Fill(best.Path())
		c.FillText(style, vg.Point{X: best.Min.X, Y: best.Min.Y + 1.5}, name)
	}
}

func inside(r vg.Rectangle, p vg.Point, slack vg.Length) bool {
	return p.X > r.Min.X-slack && p.X < r.Max.X+slack && p.Y > r.Min.Y-slack && p.Y < r.Max.Y+slack
}

// obstacles are points along everything a name should not cover: lines, edges of bands, tops of bars.
func obstacles(c draw.Canvas, p *plot.Plot, f *figure.Figure) []vg.Point {
	const pieces = 24
	var out []vg.Point
	along := func(pts []vg.Point) {
		out = append(out, pts...)
		for i := 1; i < len(pts); i++ {
			a, b := pts[i-1], pts[i]
			for k := 1; k < pieces; k++ {
				t := vg.Length(k) / pieces
				out = append(out, vg.Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)})
			}
		}
	}
	for _, s := range f.Series {
		switch s.Kind {
		case figure.Points, figure.Bars:
			out = append(out, points(c, p, s.X, s.Y)...)
		default:
			along(path(c, p, s))
		}
		if s.Kind == figure.Band {
			along(points(c, p, s.X, s.Lo))
			along(points(c, p, s.X, s.Hi))
		}
	}
	return out
}
