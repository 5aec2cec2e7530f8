package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Mark is a value with its interval, and with the one of half the mass where From50 < To50.
type Mark struct{ At, From, To, From50, To50 float64 }

// problem says what a mark would need, or nothing.
func (m Mark) problem(log bool) string {
	switch {
	case !finite(m.At) || !finite(m.From) || !finite(m.To) || !finite(m.From50) || !finite(m.To50):
		return "finite numbers"
	case m.From > m.To || m.From50 > m.To50:
		return "a lower value that is not above the upper one"
	case log && math.Min(m.At, m.From) <= 0:
		return "positive numbers on a logarithmic axis"
	}
	return ""
}

// ForestRow is one quantity: a mark for each of the forest's series, and its numbers in words, written at the right.
type ForestRow struct {
	Name  string
	Marks []Mark
	Text  string // empty: value and interval of the series Written, as precise as the interval allows
	Muted bool   // drawn in grey, such as an interval that holds 0
	Head  bool   // a heading without marks
	Unit  string // where rows differ in it, those of each unit stand together over an axis of their own, which it names
	Dates string // its values are days since 1970-01-01: the layout of package time of all rows of the unit
}

// Forest describes a forest plot: quantities one under the other, each with the intervals of several series, on one
// axis of values for each unit. Its table twin holds every number.
type Forest struct {
	Title, XLabel string // the finding, in at most 62 characters; the quantity with its unit
	Subtitle      string // what is drawn, and what the intervals are
	Caption       string // data, n, ε, δ, adjacency, unit, seed
	Alt           string // for who cannot see the picture; empty: made of title and numbers
	Series        []string
	Written       int // the series whose numbers stand at the right
	Rows          []ForestRow
	LogX          bool
	Percent       bool       // shares from 0 to 1 are written in per cent
	Reference     *Reference // a vertical line, such as that of no effect; its Y is a value of the axis
	Private       bool       // drawn from private data: a red band says so
}

// The measures of a forest, in points.
const (
	forestWidth = 480.0
	forestStep  = 11.0 // between the marks of a row
	forestGap   = 9.0  // between rows
)

// valid checks what Figure's Validate checks: *FigureError.
func (f *Forest) valid() error {
	if len(f.Rows) == 0 || len(f.Series) == 0 {
		return &FigureError{f.Title, "", "at least one row and one series"}
	}
	if f.Written < 0 || f.Written >= len(f.Series) {
		return &FigureError{f.Title, "", "numbers of one of the series"}
	}
	for _, r := range f.Rows {
		if r.Head && len(r.Marks) == 0 {
			continue
		}
		if len(r.Marks) != len(f.Series) {
			return &FigureError{f.Title, r.Name, "a mark for every series"}
		}
		for _, m := range r.Marks {
			if want := m.problem(f.LogX); want != "" {
				return &FigureError{f.Title, r.Name, want}
			}
		}
	}
	if r := f.Reference; r != nil && (!finite(r.Y) || f.LogX && r.Y <= 0) {
		return &FigureError{f.Title, r.Name, "a finite reference, positive on a logarithmic axis"}
	}
	parts := f.parts()
	if len(parts) > 1 && (f.LogX || f.Reference != nil) {
		return &FigureError{f.Title, "", "rows of one unit on a logarithmic axis, or with a line of reference"}
	}
	for _, part := range parts {
		for _, r := range part.Rows {
			if len(r.Marks) > 0 && r.Dates != part.dates() || r.Dates != "" && (f.LogX || f.Percent || f.Reference != nil) {
				return &FigureError{f.Title, r.Name, "dates of one layout in all rows of a unit, on a linear axis"}
			}
		}
		if !part.span().drawable(f.LogX) {
			return &FigureError{f.Title, part.XLabel, "a range of values that floating point can put ticks on"}
		}
	}
	return nil
}

// parts are forests of one unit each, in the order in which the units come up; a row without one stands below the row
// before it.
func (f *Forest) parts() (out []*Forest) {
	of, last := map[string]*Forest{}, ""
	for _, r := range f.Rows {
		if r.Unit != "" || len(out) == 0 {
			last = r.Unit
		}
		part := of[last]
		if part == nil {
			c := *f
			part = &c
			part.Rows = nil
			if last != "" {
				part.XLabel = last
			}
			of[last], out = part, append(out, part)
		}
		part.Rows = append(part.Rows, r)
	}
	return out
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
	if f.dates() == "" {
		return s.widen(.04, .04, f.LogX)
	}
	if s.min == s.max {
		return s.days()
	}
	return s.widen(.04, .04, false).days()
}

