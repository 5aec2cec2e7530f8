package figure

import (
	"cmp"
	"image/color"
	"math"
	"slices"
)

// Where a name stands: at what it names, beside the plot, above a vertical line, or in the legend.
const (
	inside = iota
	beside
	over
	keyed
)

// name is that of a series or of a reference line.
type name struct {
	lines  []string
	style  Text
	colour color.RGBA
	series int // −1: a reference
	value  float64
	where  int
	box    rect // inside: where it stands
}

// nameWidth is the widest line of a name, in points.
const nameWidth = 150.0

// addNames lists the names: beside rows they are keyed, and of a vertical line they stand over it. One series of bars
// needs none.
func (p *plane) addNames() {
	f := p.f
	for i, s := range f.Series {
		if s.Name == "" || len(f.Series) == 1 && (s.Kind == Bars || p.flat) {
			continue
		}
		n := name{style: words(legendSize, p.looks[i].colour), colour: p.looks[i].colour, series: i}
		n.lines = wrapped(s.Name, n.style.Font, nameWidth, 3)
		if p.flat || s.Kind == Bars {
			n.where = keyed
		}
		p.names = append(p.names, n)
	}
	add := func(r Reference, where int) {
		n := name{style: words(legendSize, grey), colour: grey, series: -1, value: r.Y, where: where}
		if n.lines = wrapped(r.Name, n.style.Font, nameWidth, 3); where == over {
			n.lines = []string{fitted(r.Name, n.style.Font, 2*nameWidth)}
		}
		if r.Name != "" {
			p.names = append(p.names, n)
		}
	}
	for _, h := range p.horizontal() {
		add(h, inside)
	}
	for _, v := range p.vertical() {
		add(v, over)
	}
}

// size is that of a name in points.
func (n name) size() (width, height float64) {
	for _, l := range n.lines {
		width = math.Max(width, n.style.Width(l))
	}
	return width, float64(len(n.lines)) * n.style.Size * 1.15
}

// trace are places along what a name belongs to, no further apart than a few points: what no word may cover.
func (p *plane) trace(n name) (out []Point) {
	along := func(line []Point) {
		for k, b := range line {
			if k == 0 {
				out = append(out, b)
				continue
			}
			a := line[k-1]
			long := math.Hypot(b.X-a.X, b.Y-a.Y)
			if last := out[len(out)-1]; long < 2 && math.Hypot(b.X-last.X, b.Y-last.Y) < 2 {
				continue // curves have many points
			}
			pieces := math.Min(math.Ceil(long/3), 400)
			for j := 1.0; j <= pieces; j++ {
				out = append(out, Point{a.X + j/pieces*(b.X-a.X), a.Y + j/pieces*(b.Y-a.Y)})
			}
		}
	}
	if n.series < 0 {
		along([]Point{{p.data.minX, p.toY(n.value)}, {p.data.maxX, p.toY(n.value)}})
		return out
	}
	s := p.f.Series[n.series]
	if s.Kind == Points || s.Kind == Bars {
		out = p.points(n.series, s.Y)
	} else {
		along(p.path(n.series))
	}
	if len(s.Lo) > 0 {
		low, high := p.points(n.series, s.Lo), p.points(n.series, s.Hi)
		if s.Kind == Band && !s.barred() {
			along(low)
			along(high)
		} else {
			for k := range low {
				along([]Point{low[k], high[k]})
			}
		}
	}
	return out
}

// nearest is how far the nearest of some places is from a rectangle; once one is nearer than enough, that will do.
func (r rect) nearest(places []Point, enough float64) float64 {
	least := math.Inf(1)
	for _, q := range places {
		x, y := math.Max(r.minX-q.X, q.X-r.maxX), math.Max(r.minY-q.Y, q.Y-r.maxY)
		x, y = math.Max(x, 0), math.Max(y, 0)
		if d := x*x + y*y; d < least {
			if least = d; d < enough*enough {
				break
			}
		}
	}
	return math.Sqrt(least)
}

// ofPoints is whether a name is that of a series of marks.
func (p *plane) ofPoints(n name) bool { return n.series >= 0 && p.f.Series[n.series].Kind == Points }

