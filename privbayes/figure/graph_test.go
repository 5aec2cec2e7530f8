package figure

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/privbayes/privbayes-go/internal/domain"
)

// anyGraph is a graph without cycles, its vertices in any order.
func anyGraph(t *rapid.T) *Graph {
	n := rapid.IntRange(1, 25).Draw(t, "n")
	at := rapid.Permutation(upTo(n)).Draw(t, "places")
	g := &Graph{Title: "t", Caption: "c", Private: true, Vertices: make([]Vertex, n)}
	for i := range n {
		v := Vertex{Name: rapid.StringN(0, 30, -1).Draw(t, "name")}
		for j := range i {
			if rapid.IntRange(0, 9).Draw(t, "edge") == 0 {
				v.Parents = append(v.Parents, at[j])
			}
		}
		g.Vertices[at[i]] = v
	}
	return g
}

func upTo(n int) (out []int) {
	for i := range n {
		out = append(out, i)
	}
	return out
}

// Parents stand above their children, no box over another, every edge ends where it should, and the same graph gives
// the same picture.
func TestGraphsAreLaidOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		spots, width, height := g.arrange()
		for i, v := range g.Vertices {
			for _, p := range v.Parents {
				if !(spots[p].y < spots[i].y) {
					t.Fatalf("%d is not above its child %d", p, i)
				}
			}
		}
		edges := 0
		for i, s := range spots {
			if s.x-s.width/2 < -1e-9 || s.x+s.width/2 > width+1e-9 || s.y < 0 || s.y+boxHeight > height+1e-9 {
				t.Fatalf("spot %d stands outside of %v × %v: %+v", i, width, height, s)
			}
			for k, o := range spots[:i] {
				if o.layer == s.layer && math.Abs(o.x-s.x) < (o.width+s.width)/2+boxGap/2 {
					t.Fatalf("%d and %d are in each other's way", k, i)
				}
			}
			for _, route := range s.routes {
				edges++
				at := i
				for _, next := range route {
					if spots[next].layer != spots[at].layer+1 {
						t.Fatal("an edge skips a layer")
					}
					at = next
				}
				if spots[at].vertex < 0 || !contains(g.Vertices[spots[at].vertex].Parents, i) {
					t.Fatal("an edge ends nowhere")
				}
			}
		}
		want := 0
		for _, v := range g.Vertices {
			want += len(v.Parents)
		}
		a, err := g.SVG()
		b, again := g.SVG()
		if edges != want || err != nil || again != nil || !bytes.Equal(a, b) {
			t.Fatal(edges, want, err, again)
		}
		if rows := len(g.Table().Rows); rows != len(g.Vertices) {
			t.Fatal(rows)
		}
	})
}

// cuts is whether a line runs through a box, and not only along its sides.
func cuts(line []Point, boxes []rect) bool {
	for _, b := range boxes {
		inner := rect{b.minX + .1, b.minY + .1, b.maxX - .1, b.maxY - .1}
		for i := 1; i < len(line); i++ {
			if inner.holds(line[i-1], line[i], 0) > 0 {
				return true
			}
		}
	}
	return false
}

// No edge runs through a box, and an edge that clears all boxes without a bend has none. An edge that bends once, in
// the middle of a layer, cuts a corner.
func TestEdgesPassBoxes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGraph(t)
		d, err := g.draw(NewSVG(1, 1))
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range d.courses {
			if cuts(line, d.boxes) {
				t.Fatal("an edge runs through a box", line)
			}
		}
	})
	spots := []Point{{X: 0, Y: 100}, {X: 36, Y: 60}, {X: 0, Y: 10}}
	for _, c := range []struct {
		box    rect
		points int
	}{{rect{-20, 50.5, 20, 69.5}, 4}, {rect{-60, 50.5, -20, 69.5}, 2}} {
		if line := course(spots, []rect{c.box}); len(line) != c.points || cuts(line, []rect{c.box}) {
			t.Error(c, line)
		}
	}
	if !cuts([]Point{{X: 0, Y: 90.5}, {X: 24, Y: 60}, {X: 0, Y: 19.5}}, []rect{{-20, 50.5, 20, 69.5}}) {
		t.Error("a line that bends once in the middle of a layer is not seen to cut a corner")
	}
}