// dates is the layout of the dates of all rows; empty where they are none.
func (f *Forest) dates() string {
	for _, r := range f.Rows {
		if len(r.Marks) > 0 {
			return r.Dates
		}
	}
	return ""
}

// Table is the table twin: one row a mark.
func (f *Forest) Table() *table.Table {
	value, several := f.XLabel, len(f.parts()) > 1
	if several {
		value = "value"
	}
	t := table.New(stamped(f.Title, f.Private), "quantity", "series", value, "from", "to")
	for _, r := range f.Rows {
		name := r.Name
		if several {
			name = r.Unit + ": " + name
		}
		for i, m := range r.Marks[:min(len(r.Marks), len(f.Series))] {
			if r.Dates != "" {
				from, to := m.ends(r.Dates)
				t.Add(name, f.Series[i], date(m.At, r.Dates), from, to)
				continue
			}
			t.Add(name, f.Series[i], m.At, m.From, m.To)
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
func (f *Forest) rowHeight() float64 {
	lines := 1
	for _, r := range f.Rows {
		lines = max(lines, len(f.lines(r)))
	}
	return math.Max(float64(len(f.Series))*forestStep+forestGap, float64(lines)*tickSize*leading+4)
}

// lines are the name of a row.
func (f *Forest) lines(r ForestRow) []string {
	return wrapped(r.Name, Font{Size: tickSize}, rowNames, 3)
}

// number is a value of a row, as precise as the interval of a mark lets it be.
func (f *Forest) number(v float64, of Mark) string {
	if f.Percent {
		return Share(v)
	}
	return Between(v, of.From, of.To)
}

// text is what stands at the right of a row.
func (f *Forest) text(r ForestRow) string {
	if r.Text != "" || len(r.Marks) == 0 {
		return printable(r.Text)
	}
	m := r.Marks[f.Written]
	if r.Dates != "" {
		return m.onDates(r.Dates)
	}
	if m.From == m.To {
		return f.number(m.At, m)
	}
	return fmt.Sprintf("%s (%s to %s)", f.number(m.At, m), f.number(m.From, m), f.number(m.To, m))
}

func (f *Forest) frame() frame { return frame{f.Title, f.Subtitle, f.Caption, f.Private} }

// plane has the axis of a forest, and the rows as names.
func (f *Forest) plane(c Canvas) *plane {
	g := &Figure{XLabel: f.XLabel, LogX: f.LogX, XPercent: f.Percent}
	if f.Reference != nil {
		g.VLines = []Reference{*f.Reference}
	}
	names := f.Series
	if len(names) == 1 {
		names = nil // its name is in the subtitle
	}
	for _, n := range names {
		g.Series = append(g.Series, Series{Name: n, Kind: Points, X: []float64{0}, Y: []float64{0},
			Lo: []float64{0}, Hi: []float64{0}})
	}
	p := &plane{Canvas: c, f: g, looks: looks(g), listed: true}
	p.x = axis{span: f.span(), log: f.LogX, name: printable(f.XLabel)}
	if p.x.ticks = nice(p.x.span, 4, f.Percent); f.LogX {
		p.x.ticks = decades(p.x.span, f.Percent)
	} else if layout := f.dates(); layout != "" {
		p.x.ticks = days(p.x.span, 4, layout)
	}
	p.addNames()
	for i := range p.names {
		if p.names[i].series >= 0 {
			p.names[i].where = keyed
		}
	}
	return p
}

// Size is width and height of the picture, in inches. Errors: *FigureError, *dp.ParameterError above 40 inches.
func (f *Forest) Size() (width, height float64, err error) {
	if err := f.valid(); err != nil {
		return 0, 0, err
	}
	_, _, _, top, bottom := f.frame().lines(forestWidth)
	height = top + bottom + f.plane(nil).above(forestWidth) + float64(len(f.Rows))*f.rowHeight()
	for _, part := range f.parts() {
		height += part.plane(nil).below()
	}
	height /= inch
	if height > maxSide {
		return 0, 0, domain.Refuse("figure", "rows of a forest", len(f.Rows), "fewer: at most 40 inches")
	}
	return forestWidth / inch, height, nil
}

// SVG draws the forest for files and reports. Errors: those of Size.
func (f *Forest) SVG() ([]byte, error) { return svg(f) }

// colours are those of the series: a single one is that of what is released.
func (f *Forest) colours() (out []color.RGBA) {
	of := colours(f.Series)
	for _, s := range f.Series {
		out = append(out, of[s])
	}
	return out
}

// Draw draws the forest on an empty canvas of its size. Errors: those of Size.
func (f *Forest) Draw(c Canvas) error {
	_, h, err := f.Size()
	if err != nil {
		return err
	}
	style, right := words(tickSize, ink), words(tickSize, ink)
	names, values := 0.0, 0.0
	for _, r := range f.Rows {
		for _, l := range f.lines(r) {
			names = math.Max(names, style.Width(l))
		}
		values = math.Max(values, right.Width(f.text(r)))
	}
	values = math.Min(values, rowNames)
	low, high := f.frame().draw(c, forestWidth, h*inch)
	area := rect{margin, low, forestWidth - margin, high}
	p := f.plane(c)
	p.legend(area)
	high -= p.above(forestWidth)
	for _, part := range f.parts() {
		bottom := high - float64(len(part.Rows))*f.rowHeight()
		p := part.plane(c)
		p.data = rect{margin + names + 10, bottom, forestWidth - margin - values - 14, high}
		part.draw(p, f.rowHeight())
		high = bottom - p.below()
	}
	return nil
}

// draw draws the rows of one unit, and its axis.
func (f *Forest) draw(p *plane, step float64) {
	style, right := words(tickSize, ink), words(tickSize, ink)
	style.X, style.Y, right.X, right.Y = -1, -.5, -1, -.5
	for _, t := range p.x.ticks {
		p.line(Stroke{Color: light, Width: .75}, p.toX(t.value), p.data.minY, p.toX(t.value), p.data.maxY)
	}
	p.drawAxes(true, false)
	p.drawReferences()
	p.writeNames()
	of := f.colours()
	for i, r := range f.Rows {
		middle := p.data.maxY - (float64(i)+.5)*step
		style.Color, right.Color = ink, ink
		if r.Muted || r.Head {
			style.Color, right.Color = grey, grey
		}
		lines := f.lines(r)
		for k, l := range lines {
			up := (float64(len(lines)-1)/2 - float64(k)) * tickSize * leading
			p.write(style, Point{p.data.minX - 10, middle + up}, l)
		}
		for k, m := range r.Marks {
			colour := of[k]
			if r.Muted {
				colour = grey
			}
			drawMark(p.Canvas, colour, m, p.toX, middle+(float64(len(r.Marks)-1)/2-float64(k))*forestStep)
		}
		p.write(right, Point{forestWidth - margin, middle}, fitted(f.text(r), right.Font, rowNames))
	}
}

// apart is whether the rows of a figure differ in their unit.
func (f *Figure) apart() bool { return len(slices.Compact(slices.Clone(f.Units))) > 1 }

// forest is a figure whose rows differ in their unit: points in every row. Errors: *FigureError for anything else.
func (f *Figure) forest() (*Forest, error) {
	out := &Forest{Title: f.Title, Subtitle: f.Subtitle, Caption: f.Caption, Alt: f.Alt, Private: f.Private}
	if len(f.Units) != len(f.XTicks) || len(f.HLines) > 0 {
		return nil, &FigureError{f.Title, "", "a unit for every row, and no line of reference"}
	}
	for i, name := range f.XTicks {
		out.Rows = append(out.Rows, ForestRow{Name: name, Unit: f.Units[i], Dates: f.layout(float64(i))})
	}
	for _, s := range f.Series {
		if s.Kind != Points || len(s.X) != len(out.Rows) {
			return nil, &FigureError{f.Title, s.Name, "a point for every row"}
		}
		out.Series = append(out.Series, s.Name)
		for k, x := range s.X {
			m := Mark{At: s.Y[k], From: s.Y[k], To: s.Y[k]}
			if len(s.Lo) > 0 {
				m.From, m.To = s.Lo[k], s.Hi[k]
			}
			row := &out.Rows[int(x)]
			row.Marks = append(row.Marks, m)
		}
	}
	return out, out.valid()
}
