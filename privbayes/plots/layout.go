package plots

import (
	"image/color"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/figure"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the layout, in points.
const (
	margin     = 9
	titleSize  = 11.5
	labelSize  = 10
	tickSize   = 9
	legendSize = 9
	footSize   = 8
	leading    = 1.25 // line height over font size
)

// paint draws, from the top: title, legend, plot, caption, stamp. Nothing but the names of references stands over the data.
func paint(f *figure.Figure, o options, c draw.Canvas) error {
	p, err := axes(f, o)
	if err != nil {
		return err
	}
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	width := c.Max.X - c.Min.X - 2*margin
	top := heading(f, c, width, c.Max.Y-margin)
	top = legend(f, c, width, top)
	bottom := foot(f, c, width)
	if top-bottom < 0.75*vg.Inch {
		return &SizeError{o.w, o.h, "more room beside title, legend and caption"}
	}
	area := draw.Canvas{Canvas: c.Canvas, Rectangle: vg.Rectangle{Min: vg.Point{X: c.Min.X + margin, Y: bottom}, Max: vg.Point{X: c.Max.X - margin, Y: top}}}
	shrink(&p.Y.Label.TextStyle, p.Y.Label.Text, top-bottom)
	shrink(&p.X.Label.TextStyle, p.X.Label.Text, width)
	label, style := p.Y.Label.Text, p.Y.Label.TextStyle
	p.Y.Label.Text = "" // drawn here: the plot would leave room for it around the middle of the data, which on a logarithmic axis is near the top
	if label != "" {
		area.Min.X += style.Height(label) + p.Y.Label.Padding
	}
	p.Draw(area)
	style.Rotation += math.Pi / 2
	data := p.DataCanvas(area)
	at := vg.Point{X: c.Min.X + margin + style.FontExtents().Ascent, Y: data.Center().Y}
	c.FillText(style, at, label)
	return nil
}

// heading writes the title at the left and returns where it ends.
func heading(f *figure.Figure, c draw.Canvas, width, y vg.Length) vg.Length {
	style := bold(titleSize, ink)
	for _, l := range wrap(f.Title, style, width, 3) {
		y -= titleSize * leading
		c.FillText(style, vg.Point{X: c.Min.X + margin, Y: y + 3}, l)
	}
	return y - 4
}

// legend lists the series in rows below the title and returns where it ends.
func legend(f *figure.Figure, c draw.Canvas, width, y vg.Length) vg.Length {
	const swatch, gap, between = 20, 5, 16
	style := words(legendSize, ink)
	x, started := vg.Length(0), false
	for i, l := range looks(f) {
		s := f.Series[i]
		if s.Name == "" || len(f.Series) == 1 && s.Kind == figure.Bars {
			continue
		}
		name := fit(printable(s.Name), style, width-swatch-gap)
		need := swatch + gap + style.Width(name)
		if !started || x+need > width {
			x, y, started = 0, y-legendSize*leading-1, true
		}
		at := vg.Point{X: c.Min.X + margin + x, Y: y + legendSize*0.6}
		key(c, s, l, at, swatch)
		c.FillText(style, vg.Point{X: at.X + swatch + gap, Y: y + 2.5}, name)
		x += need + between
	}
	if started {
		y -= 6
	}
	return y
}

// key is the sample of a series in the legend.
func key(c draw.Canvas, s figure.Series, l look, at vg.Point, w vg.Length) {
	box := func(h vg.Length, fill color.Color) {
		c.FillPolygon(fill, []vg.Point{{X: at.X, Y: at.Y - h}, {X: at.X + w, Y: at.Y - h}, {X: at.X + w, Y: at.Y + h}, {X: at.X, Y: at.Y + h}})
	}
	switch s.Kind {
	case figure.Bars:
		box(3.5, l.colour)
		return
	case figure.Band:
		box(4, tint(l.colour))
	case figure.Points:
		c.DrawGlyphNoClip(l.glyph, vg.Point{X: at.X + w/2, Y: at.Y})
		return
	}
	c.StrokeLine2(l.line, at.X, at.Y, at.X+w, at.Y)
	if s.Kind == figure.Band {
		c.DrawGlyphNoClip(l.glyph, vg.Point{X: at.X + w/2, Y: at.Y})
	}
}

// foot writes the caption at the left and the stamp of private figures at the right, and returns where they begin.
func foot(f *figure.Figure, c draw.Canvas, width vg.Length) vg.Length {
	style := words(footSize, grey)
	lines := wrap(f.Caption, style, width, 4)
	y := c.Min.Y + margin*0.8
	if f.Private {
		const note = "private: do not publish"
		red := words(footSize, stamp)
		red.XAlign = text.XRight
		c.FillText(red, vg.Point{X: c.Max.X - margin, Y: y}, note)
		if n := len(lines); n == 0 || style.Width(lines[n-1])+12+red.Width(note) > width {
			y += footSize * leading
		}
	}
	for i := len(lines) - 1; i >= 0; i-- {
		c.FillText(style, vg.Point{X: c.Min.X + margin, Y: y}, lines[i])
		y += footSize * leading
	}
	return y + 4
}

// shrink makes an axis label small enough for its axis.
func shrink(s *text.Style, label string, room vg.Length) {
	if w := s.Width(label); w > room {
		s.Font.Size *= room / w
	}
}

// axes makes the plot of a figure: ranges, ticks, grid and data.
func axes(f *figure.Figure, o options) (*plot.Plot, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	xs, ys := ranges(f)
	if !xs.drawable(f.LogX) || !ys.drawable(f.LogY) {
		return nil, &figure.FigureError{Figure: f.Title, Want: "numbers whose range floating point can divide"}
	}
	p := plot.New()
	p.BackgroundColor = nil
	p.X.Min, p.X.Max, p.Y.Min, p.Y.Max = xs.min, xs.max, ys.min, ys.max
	p.X.Label.Text, p.Y.Label.Text = printable(f.XLabel), printable(f.YLabel)
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Tick.Label.Font = sans(labelSize), sans(tickSize)
		a.Label.TextStyle.Color, a.Tick.Label.Color = ink, ink
		a.LineStyle.Color, a.Tick.LineStyle.Color = grey, grey
		a.Tick.Length, a.Padding, a.Label.Padding = 3.5, 0, 4
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = nice(xs, math.Max(2, o.w)), nice(ys, math.Max(2, 1.4*o.h))
	if f.LogX {
		p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, atValues(f, xs)
	}
	if f.LogY {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, decades(ys)
	}
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = light, light
	grid.Vertical.Width, grid.Horizontal.Width = 0.75, 0.75
	if len(f.XTicks) > 0 {
		categories(p, f, o)
		grid.Vertical.Color = nil
	}
	p.Add(grid)
	addData(p, f)
	return p, nil
}

// categories labels x = 0, 1, … and slants labels that would run into each other.
func categories(p *plot.Plot, f *figure.Figure, o options) {
	room := vg.Length(o.w-0.8) * vg.Inch / vg.Length(len(f.XTicks))
	style := words(tickSize, ink)
	var ticks plot.ConstantTicks
	slant := false
	for k, name := range f.XTicks {
		name = fit(printable(name), style, 1.6*vg.Inch)
		slant = slant || style.Width(name) > room-6
		ticks = append(ticks, plot.Tick{Value: float64(k), Label: name})
	}
	p.X.Tick.Marker = ticks
	if slant {
		p.X.Tick.Label.Rotation = math.Pi / 5
		p.X.Tick.Label.XAlign, p.X.Tick.Label.YAlign = text.XRight, text.YTop
	}
}
