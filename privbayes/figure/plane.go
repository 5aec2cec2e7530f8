package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// Default and extreme sizes of a picture, in inches.
const (
	defaultWidth, defaultHeight = 480.0 / 72, 300.0 / 72
	minWidth, minHeight         = 2.5, 1.8
	maxSide                     = 40
)

const (
	rowNames   = 170.0 // the widest line of a row's name, in points
	planeWidth = 400.0 // that of the data of a picture, about
)

// plane is the part of the sheet with the data, between its axes.
type plane struct {
	Canvas
	f      *Figure
	flat   bool // names stand at the left, and values run to the right
	looks  []look
	x, y   axis // the horizontal and the vertical one
	data   rect
	names  []name // of series and references
	column []string
	taken  []rect // by words
	listed bool   // of a forest: its key shows marks as its rows have them
}

// toX is where a value of the horizontal axis lies on the sheet.
func (p *plane) toX(v float64) float64 { return p.x.norm(v)*(p.data.maxX-p.data.minX) + p.data.minX }

// toY is where a value of the vertical axis lies on the sheet.
func (p *plane) toY(v float64) float64 { return p.y.norm(v)*(p.data.maxY-p.data.minY) + p.data.minY }

// at is where a point of a series lies on the sheet.
func (p *plane) at(x, y float64) Point {
	if p.flat {
		return Point{X: p.toX(y), Y: p.toY(-x)}
	}
	return Point{X: p.toX(x), Y: p.toY(y)}
}

// line draws a straight line.
func (p *plane) line(s Stroke, x0, y0, x1, y1 float64) {
	p.Stroke(s, []Point{{X: x0, Y: y0}, {X: x1, Y: y1}})
}

// write writes a text and keeps its place.
func (p *plane) write(t Text, at Point, text string) {
	if text == "" {
		return
	}
	if t.Angle == 0 {
		p.taken = append(p.taken, t.box(at, text))
	}
	p.Write(t, at, text)
}

// rowHeight is that of one row of names, in points: a line for each series that stands in it.
func (f *Figure) rowHeight() float64 {
	lines := 1
	for _, name := range f.XTicks {
		lines = max(lines, len(wrapped(name, words(tickSize, ink).Font, rowNames, 3)))
	}
	return max(19.5, float64(f.abreast())*10+6, float64(lines)*tickSize*leading+4)
}

// abreast is how many series stand side by side at one x.
func (f *Figure) abreast() (n int) {
	for _, s := range f.Series {
		if s.Kind == Bars || s.Kind == Points || s.barred() {
			n++
		}
	}
	return max(n, 1)
}

func (f *Figure) frame() frame { return frame{f.Title, f.Subtitle, f.Caption, f.Private} }

// Size is width and height of the picture, in inches: those of the figure, or 6.67 × 4.17, with more for the band of a
// private one, or what the rows need where x has names. Errors: *dp.ParameterError for sizes that are not from
// 2.5 × 1.8 to 40 × 40.
func (f *Figure) Size() (width, height float64, err error) {
	if f.apart() {
		o, err := f.forest()
		if err != nil {
			return 0, 0, err
		}
		return o.Size()
	}
	w, h := f.Width, f.Height
	if w == 0 && h == 0 {
		w, h = defaultWidth, defaultHeight
		if f.Private {
			h += bandHeight / inch
		}
		if rows := float64(len(f.XTicks)); rows > 0 {
			_, _, _, top, bottom := f.frame().lines(w * inch)
			p := &plane{f: f, flat: true, looks: looks(f)}
			p.addNames()
			h = math.Max(minHeight, (top+bottom+rows*f.rowHeight()+p.above(w*inch)+p.below())/inch)
		}
	}
	if !(w >= minWidth && w <= maxSide && h >= minHeight && h <= maxSide) { // also NaN
		return w, h, domain.Refuse("figure", "size", fmt.Sprintf("%v × %v inches", w, h),
			fmt.Sprintf("from %v × %v to %d × %d", minWidth, minHeight, maxSide, maxSide))
	}
	return w, h, nil
}

// SVG draws the figure for files and reports: text stays text, it has no ground and fits light and dark pages, and the
// same figure gives the same bytes. Errors: *FigureError for what cannot be drawn, *dp.ParameterError.
func (f *Figure) SVG() ([]byte, error) { return svg(f) }

