package advise

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Rows are the mechanisms at target i, in the order compared.
func (a *Advice) Rows(i int) []Row { return append([]Row(nil), a.rows[i]...) }

// Best is the mechanism recommended at target i; ok is false where none applies. Of the mechanisms within two standard errors of the
// smallest error it is the first in the order compared whose arithmetic is exact, or else the first.
func (a *Advice) Best(i int) (best Row, ok bool) {
	for _, r := range a.rows[i] {
		if r.Refused == "" && (!ok || r.Error < best.Error) {
			best, ok = r, true
		}
	}
	least, found := best, false
	for _, r := range a.rows[i] {
		if r.Refused != "" || r.Error > least.Error+2*math.Hypot(r.SE, least.SE) {
			continue
		}
		if exact := r.Certified.Arithmetic == dp.Exact; !found || exact && best.Certified.Arithmetic != dp.Exact {
			best, found = r, true
		}
	}
	return best, ok
}

// Reason says why the best mechanism at target i is recommended.
func (a *Advice) Reason(i int) string {
	best, ok := a.Best(i)
	if !ok {
		return fmt.Sprintf("At %s no mechanism applies; the table says why each refuses.", a.targets[i].Level)
	}
	second := Row{Error: math.Inf(1)}
	for _, r := range a.rows[i] {
		if r.Refused == "" && r.Mechanism != best.Mechanism && r.Error < second.Error {
			second = r
		}
	}
	s := fmt.Sprintf("At %s: %s, error %s of a probability, arithmetic %s.", a.targets[i].Level, best.Mechanism, table.Number(best.Error), best.Certified.Arithmetic)
	switch {
	case math.IsInf(second.Error, 1):
	case second.Error <= best.Error+2*math.Hypot(second.SE, best.SE):
		s += fmt.Sprintf(" %s is as good within the simulation's error (%s).", second.Mechanism, table.Number(second.Error))
	default:
		s += fmt.Sprintf(" Next: %s, %s.", second.Mechanism, table.Number(second.Error))
	}
	return s
}

// Crossing is a level between two targets at which the best mechanism changes.
type Crossing struct {
	Level    float64 // in the scale of the targets: ε, or ρ
	From, To string
}

// scale is the number in which targets of one notion differ.
func scale(t dp.Target) float64 {
	if t.Notion == dp.Concentrated || t.Notion == dp.TruncatedConcentrated {
		return t.Rho
	}
	return float64(t.Epsilon)
}

// Crossings are the changes of the best mechanism between consecutive targets, interpolated on logarithmic scales.
func (a *Advice) Crossings() []Crossing {
	var out []Crossing
	for i := 1; i < len(a.targets); i++ {
		from, ok1 := a.Best(i - 1)
		to, ok2 := a.Best(i)
		if !ok1 || !ok2 || from.Mechanism == to.Mechanism {
			continue
		}
		d0, d1 := a.gap(i-1, from.Mechanism, to.Mechanism), a.gap(i, from.Mechanism, to.Mechanism)
		x0, x1 := math.Log(scale(a.targets[i-1])), math.Log(scale(a.targets[i]))
		at := (x0 + x1) / 2
		if d0 < 0 && d1 > 0 {
			at = x0 + (x1-x0)*d0/(d0-d1)
		}
		out = append(out, Crossing{math.Exp(at), from.Mechanism, to.Mechanism})
	}
	return out
}

// gap is ln error of one mechanism less that of another at target i; NaN where one does not apply.
func (a *Advice) gap(i int, one, other string) float64 {
	x, y := math.NaN(), math.NaN()
	for _, r := range a.rows[i] {
		if r.Mechanism == one {
			x = r.Error
		}
		if r.Mechanism == other {
			y = r.Error
		}
	}
	return math.Log(x) - math.Log(y)
}