// placeNames finds a place inside for every name that may have one: at what it names, clearly nearer to that than to
// anything else, over nothing and over no other name. What finds none goes beside the plot, or into the legend if it
// has no end there, and again is true: there is less room then.
func (p *plane) placeNames() (again bool) {
	traces := make([][]Point, 0, len(p.names)+len(p.f.Series))
	for _, n := range p.names {
		if n.where == over {
			traces = append(traces, nil)
			x := p.toX(n.value)
			for y := p.data.minY; y < p.data.maxY; y += 4 {
				traces[len(traces)-1] = append(traces[len(traces)-1], Point{x, y})
			}
			continue
		}
		traces = append(traces, p.trace(n))
	}
	for i := range p.f.Series {
		if !slices.ContainsFunc(p.names, func(n name) bool { return n.series == i }) {
			traces = append(traces, p.trace(name{series: i}))
		}
	}
	var taken []rect
	room := rect{p.data.minX + 2, p.data.minY + 3, p.data.maxX, p.data.maxY + 2}
	for i := range p.f.Series {
		if m := p.f.Series[i].Interval; m != nil {
			y := p.intervalY(i)
			taken = append(taken, rect{p.toX(m.From) - 40, y - 6, p.toX(m.To) + 40, y + 6})
		}
	}
	for i := range p.names {
		n := &p.names[i]
		if n.where != inside {
			continue
		}
		best, least := rect{}, math.Inf(1)
		width, height := n.size()
		for _, r := range p.candidates(traces[i], width, height) {
			if !r.within(room) || slices.ContainsFunc(taken, func(o rect) bool { return r.meets(o, 2) }) {
				continue
			}
			own, others := r.nearest(traces[i], 3), math.Inf(1)
			if own < 3 {
				continue
			}
			for k := 0; k < len(traces) && others >= own+4; k++ {
				if k != i {
					others = math.Min(others, r.nearest(traces[k], own+4))
				}
			}
			if others < own+4 {
				continue
			}
			if cost := 2*own - math.Min(others, 40)/4; cost < least-1e-9 {
				best, least = r, cost
			}
		}
		if math.IsInf(least, 1) {
			n.where, again = beside, true
			if p.ofPoints(*n) {
				for k := range p.names { // one place for the names of all marks
					if o := &p.names[k]; p.ofPoints(*o) && o.where == inside || o == n {
						o.where = keyed
					}
				}
			}
			continue
		}
		n.box = best
		taken = append(taken, best)
	}
	if _, height := p.besideSize(); height > p.data.maxY-p.data.minY { // too many for the side
		for i := range p.names {
			if p.names[i].where == beside && p.names[i].series >= 0 {
				p.names[i].where, again = keyed, true
			}
		}
	}
	return again
}

// candidates are places of a box near a line: on eight sides of places along it, from its end on.
func (p *plane) candidates(line []Point, width, height float64) (out []rect) {
	step := max(1, len(line)/40)
	for k := len(line) - 1; k >= 0; k -= step {
		q := line[k]
		for _, gap := range []float64{4, 8} {
			for _, side := range [][2]float64{{0, 1}, {0, -1}, {1, 0}, {-1, 0}, {1, 1}, {-1, 1}, {1, -1}, {-1, -1}} {
				x, y := q.X+side[0]*(gap+width/2), q.Y+side[1]*(gap+height/2)
				out = append(out, rect{x - width/2, y - height/2, x + width/2, y + height/2})
			}
		}
	}
	return out
}

// leader is the least length of the line from a series to its name beside the plot.
const leader = 8

// besideSize is the room that names beside the plot need.
func (p *plane) besideSize() (width, height float64) {
	for _, n := range p.names {
		if n.where == beside {
			w, h := n.size()
			width, height = math.Max(width, w+leader+4), height+h+2
		}
	}
	return width, height
}

func (p *plane) besideRoom() float64 {
	width, _ := p.besideSize()
	return width
}

// writeNames writes the names that stand inside, beside and over the plot.
func (p *plane) writeNames() {
	var ends []ending
	rows := 0
	for _, n := range p.names {
		switch n.where {
		case inside:
			p.writeLines(n, Point{n.box.centreX(), n.box.centreY()}, -.5)
		case over:
			style, x := n.style, p.toX(n.value)
			width := style.Width(n.lines[0])
			x = math.Max(margin, math.Min(x-width/2, p.data.maxX+p.besideRoom()-width))
			p.write(style, Point{x, p.data.maxY + 3 + float64(rows)*legendSize*leading}, n.lines[0])
			rows++
		case beside:
			end := Point{p.data.maxX, p.toY(n.value)}
			if n.series >= 0 {
				path := p.path(n.series)
				end = slices.MaxFunc(path, func(a, b Point) int { return cmp.Compare(a.X, b.X) })
			}
			ends = append(ends, ending{n, end, end.Y})
		}
	}
	slices.SortStableFunc(ends, func(a, b ending) int { return cmp.Compare(a.from.Y, b.from.Y) })
	p.writeEnds(ends)
}

