package figure

import (
	"math"
)

// rect is a part of the sheet.
type rect struct{ minX, minY, maxX, maxY float64 }

func (r rect) centreX() float64 { return (r.minX + r.maxX) / 2 }

func (r rect) centreY() float64 { return (r.minY + r.maxY) / 2 }

// axis is one axis with its ticks, and how its name and its ticks' labels are written.
type axis struct {
	span
	log        bool
	ticks      []tick
	name       string
	title, tag Text
}

// norm is where a value lies, from 0 to 1.
func (a axis) norm(v float64) float64 {
	if a.log {
		low := math.Log(a.min)
		return (math.Log(v) - low) / (math.Log(a.max) - low)
	}
	return (v - a.min) / (a.max - a.min)
}

// plane is the part of the sheet with the data, between its axes.
type plane struct {
	Canvas
	f     *Figure
	looks []look
	x, y  axis
	data  rect
}

// toX is where a value of x lies on the sheet.
func (p *plane) toX(v float64) float64 { return p.x.norm(v)*(p.data.maxX-p.data.minX) + p.data.minX }

// toY is where a value of y lies on the sheet.
func (p *plane) toY(v float64) float64 { return p.y.norm(v)*(p.data.maxY-p.data.minY) + p.data.minY }

// line draws a straight line.
func (p *plane) line(s Stroke, x0, y0, x1, y1 float64) {
	p.Stroke(s, []Point{{X: x0, Y: y0}, {X: x1, Y: y1}})
}

// extent is the box of a text around its place, turned.
func extent(c Canvas, t Text, text string) rect {
	const below = (2355.0 - 1854) / 2048 // descent and the gap between lines
	w, h := c.Width(text, t.Font), t.height()
	x, y := t.X*w, t.Y*h-below*t.Size
	sin, cos := math.Sincos(t.Angle)
	r := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, q := range []Point{{X: x, Y: y}, {X: x, Y: h + y}, {X: w + x, Y: y}, {X: w + x, Y: h + y}} {
		a, b := q.X*cos-q.Y*sin, q.Y*cos+q.X*sin
		r = rect{min(r.minX, a), min(r.minY, b), max(r.maxX, a), max(r.maxY, b)}
	}
	return r
}

// tags is the room that the labels of an axis take, across and up.
func (a axis) tags(c Canvas) (width, height float64) {
	for _, t := range a.ticks {
		if t.label != "" {
			r := extent(c, a.tag, t.label)
			width, height = max(width, r.maxX-r.minX), max(height, r.maxY-r.minY)
		}
	}
	return width, height
}

// fit finds the place of the data in an area: beside the labels of both axes, which do not stand out of it at the right
// and at the top.
func (p *plane) fit(area rect) {
	width, _ := p.y.tags(p)
	_, height := p.x.tags(p)
	left, bottom := tickLength+hairline/2, tickLength+height+hairline/2
	if width > 0 {
		left += width + p.Width(" ", p.y.title.Font)
	}
	if p.x.name != "" {
		bottom += p.x.title.height() + padding
	}
	p.data = rect{area.minX + left, area.minY + bottom, area.maxX, area.maxY}
	if at, over := overhang(p.x, p.data.minX, p.data.maxX,
		func(t Text, s string) float64 { return extent(p, t, s).maxX }, p.x.name != ""); over > 0 {
		p.data.maxX = p.data.minX + (p.data.maxX-over-p.data.minX)/at
	}
	if at, over := overhang(p.y, p.data.minY, p.data.maxY,
		func(t Text, s string) float64 { return t.height() / 2 }, false); over > 0 {
		p.data.maxY = p.data.minY + (p.data.maxY-over-p.data.minY)/at
	}
}

// overhang finds the label of an axis that stands out furthest beyond its upper end: where on the axis, and how far
// from there it reaches.
func overhang(a axis, low, high float64, reach func(Text, string) float64, named bool) (at, over float64) {
	furthest := high
	look := func(t Text, s string, v float64) {
		if r, n := reach(t, s), a.norm(v); n <= 1 && n*(high-low)+low+r > furthest {
			furthest, at, over = n*(high-low)+low+r, n, r
		}
	}
	if named {
		look(a.title, a.name, 0.5*(a.max+a.min))
	}
	for _, t := range a.ticks {
		if t.label != "" {
			look(a.tag, t.label, t.value)
		}
	}
	return at, over
}

// drawAxes draws both axes with ticks and labels, and the grid.
func (p *plane) drawAxes(area rect, grid bool) {
	style := Stroke{Color: grey, Width: hairline}
	d, y := p.data, area.minY
	if p.x.name != "" {
		p.Write(p.x.title, Point{X: d.centreX(), Y: y + descent*p.x.title.Size}, p.x.name)
		y += p.x.title.height() + padding
	}
	_, height := p.x.tags(p)
	y += height
	p.eachTick(p.x, d.minX, d.maxX, p.toX, false, func(t tick, x float64) {
		p.Write(p.x.tag, Point{X: x, Y: y + descent*p.x.tag.Size}, t.label)
	})
	p.eachTick(p.x, d.minX, d.maxX, p.toX, true,
		func(t tick, x float64) { p.line(style, x, y+t.start(), x, y+tickLength) })
	y += tickLength
	p.line(style, d.minX, y, d.maxX, y)

	width, _ := p.y.tags(p)
	x, blank := area.minX+width, 0.0
	p.eachTick(p.y, d.minY, d.maxY, p.toY, false, func(t tick, y float64) {
		p.Write(p.y.tag, Point{X: x, Y: y + descent*p.y.tag.Size}, t.label)
		blank = p.Width(" ", p.y.tag.Font)
	})
	x += blank
	p.eachTick(p.y, d.minY, d.maxY, p.toY, true,
		func(t tick, y float64) { p.line(style, x+t.start(), y, x+tickLength, y) })
	x += tickLength
	p.line(style, x, d.minY, x, d.maxY)

	faint := Stroke{Color: light, Width: 0.75}
	if grid {
		p.eachTick(p.x, d.minX, d.maxX, p.toX, false, func(_ tick, x float64) { p.line(faint, x, d.minY, x, d.maxY) })
	}
	p.eachTick(p.y, d.minY, d.maxY, p.toY, false, func(_ tick, y float64) { p.line(faint, d.minX, y, d.maxX, y) })
}

// start is where a tick begins: minor ones are half as long.
func (t tick) start() float64 {
	if t.label == "" {
		return tickLength / 2
	}
	return 0
}

// eachTick visits the ticks within the range, those without labels only if asked for.
func (p *plane) eachTick(a axis, low, high float64, to func(float64) float64, minor bool, do func(tick, float64)) {
	for _, t := range a.ticks {
		if at := to(t.value); at >= low && at <= high && (minor || t.label != "") {
			do(t, at)
		}
	}
}
