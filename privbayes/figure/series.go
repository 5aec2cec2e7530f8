package figure

import (
	"image/color"
	"math"
)

// shapes tell series apart where colours cannot, as in print.
var shapes = []Shape{disc, box, pyramid, ring, square, triangle}

// mostBarred is the most points of a band that is drawn as points with bars.
const mostBarred = 16

// barred is whether a band is drawn as points with bars, joined: bands on bands mix to a colour of nobody.
func (s Series) barred() bool { return s.Kind == Band && len(s.X) <= mostBarred }

// colourName is the name that a series' colour belongs to.
func (s Series) colourName() string {
	if s.Colour != "" {
		return s.Colour
	}
	return s.Name
}

// looks gives each series the colour of its name and a shape; guides are grey. Of series at the same x each stands a
// little beside the others.
func looks(f *Figure) []look {
	var names []string
	for _, s := range f.Series {
		if !s.Guide {
			names = append(names, s.colourName())
		}
	}
	return looksIn(f, colours(names))
}

func looksIn(f *Figure, of map[string]color.RGBA) []look {
	out, k, side, abreast := make([]look, len(f.Series)), 0, 0, f.abreast()
	step := 5.0
	if len(f.XTicks) > 0 {
		step = -10 // the first stands above
	} else if !together(f) {
		step = 0
	}
	for i, s := range f.Series {
		if s.Guide {
			out[i] = look{grey, Stroke{Color: grey, Width: 1, Dashes: []float64{3, 3}}, disc, 2.5, 0}
			continue
		}
		c := of[s.colourName()]
		l := look{c, Stroke{Color: c, Width: 1.7}, shapes[k%len(shapes)], 2.7, 0}
		switch {
		case s.Dashed || s.colourName() != s.Name && s.Colour != "" && k > 0 && out[i-1].colour == c:
			l.line.Dashes = []float64{5, 3}
		case c == ink:
			l.line.Dashes = []float64{1.5, 2.5}
		}
		if s.Kind == Bars || s.Kind == Points || s.barred() {
			l.shift = (float64(side) - float64(abreast-1)/2) * step
			side++
		}
		out[i] = l
		k++
	}
	return out
}

// together is whether marks of two series stand at one x.
func together(f *Figure) bool {
	seen := map[float64]int{}
	for i, s := range f.Series {
		if s.Kind != Points && s.Kind != Bars && !s.barred() {
			continue
		}
		for _, x := range s.X {
			if at, ok := seen[x]; ok && at != i {
				return true
			}
			seen[x] = i
		}
	}
	return false
}

// points are places of a series' values on the canvas, moved apart from those of others.
func (p *plane) points(i int, y []float64) []Point {
	x, shift := p.f.Series[i].X, p.looks[i].shift
	out := make([]Point, len(x))
	for k := range x {
		if out[k] = p.at(x[k], y[k]); p.flat {
			out[k].Y += shift
		} else {
			out[k].X += shift
		}
	}
	return out
}

// path is the line of a series: through its points, or in steps that jump half way between them.
func (p *plane) path(i int) []Point {
	pts := p.points(i, p.f.Series[i].Y)
	if p.f.Series[i].Kind != Step {
		return pts
	}
	out := pts[:1:1]
	for k := 1; k < len(pts); k++ {
		a, b := pts[k-1], pts[k]
		if p.flat {
			mid := (a.Y + b.Y) / 2
			out = append(out, Point{a.X, mid}, Point{b.X, mid})
			continue
		}
		mid := (a.X + b.X) / 2
		out = append(out, Point{mid, a.Y}, Point{mid, b.Y})
	}
	return append(out, pts[len(pts)-1])
}

// drawData draws, from the back to the front: areas, bars, reference lines, lines and marks.
func (p *plane) drawData() {
	for i, s := range p.f.Series {
		switch {
		case s.Kind == Band && !s.barred():
			p.drawBand(i)
		case s.Kind == Density:
			p.drawArea(i)
		}
	}
	p.drawBars()
	p.drawReferences()
	for i := range p.f.Series {
		if !p.f.Series[i].bar() {
			p.drawLine(i)
		}
	}
	for i, s := range p.f.Series {
		if s.Interval != nil {
			p.drawInterval(i, *s.Interval)
		}
	}
	for k, v := range p.column {
		style := words(tickSize, ink)
		style.Y = -.5
		p.write(style, Point{p.data.maxX + 10, p.toY(-float64(k))}, v)
	}
}

// drawReferences draws the lines that have names.
func (p *plane) drawReferences() {
	style := Stroke{Color: grey, Width: 1.1, Dashes: []float64{4, 3}}
	for _, h := range p.horizontal() {
		p.line(style, p.data.minX, p.toY(h.Y), p.data.maxX, p.toY(h.Y))
	}
	for _, v := range p.vertical() {
		p.line(style, p.toX(v.Y), p.data.minY, p.toX(v.Y), p.data.maxY)
	}
}

// drawLine draws the line of a series, its marks, and their intervals.
func (p *plane) drawLine(i int) {
	s, l := p.f.Series[i], p.looks[i]
	joined := s.Kind != Points && s.Kind != Bars
	if joined {
		p.Stroke(l.line, p.path(i))
	}
	barred := s.barred() || !joined && len(s.Lo) > 0
	if joined && !s.barred() && len(s.X) > 1 && (s.Guide || s.Kind != Band && len(s.X) > mostBarred || s.Kind == Step ||
		s.Kind == Density) {
		return
	}
	if barred {
		low, high := p.points(i, s.Lo), p.points(i, s.Hi)
		for k := range low {
			p.Stroke(Stroke{Color: l.colour, Width: 1.6}, []Point{low[k], high[k]})
		}
	}
	for _, at := range p.points(i, s.Y) {
		p.Mark(l.shape, at, l.radius, l.colour)
	}
}

