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
	Title, Value  string // the finding, in at most 62 characters; what the numbers are
	Caption       string // data, n, ε, δ, adjacency, unit, seed
	Alt           string // for who cannot see the picture; empty: made of title and numbers
	Rows, Columns []string
	Cells         [][]float64 // by row and column; NaN: none
	Private       bool        // drawn from private data: a red band says so
}

// The measures of a heat map, in points.
const (
	heatSide   = 440.0 // of all cells together, at most
	leastCell  = 7.0
	mostCell   = 34.0
	heatNames  = 110.0 // the longest name
	heatWidest = 24.0  // of a cell that its number fits into
	barWidth   = 10.0
	shades     = 14          // that are told apart, few enough for the palette of a small picture
	darkFrom   = 9. / shades // from this share on white words are read better than black ones
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
	t := table.New(stamped(h.Title, h.Private), "row", "column", h.Value)
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

// names is the room for names.
func names(of []string, size float64) float64 {
	most := 0.0
	for _, n := range of {
		most = math.Max(most, Font{Size: size}.Width(printable(n)))
	}
	return math.Min(most, heatNames)
}

// letters is the size of names and numbers.
func (h *HeatMap) letters() float64 { return math.Min(tickSize, h.cell()*.95) }

const heatSpan = 2*margin + 12 + barWidth + 34 // beside names and cells: the bar and its numbers

// triangle is whether rows and columns are the same, and each pair has a number once, below the diagonal: names stand
// on it.
func (h *HeatMap) triangle() bool {
	if len(h.Rows) < 2 || !slices.Equal(h.Rows, h.Columns) {
		return false
	}
	for i, r := range h.Cells {
		for _, v := range r[i:] {
			if !math.IsNaN(v) {
				return false
			}
		}
	}
	return true
}

func (h *HeatMap) frame() frame { return frame{h.Title, h.Value, h.Caption, h.Private} }

// Size is width and height of the picture, in inches. Errors: *FigureError; *dp.ParameterError above 250 rows or
// columns.
func (h *HeatMap) Size() (width, height float64, err error) {
	if err := h.valid(); err != nil {
		return 0, 0, err
	}
	if most := max(len(h.Rows), len(h.Columns)); most > mostHeat {
		return 0, 0, domain.Refuse("figure", "rows or columns of a heat map", most, fmt.Sprintf("at most %d", mostHeat))
	}
	width = heatSpan + float64(len(h.Columns))*h.cell()
	if h.triangle() { // names stand on the diagonal, the scale in the empty half
		for i, n := range h.Rows {
			width = math.Max(width, 2*margin+float64(i)*h.cell()+4+names([]string{n}, h.letters()))
		}
	} else {
		width += names(h.Rows, h.letters())
	}
	width = math.Max(width, 300)
	_, _, _, top, bottom := h.frame().lines(width)
	height = top + bottom + float64(len(h.Rows))*h.cell() + 6
	if !h.triangle() {
		height += names(h.Columns, h.letters())
	}
	return width / inch, height / inch, nil
}

// SVG draws the heat map for files and reports. Errors: those of Size.
func (h *HeatMap) SVG() ([]byte, error) { return svg(h) }

// shade is the colour of a share of the largest number.
func shade(share float64) color.RGBA {
	share = math.Min(math.Floor(share*shades), shades-1) / (shades - 1)
	mix := func(from, to float64) uint8 { return uint8(math.Round(from + (to-from)*share)) }
	return color.RGBA{mix(250, 8), mix(252, 60), mix(255, 120), 255}
}

// Draw draws the heat map on an empty canvas of its size. Errors: those of Size.
func (h *HeatMap) Draw(c Canvas) error {
	w, inches, err := h.Size()
	if err != nil {
		return err
	}
	width, height := w*inch, inches*inch
	side, most := h.cell(), h.most()
	left, triangle := margin+names(h.Rows, h.letters())+4, h.triangle()
	if triangle {
		left = margin
	}
	_, top := h.frame().draw(c, width, height)
	row, column := words(h.letters(), ink), words(h.letters(), ink)
	row.X, row.Y = -1, -.5
	column.X, column.Y, column.Angle = -1, -.5, math.Pi/2
	bottom := top - float64(len(h.Rows))*side
	for i, r := range h.Cells {
		y := top - (float64(i)+.5)*side
		at := Point{X: left - 4, Y: y}
		if triangle {
			row.X, at.X = 0, left+float64(i)*side+4
		}
		c.Write(row, at, fitted(printable(h.Rows[i]), row.Font, heatNames))
		for k, v := range r {
			if math.IsNaN(v) {
				continue
			}
			x := left + (float64(k)+.5)*side
			share := v / math.Max(most, math.SmallestNonzeroFloat64)
			fill(c, shade(share), rect{x - side/2, y - side/2, x + side/2, y + side/2})
			if side < heatWidest || triangle && share < .4 {
				continue
			}
			number := words(h.letters()*.85, onLight)
			if share >= darkFrom {
				number.Color = onStamp
			}
			number.X, number.Y = -.5, -.5
			c.Write(number, Point{X: x, Y: y}, short(v))
		}
	}
	for k, n := range h.Columns {
		if triangle {
			break
		}
		c.Write(column, Point{X: left + (float64(k)+.5)*side, Y: bottom - 4},
			fitted(printable(n), column.Font, heatNames))
	}
	h.bar(c, width-margin-barWidth-30, top, math.Min(float64(len(h.Rows))*side, 160), most)
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
