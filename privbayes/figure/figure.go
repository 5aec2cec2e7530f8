// Package figure describes pictures (series, axes, labels, caption) as data and draws them: [Figure.SVG] for files and
// reports; package plots makes pixels of the same layout for notebooks. A figure shows itself as text by its table
// twin.
package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// SeriesKind says how a series is drawn.
type SeriesKind string

// The kinds of series.
const (
	Line   SeriesKind = "line" // straight lines between the points
	Points SeriesKind = "points"
	// Band is a line with an interval from Lo to Hi: bars at up to 16 points, a shaded band along more.
	Band SeriesKind = "band"
	Bars SeriesKind = "bars" // of counts, budget and time; with Lo and Hi, dots with their intervals
	Step SeriesKind = "step" // constant around each point, with jumps half way
	// Density is a curve over 0 with the area below it; its Interval is drawn under it.
	Density SeriesKind = "density"
)

// Series is one named set of points. Band needs Lo and Hi; Bars and Points may have them. The zero Kind is Line.
type Series struct {
	Name     string
	Kind     SeriesKind
	X, Y     []float64
	Lo, Hi   []float64
	Interval *Mark  // of a density
	Colour   string // the name that the colour belongs to, where two series share one; empty: Name
	Dashed   bool
	Guide    bool // something to compare with, such as the diagonal of a calibration plot: thin, grey, dashed
}

// Reference is a labelled line: a horizontal one at y, or a vertical one at x = Y where it is one of VLines.
type Reference struct {
	Name string
	Y    float64
}

// Figure describes a picture: SVG draws it, as does package plots in pixels. Its table twin holds every number of it.
type Figure struct {
	Title, XLabel, YLabel string // the finding, in at most 62 characters; quantities with their units
	Subtitle              string // what is drawn, and what bars and bands are
	Caption               string // data, n, ε, δ, adjacency, unit, seed
	Alt                   string // for who cannot see the picture; empty: made of title and numbers
	LogX, LogY            bool
	XPercent, YPercent    bool // shares from 0 to 1 are written in per cent
	Series                []Series
	HLines, VLines        []Reference
	XTicks                []string // names of x = 0, 1, …: these stand one under the other, and values run to the right
	Units                 []string // of XTicks: where they differ, points stand over an axis for each unit, as in a [Forest]
	XDates                string   // x are days since 1970-01-01: the layout of package time in which they are written
	Dates                 []string // of XTicks: that of values which are such days, empty of others
	Private               bool     // drawn from private data: a red band says so
	Width, Height         float64  // of the picture, in inches; both 0: 6.67 × 4.17, or what the rows need
}

// FigureError is a figure that cannot be drawn.
type FigureError struct{ Figure, Series, Want string }

func (e *FigureError) Error() string {
	return fmt.Sprintf("figure: figure %q, series %q: want %s", e.Figure, e.Series, e.Want)
}

// Validate checks that there is a series, that lengths agree, and that coordinates are finite, in order (Lo ≤ Hi), and
// positive on logarithmic axes: *FigureError. A figure that passes can be drawn.
func (f *Figure) Validate() error {
	if len(f.Series) == 0 {
		return &FigureError{f.Title, "", "at least one series"}
	}
	for _, s := range f.Series {
		if want := f.problem(s); want != "" {
			return &FigureError{f.Title, s.Name, want}
		}
	}
	if f.apart() {
		_, err := f.forest()
		return err
	}
	for i, h := range slices.Concat(f.HLines, f.VLines) {
		if log := i < len(f.HLines) && f.LogY || i >= len(f.HLines) && f.LogX; !finite(h.Y) || log && h.Y <= 0 {
			return &FigureError{f.Title, h.Name, "a finite reference, positive on a logarithmic axis"}
		}
	}
	if len(f.Dates) > 0 && len(f.Dates) != len(f.XTicks) || f.XDates != "" && (f.LogX || f.XPercent || len(f.XTicks) > 0) {
		return &FigureError{f.Title, "", "a layout of dates for every name, or for numbers on a linear axis"}
	}
	if len(f.XTicks) > 0 && len(f.VLines) > 0 {
		return &FigureError{f.Title, f.VLines[0].Name, "no vertical reference among names"}
	}
	return nil
}

