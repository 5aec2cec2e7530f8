package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Facets are several figures on the same axes, with one key: in place of as many pictures that are alike. The title of
// a panel is its heading; its other words are not drawn.
type Facets struct {
	Title    string // the finding, in at most 62 characters
	Subtitle string // what is drawn, and what bars and bands are
	Caption  string // data, n, ε, δ, adjacency, unit, seed
	Alt      string // for who cannot see the picture; empty: made of title and numbers
	Columns  int    // of panels; 0: at most three
	Panels   []*Figure
	Private  bool // drawn from private data: a red band says so
}

const facetGap = 16.0 // between panels, in points

// columns is how many panels stand in a row.
func (f *Facets) columns() int {
	if f.Columns > 0 {
		return f.Columns
	}
	return min(3, len(f.Panels))
}

// Validate checks that there are panels, that each can be drawn, and that their axes are of one kind: *FigureError.
func (f *Facets) Validate() error {
	if len(f.Panels) == 0 {
		return &FigureError{f.Title, "", "at least one panel"}
	}
	a := f.Panels[0]
	for _, p := range f.Panels {
		if err := p.Validate(); err != nil {
			return err
		}
		if p.LogX != a.LogX || p.LogY != a.LogY || p.XPercent != a.XPercent || p.YPercent != a.YPercent ||
			p.XDates != a.XDates || !slices.Equal(p.XTicks, a.XTicks) {
			return &FigureError{f.Title, p.Title, "panels on the same axes"}
		}
	}
	if x, y := f.ranges(); !x.drawable(a.LogX) || !y.drawable(a.LogY) {
		return &FigureError{f.Title, "", "numbers whose range floating point can divide"}
	}
	return nil
}

// ranges are those of all panels together.
func (f *Facets) ranges() (x, y span) {
	across := (forestWidth-2*margin)/float64(f.columns()) - facetGap - 20 // less what stands at the left of the first
	x, y = ranges(f.Panels[0], across)
	for _, p := range f.Panels[1:] {
		px, py := ranges(p, across)
		x.add(px.min, px.max)
		y.add(py.min, py.max)
	}
	return x, y
}

// key has the series of all panels, one a name, and the references of the first.
func (f *Facets) key() *plane {
	first := f.Panels[0]
	all := &Figure{XTicks: first.XTicks, XLabel: first.XLabel, YLabel: first.YLabel}
	for _, p := range f.Panels {
		for _, s := range p.Series {
			if !slices.ContainsFunc(all.Series, func(o Series) bool { return o.Name == s.Name }) {
				all.Series = append(all.Series, s)
			}
		}
	}
	k := &plane{f: all, looks: looks(all)}
	k.addNames()
	for i := range k.names {
		k.names[i].where = keyed
	}
	return k
}

// panelHeight is that of the data of a panel.
func (f *Facets) panelHeight() float64 {
	if n := len(f.Panels[0].XTicks); n > 0 {
		return float64(n) * f.Panels[0].rowHeight()
	}
	return map[int]float64{1: 180, 2: 130}[f.columns()] + 110*float64(min(max(f.columns()-2, 0), 1))
}

// head is the room for the heading of a panel, and for the names of vertical lines.
func (f *Facets) head() float64 {
	up := labelSize*leading + 2
	if p := f.Panels[0]; len(p.XTicks) > 0 && len(p.HLines) > 0 || len(p.VLines) > 0 {
		up += legendSize * leading
	}
	return up
}

func (f *Facets) frame() frame { return frame{f.Title, f.Subtitle, f.Caption, f.Private} }

// Size is width and height of the picture, in inches. Errors: *FigureError, *dp.ParameterError above 40 inches.
func (f *Facets) Size() (width, height float64, err error) {
	if err := f.Validate(); err != nil {
		return 0, 0, err
	}
	_, _, _, top, bottom := f.frame().lines(forestWidth)
	rows := math.Ceil(float64(len(f.Panels)) / float64(f.columns()))
	key := f.key()
	height = (top + bottom + key.legendHeight(forestWidth-2*margin) + f.axisName() +
		rows*(f.panelHeight()+f.head()+tickLength+tickSize*leading+padding) + labelSize*leading + padding) / inch
	if height > maxSide {
		return 0, 0, domain.Refuse("figure", "panels", len(f.Panels), "fewer: at most 40 inches")
	}
	return forestWidth / inch, height, nil
}

