package figure

import (
	"math"
	"slices"
	"sort"
)

// spot is a place in the picture of a graph: of a vertex, or of a bend where an edge passes a layer.
type spot struct {
	vertex     int // −1: a bend
	layer      int
	width      float64
	x, y       float64 // of its middle from the left; of its upper side from the top
	up, down   []int   // neighbouring spots, one layer away
	routes     [][]int // of a vertex: the spots of each edge to a child, ending at the child
	barycentre float64
}

// layers gives every vertex the length of the longest path to it, and a root the layer above its first child; nil for a
// cycle.
func layers(g *Graph) []int {
	n := len(g.Vertices)
	out, waiting, children := make([]int, n), make([]int, n), make([][]int, n)
	var ready []int
	for i, v := range g.Vertices {
		waiting[i] = len(v.Parents)
		for _, p := range v.Parents {
			children[p] = append(children[p], i)
		}
		if waiting[i] == 0 {
			ready = append(ready, i)
		}
	}
	for k := 0; k < len(ready); k++ {
		for _, c := range children[ready[k]] {
			out[c] = max(out[c], out[ready[k]]+1)
			if waiting[c]--; waiting[c] == 0 {
				ready = append(ready, c)
			}
		}
	}
	if len(ready) < n {
		return nil
	}
	for i, v := range g.Vertices {
		if len(v.Parents) == 0 && len(children[i]) > 0 {
			first := math.MaxInt
			for _, c := range children[i] {
				first = min(first, out[c])
			}
			out[i] = first - 1
		}
	}
	return out
}

// arrange places the vertices in layers, ordered so that few edges cross, with bends where edges pass a layer
// (Sugiyama, Tagawa, Toda 1981, with barycentres). The same graph gives the same picture.
func (g *Graph) arrange() (spots []spot, width, height float64) {
	rows := g.spots(&spots)
	order(spots, rows)
	gap, between := g.gaps()
	return spots, place(spots, rows, gap), float64(len(rows))*(boxHeight+between) - between
}

// spots makes a spot for every vertex and bend, and lists those of every layer.
func (g *Graph) spots(spots *[]spot) (rows [][]int) {
	level := layers(g)
	_, between := g.gaps()
	add := func(s spot) int {
		for len(rows) <= s.layer {
			rows = append(rows, nil)
		}
		s.y = float64(s.layer) * (boxHeight + between)
		rows[s.layer] = append(rows[s.layer], len(*spots))
		*spots = append(*spots, s)
		return len(*spots) - 1
	}
	for i, v := range g.Vertices {
		add(spot{vertex: i, layer: level[i], width: boxWidth(v.Name)})
	}
	for i, v := range g.Vertices {
		for _, p := range v.Parents {
			var route []int
			from := p
			for l := level[p] + 1; l < level[i]; l++ {
				route = append(route, add(spot{vertex: -1, layer: l, width: 4}))
			}
			route = append(route, i)
			for _, to := range route {
				(*spots)[from].down = append((*spots)[from].down, to)
				(*spots)[to].up = append((*spots)[to].up, from)
				from = to
			}
			(*spots)[p].routes = append((*spots)[p].routes, route)
		}
	}
	return rows
}

// sweeps is how often the layers are ordered, downwards and upwards in turn.
const sweeps = 24

// order sorts every layer by the mean place of its neighbours, and keeps the order with the fewest crossings.
func order(spots []spot, rows [][]int) {
	at := make([]int, len(spots))
	number := func() {
		for _, row := range rows {
			for k, s := range row {
				at[s] = k
			}
		}
	}
	number()
	best, fewest := clone(rows), crossings(spots, rows, at)
	for k := 0; k < sweeps && fewest > 0; k++ {
		for l := range rows {
			if k%2 == 1 {
				l = len(rows) - 1 - l
			}
			for _, s := range rows[l] {
				near := spots[s].up
				if k%2 == 1 {
					near = spots[s].down
				}
				spots[s].barycentre = float64(at[s])
				if len(near) > 0 {
					sum := 0.0
					for _, o := range near {
						sum += float64(at[o])
					}
					spots[s].barycentre = sum / float64(len(near))
				}
			}
			sort.SliceStable(rows[l], func(a, b int) bool {
				return spots[rows[l][a]].barycentre < spots[rows[l][b]].barycentre
			})
			number()
		}
		if c := crossings(spots, rows, at); c < fewest {
			best, fewest = clone(rows), c
		}
	}
	copy(rows, best)
}

func clone(rows [][]int) [][]int {
	out := make([][]int, len(rows))
	for i, r := range rows {
		out[i] = slices.Clone(r)
	}
	return out
}

// crossings counts the pairs of edges between neighbouring layers that cross.
func crossings(spots []spot, rows [][]int, at []int) (count int) {
	for _, row := range rows {
		var ends []int // of the edges downwards, by their upper ends
		for _, s := range row {
			lower := make([]int, 0, len(spots[s].down))
			for _, o := range spots[s].down {
				lower = append(lower, at[o])
			}
			slices.Sort(lower)
			for _, e := range lower {
				for _, earlier := range ends {
					if earlier > e {
						count++
					}
				}
			}
			ends = append(ends, lower...)
		}
	}
	return count
}

// place finds the x of every spot: near its neighbours, in order, and none nearer to another than the gap. It returns
// the width.
func place(spots []spot, rows [][]int, gap float64) (width float64) {
	for _, row := range rows {
		x := 0.0
		for _, s := range row {
			spots[s].x = x + spots[s].width/2
			x += spots[s].width + gap
		}
	}
	for k := range sweeps {
		for l := range rows {
			if k%2 == 1 {
				l = len(rows) - 1 - l
			}
			row := rows[l]
			wish := make([]float64, len(row))
			for i, s := range row {
				near := append(slices.Clone(spots[s].up), spots[s].down...)
				wish[i] = spots[s].x
				if len(near) > 0 {
					wish[i] = 0
					for _, o := range near {
						wish[i] += spots[o].x / float64(len(near))
					}
				}
			}
			apart(spots, row, wish, gap)
		}
	}
	low := math.Inf(1)
	for _, s := range spots {
		low = math.Min(low, s.x-s.width/2)
	}
	for i := range spots {
		spots[i].x -= low
		width = math.Max(width, spots[i].x+spots[i].width/2)
	}
	return width
}

// apart moves the spots of a layer to where they wish to be, or as near as the others let them: the mean of what
// pushing to the right and pushing to the left gives.
func apart(spots []spot, row []int, wish []float64, between float64) {
	gap := func(i int) float64 { return (spots[row[i]].width+spots[row[i+1]].width)/2 + between }
	right, left := slices.Clone(wish), slices.Clone(wish)
	for i := 1; i < len(row); i++ {
		right[i] = math.Max(right[i], right[i-1]+gap(i-1))
	}
	for i := len(row) - 2; i >= 0; i-- {
		left[i] = math.Min(left[i], left[i+1]-gap(i))
	}
	for i, s := range row {
		spots[s].x = (right[i] + left[i]) / 2
	}
}
