package figure

import (
	"fmt"
	"image/color"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Default and extreme sizes of a picture, in inches.
const (
	defaultWidth, defaultHeight = 6.2, 3.9
	minWidth, minHeight         = 2.5, 1.8
	maxSide                     = 40
)

// Size is width and height of the picture, in inches: those of the figure, or 6.2 × 3.9. Errors: *dp.ParameterError for
// sizes that are not from 2.5 × 1.8 to 40 × 40.
func (f *Figure) Size() (width, height float64, err error) {
	w, h := f.Width, f.Height
	if w == 0 && h == 0 {
		w, h = defaultWidth, defaultHeight
	}
	if !(w >= minWidth && w <= maxSide && h >= minHeight && h <= maxSide) { // also NaN
		return w, h, domain.Refuse("figure", "size", fmt.Sprintf("%v × %v inches", w, h),
			fmt.Sprintf("from %v × %v to %d × %d", minWidth, minHeight, maxSide, maxSide))
	}
	return w, h, nil
}

// SVG draws the figure for files and reports: text stays text, and the same figure gives the same bytes. Errors:
// *FigureError for what cannot be drawn, *dp.ParameterError.
func (f *Figure) SVG() ([]byte, error) { return svg(f) }

// Draw draws the figure on a white canvas of its size; package plots has one of pixels. From the top: title, legend,
// plot, caption, stamp. Nothing but the names of references stands over the data. Errors: those of SVG.
func (f *Figure) Draw(c Canvas) error {
	w, h, err := f.Size()
	if err != nil {
		return err
	}
	p, err := f.plane(c, w, h)
	if err != nil {
		return err
	}
	sheet := rect{0, 0, w * Inch, h * Inch}
	width := sheet.maxX - sheet.minX - 2*margin
	top := p.heading(sheet, width)
	top = p.legend(sheet, width, top)
	bottom := p.foot(sheet, width)
	if top-bottom < 0.75*Inch {
		return domain.Refuse("figure", "size", fmt.Sprintf("%v × %v inches", w, h),
			"more room beside title, legend and caption")
	}
	names := p.directRoom(width)
	area := rect{sheet.minX + margin, bottom, sheet.maxX - margin - names, top}
	p.shrink(&p.y, top-bottom)
	p.shrink(&p.x, width-names)
	if p.y.name != "" { // written at the middle of the plane, beside the axis
		area.minX += p.y.title.Height() + padding
	}
	p.fit(area)
	p.drawAxes(area, len(f.XTicks) == 0)
	p.drawData()
	p.nameEnds(names)
	side := p.y.title
	side.Angle += math.Pi / 2
	p.Write(side, Point{X: sheet.minX + margin + Ascent*side.Size, Y: p.data.centreY()}, p.y.name)
	return nil
}

// heading writes the title at the left and returns where it ends.
func (p *plane) heading(sheet rect, width float64) float64 {
	style, y := words(titleSize, ink), sheet.maxY-margin
	style.Bold = true
	for _, l := range Wrap(p, p.f.Title, style.Font, width, 3) {
		y -= titleSize * leading
		p.Write(style, Point{X: sheet.minX + margin, Y: y + 3}, l)
	}
	return y - 4
}

// legend lists the series in rows below the title and returns where it ends; many lines have their names at their ends.
func (p *plane) legend(sheet rect, width, y float64) float64 {
	if p.f.direct() {
		return y
	}
	const swatch, gap, between = 20, 5, 16
	style := words(legendSize, ink)
	x, started := 0.0, false
	for i, l := range p.looks {
		s := p.f.Series[i]
		if s.Name == "" || len(p.f.Series) == 1 && s.Kind == Bars {
			continue
		}
		name := Fit(p, Printable(s.Name), style.Font, width-swatch-gap)
		need := swatch + gap + p.Width(name, style.Font)
		if !started || x+need > width {
			x, y, started = 0, y-legendSize*leading-1, true
		}
		at := Point{X: sheet.minX + margin + x, Y: y + legendSize*0.6}
		p.key(s, l, at, swatch)
		p.Write(style, Point{X: at.X + swatch + gap, Y: y + 2.5}, name)
		x += need + between
	}
	if started {
		y -= 6
	}
	return y
}

// key is the sample of a series in the legend.
func (p *plane) key(s Series, l look, at Point, w float64) {
	box := func(h float64, fill color.Color) {
		p.Fill(fill, []Point{{X: at.X, Y: at.Y - h}, {X: at.X + w, Y: at.Y - h}, {X: at.X + w, Y: at.Y + h},
			{X: at.X, Y: at.Y + h}})
	}
	middle := Point{X: at.X + w/2, Y: at.Y}
	switch s.Kind {
	case Bars:
		box(3.5, l.colour)
		return
	case Band:
		box(4, tint(l.colour))
	case Points:
		p.Mark(l.shape, middle, l.radius, l.colour)
		return
	}
	p.line(l.line, at.X, at.Y, at.X+w, at.Y)
	if s.Kind == Band {
		p.Mark(l.shape, middle, l.radius, l.colour)
	}
}

// foot writes the caption at the left and the stamp of private figures at the right, and returns where they begin.
func (p *plane) foot(sheet rect, width float64) float64 {
	style := words(footSize, grey)
	lines := Wrap(p, p.f.Caption, style.Font, width, 4)
	y := sheet.minY + margin*0.8
	if p.f.Private {
		const note = "private: do not publish"
		red := words(footSize, stamp)
		red.X = -1
		p.Write(red, Point{X: sheet.maxX - margin, Y: y}, note)
		if n := len(lines); n == 0 || p.Width(lines[n-1], style.Font)+12+p.Width(note, red.Font) > width {
			y += footSize * leading
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		p.Write(style, Point{X: sheet.minX + margin, Y: y}, lines[i])
		y += footSize * leading
	}
	return y + 4
}

// shrink makes an axis label small enough for its axis.
func (p *plane) shrink(a *axis, room float64) {
	if w := p.Width(a.name, a.title.Font); w > room {
		a.title.Size *= room / w
	}
}

// plane finds the ranges and the ticks of a figure that can be drawn.
func (f *Figure) plane(c Canvas, w, h float64) (*plane, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	xs, ys := ranges(f)
	if !xs.drawable(f.LogX) || !ys.drawable(f.LogY) {
		return nil, &FigureError{Figure: f.Title, Want: "numbers whose range floating point can divide"}
	}
	p := &plane{Canvas: c, f: f, looks: looks(f)}
	p.x = axis{span: xs, log: f.LogX, name: Printable(f.XLabel), title: words(labelSize, ink),
		tag: words(tickSize, ink)}
	p.y = axis{span: ys, log: f.LogY, name: Printable(f.YLabel), title: words(labelSize, ink),
		tag: words(tickSize, ink)}
	p.x.title.X, p.y.title.X = -0.5, -0.5
	p.x.tag.X, p.x.tag.Y = -0.5, -1
	p.y.tag.X, p.y.tag.Y = -1, -0.5
	p.x.ticks, p.y.ticks = nice(xs, math.Max(2, w)), nice(ys, math.Max(2, 1.4*h))
	if f.LogX {
		p.x.ticks = atValues(f, xs)
	}
	if f.LogY {
		p.y.ticks = decades(ys)
	}
	if len(f.XTicks) > 0 {
		p.categories((w - 0.8) * Inch / float64(len(f.XTicks)))
	}
	return p, nil
}

// categories labels x = 0, 1, … and slants labels that would run into each other.
func (p *plane) categories(room float64) {
	slant := false
	p.x.ticks = nil
	for k, name := range p.f.XTicks {
		name = Fit(p, Printable(name), p.x.tag.Font, 1.6*Inch)
		slant = slant || p.Width(name, p.x.tag.Font) > room-6
		p.x.ticks = append(p.x.ticks, tick{float64(k), name})
	}
	if slant {
		p.x.tag.Angle, p.x.tag.X = math.Pi/5, -1
	}
}