func contains(list []int, x int) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// A tree is drawn without crossings, whatever the order of its vertices.
func TestTreesDoNotCross(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &Graph{}
		at := rapid.Permutation(upTo(12)).Draw(t, "places")
		g.Vertices = make([]Vertex, len(at))
		for i := 1; i < len(at); i++ {
			g.Vertices[at[i]].Parents = []int{at[(i-1)/2]}
		}
		var spots []spot
		rows := g.spots(&spots)
		order(spots, rows)
		places := make([]int, len(spots))
		for _, row := range rows {
			for k, s := range row {
				places[s] = k
			}
		}
		if c := crossings(spots, rows, places); c > 0 {
			t.Fatal(c, "crossings")
		}
	})
}

// What is no graph without cycles is refused, and what does not fit on a sheet.
func TestGraphsThatCannotBeDrawn(t *testing.T) {
	wide := make([]Vertex, 2000)
	for _, c := range []struct {
		vertices []Vertex
		want     error
	}{
		{nil, new(FigureError)},
		{[]Vertex{{Name: "a", Parents: []int{0}}}, new(FigureError)},
		{[]Vertex{{Name: "a", Parents: []int{1}}, {Name: "b", Parents: []int{0}}}, new(FigureError)},
		{[]Vertex{{Name: "a", Parents: []int{1}}}, new(FigureError)},
		{[]Vertex{{Name: "a", Parents: []int{-1}}}, new(FigureError)},
		{wide, new(domain.Error)},
	} {
		_, err := (&Graph{Vertices: c.vertices}).SVG()
		if fmt.Sprintf("%T", err) != fmt.Sprintf("%T", c.want) {
			t.Errorf("%d vertices: %v", len(c.vertices), err)
		}
		var fe *FigureError
		if errors.As(err, &fe) && fe.Want == "" {
			t.Error("says nothing")
		}
	}
}

// Every name of a figure is written once, whole and in its own place, however many there are.
func TestEveryNameIsWrittenOnce(t *testing.T) {
	for _, n := range []int{1, 2, 6, 7, 15} {
		f := &Figure{Title: "t", XLabel: "x", YLabel: "y"}
		for k := range n {
			f.Series = append(f.Series, Series{Name: fmt.Sprintf("line %d", k), X: []float64{0, 1},
				Y: []float64{0, float64(k/2) / 10}})
		}
		b, err := f.SVG()
		if err != nil {
			t.Fatal(err)
		}
		for k := range n {
			if c := bytes.Count(b, fmt.Appendf(nil, ">line %d<", k)); c != 1 {
				t.Errorf("%d of %d is written %d times", k, n, c)
			}
		}
	}
}

// The twin of many points is cut as text, and whole as a table.
func TestLongTwinsAreCut(t *testing.T) {
	f := &Figure{XLabel: "x", YLabel: "y", Series: []Series{{Name: "s", X: make([]float64, 100), Y: make([]float64, 100)}}}
	if n := bytes.Count([]byte(f.String()), []byte("\ns ")); n != mostRows || len(f.Table().Rows) != 100 {
		t.Error(n, len(f.Table().Rows))
	}
	if !bytes.Contains([]byte(f.String()), []byte("60 rows more")) {
		t.Error(f.String())
	}
}

func forest() *Forest {
	return &Forest{Title: "Two", XLabel: "odds ratio", Caption: "ε = 1, n = 100",
		Series: []string{"naive", "aware"}, Written: 1,
		LogX: true, Reference: &Reference{Name: "no effect", Y: 1},
		Rows: []ForestRow{{Name: "smoking <b>", Marks: []Mark{{At: 2, From: 1.5, To: 2.6}, {At: 2.1, From: 1.1, To: 4}},
			Text: "2.1  (1.1 – 4)"}, {Name: strings.Repeat("long ", 40),
			Marks: []Mark{{At: .5, From: .4, To: .6}, {At: .6, From: .2, To: 1.4}}}}}
}

// The numbers at the right are those of the first series, or of another that is named.
func TestForestWritesOneSeries(t *testing.T) {
	for i, want := range []string{"0.50 (0.40 to 0.60)", "0.6 (0.2 to 1.4)"} {
		f := forest()
		f.Written = i
		if b, err := f.SVG(); err != nil || !strings.Contains(string(b), want) {
			t.Errorf("%d: no %q, %v", i, want, err)
		}
	}
}

