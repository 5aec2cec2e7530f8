// Package figure describes pictures (series, axes, labels, caption) as data and draws them: [Figure.SVG] for files and
// reports; package plots makes pixels of the same layout for notebooks. A figure shows itself as text by its table
// twin.
package figure

import (
	"fmt"
	"image/color"
	"math"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// SeriesKind says how a series is drawn.
type SeriesKind string

// The kinds of series.
const (
	Line   SeriesKind = "line" // straight lines between the points
	Points SeriesKind = "points"
	Band   SeriesKind = "band" // a line with a shaded band from Lo to Hi
	Bars   SeriesKind = "bars"
	Step   SeriesKind = "step" // constant around each point, with jumps half way
)

// Series is one named set of points. Band needs Lo and Hi; Bars may have them, as whiskers. The zero Kind is Line.
type Series struct {
	Name   string
	Kind   SeriesKind
	X, Y   []float64
	Lo, Hi []float64
	Dashed bool
	Guide  bool // something to compare with, such as the diagonal of a calibration plot: thin, grey, dashed
}

// Reference is a labelled horizontal line.
type Reference struct {
	Name string
	Y    float64
}

// Figure describes a picture: SVG draws it, as does package plots in pixels. Its table twin holds every number of it.
type Figure struct {
	Title, XLabel, YLabel string
	Caption               string // ε, δ, adjacency, n
	LogX, LogY            bool
	Series                []Series
	HLines                []Reference
	XTicks                []string // labels of x = 0, 1, … for bars
	Private               bool     // drawn from private data: stamped "private: do not publish"
	Width, Height         float64  // of the picture, in inches; both 0: 6.2 × 3.9
}

// FigureError is a figure that cannot be drawn.
type FigureError struct{ Figure, Series, Want string }

func (e *FigureError) Error() string {
	return fmt.Sprintf("figure: figure %q, series %q: want %s", e.Figure, e.Series, e.Want)
}

// Validate checks that there is a series, that lengths agree, and that coordinates are finite, in order (Lo ≤ Hi), and
// positive on logarithmic axes: *FigureError. A figure that passes can be drawn.
func (f *Figure) Validate() error {
	if len(f.Series) == 0 {
		return &FigureError{f.Title, "", "at least one series"}
	}
	for _, s := range f.Series {
		if want := f.problem(s); want != "" {
			return &FigureError{f.Title, s.Name, want}
		}
	}
	for _, h := range f.HLines {
		if !finite(h.Y) || f.LogY && h.Y <= 0 {
			return &FigureError{f.Title, h.Name, "a finite reference, positive on a logarithmic axis"}
		}
	}
	return nil
}

// problem says what series s would need, or nothing.
func (f *Figure) problem(s Series) string {
	switch s.Kind {
	case "", Line, Points, Band, Bars, Step:
	default:
		return fmt.Sprintf("a kind of series, not %q", s.Kind)
	}
	if len(s.X) == 0 || len(s.X) != len(s.Y) {
		return "as many x as y values, and at least one"
	}
	ranged := s.Kind == Band || len(s.Lo)+len(s.Hi) > 0
	if ranged && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
		return "a lower and an upper value for every point of a band"
	}
	for i := range s.X {
		low := s.Y[i]
		if ranged {
			if !finite(s.Lo[i]) || !finite(s.Hi[i]) {
				return "finite numbers"
			}
			if s.Lo[i] > s.Hi[i] {
				return "a lower value that is not above the upper one"
			}
			low = math.Min(low, s.Lo[i])
		}
		switch {
		case !finite(s.X[i]) || !finite(s.Y[i]):
			return "finite numbers"
		case f.LogX && s.X[i] <= 0 || f.LogY && low <= 0:
			return "positive numbers on a logarithmic axis"
		case len(f.XTicks) > 0 && (s.X[i] < 0 || s.X[i] > float64(len(f.XTicks)-1)):
			return "x values from 0 to the number of labels of the x axis, less one"
		}
	}
	return ""
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Table is the table twin: one row a point, with its range where a series has one, and the references; the caption is
// its note.
func (f *Figure) Table() *table.Table {
	title := f.Title
	if f.Private {
		title += " (private: do not publish)"
	}
	columns := []string{"series", f.XLabel, f.YLabel}
	for _, s := range f.Series {
		if len(s.Lo) > 0 {
			columns = append(columns, "from", "to")
			break
		}
	}
	t := table.New(title, columns...)
	for _, s := range f.Series {
		for i := range min(len(s.X), len(s.Y)) { // also of a figure that Validate refuses
			row := []any{s.Name, f.tick(s.X[i]), s.Y[i]}
			if i < len(s.Lo) && i < len(s.Hi) {
				row = append(row, s.Lo[i], s.Hi[i])
			}
			t.Add(row...)
		}
	}
	for _, h := range f.HLines {
		t.Add(h.Name, "all", h.Y)
	}
	if f.Caption != "" {
		t.Note(f.Caption)
	}
	return t
}

// tick is the label of a categorical x, or x itself.
func (f *Figure) tick(x float64) any {
	if k := int(x); x == float64(k) && k >= 0 && k < len(f.XTicks) {
		return f.XTicks[k]
	}
	return x
}

// mostRows is the most rows of the twin as text: a notebook keeps it beside the picture.
const mostRows = 40

// String is the table twin as text, its first 40 rows.
func (f *Figure) String() string { return twin(f.Table()) }

// twin is a table twin as text, cut.
func twin(t *table.Table) string {
	if more := len(t.Rows) - mostRows; more > 0 {
		t.Rows = t.Rows[:mostRows]
		t.Note(fmt.Sprintf("%s more: Table has them all.", table.Count(more, "row")))
	}
	return t.String()
}

// Sizes of the layout, in points.
const (
	margin     = 9
	titleSize  = 11.5
	labelSize  = 10
	tickSize   = 9
	legendSize = 9
	footSize   = 8
	leading    = 1.25 // line height over font size
	tickLength = 3.5
	hairline   = 0.5 // width of axes and ticks
	padding    = 4   // between an axis and its name
)

// The colour-blind-safe palette of Okabe and Ito (2008), without yellow, which is too light for lines.
var palette = []color.RGBA{
	{0, 114, 178, 255}, {213, 94, 0, 255}, {0, 158, 115, 255}, {204, 121, 167, 255}, {86, 180, 233, 255},
	{230, 159, 0, 255}, {0, 0, 0, 255},
}

// Shapes tell series apart where colours cannot, as in print.
var shapes = []Shape{disc, box, pyramid, ring, square, triangle}

var (
	ink     = color.RGBA{40, 40, 40, 255}
	grey    = color.RGBA{105, 105, 105, 255}
	light   = color.RGBA{228, 228, 228, 255}
	stamp   = color.RGBA{170, 30, 30, 255}
	backing = color.NRGBA{255, 255, 255, 205} // behind words inside the plot
)

// tint is the light form of a colour for bands.
func tint(c color.RGBA) color.Color { return color.NRGBA{c.R, c.G, c.B, 45} }

// look is how a series is drawn.
type look struct {
	colour color.RGBA
	line   Stroke
	shape  Shape
	radius float64
}

// looks gives each series its own colour and shape, in order; guides are grey and take none.
func looks(f *Figure) []look {
	out, k := make([]look, len(f.Series)), 0
	for i, s := range f.Series {
		if s.Guide {
			out[i] = look{grey, Stroke{Color: grey, Width: 1, Dashes: []float64{3, 3}}, disc, 2.5}
			continue
		}
		c := palette[k%len(palette)]
		l := look{c, Stroke{Color: c, Width: 1.8}, shapes[k%len(shapes)], 2.7}
		if s.Dashed {
			l.line.Dashes = []float64{5, 3}
		}
		if s.Kind == Points {
			l.radius = 3.2
		}
		out[i] = l
		k++
	}
	return out
}

// words is text at the left end and the bottom of its place.
func words(size float64, c color.RGBA) Text {
	return Text{Font: Font{Size: size}, Color: c}
}

// drawData draws, from the back to the front: bands, bars, reference lines, lines and points, the names of references.
func (p *plane) drawData() {
	for i, s := range p.f.Series {
		if s.Kind == Band {
			p.drawBand(s, p.looks[i])
		}
	}
	p.drawBars()
	p.drawReferences()
	for i, s := range p.f.Series {
		if s.Kind != Bars {
			p.drawLine(s, p.looks[i])
		}
	}
	p.nameReferences()
}

// points are places of a list of values on the canvas.
func (p *plane) points(x, y []float64) []Point {
	out := make([]Point, len(x))
	for i := range x {
		out[i] = Point{X: p.toX(x[i]), Y: p.toY(y[i])}
	}
	return out
}

// path is the line of a series: through its points, or in steps that jump half way between them.
func (p *plane) path(s Series) []Point {
	pts := p.points(s.X, s.Y)
	if s.Kind != Step {
		return pts
	}
	out := pts[:1:1]
	for i := 1; i < len(pts); i++ {
		mid := (pts[i-1].X + pts[i].X) / 2
		out = append(out, Point{X: mid, Y: pts[i-1].Y}, Point{X: mid, Y: pts[i].Y})
	}
	return append(out, pts[len(pts)-1])
}

func (p *plane) drawLine(s Series, l look) {
	pts := p.path(s)
	if s.Kind != Points {
		p.Stroke(l.line, pts)
	}
	if s.Kind == Points || s.Kind == Band || len(s.X) == 1 { // a single point has no line to show it
		for i, pt := range p.points(s.X, s.Y) {
			if s.Kind == Points && len(s.Lo) > 0 {
				p.whisker(s, i, pt.X, Stroke{Color: l.colour, Width: 1})
			}
			p.Mark(l.shape, pt, l.radius, l.colour)
		}
	}
}

// drawBand shades between Lo and Hi.
func (p *plane) drawBand(s Series, l look) {
	outline := p.points(s.X, s.Hi)
	low := p.points(s.X, s.Lo)
	for k := len(low) - 1; k >= 0; k-- {
		outline = append(outline, low[k])
	}
	p.Fill(tint(l.colour), outline)
}

// whisker is the range of one value.
func (p *plane) whisker(s Series, i int, x float64, style Stroke) {
	lo, hi := p.toY(s.Lo[i]), p.toY(s.Hi[i])
	p.line(style, x, lo, x, hi)
	p.line(style, x-3, lo, x+3, lo)
	p.line(style, x-3, hi, x+3, hi)
}

// labelled is the most bars that have their values written on them.
const labelled = 16

// drawBars draws the bars of all series side by side, with their ranges and, if they are few and all have room, their
// values.
func (p *plane) drawBars() {
	f, all := p.f, p.looks
	groups, total := 0, 0
	for _, s := range f.Series {
		if s.Kind == Bars {
			groups++
			total += len(s.X)
		}
	}
	share := 0.55
	if groups > 1 || len(f.XTicks) == 0 {
		share = 0.8
	}
	values := barLabels(f)
	w, k := share*slot(f)/math.Max(1, float64(groups)), 0
	between := slot(f) // of two bars that stand next to each other
	if groups > 1 {
		between = w
	}
	said := total <= labelled && (f.LogX || p.roomy(values, p.toX(between)-p.toX(0)))
	base := p.toY(math.Max(p.y.min, math.Min(0, p.y.max)))
	if f.LogY {
		base = p.data.minY
	}
	for i, s := range f.Series {
		if s.Kind != Bars {
			continue
		}
		shift := (float64(k) - float64(groups-1)/2) * w
		k++
		for j := range s.X {
			left, right, y := p.toX(s.X[j]+shift-w*0.48), p.toX(s.X[j]+shift+w*0.48), p.toY(s.Y[j])
			if f.LogX {
				left, right = p.toX(s.X[j])-6, p.toX(s.X[j])+6
			}
			p.Fill(all[i].colour, []Point{{X: left, Y: base}, {X: right, Y: base}, {X: right, Y: y},
				{X: left, Y: y}})
			tip, mid := y, (left+right)/2
			if len(s.Lo) > 0 {
				p.whisker(s, j, mid, Stroke{Color: ink, Width: 1})
				tip = p.toY(s.Hi[j])
			}
			if !said {
				continue
			}
			style := words(tickSize, ink)
			style.X = -0.5
			foot := y
			if len(s.Lo) > 0 {
				foot = p.toY(s.Lo[j])
			}
			if groups == 1 { // points stand on the bars
				if lo, hi, ok := pointsAt(f, s.X[j]); ok {
					tip, foot = max(tip, p.toY(hi)+3), min(foot, p.toY(lo)-3)
				}
			}
			at := Point{X: mid, Y: tip + 3}
			if s.Y[j] < 0 {
				style.Y, at.Y = -1, foot-3
			}
			p.Write(style, at, values[i][j])
		}
	}
}

// roomy is whether every label of a bar has room between two bars.
func (p *plane) roomy(labels [][]string, room float64) bool {
	font := words(tickSize, ink).Font
	for _, series := range labels {
		for _, label := range series {
			if p.Width(label, font)+2 > room {
				return false
			}
		}
	}
	return true
}

// pointsAt is the range of the points at x, with their whiskers; ok is false where there are none.
func pointsAt(f *Figure, x float64) (lo, hi float64, ok bool) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, s := range f.Series {
		for j := range s.X {
			if s.Kind != Points || s.X[j] != x {
				continue
			}
			lo, hi, ok = math.Min(lo, s.Y[j]), math.Max(hi, s.Y[j]), true
			if len(s.Lo) > 0 {
				lo, hi = math.Min(lo, s.Lo[j]), math.Max(hi, s.Hi[j])
			}
		}
	}
	return lo, hi, ok
}

// barLabels are the values of all bars, with as many decimals as the longest of them needs, at most four digits
// altogether.
func barLabels(f *Figure) [][]string {
	decimals, plain := 0, true
	each := func(do func(i, j int, y float64)) {
		for i, s := range f.Series {
			if s.Kind == Bars {
				for j, y := range s.Y {
					do(i, j, y)
				}
			}
		}
	}
	each(func(_, _ int, y float64) {
		n := table.Number(y)
		plain = plain && !strings.Contains(n, "e")
		if dot := strings.IndexByte(n, '.'); dot >= 0 {
			decimals = max(decimals, len(n)-dot-1)
		}
	})
	out := make([][]string, len(f.Series))
	each(func(i, _ int, y float64) {
		label := table.Number(y)
		if plain && decimals <= 4 {
			label = strconv.FormatFloat(y, 'f', decimals, 64)
		}
		out[i] = append(out[i], label)
	})
	return out
}
