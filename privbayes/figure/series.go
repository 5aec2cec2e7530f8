package figure

import (
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// drawData draws, from the back to the front: bands, bars, reference lines, lines and points, the names of references.
func (p *plane) drawData() {
	for i, s := range p.f.Series {
		if s.Kind == Band {
			p.drawBand(s, p.looks[i])
		}
	}
	p.drawBars()
	p.drawReferences()
	for i, s := range p.f.Series {
		if s.Kind != Bars {
			p.drawLine(s, p.looks[i])
		}
	}
	p.nameReferences()
}

// points are places of a list of values on the canvas.
func (p *plane) points(x, y []float64) []Point {
	out := make([]Point, len(x))
	for i := range x {
		out[i] = Point{X: p.toX(x[i]), Y: p.toY(y[i])}
	}
	return out
}

// path is the line of a series: through its points, or in steps that jump half way between them.
func (p *plane) path(s Series) []Point {
	pts := p.points(s.X, s.Y)
	if s.Kind != Step {
		return pts
	}
	out := pts[:1:1]
	for i := 1; i < len(pts); i++ {
		mid := (pts[i-1].X + pts[i].X) / 2
		out = append(out, Point{X: mid, Y: pts[i-1].Y}, Point{X: mid, Y: pts[i].Y})
	}
	return append(out, pts[len(pts)-1])
}

func (p *plane) drawLine(s Series, l look) {
	pts := p.path(s)
	if s.Kind != Points {
		p.Stroke(l.line, pts)
	}
	if s.Kind == Points || s.Kind == Band || len(s.X) == 1 { // a single point has no line to show it
		for i, pt := range p.points(s.X, s.Y) {
			if s.Kind == Points && len(s.Lo) > 0 {
				p.whisker(s, i, pt.X, Stroke{Color: l.colour, Width: 1})
			}
			p.Mark(l.shape, pt, l.radius, l.colour)
		}
	}
}

// drawBand shades between Lo and Hi.
func (p *plane) drawBand(s Series, l look) {
	outline := p.points(s.X, s.Hi)
	low := p.points(s.X, s.Lo)
	for k := len(low) - 1; k >= 0; k-- {
		outline = append(outline, low[k])
	}
	p.Fill(tint(l.colour), outline)
}

// whisker is the range of one value.
func (p *plane) whisker(s Series, i int, x float64, style Stroke) {
	lo, hi := p.toY(s.Lo[i]), p.toY(s.Hi[i])
	p.line(style, x, lo, x, hi)
	p.line(style, x-3, lo, x+3, lo)
	p.line(style, x-3, hi, x+3, hi)
}

// labelled is the most bars that have their values written on them.
const labelled = 16

// drawBars draws the bars of all series side by side, with their ranges and, if they are few, their values.
func (p *plane) drawBars() {
	f, all := p.f, p.looks
	groups, total := 0, 0
	for _, s := range f.Series {
		if s.Kind == Bars {
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
	base := p.toY(math.Max(p.y.min, math.Min(0, p.y.max)))
	if f.LogY {
		base = p.data.minY
	}
	for i, s := range f.Series {
		if s.Kind != Bars {
			continue
		}
		shift := (float64(k) - float64(groups-1)/2) * w
		k++
		for j := range s.X {
			left, right, y := p.toX(s.X[j]+shift-w*0.48), p.toX(s.X[j]+shift+w*0.48), p.toY(s.Y[j])
			if f.LogX {
				left, right = p.toX(s.X[j])-6, p.toX(s.X[j])+6
			}
			p.Fill(all[i].colour, []Point{{X: left, Y: base}, {X: right, Y: base}, {X: right, Y: y},
				{X: left, Y: y}})
			tip, mid := y, (left+right)/2
			if len(s.Lo) > 0 {
				p.whisker(s, j, mid, Stroke{Color: ink, Width: 1})
				tip = p.toY(s.Hi[j])
			}
			if total > labelled {
				continue
			}
			style := words(tickSize, ink)
			style.X = -0.5
			foot := y
			if len(s.Lo) > 0 {
				foot = p.toY(s.Lo[j])
			}
			if groups == 1 { // points stand on the bars
				if lo, hi, ok := pointsAt(f, s.X[j]); ok {
					tip, foot = max(tip, p.toY(hi)+3), min(foot, p.toY(lo)-3)
				}
			}
			at := Point{X: mid, Y: tip + 3}
			if s.Y[j] < 0 {
				style.Y, at.Y = -1, foot-3
			}
			p.Write(style, at, values[i][j])
		}
	}
}

// pointsAt is the range of the points at x, with their whiskers; ok is false where there are none.
func pointsAt(f *Figure, x float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for j := range s.X {
			if s.Kind != Points || s.X[j] != x {
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

// barLabels are the values of all bars, with as many decimals as the longest of them needs, at most four digits
// altogether.
func barLabels(f *Figure) [][]string {
	decimals, plain := 0, true
	each := func(do func(i, j int, y float64)) {
		for i, s := range f.Series {
			if s.Kind == Bars {
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
