package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// span is the range of one axis.
type span struct{ min, max float64 }

func (s *span) add(values ...float64) {
	for _, v := range values {
		s.min, s.max = math.Min(s.min, v), math.Max(s.max, v)
	}
}

// widen adds the share by on both sides, measured on the scale of the axis; a single value gets a neighbourhood.
func (s span) widen(below, above float64, log bool) span {
	if log {
		lo, hi := math.Log(s.min), math.Log(s.max)
		if lo == hi {
			return span{s.min / 2, s.max * 2}
		}
		return span{math.Exp(lo - below*(hi-lo)), math.Exp(hi + above*(hi-lo))}
	}
	d := s.max - s.min
	if d == 0 {
		d = math.Max(math.Abs(s.min), 1) / 2
		return span{s.min - d, s.max + d}
	}
	return span{s.min - below*d, s.max + above*d}
}

// drawable says whether floating point can put ticks on the range.
func (s span) drawable(log bool) bool {
	d := s.max - s.min
	if log && (s.min < 1e-250 || s.max > 1e250) {
		return false
	}
	return s.max > s.min && !math.IsInf(d, 0) && d > 1e-12*math.Max(math.Abs(s.min), math.Abs(s.max)) && d > 1e-290
}

// ranges finds the ranges of both axes: all of the data and references, a margin, and 0 where it is near or bars stand
// on it.
func ranges(f *Figure) (x, y span) {
	x, y = span{math.Inf(1), math.Inf(-1)}, span{math.Inf(1), math.Inf(-1)}
	bars := false
	for _, s := range f.Series {
		x.add(s.X...)
		y.add(s.Y...)
		y.add(s.Lo...)
		y.add(s.Hi...)
		bars = bars || s.Kind == Bars
	}
	for _, h := range f.HLines {
		y.add(h.Y)
	}
	switch {
	case len(f.XTicks) > 0:
		x = span{-0.5, float64(len(f.XTicks)) - 0.5}
	case bars:
		half := slot(f) / 2
		x.add(x.min-half, x.max+half)
	default:
		x = x.widen(0.025, 0.025, f.LogX)
	}
	below, above := 0.05, 0.05
	if bars {
		above = 0.1 // room for the values on them
		if y.min < 0 {
			below = 0.1 // and under those that hang down
		}
	}
	switch {
	case f.LogY:
		y = y.widen(below, above, true)
	case bars || y.min >= 0 && y.min < 0.15*y.max:
		y.add(0)
		zero := y.min == 0
		y = y.widen(below, above, false)
		if zero {
			y.min = 0
		}
	default:
		y = y.widen(below, above, false)
	}
	return x, y
}

// slot is the width of the place of one bar, or of one group of bars: the least distance between two x.
func slot(f *Figure) float64 {
	d := math.Inf(1)
	for _, s := range f.Series {
		for i := 1; i < len(s.X); i++ {
			if g := math.Abs(s.X[i] - s.X[i-1]); g > 0 {
				d = math.Min(d, g)
			}
		}
	}
	if math.IsInf(d, 0) || len(f.XTicks) > 0 {
		return 1
	}
	return d
}

// tick is a marked value of an axis; without a label it is a minor one.
type tick struct {
	value float64
	label string
}

// nice marks multiples of 1, 2 or 5 times a power of ten: about want of them in the range.
func nice(s span, want float64) []tick {
	raw := (s.max - s.min) / want
	power := math.Pow(10, math.Floor(math.Log10(raw)))
	step := 10 * power
	for _, m := range []float64{1, 2, 5} {
		if m*power >= raw*0.999 {
			step = m * power
			break
		}
	}
	digits := max(0, int(-math.Floor(math.Log10(step*1.0001))))
	var out []tick
	slack := 1e-9 * step
	for k := math.Ceil((s.min - slack) / step); k*step <= s.max+slack && len(out) < 100; k++ {
		v := k * step
		label := strconv.FormatFloat(v+0, 'f', digits, 64)
		if digits > 4 || math.Abs(s.max) >= 1e6 || math.Abs(s.min) >= 1e6 {
			label = table.Number(v)
		}
		out = append(out, tick{v, label})
	}
	return out
}

// decades marks 1, 2 and 5 times powers of ten over up to two decades, powers of ten beyond.
func decades(s span) []tick {
	lo, hi := math.Floor(math.Log10(s.min)), math.Ceil(math.Log10(s.max))
	steps, every := []float64{1, 2, 5}, 1.0
	if n := math.Log10(s.max) - math.Log10(s.min); n > 2 {
		steps, every = []float64{1}, math.Ceil(n/8)
	}
	var out []tick
	for e := lo; e <= hi; e += every {
		for _, m := range steps {
			if v := m * math.Pow(10, e); v >= s.min && v <= s.max {
				out = append(out, tick{v, table.Number(v)})
			}
		}
	}
	if len(out) < 2 {
		// less than a factor of two or so
		out = slices.DeleteFunc(nice(s, 4), func(t tick) bool { return t.value <= 0 })
	}
	return out
}

