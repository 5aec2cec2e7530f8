package figure

import (
	"image/color"
	"math"
	"slices"

	"github.com/privbayes/privbayes-go/internal/canvas"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// widest is the width of an edge whose weight is the largest, in points.
const widest = 7.0

// weighted draws an edge as wide as its weight: dark up to the lower end of the interval, light up to the upper one,
// so that an edge without a dark core may be none. It returns what writes the weight's label on it.
func (g *Graph) weighted(c canvas.Canvas, line []canvas.Point, parent, child int) (label func()) {
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
	c.Stroke(canvas.Stroke{Color: pale, Width: width(w.To)}, trimmed)
	if w.From > .02*most {
		c.Stroke(canvas.Stroke{Color: shade, Width: width(w.From)}, trimmed)
	}
	arrow(c, slices.Clone(line))
	a, b := line[0], line[1]
	return func() {
		style := words(footSize, ink)
		style.X, style.Y = -.5, -.5
		text := table.Number(roundTo(w.From, most)) + " … " + table.Number(roundTo(w.To, most))
		at := canvas.Point{X: a.X + .5*(b.X-a.X), Y: a.Y + .5*(b.Y-a.Y)}
		half := c.Width(text, style.Font)/2 + 1.5
		c.Fill(backing, []canvas.Point{{X: at.X - half, Y: at.Y - 5}, {X: at.X + half, Y: at.Y - 5},
			{X: at.X + half, Y: at.Y + 5}, {X: at.X - half, Y: at.Y + 5}})
		c.Write(style, at, text)
	}
}

// roundTo rounds to a hundredth of the largest value's power of ten.
func roundTo(x, most float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(math.Max(most, 1e-300)))-2)
	return math.Round(x/unit) * unit
}