// Draw draws the figure on an empty canvas of its size; package plots has one of pixels. From the top: the band of
// private ones, title, subtitle, plot, caption. The name of a series stands at it where there is room that nothing
// takes, otherwise beside the plot or above it. Errors: those of SVG.
func (f *Figure) Draw(c Canvas) error {
	if f.apart() {
		o, err := f.forest()
		if err != nil {
			return err
		}
		return o.Draw(c)
	}
	w, h, err := f.Size()
	if err != nil {
		return err
	}
	if err := f.Validate(); err != nil {
		return err
	}
	xs, ys := ranges(f, planeWidth)
	if !xs.drawable(f.LogX) || !ys.drawable(f.LogY) {
		return &FigureError{Figure: f.Title, Want: "numbers whose range floating point can divide"}
	}
	p := f.plane(c, xs, ys, w*inch, h*inch)
	_, _, _, head, foot := f.frame().lines(w * inch)
	p.addNames()
	area := rect{margin, foot, w*inch - margin, h*inch - head}
	for range 2*len(p.names) + 1 {
		p.fit(area)
		least := 0.5 * inch
		if p.flat {
			least = 8 * float64(len(f.XTicks))
		}
		if p.data.maxY-p.data.minY < least || p.data.maxX-p.data.minX < 0.9*inch {
			return domain.Refuse("figure", "size", fmt.Sprintf("%v × %v inches", w, h),
				"a larger one: title, names and caption leave no room for the plot")
		}
		if !p.placeNames() {
			break
		}
	}
	f.frame().draw(c, w*inch, h*inch)
	p.legend(area)
	p.drawAxes(true, true)
	p.drawData()
	p.writeNames()
	return nil
}

// plane has the axes of a figure for ranges on a sheet of about a size.
func (f *Figure) plane(c Canvas, xs, ys span, width, height float64) *plane {
	p := &plane{Canvas: c, f: f, flat: len(f.XTicks) > 0, looks: looks(f)}
	p.x, p.y = f.axes(xs, ys, width-60, height-90)
	p.column = p.values()
	if slices.ContainsFunc(f.Series, func(s Series) bool { return s.Kind == Density }) {
		p.y.ticks, p.y.name = nil, "" // an area of 1 has no scale that anybody reads
	}
	return p
}

// tags is the room that the labels of the vertical axis take, across.
func (p *plane) tags() (width float64) {
	for _, t := range p.y.ticks {
		for _, l := range p.rowName(t.label) {
			width = max(width, words(tickSize, ink).Width(l)+6)
		}
	}
	return width
}

// rowName is a label of the vertical axis in lines.
func (p *plane) rowName(label string) []string {
	if p.flat {
		return wrapped(label, words(tickSize, ink).Font, rowNames, 3)
	}
	return []string{label}
}

// above is the room over the data: the legend, the name of the vertical axis, and the names of vertical lines.
func (p *plane) above(width float64) float64 {
	up := p.legendHeight(width - 2*margin)
	if p.y.name != "" {
		up += labelSize*leading + 2
	}
	if n := len(p.vertical()); n > 0 {
		up += float64(n) * legendSize * leading
	}
	return up + padding
}

// below is the room under the data: ticks, their labels, and the name of the horizontal axis.
func (p *plane) below() float64 {
	down := tickLength + tickSize*leading + padding
	if p.x.name != "" || p.flat && p.f.YLabel != "" {
		down += labelSize*leading + padding
	}
	return down
}

// vertical are the vertical lines of the sheet.
func (p *plane) vertical() []Reference {
	if p.flat {
		return p.f.HLines
	}
	return p.f.VLines
}

// horizontal are the horizontal lines of the sheet.
func (p *plane) horizontal() []Reference {
	if p.flat {
		return nil
	}
	return p.f.HLines
}

// fit finds the place of the data in an area: between the labels of both axes, and the names beside it.
func (p *plane) fit(area rect) {
	right := p.besideRoom()
	for _, v := range p.column {
		right = max(right, words(tickSize, ink).Width(v)+10)
	}
	if n := len(p.x.ticks); n > 0 { // the last label may stand out
		last := p.x.ticks[n-1]
		right = max(right, words(tickSize, ink).Width(last.label)/2-(1-p.x.norm(last.value))*(area.maxX-area.minX-60))
	}
	p.data = rect{area.minX + p.tags(), area.minY + p.below(), area.maxX - right,
		area.maxY - p.above(area.maxX-area.minX+2*margin)}
}

