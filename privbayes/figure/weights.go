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
// so that an edge without a dark core may be none. It returns what is to be written on it.
func (g *Graph) weighted(c canvas.Canvas, line []canvas.Point, parent, child int) tag {
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
	return tag{line[0], line[1], table.Number(roundTo(w.From, most)) + " … " + table.Number(roundTo(w.To, most))}
}

// tag is what is written on an edge, somewhere between two places.
type tag struct {
	a, b canvas.Point
	text string
}

// along are where a tag may be on its edge, best first: between two layers there is room for three lines.
var along = []float64{.5, .31, .69}

// write writes the tags, each where it overlaps those before it least.
func write(c canvas.Canvas, tags []tag) {
	style := words(footSize, ink)
	style.X, style.Y = -.5, -.5
	var taken []rect
	for _, t := range tags {
		half := c.Width(t.text, style.Font)/2 + 1.5
		best, least := rect{}, math.Inf(1)
		for _, f := range along {
			x, y := t.a.X+f*(t.b.X-t.a.X), t.a.Y+f*(t.b.Y-t.a.Y)
			r, covered := rect{x - half, y - 4.9, x + half, y + 4.9}, 0.0
			for _, o := range taken {
				covered += math.Max(math.Min(r.maxX, o.maxX)-math.Max(r.minX, o.minX), 0) *
					math.Max(math.Min(r.maxY, o.maxY)-math.Max(r.minY, o.minY), 0)
			}
			if covered < least {
				best, least = r, covered
			}
		}
		taken = append(taken, best)
		c.Fill(backing, []canvas.Point{{X: best.minX, Y: best.minY}, {X: best.maxX, Y: best.minY},
			{X: best.maxX, Y: best.maxY}, {X: best.minX, Y: best.maxY}})
		c.Write(style, canvas.Point{X: (best.minX + best.maxX) / 2, Y: (best.minY + best.maxY) / 2}, t.text)
	}
}

// roundTo rounds to a hundredth of the largest value's power of ten.
func roundTo(x, most float64) float64 {
	unit := math.Pow(10, math.Floor(math.Log10(math.Max(most, 1e-300)))-2)
	return math.Round(x/unit) * unit
}
