package figure

import (
	"image/color"
	"math"
	"slices"
)

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
	pale := color.RGBA{uint8(255 - (255-int(shade.R))/3), uint8(255 - (255-int(shade.G))/3),
		uint8(255 - (255-int(shade.B))/3), 255}
	shaft := slices.Clone(line)
	shaft[len(line)-1] = foot(line)
	c.Stroke(Stroke{Color: pale, Width: width(w.To)}, shaft)
	core := Stroke{Color: grey, Width: .9}
	if w.From > .02*most {
		core = Stroke{Color: shade, Width: width(w.From)}
	}
	arrow(c, core, line)
	return tag{line, width(w.To), fixed(w.At, max(0, decimals(most, most)))}
}

// widthNote says what width and shade of edges mean.
func (g *Graph) widthNote() string {
	if g.Weight == "" || g.Indented() {
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
		best := t.place(style.Width(t.text)/2+1, func(r rect) (cost float64) {
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
			lean := math.Min(math.Abs(b.X-a.X)/math.Max(math.Abs(b.Y-a.Y), 1), 8)
			off := (t.width/2+2)*math.Hypot(1, lean) + tagHalf*lean
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
