package publication

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Name is the publication's.
func (p *Plan) Name() string { return p.name }

// Target is what was asked for.
func (p *Plan) Target() dp.Request { return p.target }

// Certified is the proved guarantee of all items together.
func (p *Plan) Certified() dp.Guarantee { return p.guarantee }

// Certificate holds the check of the list, and the certificates of the items as its parts.
func (p *Plan) Certificate() *cert.Certificate { return p.certificate }

// Lines are the items, in their order.
func (p *Plan) Lines() []Line { return append([]Line(nil), p.lines...) }

// Factor is the largest error of an item in units of its wish, divided by the weight; NaN without wishes.
func (p *Plan) Factor() float64 {
	worst := math.NaN()
	for _, l := range p.lines {
		if t := l.wanted(); t > 0 && !(l.Predicted.Rows/t <= worst) {
			worst = l.Predicted.Rows / t
		}
	}
	return worst
}

// asked is the half-width that the item is asked for, in the unit of Predicted; 0 without.
func (l Line) asked() float64 {
	if w := l.Plan.Shape().Lattice(); l.Within.OfRange && w != nil {
		return l.Within.Value * widest(w)
	}
	return l.Within.Value
}

// wanted is what the item is asked for, divided by the weight.
func (l Line) wanted() float64 { return l.asked() / cmp.Or(l.Weight, 1) }

// Unreachable is a wish that no level meets for the population, if rows are spread as guessed or evenly, since sampling
// alone is further off. The intervals of the rows are as near as planned. All are half-widths at 95 %, in one unit.
type Unreachable struct {
	Name     string  `json:"name"`
	Asked    float64 `json:"asked"`
	Sampling float64 `json:"sampling"` // of the population without any noise
	Rows     float64 `json:"rows"`     // with the noise alone
	Unit     string  `json:"unit"`
}

// mostNamed is how many wishes that no level meets for the population are named in a note.
const mostNamed = 5

// unreachable is the note about them, "" without any.
func (p *Plan) unreachable() string {
	var named []string
	all := p.Unreachable()
	for _, u := range all[:min(len(all), mostNamed)] {
		named = append(named, fmt.Sprintf("%s ± %s", safetext.Quote(u.Name), number(u.Sampling, u.Unit)))
	}
	if more := len(all) - len(named); more > 0 {
		named = append(named, fmt.Sprintf("and %d more", more))
	}
	if named == nil {
		return ""
	}
	return "If rows are spread as assumed, no level meets for the population what was asked, since sampling alone is " +
		"further off: " + strings.Join(named, ", ") + ". For the rows the errors are as planned."
}

// Unreachable are the wishes that no level meets for the population, at the guesses; of a census there are none.
func (p *Plan) Unreachable() (out []Unreachable) {
	for _, l := range p.lines {
		if q := l.Predicted; l.asked() > 0 && q.Sampling > l.asked() {
			out = append(out, Unreachable{l.Name, l.asked(), q.Sampling, q.Rows, q.Unit})
		}
	}
	return out
}

// Warnings lists what is dangerous about the guarantee of all items together and about their plans, each once.
func (p *Plan) Warnings() warning.List {
	out := p.ofLevel()
	for _, l := range p.lines {
		out = out.And(l.Plan.Warnings().ButLevel())
	}
	return out
}

// ofLevel are the warnings of the level of all items together.
func (p *Plan) ofLevel() warning.List {
	return p.guarantee.Parameters.Warnings(mechanism.Size(p.lines[0].Plan.Shape()))
}

// AttackPower is [mechanism.Plan.AttackPower] on all items together.
func (p *Plan) AttackPower(ctx context.Context, falseAlarms float64) float64 {
	var plans []*mechanism.Plan
	for _, l := range p.lines {
		plans = append(plans, l.Plan)
	}
	level := p.guarantee.Parameters
	pair, err := list(plans, p.slots)
	if err != nil {
		return loss.AttackPower(level, falseAlarms)
	}
	return loss.AttackPowerOf(ctx, pair, level, falseAlarms)
}

// Table shows every item with the error that was asked for, the predicted ones, its share of the budget, and how it is
// measured.
func (p *Plan) Table() *table.Table {
	t := table.New("Plan: "+safetext.Prose(p.name), "item", "asked ±", "rows ±", "population ±", "share", "mechanism")
	for _, l := range p.lines {
		asked := ""
		if w := l.Within; w.Value > 0 {
			if asked = number(w.Value, l.Predicted.Unit); w.OfRange {
				asked = fmt.Sprintf("%.4g %% of the range", 100*w.Value)
			}
		}
		t.Add(safetext.Prose(l.Name), asked, number(l.Predicted.Rows, l.Predicted.Unit),
			number(l.Predicted.Population, l.Predicted.Unit), fmt.Sprintf("%.3f", l.Part), l.Plan.Title())
	}
	sum := 0.
	for _, l := range p.lines {
		sum += rate(l.Plan)
	}
	for _, s := range p.slots {
		sum += share(p.target, s)
	}
	for _, s := range p.slots {
		t.Add(safetext.Prose(s.Name), "", "", "", fmt.Sprintf("%.3f", share(p.target, s)/sum), "reserved: "+s.Level.String())
	}
	n := "n private"
	if v, ok := p.lines[0].Plan.Shape().N(); ok {
		n = "n = " + table.Number(float64(v))
	}
	t.Note(fmt.Sprintf("%s, %s. All items together: %s.", safetext.Quote(p.lines[0].Plan.Shape().Schema().Dataset), n,
		p.guarantee))
	if f := p.Factor(); !math.IsNaN(f) {
		t.Note(fmt.Sprintf("The errors of the rows are up to %.3g times what was asked for, by weight.", f))
	}
	if note := p.unreachable(); note != "" {
		t.Note(note)
	}
	if w := pooled(p.plans()); slices.ContainsFunc(w.from, func(f source) bool {
		_, ok := w.predicted(f.item, nil)
		return ok
	}) {
		t.Note("Tables with columns in common are measured together and made to agree. Their errors are those of all " +
			"measurements: what others answer needs a small share of its own.")
	}
	spread := "for rows that are spread evenly"
	if slices.ContainsFunc(p.lines, func(l Line) bool { return l.Guess != nil }) {
		spread = "at the guesses, and without one for rows that are spread evenly"
	}
	if slices.ContainsFunc(p.lines, func(l Line) bool { return l.Plan.Shape().Weighted() != nil }) {
		t.Note("Of weighted tables the errors of the rows are those of the noise alone, and weights are taken to vary by " +
			"half of their mean.")
	}
	t.Note("±: how far the ends of the 95 % intervals are predicted to be from the estimates, " + spread +
		". pp are percentage points: of the rows of a distribution, or of ranks.")
	return t.Note("A plan reads no data: it is public and uses no budget.")
}

// number is a half-width with its unit; empty where none is predicted.
func number(x float64, unit string) string {
	if x == 0 {
		return ""
	}
	switch unit {
	case "":
		return ""
	case mechanism.InShares, mechanism.InRanks:
		return fmt.Sprintf("%.3g pp", 100*x)
	}
	return fmt.Sprintf("%.4g", x)
}

// String shows the plan and its warnings as text.
func (p *Plan) String() string { return table.Text(p) }
