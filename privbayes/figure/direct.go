package figure

import (
	"math"
	"sort"
)

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
		room = max(room, p.Width(Printable(s.Name), words(legendSize, ink).Font))
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
			Fit(p, Printable(p.f.Series[e.series].Name), style.Font, room-leader-2))
	}
}
