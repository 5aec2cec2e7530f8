package figure

import (
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Drawing is what can be drawn: a [Figure], [Facets], a [Forest], a [HeatMap] or a [Graph].
type Drawing interface {
	Size() (width, height float64, err error) // in inches
	Draw(c Canvas) error
	Words() (title, alt string) // what a reader of the screen says
}

// Vertex is one variable of a graph.
type Vertex struct {
	Name    string
	Parents []int  // their places in the list of vertices
	Weights []Mark // of the edges from these, ≥ 0, where they have some: drawn as widths, the interval dark to light
	About   string // for the table twin, such as its states
}

// Graph describes a picture of a directed acyclic graph: parents stand above their children. More than 12
// vertices of which none has two parents are a list, each indented below its parent, with bars for weights. Its table
// twin lists every vertex with its parents.
type Graph struct {
	Title    string // the finding, in at most 62 characters
	Subtitle string // what is drawn
	Caption  string // data, n, ε, δ, adjacency, unit, seed
	Alt      string // for who cannot see the picture; empty: made of title and numbers
	Private  bool   // learned without privacy: a red band says so
	Weight   string // what the weights of the edges are; "" if they have none
	Vertices []Vertex
}

// Table is the table twin: one row a vertex.
func (g *Graph) Table() *table.Table {
	columns := []string{"node", "parents", "states"}
	if g.Weight != "" {
		columns = append(columns, g.Weight)
	}
	t := table.New(stamped(g.Title, g.Private), columns...)
	edges := 0
	for _, v := range g.Vertices {
		var names []string
		for _, p := range v.Parents {
			if p >= 0 && p < len(g.Vertices) {
				names = append(names, g.Vertices[p].Name)
			}
		}
		edges += len(v.Parents)
		row := []any{v.Name, strings.Join(names, ", "), v.About}
		if g.Weight != "" {
			var weights []string
			for _, w := range v.Weights {
				weights = append(weights, fmt.Sprintf("%s (%s – %s)", table.Number(w.At), table.Number(w.From),
					table.Number(w.To)))
			}
			row = append(row, strings.Join(weights, ", "))
		}
		t.Add(row...)
	}
	t.Note(table.Count(len(g.Vertices), "node") + ", " + table.Count(edges, "edge"))
	if g.Caption != "" {
		t.Note(g.Caption)
	}
	return t
}

// String is the table twin as text, its first 40 rows.
func (g *Graph) String() string { return twin(g.Table()) }

// valid checks that every parent is a vertex above its child: *FigureError.
func (g *Graph) valid() error {
	if len(g.Vertices) == 0 {
		return &FigureError{g.Title, "", "at least one vertex"}
	}
	for _, v := range g.Vertices {
		for _, p := range v.Parents {
			if p < 0 || p >= len(g.Vertices) {
				return &FigureError{g.Title, v.Name, fmt.Sprintf("parents from 0 to %d", len(g.Vertices)-1)}
			}
		}
	}
	for _, v := range g.Vertices {
		if g.Weight != "" && len(v.Weights) != len(v.Parents) {
			return &FigureError{g.Title, v.Name, "a weight for every edge"}
		}
		for _, w := range v.Weights {
			if !finite(w.At) || !finite(w.To) || !(w.From >= 0 && w.From <= w.To) {
				return &FigureError{g.Title, v.Name, "weights of edges that are finite and not negative"}
			}
		}
	}
	if layers(g) == nil {
		return &FigureError{g.Title, "", "a graph without cycles"}
	}
	return nil
}

// The measures of a graph, in points.
const (
	boxHeight   = 19.0
	boxGap      = 12.0 // between boxes of a layer
	layerGap    = 34.0 // between layers
	tagGap      = 66.0 // between boxes of a layer where edges have weights, which are written beside them
	tagLayerGap = 52.0 // between layers there
	nameSize    = 9.0
	mostName    = 120.0 // the widest name
	arrowLength = 5.5
)

// boxWidth is the width of a vertex.
func boxWidth(name string) float64 {
	return math.Max(26, math.Min(mostName, Font{Size: nameSize}.Width(printable(name)))+12)
}

// gaps are those between boxes of a layer and between layers.
func (g *Graph) gaps() (boxes, layers float64) {
	if g.Weight != "" {
		return tagGap, tagLayerGap
	}
	return boxGap, layerGap
}

func (g *Graph) frame() frame {
	return frame{g.Title, strings.TrimSpace(g.Subtitle + " " + g.widthNote()), g.Caption, g.Private}
}

// Size is width and height of the picture, in inches: what the layers need. Errors: *FigureError for what is no graph
// without cycles, *dp.ParameterError above 40 × 40.
func (g *Graph) Size() (width, height float64, err error) {
	if err := g.valid(); err != nil {
		return 0, 0, err
	}
	var w, h float64
	if g.Indented() {
		w, h = treeWidth-2*margin, g.treeHeight()
	} else if _, w, h = g.arrange(); g.Weight != "" { // a tag may stand left of the first box, and right of the last
		w += 2 * tagGap
	}
	width = math.Max(3.2, (w+2*margin)/inch)
	_, _, _, top, bottom := g.frame().lines(width * inch)
	height = math.Max(1.2, (h+top+bottom)/inch)
	if width > maxSide || height > maxSide {
		return width, height, domain.Refuse("figure", "size", fmt.Sprintf("%.3g × %.3g inches", width, height),
			fmt.Sprintf("at most %d × %d: fewer vertices", maxSide, maxSide))
	}
	return width, height, nil
}

// SVG draws the graph for files and reports. Errors: those of Size.
func (g *Graph) SVG() ([]byte, error) { return svg(g) }

func svg(d Drawing) ([]byte, error) {
	w, h, err := d.Size()
	if err != nil {
		return nil, err
	}
	c := NewSVG(w*inch, h*inch)
	c.title, c.alt = d.Words()
	if err := d.Draw(c); err != nil {
		return nil, err
	}
	return c.Bytes(), nil
}

// Draw draws the graph on an empty canvas of its size. Errors: those of Size.
func (g *Graph) Draw(c Canvas) error {
	_, err := g.draw(c)
	return err
}

// drawn are the tags of edges, where they were written, the boxes of vertices, and the courses of edges.
type drawn struct {
	tags          []tag
	places, boxes []rect
	courses       [][]Point
}

func (g *Graph) draw(c Canvas) (out drawn, err error) {
	w, h, err := g.Size()
	if err != nil {
		return out, err
	}
	width, height := w*inch, h*inch
	if g.Indented() {
		_, high := g.frame().draw(c, width, height)
		out.boxes = g.drawTree(c, high)
		return out, nil
	}
	spots, wide, _ := g.arrange()
	_, _, _, top, _ := g.frame().lines(width)
	left := (width - wide) / 2
	at := func(s spot) Point { return Point{X: left + s.x, Y: height - top - s.y - boxHeight/2} }
	g.frame().draw(c, width, height)
	for _, s := range spots {
		if p := at(s); s.vertex >= 0 {
			out.boxes = append(out.boxes, rect{p.X - s.width/2, p.Y - boxHeight/2, p.X + s.width/2, p.Y + boxHeight/2})
		}
	}
	for i := range spots {
		if spots[i].vertex >= 0 {
			for _, route := range spots[i].routes {
				line := []Point{at(spots[i])}
				for _, k := range route {
					line = append(line, at(spots[k]))
				}
				line = course(line, out.boxes)
				out.courses = append(out.courses, line)
				if g.Weight == "" {
					arrow(c, Stroke{Color: grey, Width: 0.9}, line)
					continue
				}
				out.tags = append(out.tags, g.weighted(c, line, spots[i].vertex, spots[route[len(route)-1]].vertex))
			}
		}
	}
	out.places = write(c, out.tags, out.boxes)
	for _, s := range spots {
		if s.vertex < 0 {
			continue
		}
		v, p, half := g.Vertices[s.vertex], at(s), s.width/2
		outline := []Point{{X: p.X - half, Y: p.Y - boxHeight/2}, {X: p.X + half, Y: p.Y - boxHeight/2},
			{X: p.X + half, Y: p.Y + boxHeight/2}, {X: p.X - half, Y: p.Y + boxHeight/2}}
		c.Fill(light, outline)
		c.Stroke(Stroke{Color: grey, Width: 0.8}, append(outline, outline[0]))
		style := words(nameSize, ink)
		style.X, style.Y = -0.5, -0.5
		c.Write(style, p, fitted(printable(v.Name), style.Font, s.width-6))
	}
	return out, nil
}

// course is the line of an edge from the lower side of its first spot to the upper side of its last. Where it passes a
// layer it stands upright, since slanted it would cut the corners of boxes there; it has no such bend where it clears
// all boxes without.
func course(spots []Point, boxes []rect) []Point {
	low := func(p Point) Point { return Point{X: p.X, Y: p.Y - boxHeight/2} }
	high := func(p Point) Point { return Point{X: p.X, Y: p.Y + boxHeight/2} }
	line := []Point{low(spots[0])}
	for i := 1; i+1 < len(spots); i++ {
		from, to := line[len(line)-1], high(spots[i+1])
		if slices.ContainsFunc(boxes, func(b rect) bool {
			return b.minY > to.Y && b.maxY < from.Y && b.holds(from, to, boxGap/2) > 0
		}) {
			line = append(line, high(spots[i]), low(spots[i]))
		}
	}
	return append(line, high(spots[len(spots)-1]))
}

// arrow draws a line with a head at its end.
func arrow(c Canvas, stroke Stroke, line []Point) {
	last := len(line) - 1
	tip, foot, shaft := line[last], foot(line), slices.Clone(line)
	shaft[last] = foot
	c.Stroke(stroke, shaft)
	wideX, wideY := 0.42*(tip.Y-foot.Y), 0.42*(tip.X-foot.X)
	c.Fill(grey, []Point{tip, {X: foot.X - wideX, Y: foot.Y + wideY}, {X: foot.X + wideX, Y: foot.Y - wideY}})
}

// foot is where a line reaches the head of its arrow.
func foot(line []Point) Point {
	tip, from := line[len(line)-1], line[len(line)-2]
	part := arrowLength / math.Max(math.Hypot(tip.X-from.X, tip.Y-from.Y), arrowLength)
	return Point{X: tip.X - part*(tip.X-from.X), Y: tip.Y - part*(tip.Y-from.Y)}
}

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
