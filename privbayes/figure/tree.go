package figure

import (
	"cmp"
	"math"
	"slices"
)

// A graph with many vertices of which none has two parents is drawn as an indented list: each vertex stands below its
// parent, with a bar for the weight of its edge.

// The measures of an indented list, in points.
const (
	mostBoxes   = 12 // vertices that are drawn as boxes
	treeWidth   = 480.0
	treeStep    = 15.0 // between rows
	treeIndent  = 16.0 // of a child, at most
	treeValues  = 44.0 // right of the bars
	treeBars    = 150.0
	treeBarHalf = 3.5
)

// Indented is whether the graph is drawn as a list.
func (g *Graph) Indented() bool {
	return len(g.Vertices) > mostBoxes &&
		!slices.ContainsFunc(g.Vertices, func(v Vertex) bool { return len(v.Parents) > 1 })
}

// strength is the weight of the edge to a vertex; false for a root, and where edges have none.
func (g *Graph) strength(v int) (m Mark, ok bool) {
	if w := g.Vertices[v].Weights; g.Weight != "" && len(w) > 0 {
		return w[0], true
	}
	return m, false
}

// branch is a row of the list.
type branch struct {
	vertex, depth int
	above         int // the row of the parent; −1 of a root
	leaf          bool
}

// branches lists the vertices depth first: of the roots and of the children of a vertex those with most below them
// first, of as many the strongest edge.
func (g *Graph) branches() (rows []branch) {
	children, roots := make([][]int, len(g.Vertices)), []int(nil)
	for i, v := range g.Vertices {
		if len(v.Parents) == 0 {
			roots = append(roots, i)
		} else {
			children[v.Parents[0]] = append(children[v.Parents[0]], i)
		}
	}
	below := make([]int, len(g.Vertices))
	var count func(v int) int
	count = func(v int) int {
		for _, c := range children[v] {
			below[v] += 1 + count(c)
		}
		return below[v]
	}
	for _, r := range roots {
		count(r)
	}
	var add func(list []int, depth, above int)
	add = func(list []int, depth, above int) {
		slices.SortStableFunc(list, func(a, b int) int {
			x, _ := g.strength(a)
			y, _ := g.strength(b)
			return cmp.Or(cmp.Compare(below[b], below[a]), cmp.Compare(y.At, x.At))
		})
		for _, v := range list {
			rows = append(rows, branch{v, depth, above, len(children[v]) == 0})
			add(children[v], depth+1, len(rows)-1)
		}
	}
	add(roots, 0, -1)
	return rows
}

// drawTree draws the rows between two heights of the sheet, the first at the top.
func (g *Graph) drawTree(c Canvas, high float64) (boxes []rect) {
	rows := g.branches()
	deepest, most := 1, 0.0
	for _, r := range rows {
		deepest = max(deepest, r.depth)
		if m, ok := g.strength(r.vertex); ok {
			most = math.Max(most, m.To)
		}
	}
	left, bars := margin+2., treeWidth-margin-treeValues-treeBars
	if g.Weight == "" {
		bars = treeWidth - margin
	} else {
		head := words(tickSize, grey)
		head.X = -1
		c.Write(head, Point{X: treeWidth - margin, Y: high - tickSize - 2}, fitted(g.Weight, head.Font, treeWidth-2*margin))
		high -= tickSize*leading + padding
	}
	indent := math.Min(treeIndent, (bars-left-mostName)/float64(deepest))
	at := func(row int) Point {
		return Point{X: left + indent*float64(rows[row].depth), Y: high - (float64(row)+.5)*treeStep}
	}
	for i, r := range rows {
		p := at(i)
		if r.above >= 0 {
			from := at(r.above)
			c.Stroke(Stroke{Color: grey, Width: .9}, []Point{{X: from.X + 3, Y: from.Y - treeStep*.4},
				{X: from.X + 3, Y: p.Y}, {X: p.X - 2, Y: p.Y}})
		}
		style := words(tickSize, ink)
		style.Y, style.Bold = -.5, r.depth == 0
		name := fitted(printable(g.Vertices[r.vertex].Name), style.Font, bars-p.X-8)
		c.Write(style, p, name)
		boxes = append(boxes, rect{p.X, p.Y - treeStep/2, p.X + style.Width(name), p.Y + treeStep/2})
		if g.Weight == "" {
			continue
		}
		value := words(tickSize, ink)
		value.Y = -.5
		m, ok := g.strength(r.vertex)
		switch {
		case ok:
			x := func(v float64) float64 { return bars + treeBars*v/math.Max(most, 1e-300) }
			fill(c, palette[0], rect{bars, p.Y - treeBarHalf, x(m.At), p.Y + treeBarHalf})
			if m.From < m.To {
				c.Stroke(Stroke{Color: ink, Width: 1}, []Point{{X: x(m.From), Y: p.Y}, {X: x(m.To), Y: p.Y}})
			}
			c.Write(value, Point{X: x(m.To) + 4, Y: p.Y}, fixed(m.At, 2))
		case r.leaf:
			value.Color = grey
			c.Write(value, Point{X: bars, Y: p.Y}, "no edge")
		default:
			value.Color = grey
			c.Write(value, Point{X: bars, Y: p.Y}, "root")
		}
	}
	return boxes
}

// treeHeight is the height of the rows.
func (g *Graph) treeHeight() float64 {
	h := float64(len(g.Vertices)) * treeStep
	if g.Weight != "" {
		h += tickSize*leading + padding
	}
	return h
}