// axisName is the room for the name of the vertical axis.
func (f *Facets) axisName() float64 {
	if len(f.Panels[0].XTicks) > 0 || f.Panels[0].YLabel == "" {
		return padding
	}
	return labelSize*leading + padding
}

// SVG draws the panels for files and reports. Errors: those of Size.
func (f *Facets) SVG() ([]byte, error) { return svg(f) }

// Draw draws the panels on an empty canvas of its size. Errors: those of Size.
func (f *Facets) Draw(c Canvas) error {
	_, h, err := f.Size()
	if err != nil {
		return err
	}
	low, high := f.frame().draw(c, forestWidth, h*inch)
	key := f.key()
	key.Canvas = c
	area := rect{margin, low, forestWidth - margin, high}
	key.legend(area)
	high -= key.legendHeight(area.maxX-area.minX) + f.axisName()
	var names []string
	for _, s := range key.f.Series {
		if !s.Guide {
			names = append(names, s.colourName())
		}
	}
	of, cols := colours(names), f.columns()
	xs, ys := f.ranges()
	style := words(labelSize, grey)
	if f.axisName() > padding {
		c.Write(style, Point{margin, high + padding}, shrunk(&style, printable(key.f.YLabel), area.maxX-area.minX))
	}
	wide := (area.maxX - area.minX) / float64(cols)
	left := f.Panels[0].plane(c, xs, ys, wide, f.panelHeight()+90).tags()
	wide = (area.maxX - area.minX - left - float64(cols-1)*facetGap - 10) / float64(cols)
	step := f.panelHeight() + f.head() + tickLength + tickSize*leading + padding
	for i, panel := range f.Panels {
		p := panel.plane(c, xs, ys, wide, f.panelHeight()+90)
		p.looks, p.names = looksIn(panel, of), nil
		col, row := float64(i%cols), float64(i/cols)
		x, y := area.minX+left+col*(wide+facetGap), high-row*step-f.head()
		p.data = rect{x, y - f.panelHeight(), x + wide, y}
		p.drawAxes(false, i%cols == 0)
		p.drawData()
		style := words(labelSize, ink)
		style.Bold = true
		p.write(style, Point{x, high - row*step - labelSize}, fitted(panel.Title, style.Font, wide))
		for _, v := range p.vertical() {
			style, at := words(legendSize, grey), p.toX(v.Y)
			name := fitted(v.Name, style.Font, wide)
			p.write(style, Point{math.Max(x, math.Min(at-style.Width(name)/2, x+wide-style.Width(name))), y + 2}, name)
		}
		if i == 0 {
			key.x = p.x
		}
	}
	style = words(labelSize, ink)
	style.X = -.5
	c.Write(style, Point{(area.minX + left + area.maxX) / 2, low + 2},
		shrunk(&style, key.x.name, area.maxX-area.minX-left))
	return nil
}

// Table is the table twin: the rows of every panel.
func (f *Facets) Table() *table.Table {
	var t *table.Table
	for _, p := range f.Panels {
		twin := *p
		twin.Private, twin.Caption = false, ""
		part := twin.Table()
		if t == nil {
			t = table.New(stamped(f.Title, f.Private), append([]string{"panel"}, part.Columns...)...)
		}
		for _, r := range part.Rows {
			t.Rows = append(t.Rows, append([]string{p.Title}, r...))
		}
	}
	if t == nil {
		t = table.New(f.Title, "panel")
	}
	if f.Caption != "" {
		t.Note(f.Caption)
	}
	return t
}

// String is the table twin as text, its first 40 rows.
func (f *Facets) String() string { return twin(f.Table()) }

// stamped is the title of a table twin.
func stamped(title string, private bool) string {
	if private {
		return title + " (private: do not publish)"
	}
	return title
}

// Words are the title and what the picture shows, in words.
func (f *Facets) Words() (title, alt string) {
	heads := make([]string, len(f.Panels))
	for i, p := range f.Panels {
		heads[i] = p.Title
	}
	return f.Title, described(f.Alt, f.Private, fmt.Sprintf("%s: %s", table.Count(len(f.Panels), "panel"),
		listed(heads, 6)), f.Title)
}
