package figure

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// HeatMap describes a table of numbers ≥ 0 as shades, from white at 0 to dark blue at the largest. Its table twin holds
// every number.
type HeatMap struct {
	Title, Value  string // what the numbers are
	Caption       string // ε, δ, adjacency, n
	Rows, Columns []string
	Cells         [][]float64 // by row and column; NaN: none
	Private       bool        // drawn from private data: stamped "private: do not publish"
}

// The measures of a heat map, in points.
const (
	heatSide   = 440.0 // of all cells together, at most
	leastCell  = 7.0
	mostCell   = 34.0
	heatNames  = 110.0 // the longest name
	heatWidest = 24.0  // of a cell that its number fits into
	barWidth   = 10.0
	shades     = 14 // that are told apart, few enough for the palette of a small picture
)

// mostHeat is the most rows and columns that can be drawn.
const mostHeat = 250

// valid checks what Figure's Validate checks: *FigureError.
func (h *HeatMap) valid() error {
	if len(h.Rows) == 0 || len(h.Columns) == 0 {
		return &FigureError{h.Title, "", "at least one row and one column"}
	}
	if len(h.Cells) != len(h.Rows) {
		return &FigureError{h.Title, "", "numbers for every row"}
	}
	for i, r := range h.Cells {
		if len(r) != len(h.Columns) {
			return &FigureError{h.Title, h.Rows[i], "a number for every column"}
		}
		for _, v := range r {
			if v < 0 || math.IsInf(v, 0) {
				return &FigureError{h.Title, h.Rows[i], "finite numbers from 0 on, or NaN for none"}
			}
		}
	}
	return nil
}

// most is the largest number.
func (h *HeatMap) most() (most float64) {
	for _, r := range h.Cells {
		for _, v := range r {
			most = max(most, zeroNaN(v))
		}
	}
	return most
}

