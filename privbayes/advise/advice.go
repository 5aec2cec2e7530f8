package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Measure names the error that is compared, such as "a probability".
func (a *Advice) Measure() string { return a.shape.Words().Error }

// equal is the share of an error within which mechanisms count as equally good.
const equal = .01

// tied reports whether a row is as good as another: within two standard errors of the difference or 1 %. Both are
// simulated on the same data sets, so the difference is taken on each.
func tied(r, least Row) bool {
	difference, se := r.Error-least.Error, math.Hypot(r.SE, least.SE)
	if m := min(len(r.losses), len(least.losses)); m > 1 {
		sum, squares := 0.0, 0.0
		for i := range m {
			d := r.losses[i] - least.losses[i]
			sum, squares = sum+d, squares+d*d
		}
		n := float64(m)
		difference = sum / n
		se = math.Sqrt(math.Max(0, squares/n-difference*difference) / (n - 1))
	}
	return difference <= math.Max(2*se, equal*least.Error)
}

// Best is the mechanism recommended at target i; ok is false where none applies. Of the mechanisms as good as the best
// (within two standard errors or 1 %) it is the first in the order compared whose arithmetic is exact, or else the
// first.
func (a *Advice) Best(i int) (best Row, ok bool) {
	least, ok := a.least(i, "")
	found := false
	for _, r := range a.rows[i] {
		if r.Refused != "" || !tied(r, least) {
			continue
		}
		if exact := r.Certified.Arithmetic == dp.Exact; !found || exact && best.Certified.Arithmetic != dp.Exact {
			best, found = r, true
		}
	}
	return best, ok
}

// least is the row of the smallest error at target i, other than one.
func (a *Advice) least(i int, but string) (least Row, ok bool) {
	for _, r := range a.rows[i] {
		if r.Refused == "" && r.Mechanism != but && (!ok || r.Error < least.Error) {
			least, ok = r, true
		}
	}
	return least, ok
}

// Reason says why the best mechanism at target i is recommended.
func (a *Advice) Reason(i int) string {
	best, ok := a.Best(i)
	if !ok {
		if slices.ContainsFunc(a.rows[i], func(r Row) bool { return r.LeftOut }) {
			return fmt.Sprintf("At %s nothing was compared: what may apply is left out.", a.targets[i].Parameters)
		}
		return fmt.Sprintf("At %s no %s applies; NotApplicable says why.", a.targets[i].Parameters, a.subject())
	}
	s := fmt.Sprintf("At %s: %s (%s), error %s of %s, arithmetic %s.", a.targets[i].Parameters, best.Mechanism, best.Choice,
		table.Number(best.Error), a.Measure(), best.Certified.Arithmetic)
	switch {
	case best.Go == "":
	case a.subject() == "model":
		s += fmt.Sprintf(" In Go: %s with %s.", model.Expression(best.Model), best.Go)
	default:
		s += " In Go: " + best.Go + "."
	}
	other, ok := a.least(i, best.Mechanism)
	switch {
	case !ok:
		s += " Nothing else applies."
		if slices.ContainsFunc(a.rows[i], func(r Row) bool { return r.LeftOut }) {
			s = strings.TrimSuffix(s, "applies.") + "was compared."
		}
	case tied(other, best) && tied(best, other):
		within := ""
		if other.SE > 0 || best.SE > 0 {
			within = " within the simulation's error"
		}
		s += fmt.Sprintf(" %s is as good%s (%s)", other.Mechanism, within, table.Number(other.Error))
		switch {
		case best.Certified.Arithmetic == dp.Exact && other.Certified.Arithmetic != dp.Exact:
			s += ", in ideal arithmetic only."
		default:
			s += "; of equals the first in the list is named."
		}
	default:
		s += fmt.Sprintf(" Next: %s, %s, %.3g times as much.", other.Mechanism, table.Number(other.Error),
			other.Error/best.Error)
	}
	return s
}

// Crossover is a level between two targets at which the best mechanism changes.
type Crossover struct {
	Level    float64 // in the scale of the targets: ε, or ρ
	From, To string
}

// scale is the number in which targets of one notion differ.
func scale(t dp.Request) float64 {
	if byRho(t) {
		return t.Rho
	}
	return float64(t.Epsilon)
}

func byRho(t dp.Request) bool {
	return t.Notion == dp.Concentrated || t.Notion == dp.TruncatedConcentrated
}

// symbol is the name of scale.
func symbol(t dp.Request) string {
	if byRho(t) {
		return "ρ"
	}
	return "ε"
}

// Crossovers are the changes of the recommended mechanism between consecutive targets, interpolated on logarithmic
// scales.
func (a *Advice) Crossovers() []Crossover {
	var out []Crossover
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
		out = append(out, Crossover{math.Exp(at), from.Mechanism, to.Mechanism})
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
