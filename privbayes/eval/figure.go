package eval

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// SeriesKind says how a series is drawn.
type SeriesKind string

// The kinds of series.
const (
	Line   SeriesKind = "line"
	Points SeriesKind = "points"
	Band   SeriesKind = "band" // a line with a shaded band from Lo to Hi
	Bars   SeriesKind = "bars"
	Step   SeriesKind = "step"
)

// Series is one named set of points; Lo and Hi are used by Band.
type Series struct {
	Name   string
	Kind   SeriesKind
	X, Y   []float64
	Lo, Hi []float64
	Dashed bool
}

// Reference is a labelled horizontal line.
type Reference struct {
	Name string
	Y    float64
}

// Figure describes a picture without drawing it: package plots does. Its table twin holds every number of it.
type Figure struct {
	Title, XLabel, YLabel string
	Caption               string // ε, δ, adjacency, n
	LogX, LogY            bool
	Series                []Series
	HLines                []Reference
	XTicks                []string // labels of x = 0, 1, … for bars
	Private               bool     // drawn from private data: stamped "private: do not publish"
}

// FigureError is a figure that cannot be drawn.
type FigureError struct{ Figure, Series, Want string }

func (e *FigureError) Error() string {
	return fmt.Sprintf("eval: figure %q, series %q: want %s", e.Figure, e.Series, e.Want)
}

// Validate checks lengths, and that coordinates are finite, and positive on logarithmic axes: *FigureError.
func (f *Figure) Validate() error {
	for _, s := range f.Series {
		bad := func(want string) error { return &FigureError{f.Title, s.Name, want} }
		if len(s.X) == 0 || len(s.X) != len(s.Y) {
			return bad("as many x as y values, and at least one")
		}
		if s.Kind == Band && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
			return bad("a lower and an upper value for every point of a band")
		}
		for _, list := range [][]float64{s.X, s.Y, s.Lo, s.Hi} {
			for _, v := range list {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					return bad("finite numbers")
				}
			}
		}
		for i := range s.X {
			if f.LogX && s.X[i] <= 0 || f.LogY && s.Y[i] <= 0 {
				return bad("positive numbers on a logarithmic axis")
			}
		}
	}
	return nil
}

// Table is the table twin: one row a point.
func (f *Figure) Table() *table.Table {
	title := f.Title
	if f.Private {
		title += " (private: do not publish)"
	}
	t := table.New(title, "series", f.XLabel, f.YLabel, "from", "to")
	for _, s := range f.Series {
		for i := range s.X {
			x := any(s.X[i])
			if k := int(s.X[i]); len(f.XTicks) > 0 && k >= 0 && k < len(f.XTicks) {
				x = f.XTicks[k]
			}
			if s.Kind == Band {
				t.Add(s.Name, x, s.Y[i], s.Lo[i], s.Hi[i])
			} else {
				t.Add(s.Name, x, s.Y[i])
			}
		}
	}
	for _, h := range f.HLines {
		t.Add(h.Name, "all", h.Y)
	}
	return t.Note(f.Caption)
}

// String is the table twin as text.
func (f *Figure) String() string { return f.Table().String() }

// HTML is the table twin as HTML.
func (f *Figure) HTML() string { return f.Table().HTML() }