// problem says what series s would need, or nothing.
func (f *Figure) problem(s Series) string {
	switch s.Kind {
	case "", Line, Points, Band, Bars, Step, Density:
	default:
		return fmt.Sprintf("a kind of series, not %q", s.Kind)
	}
	if len(s.X) == 0 || len(s.X) != len(s.Y) {
		return "as many x as y values, and at least one"
	}
	if m := s.Interval; m != nil {
		if want := m.problem(f.LogX); want != "" {
			return want
		}
	}
	ranged := s.Kind == Band || len(s.Lo)+len(s.Hi) > 0
	if ranged && (len(s.Lo) != len(s.X) || len(s.Hi) != len(s.X)) {
		return "a lower and an upper value for every point of a band"
	}
	for i := range s.X {
		low := s.Y[i]
		if ranged {
			if !finite(s.Lo[i]) || !finite(s.Hi[i]) {
				return "finite numbers"
			}
			if s.Lo[i] > s.Hi[i] {
				return "a lower value that is not above the upper one"
			}
			low = math.Min(low, s.Lo[i])
		}
		switch {
		case !finite(s.X[i]) || !finite(s.Y[i]):
			return "finite numbers"
		case s.Kind == Density && (s.Y[i] < 0 || f.LogY):
			return "a density that is not negative, on a linear axis"
		case f.LogX && s.X[i] <= 0 || f.LogY && low <= 0:
			return "positive numbers on a logarithmic axis"
		case len(f.XTicks) > 0 && (s.X[i] < 0 || s.X[i] > float64(len(f.XTicks)-1)):
			return "x values from 0 to the number of labels of the x axis, less one"
		}
	}
	return ""
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// Table is the table twin: one row a point, with its range where a series has one, and the references; the caption is
// its note.
func (f *Figure) Table() *table.Table {
	columns := []string{"series", f.XLabel, f.YLabel}
	other := func(unit string) bool { return !strings.HasSuffix(unit, f.YLabel) }
	if f.apart() && slices.ContainsFunc(f.Units, other) {
		columns[2] = "value"
	}
	for _, s := range f.Series {
		if len(s.Lo) > 0 {
			columns = append(columns, "from", "to")
			break
		}
	}
	t := table.New(stamped(f.Title, f.Private), columns...)
	for _, s := range f.Series {
		for i := range min(len(s.X), len(s.Y)) { // also of a figure that Validate refuses
			row := []any{s.Name, f.tick(s.X[i]), s.Y[i]}
			ranged, layout := i < len(s.Lo) && i < len(s.Hi), f.layout(s.X[i])
			if ranged {
				row = append(row, s.Lo[i], s.Hi[i])
			}
			if layout != "" {
				row[2] = date(s.Y[i], layout)
			}
			if ranged && layout != "" {
				row[3], row[4] = Mark{From: s.Lo[i], To: s.Hi[i]}.ends(layout)
			}
			t.Add(row...)
		}
	}
	for _, h := range f.HLines {
		t.Add(h.Name, "all", h.Y)
	}
	for _, v := range f.VLines {
		t.Add(v.Name, f.tick(v.Y), "all")
	}
	for _, s := range f.Series {
		if m := s.Interval; m != nil {
			t.Note(fmt.Sprintf("%s: %s, interval from %s to %s", s.Name, table.Number(m.At), table.Number(m.From),
				table.Number(m.To)))
		}
	}
	if f.Caption != "" {
		t.Note(f.Caption)
	}
	return t
}

// tick is the label of a categorical x, or x itself.
func (f *Figure) tick(x float64) any {
	if k := int(x); x == float64(k) && k >= 0 && k < len(f.XTicks) {
		return f.XTicks[k]
	}
	if f.XDates != "" {
		return date(x, f.XDates)
	}
	return x
}

// layout is that of the dates which the values at a categorical x are; empty of others.
func (f *Figure) layout(x float64) string {
	if k := int(x); x == float64(k) && k >= 0 && k < len(f.Dates) {
		return f.Dates[k]
	}
	return ""
}

// mostRows is the most rows of the twin as text: a notebook keeps it beside the picture.
const mostRows = 40

// String is the table twin as text, its first 40 rows.
func (f *Figure) String() string { return twin(f.Table()) }

// twin is a table twin as text, cut.
func twin(t *table.Table) string {
	if more := len(t.Rows) - mostRows; more > 0 {
		t.Rows = t.Rows[:mostRows]
		t.Note(fmt.Sprintf("%s more: Table has them all.", table.Count(more, "row")))
	}
	return t.String()
}
