package privacyreport

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release/entry"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// falseAlarms is where the power of an attack is stated.
const falseAlarms = 0.05

// prior is the suspicion whose growth is stated.
const prior = 0.1

// measure derives the bounds that the sentences state.
func (d *draft) measure(ctx context.Context) Numbers {
	g := d.Guarantee()
	n := Numbers{Guarantee: g, FalseAlarms: falseAlarms, AttackPower: d.power(ctx)}
	if rows, public := d.first().Shape().N(); public {
		n.N = &rows
	}
	eps, delta := standard(g.Parameters)
	n.Epsilon, n.Delta, n.Factor = cert.Number(eps), delta, cert.Number(num.Inflate(math.Exp(eps)))
	n.Suspicion, n.Exception = suspicion(eps, delta)
	if d.Budget != nil {
		power := loss.AttackPower(d.Budget.Limit(), falseAlarms)
		n.LimitPower = &power
	}
	return n
}

// InWords says what a guarantee of a plan means for one privacy unit, a sentence each: by which factor it bounds the
// probability of every publication, with which exception, and the power of the best possible attack at 5 % false
// alarms, rounded up. It is empty without a guarantee. The context ends the computation of the power.
func InWords(ctx context.Context, p *mechanism.Plan, g dp.Guarantee) []string {
	return inWords(ctx, g, powerOf(p, g), p)
}

// powerOf is the power of the best attack on a release of a plan with a guarantee: by the plan's pair, or by the level
// where that is another one, as of a release that was chosen among several.
func powerOf(p *mechanism.Plan, g dp.Guarantee) func(context.Context, float64) float64 {
	if g.Parameters == p.Certified().Parameters {
		return p.AttackPower
	}
	return func(_ context.Context, falseAlarms float64) float64 {
		return loss.AttackPower(g.Parameters, falseAlarms)
	}
}

// PublicationInWords is [InWords] of all items of a publication together.
func PublicationInWords(ctx context.Context, p *publication.Plan, g dp.Guarantee) []string {
	var plans []entry.Plan
	for _, l := range p.Lines() {
		plans = append(plans, l.Plan)
	}
	return inWords(ctx, g, p.AttackPower, plans...)
}

func inWords(ctx context.Context, g dp.Guarantee, power func(context.Context, float64) float64,
	plans ...entry.Plan) []string {
	if g.Notion == dp.None {
		return nil
	}
	w := wordsOf(plans, g)
	eps, delta := standard(g.Parameters)
	out := []string{w.factor(num.Inflate(math.Exp(eps))), w.exception(delta), attacked(power(ctx, falseAlarms))}
	out = append(out, w.attackedKnown(eps, delta)...)
	if left := strings.TrimSpace(w.say("{not all}")); g.Adjacency == dp.ReplaceValue && left != "" {
		out = append(out, left)
	}
	return out
}

// factor bounds the probability of every publication.
func (w words) factor(factor float64) string {
	return fmt.Sprintf("Every possible publication would have been at most %s times as likely, or as unlikely, %s.",
		upward(factor), w.say(w.guard.Had))
}

// exception says with which probability the factor does not hold.
func (w words) exception(delta float64) string {
	return strings.ReplaceAll(w.stated.Stated, "{rare}", oneIn(delta))
}

// attacked states the power of the best attack.
func attacked(power float64) string {
	return fmt.Sprintf("The best possible attack that accuses wrongly in at most %.0f of 100 cases is right in at "+
		"most %s of 100. Guessing is right in %.0f.", 100*falseAlarms, perCent(power), 100*falseAlarms)
}

// attackedKnown bounds the power of attacks on somebody who is known to be in the table, where that is another
// question: one step more, another row in place of theirs.
func (w words) attackedKnown(eps, delta float64) []string {
	if w.guard.Known == "" {
		return nil
	}
	eps, delta = twice(eps, delta)
	two := dp.Parameters{Notion: dp.Approximate, Epsilon: cert.Number(eps), Delta: delta}
	if delta == 0 {
		two.Notion = dp.Pure
	}
	return []string{w.say(fmt.Sprintf("If it is known that the {unit} is in the table, an attack on {rows} is right in "+
		"at most %s of 100.", perCent(loss.AttackPower(two, falseAlarms))))}
}

// standard is the (ε, δ) guarantee that follows from a level: its own, or that at the reference δ.
func standard(l dp.Parameters) (eps, delta float64) {
	switch l.Notion {
	case dp.Pure, dp.Approximate:
		return float64(l.Epsilon), l.Delta
	}
	at, err := l.At(dp.Parameters{Notion: dp.Approximate, Delta: warning.ReferenceDelta})
	if err != nil {
		return math.Inf(1), warning.ReferenceDelta
	}
	return float64(at.Epsilon), at.Delta
}

// suspicion bounds what a suspicion of 10 % becomes, except with a probability. Under pure ε the odds grow by at most
// e^ε, with no exception. Under (ε, δ) they grow by at most 2e^ε except with probability 2δ: let p and q be the
// densities of the output where the suspicion is true and where it is false. Then δ ≥ ∫(p − e^ε q)₊, and where
// p > 2e^ε q the integrand is above p/2; so that set has a probability of at most 2δ under p, and less under q.
func suspicion(eps, delta float64) (posterior, exception float64) {
	factor := math.Exp(eps)
	if delta > 0 {
		factor, exception = 2*factor, math.Min(1, 2*delta)
	}
	odds := factor * prior / (1 - prior)
	if exception >= 1 || math.IsInf(odds, 1) {
		return 1, exception
	}
	return math.Min(1, num.Inflate(odds/(1+odds))), exception
}

// twice is the guarantee between two data sets that are two steps apart, such as two records of one person who is known
// to be in the table under add-remove: (2ε, (1 + e^ε)δ).
func twice(eps, delta float64) (float64, float64) {
	if delta == 0 {
		return 2 * eps, 0
	}
	return 2 * eps, math.Min(1, (1+math.Exp(eps))*delta)
}

// alerts are the red lines: where the guarantee, or the budget's limit, gives little protection, and where people say
// that it is void.
func (d *draft) alerts() (out []string) {
	if looked, _ := d.answered.to(keyLooked); looked == "yes" {
		out = append(out, "The data were looked at to choose bounds, categories, model or parameters. The guarantee is "+
			"void.")
	}
	size := mechanism.Size(d.first().Shape())
	for _, w := range d.Guarantee().Parameters.Warnings(size) {
		out = append(out, "This guarantee gives little protection. "+w.Text)
	}
	if d.Budget != nil {
		if slices.ContainsFunc(d.charges, func(c budget.Charge) bool { return c.Seeded }) {
			out = append(out, "A release in the budget file was drawn from a fixed seed. If it was published, the bounds for "+
				"all releases together do not hold.")
		}
		for _, w := range d.Budget.Limit().Warnings(size) {
			out = append(out, "The limit of the budget gives little protection. "+w.Text)
		}
		for _, w := range d.Budget.Warnings() {
			if w.Kind == budget.LedgerOverspent {
				out = append(out, w.Text)
			}
		}
	}
	return out
}
