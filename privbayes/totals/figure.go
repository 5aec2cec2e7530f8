package totals

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// mostDrawn is how many cells a figure shows, as there are colours, and mostNamed how many periods it names.
const mostDrawn, mostNamed = 6, 40

// Figure draws the totals after every period so far, with 95 % intervals of the rows: one line a cell, of more than six
// those of the six with most rows after the last period. It reads released numbers alone, and may be published.
func (t *Totals) Figure() *figure.Figure {
	p, dataset := t.plan, t.plan.shape.Schema().Dataset
	f := &figure.Figure{XLabel: p.Period(), YLabel: "rows so far",
		Title:    fmt.Sprintf("Running totals of %s after %s", safetext.Word(dataset), safetext.Word(t.Through())),
		Subtitle: "Rows in each cell after every period, with 95 % intervals that include the noise.",
		Caption: fmt.Sprintf("Data set %s, period %d of %d. All periods together: %s", safetext.Quote(dataset), len(t.y),
			p.change.Periods, p.guarantee)}
	if g := t.Guarantee(); g.Notion == dp.None {
		f.Caption += ". This draw: " + g.Parameters.String()
	}
	for at, label := range p.Periods()[:len(t.y)] {
		list, _ := t.combine(label, p.sum(at+1), .95)
		if at == 0 {
			f.Series = make([]figure.Series, max(len(list)-1, 1)) // all cells together would dwarf the others
		}
		for k := range f.Series {
			s, e := &f.Series[k], list[k]
			s.Name, s.Kind = e.cell(), figure.Band
			s.X, s.Y = append(s.X, float64(at)), append(s.Y, e.Value)
			s.Lo, s.Hi = append(s.Lo, e.Low), append(s.Hi, e.High)
		}
		f.XTicks = append(f.XTicks, safetext.Word(label))
	}
	if len(t.y) > mostNamed {
		f.XTicks, f.XLabel = nil, fmt.Sprintf("%s: the periods after the first, %s", f.XLabel, safetext.Word(p.Periods()[0]))
	}
	if all := len(f.Series); all > mostDrawn {
		last := func(s figure.Series) float64 { return s.Y[len(s.Y)-1] }
		slices.SortStableFunc(f.Series, func(a, b figure.Series) int { return cmp.Compare(last(b), last(a)) })
		f.Series = f.Series[:mostDrawn]
		f.Subtitle = fmt.Sprintf("The %d of %s with most rows, with 95 %% intervals that include the noise.", mostDrawn,
			table.Count(all, "cell"))
	}
	return f
}