// A scale has three ticks at least, however narrow its plane.
func TestFewestTicks(t *testing.T) {
	for _, s := range []span{{0, 1}, {.17, .97}, {3, 7.2}, {-107, -12}} {
		if n := len(nice(s, 2, false)); n < fewestTicks || n > 7 {
			t.Errorf("%v: %d ticks", s, n)
		}
	}
	for _, s := range []span{{260, 1050}, {.003, .4}, {1e-6, .1}, {30000, 39000}} {
		if n := len(decades(s, false)); n < fewestTicks || n > 8 {
			t.Errorf("%v: %d ticks on a logarithmic axis", s, n)
		}
	}
}

func TestForest(t *testing.T) {
	f := forest()
	b, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"odds ratio", "2.1  (1.1 – 4)", "no effect", "smoking &lt;b&gt;", "naive", "aware", "…",
		"ε = 1, n = 100",
		"0.6 (0.2 to 1.4)"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if twin := f.String(); !strings.Contains(twin, "1.1") || !strings.Contains(twin, "no effect") {
		t.Error(twin)
	}
	f.Private = true
	if b, err := f.SVG(); err != nil || !strings.Contains(string(b), "PRIVATE") ||
		!strings.Contains(f.String(), "private") {
		t.Error(err)
	}
	f.Rows[1].Name = "odds of P(bronchitis = yes | smoking = yes) over those of P(bronchitis = yes | smoking = never)"
	if b, err := f.SVG(); err != nil || strings.Contains(string(b), "…") || !strings.Contains(string(b), "never)") {
		t.Errorf("a name of two lines is cut: %v", err)
	}
	_, low, _ := forest().Size()
	f.Rows = append(f.Rows, f.Rows...)
	if _, high, err := f.Size(); err != nil || !(high > low) {
		t.Error(low, high, err)
	}
}

func TestForestsThatCannotBeDrawn(t *testing.T) {
	for name, spoil := range map[string]func(*Forest){
		"no rows":      func(f *Forest) { f.Rows = nil },
		"no series":    func(f *Forest) { f.Series = nil },
		"a mark short": func(f *Forest) { f.Rows[1].Marks = f.Rows[1].Marks[:1] },
		"NaN":          func(f *Forest) { f.Rows[0].Marks[0].At = math.NaN() },
		"infinite":     func(f *Forest) { f.Rows[0].Marks[1].To = math.Inf(1) },
		"backwards":    func(f *Forest) { f.Rows[0].Marks[1] = Mark{At: 2, From: 3, To: 1} },
		"log of 0":     func(f *Forest) { f.Rows[0].Marks[1].From = 0 },
		"reference":    func(f *Forest) { f.Reference.Y = -1 },
		"range":        func(f *Forest) { f.Rows[0].Marks[0].To = 1e300 },
	} {
		f := forest()
		spoil(f)
		var e *FigureError
		if _, err := f.SVG(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		_ = f.String()
	}
	f := forest()
	for len(f.Rows) < 5000 {
		f.Rows = append(f.Rows, f.Rows...)
	}
	if _, err := f.SVG(); err == nil {
		t.Error("a picture of hundreds of feet")
	}
}

// Edges are as wide as their weights: the widest is that of the largest upper end, and a weight short is refused.
func TestWeightedGraph(t *testing.T) {
	g := &Graph{Title: "w", Weight: "bits", Vertices: []Vertex{{Name: "a"}, {Name: "b", Parents: []int{0},
		Weights: []Mark{{At: .2, From: .1, To: .4}}}, {Name: "c", Parents: []int{0,
		1}, Weights: []Mark{{At: .1, From: 0, To: .2}, {At: .3, From: .2, To: .4}}}}}
	b, err := g.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`stroke-width="7"`, `stroke-width="3.5"`, ">0.20<", ">0.30<", ">0.10<"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing in %s", want, b)
		}
	}
	if twin := g.String(); !strings.Contains(twin, "0.3 (0.2 – 0.4)") {
		t.Error(twin)
	}
	for _, w := range [][]Mark{nil, {{At: 1, From: -1, To: 2}}, {{At: 1, From: 2, To: 1}},
		{{At: 1, From: 0, To: math.Inf(1)}}, {{At: math.NaN(), From: 0, To: 1}}} {
		g.Vertices[1].Weights = w
		var e *FigureError
		if _, err := g.SVG(); !errors.As(err, &e) {
			t.Errorf("%v: %v", w, err)
		}
	}
}
