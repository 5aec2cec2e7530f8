package figure

import (
	"errors"
	"math"
	"strings"
	"testing"
)

func forest() *Forest {
	return &Forest{Title: "Two", XLabel: "odds ratio", Caption: "ε = 1, n = 100", Series: []string{"naive", "aware"},
		LogX: true, Reference: &Reference{Name: "no effect", Y: 1},
		Rows: []ForestRow{{"smoking <b>", []Mark{{2, 1.5, 2.6}, {2.1, 1.1, 4}}}, {strings.Repeat("long ", 40),
			[]Mark{{.5, .4, .6}, {.6, .2, 1.4}}}}}
}

func TestForest(t *testing.T) {
	f := forest()
	b, err := f.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"odds ratio", "no effect", "smoking &lt;b&gt;", "naive", "aware", "…", "ε = 1, n = 100"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if twin := f.String(); !strings.Contains(twin, "1.1") || !strings.Contains(twin, "no effect") {
		t.Error(twin)
	}
	f.Private = true
	if b, err := f.SVG(); err != nil || !strings.Contains(string(b), "private") || !strings.Contains(f.String(), "private") {
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
		"backwards":    func(f *Forest) { f.Rows[0].Marks[1] = Mark{2, 3, 1} },
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
		Weights: []Mark{{.2, .1, .4}}}, {Name: "c", Parents: []int{0, 1}, Weights: []Mark{{.1, 0, .2}, {.3, .2, .4}}}}}
	b, err := g.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`stroke-width="7"`, `stroke-width="3.5"`, "0.1 … 0.4", "0 … 0.2"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing in %s", want, b)
		}
	}
	if twin := g.String(); !strings.Contains(twin, "0.3 (0.2 … 0.4)") {
		t.Error(twin)
	}
	for _, w := range [][]Mark{nil, {{1, -1, 2}}, {{1, 2, 1}}, {{1, 0, math.Inf(1)}}, {{math.NaN(), 0, 1}}} {
		g.Vertices[1].Weights = w
		var e *FigureError
		if _, err := g.SVG(); !errors.As(err, &e) {
			t.Errorf("%v: %v", w, err)
		}
	}
}