// drawAxes draws the axes with the labels of ticks and a light grid, and the name of each where it is asked for.
func (p *plane) drawAxes(named, rows bool) {
	d, faint := p.data, Stroke{Color: light, Width: .75}
	base := Stroke{Color: grey, Width: .75}
	style := words(tickSize, ink)
	style.X, style.Y = -.5, -1
	last := math.Inf(-1)
	for _, t := range p.x.ticks {
		x := p.toX(t.value)
		if x < d.minX-.01 || x > d.maxX+.01 {
			continue
		}
		if p.flat {
			p.line(faint, x, d.minY, x, d.maxY)
		}
		p.line(base, x, d.minY, x, d.minY-tickLength)
		if half := style.Width(t.label) / 2; x-half > last+5 {
			p.write(style, Point{x, d.minY - tickLength - 1}, t.label)
			last = x + half
		}
	}
	style.X, style.Y = -1, -.5
	last = math.Inf(-1)
	for _, t := range slices.Backward(p.y.ticks) { // names from the top; of numbers any order will do
		y := p.toY(t.value)
		if y < d.minY-.01 || y > d.maxY+.01 {
			continue
		}
		if !p.flat {
			p.line(faint, d.minX, y, d.maxX, y)
		}
		if !rows || !p.flat && math.Abs(y-last) < tickSize*leading {
			continue
		}
		last = y
		lines := p.rowName(t.label)
		for k, l := range lines {
			up := (float64(len(lines)-1)/2 - float64(k)) * tickSize * leading
			p.write(style, Point{d.minX - 6, y + up}, l)
		}
	}
	p.line(base, d.minX, d.minY, d.maxX, d.minY)
	if !named {
		return
	}
	style = words(labelSize, ink)
	style.X, style.Y = -.5, -1
	if p.x.name != "" {
		name := shrunk(&style, p.x.name, d.maxX-d.minX)
		p.write(style, Point{d.centreX(), d.minY - tickLength - tickSize*leading - padding}, name)
	}
	if p.y.name != "" {
		style = words(labelSize, grey)
		name := shrunk(&style, p.y.name, d.maxX-margin)
		p.write(style, Point{margin, d.maxY + padding + 2 + float64(len(p.vertical()))*legendSize*leading}, name)
	}
}

// shrunk makes words smaller, down to the size of captions, and then cuts them, so that they fit.
func shrunk(t *Text, words string, room float64) string {
	if w := t.Width(words); w > room {
		t.Size = math.Max(footSize, t.Size*room/w)
	}
	return fitted(words, t.Font, room)
}

// values are the numbers of the rows of one series, written beside them; none for several.
func (p *plane) values() []string {
	f := p.f
	if !p.flat || len(f.Series) != 1 || len(f.Series[0].X) != len(f.XTicks) {
		return nil
	}
	s, out := f.Series[0], make([]string, len(f.XTicks))
	at := func(v, from, to float64) string {
		if f.YPercent {
			return Share(v)
		}
		return Between(v, from, to)
	}
	largest := 0.0
	for _, y := range s.Y {
		largest = math.Max(largest, math.Abs(y))
	}
	for i, y := range s.Y {
		k := int(s.X[i])
		if layout := f.layout(s.X[i]); layout != "" {
			m := Mark{At: y, From: y, To: y}
			if len(s.Lo) > 0 {
				m.From, m.To = s.Lo[i], s.Hi[i]
			}
			out[k] = m.onDates(layout)
			continue
		}
		if len(s.Lo) == 0 {
			d := decimals(largest, 0) // three digits of the largest; small ones have no more decimals
			if out[k] = fixed(y, d); f.YPercent {
				out[k] = Share(y)
			} else if y > 0 && y < .5*math.Pow(10, -float64(d)) {
				out[k] = "< " + fixed(math.Pow(10, -float64(d)), d)
			}
			continue
		}
		lo, hi := s.Lo[i], s.Hi[i]
		out[k] = fmt.Sprintf("%s (%s to %s)", at(y, lo, hi), at(lo, lo, hi), at(hi, lo, hi))
	}
	return out
}

// look is how a series is drawn.
type look struct {
	colour color.RGBA
	line   Stroke
	shape  Shape
	radius float64
	shift  float64 // from its x, in points, where others stand at the same
}