// ending is where a series ends, and how high its name stands.
type ending struct {
	name
	from Point
	to   float64
}

// writeEnds writes names beside the plot in the order of the ends, none over another.
func (p *plane) writeEnds(list []ending) {
	apart := func(i int) float64 { // of the middles of two neighbours
		_, a := list[i].size()
		_, b := list[i+1].size()
		return (a+b)/2 + 2
	}
	for i := range list { // upwards, each above the one below
		_, h := list[i].size()
		low := p.data.minY + h/2 - 4
		if i > 0 {
			low = list[i-1].to + apart(i-1)
		}
		list[i].to = math.Max(list[i].from.Y, low)
	}
	for i := len(list) - 1; i >= 0; i-- { // and down from the top
		_, h := list[i].size()
		high := p.data.maxY - h/2 + 4
		if i < len(list)-1 {
			high = list[i+1].to - apart(i)
		}
		list[i].to = math.Min(list[i].to, high)
	}
	for _, e := range list {
		x := p.data.maxX + leader
		p.Stroke(Stroke{Color: e.colour, Width: hairline},
			[]Point{{e.from.X + 1, e.from.Y}, {p.data.maxX + 1, e.from.Y}, {x - 1, e.to}})
		p.writeLines(e.name, Point{x + 1, e.to}, 0)
	}
}

// writeLines writes the lines of a name around a place.
func (p *plane) writeLines(n name, at Point, across float64) {
	style := n.style
	style.X, style.Y = across, -.5
	for k, l := range n.lines {
		up := (float64(len(n.lines)-1)/2 - float64(k)) * style.Size * 1.15
		p.write(style, Point{at.X, at.Y + up}, l)
	}
}

// The measures of the legend, in points.
const swatch, swatchGap, between = 18, 5, 14

// rows puts the keyed names into rows of a width.
func (p *plane) rows(width float64) (out [][]name) {
	x := math.Inf(1)
	for _, n := range p.names {
		if n.where != keyed {
			continue
		}
		need := swatch + swatchGap + n.style.Width(p.whole(n, width))
		if x+need > width {
			out, x = append(out, nil), 0
		}
		out[len(out)-1] = append(out[len(out)-1], n)
		x += need + between
	}
	return out
}

// whole is a name on one line.
func (p *plane) whole(n name, width float64) string {
	return fitted(p.f.Series[n.series].Name, n.style.Font, width-swatch-swatchGap)
}

func (p *plane) legendHeight(width float64) float64 {
	return float64(len(p.rows(width))) * (legendSize*leading + 2)
}

// legend writes the keyed names above the plot, each with a sample of its series.
func (p *plane) legend(area rect) {
	width := area.maxX - area.minX
	for i, row := range p.rows(width) {
		at := Point{area.minX, area.maxY - (float64(i)+.5)*(legendSize*leading+2)}
		for _, n := range row {
			p.key(n, at)
			words := p.whole(n, width)
			style := n.style
			style.Y = -.5
			p.write(style, Point{at.X + swatch + swatchGap, at.Y}, words)
			at.X += swatch + swatchGap + style.Width(words) + between
		}
	}
}

// key is the sample of a series.
func (p *plane) key(n name, at Point) {
	s, l := p.f.Series[n.series], p.looks[n.series]
	middle := Point{at.X + swatch/2, at.Y}
	switch {
	case p.listed:
		drawMark(p.Canvas, l.colour, Mark{At: middle.X, From: at.X, To: at.X + swatch},
			func(x float64) float64 { return x }, at.Y)
		return
	case s.bar():
		fill(p.Canvas, l.colour, rect{at.X, at.Y - 3.5, at.X + swatch, at.Y + 3.5})
		return
	case s.Kind == Band && !s.barred():
		fill(p.Canvas, tint(l.colour), rect{at.X, at.Y - 4, at.X + swatch, at.Y + 4})
	}
	if s.Kind != Points || len(s.Lo) > 0 {
		p.line(l.line, at.X, at.Y, at.X+swatch, at.Y)
	}
	if s.Kind == Points || s.Kind == Bars || s.barred() {
		p.Mark(l.shape, middle, l.radius, l.colour)
	}
}
