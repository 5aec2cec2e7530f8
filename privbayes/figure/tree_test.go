package figure

import (
	"fmt"
	"testing"
)

// A tree of many vertices is a list: every vertex below its parent, in the row after it or after its other children,
// and within the sheet.
func TestIndented(t *testing.T) {
	g := &Graph{Title: "Learned", Weight: "strength", Vertices: []Vertex{{Name: "root"}}}
	for i := 1; i < 40; i++ {
		parent := (i - 1) / 3
		g.Vertices = append(g.Vertices, Vertex{Name: fmt.Sprintf("column %d of a long name", i), Parents: []int{parent},
			Weights: []Mark{{At: float64(i) / 40, From: float64(i) / 40, To: float64(i) / 40}}})
	}
	if !g.Indented() || (&Graph{Vertices: g.Vertices[:5]}).Indented() {
		t.Fatal("a list of 40, boxes of 5")
	}
	w, h, err := g.Size()
	if err != nil || w*inch != treeWidth {
		t.Fatal(w, err)
	}
	rows := g.branches()
	seen := map[int]int{}
	for i, r := range rows {
		if p := g.Vertices[r.vertex].Parents; len(p) > 0 {
			if at, ok := seen[p[0]]; !ok || at != r.above || rows[at].depth+1 != r.depth {
				t.Errorf("row %d: %+v", i, r)
			}
		} else if r.above != -1 || r.depth != 0 {
			t.Errorf("root %+v", r)
		}
		seen[r.vertex] = i
	}
	if len(seen) != len(g.Vertices) {
		t.Errorf("%d of %d vertices", len(seen), len(g.Vertices))
	}
	out, err := g.draw(NewSVG(w*inch, h*inch))
	if err != nil || len(out.boxes) != 40 {
		t.Fatal(len(out.boxes), err)
	}
	for i, b := range out.boxes {
		if b.minX < 0 || b.maxX > treeWidth || b.minY < 0 || b.maxY > h*inch || i > 0 && b.maxY > out.boxes[i-1].minY+1e-9 {
			t.Errorf("row %d at %v", i, b)
		}
	}
	g.Vertices[7].Parents, g.Vertices[7].Weights = []int{0, 1}, append(g.Vertices[7].Weights, Mark{})
	if g.Indented() {
		t.Error("a vertex with two parents has no place in a list")
	}
}