// LevelFor is the smallest level (ε or ρ) at which the best mechanism's simulated error is at most the given one, interpolated between the
// targets on logarithmic scales; ok is false where the targets do not bracket it.
func (a *Advice) LevelFor(absolute float64) (level float64, ok bool) {
	for i := range a.targets {
		r, applies := a.Best(i)
		if !applies || r.Error > absolute {
			continue
		}
		if i == 0 {
			return scale(a.targets[0]), r.Error == absolute
		}
		before, applies := a.Best(i - 1)
		if !applies {
			return scale(a.targets[i]), true
		}
		if r.Error == 0 {
			return scale(a.targets[i]), true
		}
		x0, x1 := math.Log(scale(a.targets[i-1])), math.Log(scale(a.targets[i]))
		y0, y1 := math.Log(before.Error), math.Log(r.Error)
		return math.Exp(x0 + (x1-x0)*(math.Log(absolute)-y0)/(y1-y0)), true
	}
	return 0, false
}

func (a *Advice) caption() string {
	n, _ := a.shape.N()
	return fmt.Sprintf("%s, n = %d, %s. Simulated: every distribution from Dirichlet(%g, …), %d data sets, one draw each. Public: no data was read.",
		a.shape.Model(), n, a.targets[0].Adjacency, a.prior, a.data)
}

// Table has a row for every mechanism that applies, its error at every target, and the recommendation below.
func (a *Advice) Table() *table.Table {
	head := []string{"mechanism", "arithmetic"}
	for _, t := range a.targets {
		head = append(head, t.Level.String())
	}
	t := table.New("Expected error of a probability, by mechanism", head...)
	for m := range a.rows[0] {
		row := []any{a.rows[0][m].Mechanism, ""}
		for i := range a.targets {
			r := a.rows[i][m]
			if r.Refused != "" {
				row = append(row, "–")
				continue
			}
			row[1] = string(r.Certified.Arithmetic)
			row = append(row, fmt.Sprintf("%s ± %s", table.Number(r.Error), table.Number(r.SE)))
		}
		t.Add(row...)
	}
	for i := range a.targets {
		t.Note(a.Reason(i))
	}
	for _, c := range a.Crossings() {
		t.Note(fmt.Sprintf("Near %s the best changes from %s to %s.", table.Number(c.Level), c.From, c.To))
	}
	return t.Note(a.caption())
}

// Refusals says why mechanisms do not apply at target i.
func (a *Advice) Refusals(i int) *table.Table {
	t := table.New("What does not apply at "+a.targets[i].Level.String(), "mechanism", "why")
	for _, r := range a.rows[i] {
		if r.Refused != "" {
			t.Add(r.Mechanism, r.Refused)
		}
	}
	return t
}

// Figure draws error against level, a band of two standard errors for every mechanism that applies at two targets or more.
func (a *Advice) Figure() *eval.Figure {
	f := &eval.Figure{
		Title: "Expected error of a probability", XLabel: "ε", YLabel: "mean absolute error", LogX: true, LogY: true, Caption: a.caption(),
	}
	if n := a.targets[0].Notion; n == dp.Concentrated || n == dp.TruncatedConcentrated {
		f.XLabel = "ρ"
	}
	for m := range a.rows[0] {
		s := eval.Series{Name: a.rows[0][m].Mechanism, Kind: eval.Band}
		for i, t := range a.targets {
			if r := a.rows[i][m]; r.Refused == "" && r.Error > 0 {
				s.X, s.Y = append(s.X, scale(t)), append(s.Y, r.Error)
				s.Lo, s.Hi = append(s.Lo, math.Max(r.Error/2, r.Error-2*r.SE)), append(s.Hi, r.Error+2*r.SE)
			}
		}
		if len(s.X) > 1 {
			f.Series = append(f.Series, s)
		}
	}
	return f
}

// String shows the table as text.
func (a *Advice) String() string { return a.Table().String() }

// HTML shows the table.
func (a *Advice) HTML() string { return a.Table().HTML() }