// atValues marks the x values that were computed: for a handful of ε these say more than powers of ten. Ticks too close
// for their words have none; with many values there is nothing to mark.
func atValues(f *Figure, s span) []tick {
	seen := map[float64]bool{}
	var values []float64
	for _, se := range f.Series {
		for _, x := range se.X {
			if !seen[x] {
				seen[x] = true
				values = append(values, x)
			}
		}
	}
	if len(values) > 12 {
		return decades(s)
	}
	slices.Sort(values)
	var out []tick
	last, gap := math.Inf(-1), 0.06*(math.Log(s.max)-math.Log(s.min))
	for _, v := range values {
		t := tick{value: v}
		if math.Log(v)-last >= gap {
			t.label, last = table.Number(v), math.Log(v)
		}
		out = append(out, t)
	}
	return out
}

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
	sheet := rect{0, 0, w * inch, h * inch}
	width := sheet.maxX - sheet.minX - 2*margin
	top := p.heading(sheet, width)
	top = p.legend(sheet, width, top)
	bottom := p.foot(sheet, width)
	if top-bottom < 0.75*inch {
		return domain.Refuse("figure", "size", fmt.Sprintf("%v × %v inches", w, h),
			"more room beside title, legend and caption")
	}
	names := p.directRoom(width)
	area := rect{sheet.minX + margin, bottom, sheet.maxX - margin - names, top}
	p.shrink(&p.y, top-bottom)
	p.shrink(&p.x, width-names)
	if p.y.name != "" { // written at the middle of the plane, beside the axis
		area.minX += p.y.title.height() + padding
	}
	p.fit(area)
	p.drawAxes(area, len(f.XTicks) == 0)
	p.drawData()
	p.nameEnds(names)
	side := p.y.title
	side.Angle += math.Pi / 2
	p.Write(side, Point{X: sheet.minX + margin + ascent*side.Size, Y: p.data.centreY()}, p.y.name)
	return nil
}

// heading writes the title at the left and returns where it ends.
func (p *plane) heading(sheet rect, width float64) float64 {
	style, y := words(titleSize, ink), sheet.maxY-margin
	style.Bold = true
	for _, l := range wrapped(p, p.f.Title, style.Font, width, 3) {
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
		name := fitted(p, printable(s.Name), style.Font, width-swatch-gap)
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
	lines := wrapped(p, p.f.Caption, style.Font, width, 4)
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
	p.x = axis{span: xs, log: f.LogX, name: printable(f.XLabel), title: words(labelSize, ink),
		tag: words(tickSize, ink)}
	p.y = axis{span: ys, log: f.LogY, name: printable(f.YLabel), title: words(labelSize, ink),
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
		p.categories((w - 0.8) * inch / float64(len(f.XTicks)))
	}
	return p, nil
}

// categories labels x = 0, 1, … and slants labels that would run into each other.
func (p *plane) categories(room float64) {
	slant := false
	p.x.ticks = nil
	for k, name := range p.f.XTicks {
		name = fitted(p, printable(name), p.x.tag.Font, 1.6*inch)
		slant = slant || p.Width(name, p.x.tag.Font) > room-6
		p.x.ticks = append(p.x.ticks, tick{float64(k), name})
	}
	if slant {
		p.x.tag.Angle, p.x.tag.X = math.Pi/5, -1
	}
}

// mostLegend is the most series that a legend names: more of them are named where they end, since nobody matches seven
// colours.
const mostLegend = 6

// direct reports whether the series are named at their ends: many lines, and nothing else but guides.
func (f *Figure) direct() bool {
	named := 0
	for _, s := range f.Series {
		if s.Kind == Bars || s.Kind == Points {
			return false
		}
		if s.Name != "" {
			named++
		}
	}
	return named > mostLegend
}

// directRoom is the room that names at the ends take at the right.
func (p *plane) directRoom(width float64) float64 {
	if !p.f.direct() {
		return 0
	}
	room := 0.0
	for _, s := range p.f.Series {
		room = max(room, p.Width(printable(s.Name), words(legendSize, ink).Font))
	}
	return min(room, width/3) + 2*leader
}

// leader is the least length of the line from a series to its name.
const leader = 8

// ending is where a series ends, and where its name stands.
type ending struct {
	series   int
	from, to float64
	right    float64
}

// nameEnds writes the name of every series beside its end, in its colour, in the order of the ends and none over
// another.
func (p *plane) nameEnds(room float64) {
	if room == 0 {
		return
	}
	var list []ending
	for i, s := range p.f.Series {
		if s.Name == "" {
			continue
		}
		last := 0
		for k := range s.X {
			if s.X[k] >= s.X[last] {
				last = k
			}
		}
		y := p.toY(s.Y[last])
		list = append(list, ending{i, y, y, p.toX(s.X[last])})
	}
	sort.SliceStable(list, func(a, b int) bool { return list[a].from < list[b].from })
	step := min(legendSize*leading, (p.data.maxY-p.data.minY)/math.Max(1, float64(len(list)-1)))
	for i := range list { // upwards, each above the one below
		low := p.data.minY
		if i > 0 {
			low = list[i-1].to + step
		}
		list[i].to = max(list[i].from, low)
	}
	for i, high := len(list)-1, p.data.maxY; i >= 0; i, high = i-1, list[i].to-step { // and down from the top
		list[i].to = min(list[i].to, high)
	}
	for _, e := range list {
		style := words(min(legendSize, step), p.looks[e.series].colour)
		style.Y = -0.5
		x := p.data.maxX + leader
		p.Stroke(Stroke{Color: p.looks[e.series].colour, Width: hairline},
			[]Point{{X: e.right + 1, Y: e.from}, {X: p.data.maxX + 1, Y: e.from}, {X: x - 1, Y: e.to}})
		p.Write(style, Point{X: x + 1, Y: e.to},
			fitted(p, printable(p.f.Series[e.series].Name), style.Font, room-leader-2))
	}
}
