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
	if strings.Contains(string(b), "private") {
		t.Error("stamped")
	}
	if n := len(h.Table().Rows); n != 3 {
		t.Errorf("%d rows of the twin, want the three numbers", n)
	}
	h.Private = true
	if b, err := h.SVG(); err != nil || !strings.Contains(string(b), "private") || !strings.Contains(h.String(), "private") {
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