// drawBand shades between Lo and Hi.
func (p *plane) drawBand(i int) {
	outline := p.points(i, p.f.Series[i].Hi)
	low := p.points(i, p.f.Series[i].Lo)
	for k := len(low) - 1; k >= 0; k-- {
		outline = append(outline, low[k])
	}
	p.Fill(tint(p.looks[i].colour), outline)
}

// drawArea shades below a density, darker within its interval. A dashed one has no area.
func (p *plane) drawArea(i int) {
	s := p.f.Series[i]
	if s.Dashed || len(s.X) < 2 {
		return
	}
	base, c := p.toY(0), p.looks[i].colour
	below := func(line []Point) {
		p.Fill(tint(c), append(append([]Point{{line[0].X, base}}, line...), Point{line[len(line)-1].X, base}))
	}
	line := p.path(i)
	below(line)
	if m := s.Interval; m != nil {
		if inner := clip(line, p.toX(m.From), p.toX(m.To)); len(inner) > 1 {
			below(inner)
		}
	}
}

// clip is the part of a line between two horizontal places.
func clip(line []Point, from, to float64) (out []Point) {
	for k := 1; k < len(line); k++ {
		a, b := line[k-1], line[k]
		lo, hi := math.Max(a.X, from), math.Min(b.X, to)
		if lo >= hi || b.X <= a.X {
			continue
		}
		on := func(x float64) Point { return Point{x, a.Y + (x-a.X)/(b.X-a.X)*(b.Y-a.Y)} }
		if len(out) == 0 {
			out = append(out, on(lo))
		}
		out = append(out, on(hi))
	}
	return out
}

// intervalY is where the interval of the k-th density that has one stands.
func (p *plane) intervalY(i int) float64 {
	k, n := 0, 0
	for j, s := range p.f.Series {
		if s.Interval != nil {
			if n++; j < i {
				k++
			}
		}
	}
	base := p.toY(0)
	return base - (float64(k)+.5)*(base-p.data.minY)/float64(n)
}

// drawInterval draws an interval under its density: thin, the half of the mass thick, a dot at the mean, and the ends
// in words.
func (p *plane) drawInterval(i int, m Mark) {
	c, y := p.looks[i].colour, p.intervalY(i)
	drawMark(p.Canvas, c, m, p.toX, y)
	style := words(tickSize, c)
	style.Y = -.5
	say := func(v float64) string {
		if p.f.XPercent {
			return Share(v)
		}
		return Between(v, m.From, m.To)
	}
	left, right := style, style
	left.X = -1
	if at := (Point{p.toX(m.From) - 5, y}); left.box(at, say(m.From)).minX > p.data.minX {
		p.write(left, at, say(m.From))
	}
	if at := (Point{p.toX(m.To) + 5, y}); right.box(at, say(m.To)).maxX < p.data.maxX {
		p.write(right, at, say(m.To))
	}
}

// drawMark draws a value with its intervals on a horizontal line: the wider thin, the inner one thick, the value as a
// dot with a hole.
func drawMark(c Canvas, colour color.RGBA, m Mark, x func(float64) float64, y float64) {
	c.Stroke(Stroke{Color: colour, Width: 1.7}, []Point{{x(m.From), y}, {x(m.To), y}})
	if m.From50 < m.To50 {
		c.Stroke(Stroke{Color: colour, Width: 5.2}, []Point{{x(m.From50), y}, {x(m.To50), y}})
	}
	c.Mark(disc, Point{x(m.At), y}, 3.3, colour)
	c.Mark(disc, Point{x(m.At), y}, 1.7, ground)
}

// drawBars draws the bars of all series side by side.
func (p *plane) drawBars() {
	f, groups := p.f, 0
	for _, s := range f.Series {
		if s.bar() {
			groups++
		}
	}
	share := .9
	if groups > 1 {
		share = .8
	}
	w, k := share*slot(f)/math.Max(1, float64(groups)), 0
	base := math.Max(p.yMin(), math.Min(0, p.yMax()))
	for i, s := range f.Series {
		if !s.bar() {
			continue
		}
		shift := (float64(k) - float64(groups-1)/2) * w
		k++
		for j := range s.X {
			a, b := p.at(s.X[j]+shift-w*.48, base), p.at(s.X[j]+shift+w*.48, s.Y[j])
			switch {
			case p.flat: // as thick as the mark of a series
				mid := p.points(i, s.Y)[j].Y
				a.Y, b.Y = mid-4.5, mid+4.5
			case f.LogX:
				a.X, b.X = p.toX(s.X[j])-6, p.toX(s.X[j])+6
			}
			fill(p.Canvas, p.looks[i].colour, rect{a.X, math.Min(a.Y, b.Y), b.X, math.Max(a.Y, b.Y)})
		}
	}
}

// yMin and yMax are the ends of the axis of values.
func (p *plane) yMin() float64 {
	if p.flat {
		return p.x.min
	}
	return p.y.min
}

func (p *plane) yMax() float64 {
	if p.flat {
		return p.x.max
	}
	return p.y.max
}
