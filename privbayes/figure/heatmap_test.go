package figure

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/domain"
)

func heat() *HeatMap {
	return &HeatMap{Title: "Pairs", Value: "total variation", Caption: "ε = 1, n = 100", Rows: []string{"age <b>", "sex"},
		Columns: []string{"age", strings.Repeat("long", 40)}, Cells: [][]float64{{math.NaN(), .25}, {.5, 0}}}
}

func TestHeatMap(t *testing.T) {
	h := heat()
	b, err := h.SVG()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Pairs", "total variation", "ε = 1", "age &lt;b&gt;", "…", ">.50<", ">.25<", ">.00<"} {
		if !strings.Contains(string(b), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Contains(string(b), "PRIVATE") {
		t.Error("stamped")
	}
	if n := len(h.Table().Rows); n != 3 {
		t.Errorf("%d rows of the twin, want the three numbers", n)
	}
	h.Private = true
	if b, err := h.SVG(); err != nil || !strings.Contains(string(b), "PRIVATE") ||
		!strings.Contains(h.String(), "private") {
		t.Error(err)
	}
	h.Cells[1][0], h.Cells[0][1] = 0, 0 // all have the shade of 0
	if _, err := h.SVG(); err != nil {
		t.Error(err)
	}
}

func TestHeatMapsThatCannotBeDrawn(t *testing.T) {
	for name, spoil := range map[string]func(*HeatMap){
		"no rows":      func(h *HeatMap) { h.Rows = nil },
		"no columns":   func(h *HeatMap) { h.Columns = nil },
		"a row short":  func(h *HeatMap) { h.Cells = h.Cells[:1] },
		"a cell short": func(h *HeatMap) { h.Cells[1] = h.Cells[1][:1] },
		"negative":     func(h *HeatMap) { h.Cells[0][1] = -1 },
		"infinite":     func(h *HeatMap) { h.Cells[0][1] = math.Inf(1) },
	} {
		h := heat()
		spoil(h)
		var e *FigureError
		if _, err := h.SVG(); !errors.As(err, &e) {
			t.Errorf("%s: %v", name, err)
		}
		_ = h.String()
	}
	many := &HeatMap{Rows: make([]string, 251), Columns: make([]string, 1), Cells: make([][]float64, 251)}
	for i := range many.Cells {
		many.Cells[i] = []float64{1}
	}
	var e *domain.Error
	if _, err := many.SVG(); !errors.As(err, &e) {
		t.Error(err)
	}
}

// clinic is the graph of asia with weights like those of notebook 14.
func clinic() *Graph {
	v := func(name string, parents ...int) Vertex {
		out := Vertex{Name: name, Parents: parents}
		for i := range parents {
			from := .05 * float64(i+len(name)%3)
			out.Weights = append(out.Weights, Mark{At: from + .05, From: from, To: from + .15})
		}
		return out
	}
	return &Graph{Title: "Dependence along every edge, bits", Weight: "dependence in bits (95 %)",
		Caption: `Geometric noise on counts, 0.25-DP, replace-one, "patients", n = 2000; seeded: not private`,
		Vertices: []Vertex{v("asia"), v("smoke"), v("tub", 0), v("lung", 1), v("bronc", 1), v("either", 3, 2), v("xray", 5),
			v("dysp", 4, 5)}}
}

// misplaced is how many tags lie on a box, on another tag, on an edge, or as near to another edge as to their own.
func misplaced(d drawn, places []rect) (count int) {
	for i, r := range places {
		wrong := false
		for k, o := range append(append([]rect(nil), d.boxes...), places...) {
			wrong = wrong || k != len(d.boxes)+i && r.minX < o.maxX && o.minX < r.maxX && r.minY < o.maxY && o.minY < r.maxY
		}
		for k, o := range d.tags {
			near := o.width / 2
			if k != i {
				near += 5
			}
			for j := 1; j < len(o.line); j++ {
				wrong = wrong || r.holds(o.line[j-1], o.line[j], near) > 0
			}
		}
		if wrong {
			count++
		}
	}
	return count
}

// Every tag stands beside its own edge and apart from all else; on the edges, as they once were, most do not. The
// picture says what widths mean, and its caption is whole.
func TestTagsStandBesideTheirEdges(t *testing.T) {
	g := clinic()
	d, err := g.draw(NewSVG(400, 400))
	if err != nil || len(d.places) != 8 {
		t.Fatal(err, len(d.places))
	}
	if n := misplaced(d, d.places); n > 0 {
		t.Errorf("%d tags are misplaced", n)
	}
	for i, r := range d.places { // near its edge
		found := false
		for j := 1; j < len(d.tags[i].line); j++ {
			found = found || r.holds(d.tags[i].line[j-1], d.tags[i].line[j], d.tags[i].width/2+15) > 0
		}
		if !found {
			t.Errorf("tag %d is far from its edge", i)
		}
	}
	var on []rect
	for i, r := range d.places {
		a, b, half := d.tags[i].line[0], d.tags[i].line[1], (r.maxX-r.minX)/2
		x, y := (a.X+b.X)/2, (a.Y+b.Y)/2
		on = append(on, rect{x - half, y - tagHalf, x + half, y + tagHalf})
	}
	if n := misplaced(d, on); n < 8 {
		t.Errorf("of tags on the edges %d are misplaced", n)
	}
	b, err := g.SVG()
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(textsOf(string(b)), " ")
	for _, want := range []string{g.widthNote(), g.Caption} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	long := &Graph{Vertices: []Vertex{{Name: "a"}}}
	long.Caption = strings.TrimSpace(strings.Repeat("n = 2000, replace-one, ", 12))
	if b, err = long.SVG(); err != nil || !strings.Contains(strings.Join(textsOf(string(b)), " "), long.Caption) {
		t.Error(err, string(b))
	}
}

// Texts state the length that the picture was laid out with: a wider font is drawn no wider.
func TestTextsStateTheirLength(t *testing.T) {
	f := &Figure{Title: "Wages & hours", XLabel: "hours", YLabel: "dollars",
		Series: []Series{{Kind: Line, X: []float64{0, 1, 2}, Y: []float64{1, 3, 2}}}}
	svg, err := f.SVG()
	stated := ` textLength="` + length(Font{Size: labelSize}.Width(f.YLabel)) + `" lengthAdjust="spacingAndGlyphs" `
	if n := strings.Count(string(svg), ` textLength="`); err != nil || n != strings.Count(string(svg), "<text") ||
		!strings.Contains(string(svg), stated) {
		t.Errorf("%v, %d, %s\n%s", err, n, stated, svg)
	}
}

// textsOf are the texts of a picture, in order.
func textsOf(svg string) (out []string) {
	for _, s := range strings.Split(svg, "<text")[1:] {
		s = s[strings.Index(s, ">")+1:]
		s = s[:strings.Index(s, "</text>")]
		out = append(out, strings.NewReplacer("&#34;", `"`, "&quot;", `"`, "&amp;", "&").Replace(s))
	}
	return out
}

// Bars start at 0, and dots with intervals where the data do.
func TestBarsStartAtZero(t *testing.T) {
	bars := Series{Kind: Bars, X: []float64{0, 1}, Y: []float64{11, 12}}
	if _, y := ranges(&Figure{Series: []Series{bars}}, planeWidth); y.min != 0 {
		t.Error("standing bars do not start at 0:", y.min)
	}
	bars.Lo, bars.Hi = []float64{10, 11}, []float64{12, 13}
	if _, y := ranges(&Figure{Series: []Series{bars}}, planeWidth); y.min < 9 {
		t.Error("an estimate has ink from 0:", y.min)
	}
}
