package figure

import (
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Mark is a value with its interval.
type Mark struct{ At, From, To float64 }

// ForestRow is one quantity: a mark for each of the forest's series, and its numbers in words, written at the right.
type ForestRow struct {
	Name  string
	Marks []Mark
	Text  string // may be empty
}

// Forest describes a forest plot: quantities one under the other, each with the intervals of several series, on one
// axis of values. Its table twin holds every number.
type Forest struct {
	Title, XLabel string
	Caption       string // ε, δ, adjacency, n
	Series        []string
	Rows          []ForestRow
	LogX          bool
	Reference     *Reference // a vertical line, such as that of no effect; its Y is a value of the axis
	Private       bool       // drawn from private data: stamped "private: do not publish"
}

// The measures of a forest, in points.
const (
	forestWidth = 468.0
	forestStep  = 11.0  // between the marks of a row
	forestGap   = 9.0   // between rows
	forestNames = 210.0 // the widest line of a name
	forestLine  = 9.9   // between the lines of a name
)

// valid checks what Figure's Validate checks: *FigureError.
func (f *Forest) valid() error {
	if len(f.Rows) == 0 || len(f.Series) == 0 {
		return &FigureError{f.Title, "", "at least one row and one series"}
	}
	for _, r := range f.Rows {
		if len(r.Marks) != len(f.Series) {
			return &FigureError{f.Title, r.Name, "a mark for every series"}
		}
		for _, m := range r.Marks {
			switch {
			case !finite(m.At) || !finite(m.From) || !finite(m.To):
				return &FigureError{f.Title, r.Name, "finite numbers"}
			case m.From > m.To:
				return &FigureError{f.Title, r.Name, "a lower value that is not above the upper one"}
			case f.LogX && math.Min(m.At, m.From) <= 0:
				return &FigureError{f.Title, r.Name, "positive numbers on a logarithmic axis"}
			}
		}
	}
	if r := f.Reference; r != nil && (!finite(r.Y) || f.LogX && r.Y <= 0) {
		return &FigureError{f.Title, r.Name, "a finite reference, positive on a logarithmic axis"}
	}
	if !f.span().drawable(f.LogX) {
		return &FigureError{f.Title, "", "a range of values that floating point can put ticks on"}
	}
	return nil
}

func (f *Forest) span() span {
	s := span{math.Inf(1), math.Inf(-1)}
	for _, r := range f.Rows {
		for _, m := range r.Marks {
			s.add(m.At, m.From, m.To)
		}
	}
	if f.Reference != nil {
		s.add(f.Reference.Y)
	}
	return s.widen(.04, .04, f.LogX)
}

// Table is the table twin: one row a mark.
func (f *Forest) Table() *table.Table {
	title := f.Title
	if f.Private {
		title += " (private: do not publish)"
	}
	t := table.New(title, "quantity", "series", f.XLabel, "from", "to")
	for _, r := range f.Rows {
		for i, m := range r.Marks[:min(len(r.Marks), len(f.Series))] {
			t.Add(r.Name, f.Series[i], m.At, m.From, m.To)
		}
	}
	if f.Reference != nil {
		t.Add(f.Reference.Name, "all", f.Reference.Y)
	}
	if f.Caption != "" {
		t.Note(f.Caption)
	}
	return t
}

// String is the table twin as text, its first 40 rows.
func (f *Forest) String() string { return twin(f.Table()) }

// rowHeight is that of one quantity.
func (f *Forest) rowHeight() float64 { return float64(len(f.Series))*forestStep + forestGap }

// head and foot are the room above and below the rows: title and legend; ticks, name of the axis, caption and stamp.
const (
	forestHead = margin + titleSize*leading + legendSize*leading + 8
	forestFoot = margin + tickLength + tickSize*leading + padding + labelSize*leading + 2*footSize*leading + 8
)

// Size is width and height of the picture, in inches. Errors: *FigureError, *dp.ParameterError above 40 inches.
func (f *Forest) Size() (width, height float64, err error) {
	if err := f.valid(); err != nil {
		return 0, 0, err
	}
	height = (float64(len(f.Rows))*f.rowHeight() + forestHead + forestFoot) / inch
	if height > maxSide {
		return 0, 0, domain.Refuse("figure", "rows of a forest", len(f.Rows), "fewer: at most 40 inches")
	}
	return forestWidth / inch, height, nil
}

// SVG draws the forest for files and reports. Errors: those of Size.
func (f *Forest) SVG() ([]byte, error) { return svg(f) }

// Draw draws the forest on a white canvas of its size. Errors: those of Size.
func (f *Forest) Draw(c Canvas) error {
	_, h, err := f.Size()
	if err != nil {
		return err
	}
	height := h * inch
	names, name := 0.0, words(tickSize, ink)
	for _, r := range f.Rows {
		names = math.Max(names, c.Width(printable(r.Name), name.Font))
	}
	values, right := 0.0, words(tickSize, ink)
	for _, r := range f.Rows {
		values = math.Max(values, c.Width(printable(r.Text), right.Font))
	}
	right.X, right.Y = -1, -.5
	data := rect{margin + math.Min(names, forestNames) + 10, forestFoot,
		forestWidth - margin - 12 - math.Min(values, forestNames), height - forestHead}
	f.words(c, height)
	p := f.axis(c, data)
	name.X, name.Y = -1, -.5
	for i, r := range f.Rows {
		middle := data.maxY - (float64(i)+.5)*f.rowHeight()
		lines := f.lines(c, r.Name, name.Font)
		for k, l := range lines {
			up := float64(len(lines)-1)/2 - float64(k)
			c.Write(name, Point{X: data.minX - 10, Y: middle + up*forestLine}, l)
		}
		for k, m := range r.Marks {
			y := middle + (float64(len(r.Marks)-1)/2-float64(k))*forestStep
			l := f.look(k)
			p.line(l.line, p.toX(m.From), y, p.toX(m.To), y)
			for _, end := range []float64{m.From, m.To} {
				p.line(l.line, p.toX(end), y-2.5, p.toX(end), y+2.5)
			}
			c.Mark(l.shape, Point{X: p.toX(m.At), Y: y}, l.radius, l.colour)
		}
		if r.Text != "" {
			c.Write(right, Point{X: forestWidth - margin, Y: middle}, fitted(c, printable(r.Text), right.Font, forestNames))
		}
		if i > 0 {
			p.line(Stroke{Color: light, Width: hairline}, data.minX, middle+f.rowHeight()/2, data.maxX,
				middle+f.rowHeight()/2)
		}
	}
	return nil
}

// lines are a name in as many lines as a row has room for.
func (f *Forest) lines(c Canvas, name string, font Font) []string {
	if one := printable(name); c.Width(one, font) <= forestNames {
		return []string{one}
	}
	return wrapped(c, name, font, forestNames, int(f.rowHeight()/forestLine))
}

func (f *Forest) look(k int) look {
	colour := palette[(len(f.Series)-1-k+len(palette))%len(palette)] // the last series has the first colour
	return look{colour, Stroke{Color: colour, Width: 1.4}, shapes[k%len(shapes)], 2.8}
}

// axis draws the axis with its name, and the reference.
func (f *Forest) axis(c Canvas, data rect) *plane {
	p := &plane{Canvas: c, data: data, x: axis{span: f.span(), log: f.LogX}}
	p.x.ticks = nice(p.x.span, 6)
	if f.LogX {
		p.x.ticks = decades(p.x.span)
	}
	thin := Stroke{Color: ink, Width: hairline}
	p.line(thin, data.minX, data.minY, data.maxX, data.minY)
	style := words(tickSize, ink)
	style.X, style.Y = -.5, -1
	last := math.Inf(-1)
	for _, t := range p.x.ticks {
		x := p.toX(t.value)
		p.line(Stroke{Color: light, Width: hairline}, x, data.minY, x, data.maxY)
		p.line(thin, x, data.minY, x, data.minY-tickLength)
		if half := c.Width(t.label, style.Font) / 2; t.label != "" && x-half > last+4 {
			c.Write(style, Point{X: x, Y: data.minY - tickLength - 2}, t.label)
			last = x + half
		}
	}
	style = words(labelSize, ink)
	style.X, style.Y = -.5, -1
	c.Write(style, Point{X: data.centreX(), Y: data.minY - tickLength - tickSize*leading - padding},
		printable(f.XLabel))
	if r := f.Reference; r != nil {
		x := p.toX(r.Y)
		p.line(Stroke{Color: grey, Width: 1, Dashes: []float64{3, 3}}, x, data.minY, x, data.maxY)
		style = words(legendSize, grey)
		style.X = -.5
		c.Write(style, Point{X: x, Y: data.maxY + 2}, printable(r.Name))
	}
	return p
}

// words writes title, legend, caption and stamp.
func (f *Forest) words(c Canvas, height float64) {
	style := words(titleSize, ink)
	style.Bold = true
	c.Write(style, Point{X: margin, Y: height - margin - titleSize},
		fitted(c, printable(f.Title), style.Font, forestWidth-2*margin))
	style = words(legendSize, ink)
	style.Y = -.5
	x, y := forestWidth-margin, height-margin-titleSize*leading-legendSize*.6
	for k := len(f.Series) - 1; k >= 0; k-- {
		name := fitted(c, printable(f.Series[k]), style.Font, forestNames)
		x -= c.Width(name, style.Font)
		c.Write(style, Point{X: x, Y: y}, name)
		x -= 9
		l := f.look(k)
		c.Mark(l.shape, Point{X: x, Y: y}, l.radius, l.colour)
		x -= 14
	}
	style = words(footSize, grey)
	for i, l := range wrapped(c, f.Caption, style.Font, forestWidth-2*margin, 2) {
		c.Write(style, Point{X: margin, Y: margin*.8 + float64(1-i)*footSize*leading}, l)
	}
	if f.Private {
		red := words(footSize, stamp)
		red.X = -1
		c.Write(red, Point{X: forestWidth - margin, Y: forestFoot - labelSize*leading - tickSize*leading - 12},
			"private: do not publish")
	}
}

// drawReferences draws the dashed horizontal lines.
func (p *plane) drawReferences() {
	for _, h := range p.f.HLines {
		p.line(Stroke{Color: grey, Width: 1.1, Dashes: []float64{4, 3}}, p.data.minX, p.toY(h.Y), p.data.maxX,
			p.toY(h.Y))
	}
}

// nameReferences writes the name of each reference on its line, where it covers least of the data: at the right if it
// can be.
func (p *plane) nameReferences() {
	style := words(legendSize, grey)
	marks := p.obstacles()
	var taken []rect
	for i, h := range p.f.HLines {
		name := fitted(p, printable(h.Name), style.Font, (p.data.maxX-p.data.minX)*0.9)
		if name == "" {
			continue
		}
		w, y := p.Width(name, style.Font), p.toY(h.Y)
		best, least := rect{}, -1
		for _, x := range []float64{p.data.maxX - w - 3, p.data.minX + 3, (p.data.minX + p.data.maxX - w) / 2} {
			for _, low := range []float64{y + 2, y - 2 - legendSize} {
				r := rect{x, low, x + w, low + legendSize}
				cost := 0
				for _, m := range marks {
					if r.near(m, 2) {
						cost++
					}
				}
				for j, o := range p.f.HLines {
					if at := p.toY(o.Y); j != i && at > r.minY-1 && at < r.maxY+1 {
						cost += 40
					}
				}
				for _, t := range taken {
					if r.minX < t.maxX && t.minX < r.maxX && r.minY < t.maxY && t.minY < r.maxY {
						cost += 10_000
					}
				}
				if r.minY < p.data.minY || r.maxY > p.data.maxY {
					cost += 1000
				}
				if least < 0 || cost < least {
					best, least = r, cost
				}
			}
		}
		taken = append(taken, best)
		p.Fill(backing, []Point{{X: best.minX, Y: best.minY}, {X: best.maxX, Y: best.minY},
			{X: best.maxX, Y: best.maxY}, {X: best.minX, Y: best.maxY}})
		p.Write(style, Point{X: best.minX, Y: best.minY + 1.5}, name)
	}
}

// near is whether a point lies in the rectangle or next to it.
func (r rect) near(p Point, slack float64) bool {
	return p.X > r.minX-slack && p.X < r.maxX+slack && p.Y > r.minY-slack && p.Y < r.maxY+slack
}

// obstacles are points along everything a name should not cover: lines, edges of bands, tops of bars.
func (p *plane) obstacles() []Point {
	const pieces = 24
	var out []Point
	along := func(pts []Point) {
		out = append(out, pts...)
		for i := 1; i < len(pts); i++ {
			a, b := pts[i-1], pts[i]
			for k := 1; k < pieces; k++ {
				t := float64(k) / pieces
				out = append(out, Point{X: a.X + t*(b.X-a.X), Y: a.Y + t*(b.Y-a.Y)})
			}
		}
	}
	for _, s := range p.f.Series {
		switch s.Kind {
		case Points, Bars:
			out = append(out, p.points(s.X, s.Y)...)
		default:
			along(p.path(s))
		}
		if s.Kind == Band {
			along(p.points(s.X, s.Lo))
			along(p.points(s.X, s.Hi))
		}
	}
	return out
}