func zeroNaN(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// Table is the table twin: one row a number.
func (h *HeatMap) Table() *table.Table {
	title := h.Title
	if h.Private {
		title += " (private: do not publish)"
	}
	t := table.New(title, "row", "column", h.Value)
	for i, r := range h.Cells {
		for k, v := range r {
			if !math.IsNaN(v) && i < len(h.Rows) && k < len(h.Columns) {
				t.Add(h.Rows[i], h.Columns[k], v)
			}
		}
	}
	if h.Caption != "" {
		t.Note(h.Caption)
	}
	return t
}

// String is the table twin as text, its first 40 rows.
func (h *HeatMap) String() string { return twin(h.Table()) }

// cell is the side of a cell.
func (h *HeatMap) cell() float64 {
	return math.Max(leastCell, math.Min(mostCell, heatSide/float64(max(len(h.Rows), len(h.Columns)))))
}

// names is the room for names: their letters are not measured, so that the picture's size needs no font.
func names(of []string, size float64) float64 {
	most := 0.0
	for _, n := range of {
		most = math.Max(most, boxWidth(n)/nameSize*size)
	}
	return math.Min(most, heatNames)
}

// letters is the size of names and numbers.
func (h *HeatMap) letters() float64 { return math.Min(tickSize, h.cell()*.95) }

const (
	heatHead = margin + titleSize*leading + legendSize*leading + 6
	heatFoot = margin + 3*footSize*leading + 6
	heatSpan = 2*margin + 12 + barWidth + 34 // beside names and cells: the bar and its numbers
)

// Size is width and height of the picture, in inches. Errors: *FigureError; *dp.ParameterError above 250 rows or
// columns.
func (h *HeatMap) Size() (width, height float64, err error) {
	if err := h.valid(); err != nil {
		return 0, 0, err
	}
	if most := max(len(h.Rows), len(h.Columns)); most > mostHeat {
		return 0, 0, domain.Refuse("figure", "rows or columns of a heat map", most, fmt.Sprintf("at most %d", mostHeat))
	}
	width = heatSpan + names(h.Rows, h.letters()) + float64(len(h.Columns))*h.cell()
	height = heatHead + heatFoot + names(h.Columns, h.letters()) + float64(len(h.Rows))*h.cell()
	return math.Max(width, 300) / inch, height / inch, nil
}

// SVG draws the heat map for files and reports. Errors: those of Size.
func (h *HeatMap) SVG() ([]byte, error) { return svg(h) }

// shade is the colour of a share of the largest number.
func shade(share float64) color.RGBA {
	share = math.Min(math.Floor(share*shades), shades-1) / (shades - 1)
	mix := func(from, to float64) uint8 { return uint8(math.Round(from + (to-from)*share)) }
	return color.RGBA{mix(250, 8), mix(252, 60), mix(255, 120), 255}
}

// fill fills a rectangle.
func fill(c Canvas, of color.Color, r rect) {
	c.Fill(of, []Point{{X: r.minX, Y: r.minY}, {X: r.maxX, Y: r.minY}, {X: r.maxX, Y: r.maxY}, {X: r.minX, Y: r.maxY}})
}

// Draw draws the heat map on a white canvas of its size. Errors: those of Size.
func (h *HeatMap) Draw(c Canvas) error {
	w, inches, err := h.Size()
	if err != nil {
		return err
	}
	width, height := w*inch, inches*inch
	side, most := h.cell(), h.most()
	left, top := margin+names(h.Rows, h.letters())+4, height-heatHead
	h.words(c, width, height)
	row, column := words(h.letters(), ink), words(h.letters(), ink)
	row.X, row.Y = -1, -.5
	column.X, column.Y, column.Angle = -1, -.5, math.Pi/2
	bottom := top - float64(len(h.Rows))*side
	for i, r := range h.Cells {
		y := top - (float64(i)+.5)*side
		c.Write(row, Point{X: left - 4, Y: y},
			fitted(c, printable(h.Rows[i]), row.Font, heatNames))
		for k, v := range r {
			if math.IsNaN(v) {
				continue
			}
			x := left + (float64(k)+.5)*side
			share := v / math.Max(most, math.SmallestNonzeroFloat64)
			fill(c, shade(share), rect{x - side/2, y - side/2, x + side/2, y + side/2})
			if side < heatWidest {
				continue
			}
			number := words(h.letters()*.85, ink)
			if share > .5 {
				number.Color = color.RGBA{255, 255, 255, 255}
			}
			number.X, number.Y = -.5, -.5
			c.Write(number, Point{X: x, Y: y}, short(v))
		}
	}
	for k, n := range h.Columns {
		c.Write(column, Point{X: left + (float64(k)+.5)*side, Y: bottom - 4},
			fitted(c, printable(n), column.Font, heatNames))
	}
	h.bar(c, left+float64(len(h.Columns))*side+12, top, math.Min(float64(len(h.Rows))*side, 160), most)
	return nil
}

// short is a number of two digits after the point, without its leading zero: .07.
func short(v float64) string {
	if v >= 9.995 {
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
	s := strconv.FormatFloat(v, 'f', 2, 64)
	if s[0] == '0' {
		return s[1:]
	}
	return s
}

// bar draws the scale from 0 to the largest number.
func (h *HeatMap) bar(c Canvas, x, top, length, most float64) {
	for i := range shades {
		at := float64(i) / shades
		fill(c, shade(at+.5/shades), rect{x, top - length + length*at, x + barWidth, top - length + length*(at+1./shades)})
	}
	style := words(legendSize, ink)
	style.Y = -.5
	for _, at := range []float64{0, .5, 1} {
		c.Write(style, Point{X: x + barWidth + 3, Y: top - length + length*at}, strconv.FormatFloat(most*at, 'g', 2, 64))
	}
}

// words writes title, what the numbers are, caption and stamp.
func (h *HeatMap) words(c Canvas, width, height float64) {
	style := words(titleSize, ink)
	style.Bold = true
	c.Write(style, Point{X: margin, Y: height - margin - titleSize},
		fitted(c, printable(h.Title), style.Font, width-2*margin))
	style = words(legendSize, ink)
	c.Write(style, Point{X: margin, Y: height - margin - titleSize*leading - legendSize},
		fitted(c, printable(h.Value), style.Font, width-2*margin))
	style = words(footSize, grey)
	for i, l := range wrapped(c, h.Caption, style.Font, width-2*margin, 2) {
		c.Write(style, Point{X: margin, Y: margin*.8 + float64(1-i)*footSize*leading}, l)
	}
	if h.Private {
		c.Write(words(footSize, stamp), Point{X: margin, Y: margin*.8 + 2*footSize*leading},
			"private: do not publish")
	}
}

// widest is the width of an edge whose weight is the largest, in points.
const widest = 7.0

// weighted draws an edge as wide as its weight: dark up to the lower end of the interval, light up to the upper one,
// so that an edge without a dark core may be none. It returns what is to be written on it.
func (g *Graph) weighted(c Canvas, line []Point, parent, child int) tag {
	v := g.Vertices[child]
	w := v.Weights[slices.Index(v.Parents, parent)]
	most := 0.0
	for _, v := range g.Vertices {
		for _, w := range v.Weights {
			most = math.Max(most, w.To)
		}
	}
	width := func(x float64) float64 { return math.Max(.6, widest*x/math.Max(most, 1e-300)) }
	shade := palette[0]
	trimmed := slices.Clone(line)
	trimmed[0].Y -= boxHeight / 2
	trimmed[len(line)-1].Y += boxHeight/2 + arrowLength/2
	pale := color.RGBA{uint8(255 - (255-int(shade.R))/4), uint8(255 - (255-int(shade.G))/4),
		uint8(255 - (255-int(shade.B))/4), 255}
	c.Stroke(Stroke{Color: pale, Width: width(w.To)}, trimmed)
	if w.From > .02*most {
		c.Stroke(Stroke{Color: shade, Width: width(w.From)}, trimmed)
	}
	arrow(c, slices.Clone(line))
	return tag{line, width(w.To), table.Number(roundTo(w.From, most)) + " … " + table.Number(roundTo(w.To, most))}
}

// widthNote says what width and shade of edges mean.
func (g *Graph) widthNote() string {
	if g.Weight == "" {
		return ""
	}
	return "Width of edges: " + g.Weight + ". Dark up to the lower end of the interval, pale up to the upper one: what " +
		"is pale alone may be none."
}

// tag is what is written beside an edge.
type tag struct {
	line  []Point
	width float64 // of the edge
	text  string
}

// along are where a tag may be along a piece of its edge, best first.
var along = []float64{.5, .42, .58, .34, .66, .26, .74, .2, .8}

// tagHalf is half the height of a tag.
const tagHalf = 4.9

// write writes the tags, each beside its own edge, where it covers least of boxes, of other edges (nor is near
// one, which might be taken for its own), and of the tags before it.
func write(c Canvas, tags []tag, boxes []rect) (places []rect) {
	style := words(footSize, ink)
	style.X, style.Y = -.5, -.5
	taken := slices.Clone(boxes)
	for i, t := range tags {
		best := t.place(c.Width(t.text, style.Font)/2+1, func(r rect) (cost float64) {
			for _, o := range taken {
				cost += math.Max(math.Min(r.maxX, o.maxX)-math.Max(r.minX, o.minX), 0) *
					math.Max(math.Min(r.maxY, o.maxY)-math.Max(r.minY, o.minY), 0)
			}
			for k, o := range tags {
				for j := 1; j < len(o.line) && k != i; j++ {
					cost += 6*r.holds(o.line[j-1], o.line[j], o.width/2) + r.holds(o.line[j-1], o.line[j], o.width/2+6)
				}
			}
			return cost
		})
		taken, places = append(taken, best), append(places, best)
		c.Write(style, Point{X: best.centreX(), Y: best.centreY()}, t.text)
	}
	return places
}

// place is the box of least cost to the right or the left of the edge; of equal ones that nearest to the middle of a
// piece.
func (t tag) place(half float64, cost func(rect) float64) (best rect) {
	least := math.Inf(1)
	for _, f := range along {
		for j := 1; j < len(t.line); j++ {
			a, b := t.line[j-1], t.line[j]
			x, y := a.X+f*(b.X-a.X), a.Y+f*(b.Y-a.Y)
			off := t.width/2 + 2 + math.Min(tagHalf*math.Abs(b.X-a.X)/math.Max(math.Abs(b.Y-a.Y), 1), 40)
			outside := math.Copysign(1, b.X-a.X) // where an edge leans there is more room
			for _, side := range []float64{outside, -outside} {
				m := x + side*(off+half)
				r := rect{m - half, y - tagHalf, m + half, y + tagHalf}
				if k := cost(r); k < least-1e-9 {
					best, least = r, k
				}
			}
		}
	}
	return best
}

// holds is how much of a line from a to b, half as wide as given, lies within.
func (r rect) holds(a, b Point, half float64) float64 {
	lo, hi := 0.0, 1.0
	for _, d := range [2][3]float64{{b.X - a.X, r.minX - half - a.X, r.maxX + half - a.X},
		{b.Y - a.Y, r.minY - a.Y, r.maxY - a.Y}} {
		if d[0] == 0 {
			if d[1] > 0 || d[2] < 0 {
				return 0
			}
			continue
		}
		u, v := d[1]/d[0], d[2]/d[0]
		lo, hi = math.Max(lo, math.Min(u, v)), math.Min(hi, math.Max(u, v))
	}
	return math.Max(hi-lo, 0) * math.Hypot(b.X-a.X, b.Y-a.Y)
}

// roundTo rounds to a hundredth of the largest value's power of ten.
func roundTo(x, most float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(math.Max(most, 1e-300)))-2)
	return math.Round(x/unit) * unit
}
