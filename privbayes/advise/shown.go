package advise

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// terms are the equal terms of the comparison.
func (a *Advice) terms() string {
	n, _ := a.shape.N()
	s := fmt.Sprintf("%s, n = %s, %s", a.shape.Model(), figure.Number(float64(n)), a.targets[0].Adjacency)
	if t := a.targets[0]; t.Delta > 0 {
		s += ", δ = " + table.Number(t.Delta)
	}
	return s
}

// prior says where the data come from.
func (a *Advice) prior() string {
	source := a.shape.Words().Source
	if strings.Contains(source, "%") {
		return fmt.Sprintf(source, a.options.Prior)
	}
	return source
}

func (a *Advice) caption() string {
	return fmt.Sprintf("%s. Error against the estimate without privacy; data: %s. Public: no data was read.", a.terms(),
		a.prior())
}

// named is a requested privacy with its symbols: ε = 1, δ = 1e-6.
func named(t dp.Request) string { return t.Parameters.String() }

// subject is what the rows are: mechanisms, or models.
func (a *Advice) subject() string {
	if slices.ContainsFunc(a.families, func(f Family) bool { return f.Model != nil }) {
		return "model"
	}
	return "mechanism"
}

// Table has a row for every mechanism that applies somewhere, with the best free choice, how the error was found, and
// the error at every target; below it the recommendations, where the best changes, and the terms.
func (a *Advice) Table() *table.Table {
	head := []string{a.subject(), "best free choice", "found by", "sampling"}
	for _, t := range a.targets {
		head = append(head, named(t))
	}
	t := table.New("Expected error of "+a.Measure()+", by "+a.subject(), head...)
	refused := 0
	for m, f := range a.families {
		var choices, hows []string
		arithmetic, cells, left := "", []any{}, false
		for i := range a.targets {
			r := a.rows[i][m]
			if r.LeftOut {
				left = true
				cells = append(cells, "left out")
				continue
			}
			if r.Refused != "" {
				cells = append(cells, "–")
				continue
			}
			arithmetic = r.Certified.Arithmetic.String()
			choices, hows = once(choices, r.Choice), once(hows, string(r.How))
			cells = append(cells, r.estimate())
		}
		if len(choices) == 0 {
			if !left {
				refused++
			}
			continue
		}
		t.Add(append([]any{f.Title, strings.Join(choices, "; "), strings.Join(hows, "; "), arithmetic}, cells...)...)
	}
	for i := range a.targets {
		t.Note(a.Reason(i))
	}
	for _, c := range a.Crossovers() {
		t.Note(fmt.Sprintf("Near %s = %s the best changes from %s to %s.", symbol(a.targets[0]), table.Number(c.Level),
			c.From, c.To))
	}
	if refused > 0 {
		verb := " do"
		if refused == 1 {
			verb = " does"
		}
		t.Note(table.Count(refused, a.subject()) + verb + " not apply at any of these levels; NotApplicable says why.")
	}
	for _, line := range append(a.LeftOut(), a.reduced()...) {
		t.Note(line)
	}
	return t.Note(a.caption())
}

// LeftOut names what was not compared although it may apply, a sentence for each with the reason: what it would take of
// Options.Time or Memory. None if everything was compared.
func (a *Advice) LeftOut() []string {
	return a.lines(func(r Row) string {
		if !r.LeftOut {
			return ""
		}
		return fmt.Sprintf("left out: %s, because %s", r.Mechanism, r.Refused)
	}, "More Options.Time or Memory compares it.")
}

// reduced names what was compared with fewer data sets or choices than asked for.
func (a *Advice) reduced() []string {
	return a.lines(func(r Row) string {
		if r.Reduced == "" {
			return ""
		}
		return fmt.Sprintf("%s: %s", r.Mechanism, r.Reduced)
	}, "That keeps within the time.")
}

// lines are the sentences of the rows that have one, each with its targets where it does not hold at all of them.
func (a *Advice) lines(sentence func(Row) string, end string) (list []string) {
	where := map[string][]string{}
	for m := range a.families {
		for i, t := range a.targets {
			s := sentence(a.rows[i][m])
			if s == "" {
				continue
			}
			if where[s] == nil {
				list = append(list, s)
			}
			where[s] = append(where[s], named(t))
		}
	}
	for i, s := range list {
		at := ""
		if levels := where[s]; len(levels) < len(a.targets) {
			at = "At " + strings.Join(levels, ", ") + ": "
		}
		list[i] = at + s + ". " + end
	}
	return list
}

// once appends a word that is not there yet.
func once(list []string, word string) []string {
	if slices.Contains(list, word) {
		return list
	}
	return append(list, word)
}

// Detail has everything about target i: for every mechanism that applies the choice, the error and how it was found,
// the divergence, what theory predicts before post-processing, and the level that is certified, in which arithmetic.
func (a *Advice) Detail(i int) *table.Table {
	t := table.New("At "+named(a.targets[i]), a.subject(), "best free choice", "error of "+a.Measure(),
		"± s.e.", "found by", "data sets", "KL, nats", "predicted", "predicted by", "certified")
	for _, r := range a.rows[i] {
		if r.Refused == "" {
			t.Add(r.Mechanism, r.Choice, r.Error, r.SE, string(r.How), r.Sets, number(r.KL), number(r.Expected),
				r.ExpectedHow, fmt.Sprintf("%s, %s", r.Certified.Parameters, r.Certified.Arithmetic))
		}
	}
	for _, line := range append(a.LeftOut(), a.reduced()...) {
		t.Note(line)
	}
	t.Note("Predicted: by theory for the plan, before post-processing, empty where there is no formula.")
	return t.Note(a.caption())
}

// number leaves a cell empty for NaN.
func number(x float64) any {
	if math.IsNaN(x) {
		return nil
	}
	return x
}

// NotApplicable says why mechanisms do not apply at target i, or are left out.
func (a *Advice) NotApplicable(i int) *table.Table {
	t := table.New("What does not apply at "+named(a.targets[i]), a.subject(), "why")
	for _, r := range a.rows[i] {
		switch {
		case r.LeftOut:
			t.Add(r.Mechanism, "left out: "+r.Refused)
		case r.Refused != "":
			t.Add(r.Mechanism, r.Refused)
		}
	}
	return t
}

// Figure draws the error of every mechanism at the middle target, the least first, with a line from its error at the
// last target to that at the first; at a single target the line is two standard errors to either side. Those that are
// not as good as the best are grey.
func (a *Advice) Figure() *figure.Forest {
	i, last := len(a.targets)/2, len(a.targets)-1
	at := func(i int) string { return symbol(a.targets[i]) + " = " + table.Number(scale(a.targets[i])) }
	drawn := "± 2 standard errors"
	if last > 0 {
		drawn = fmt.Sprintf("from %s to %s", at(last), at(0))
	}
	least, _ := a.least(i, "")
	f := &figure.Forest{Title: a.finding(i), XLabel: "expected absolute error of " + a.Measure(), LogX: true,
		Subtitle: "Dot and number: at " + at(i) + ". Line: " + drawn + ". Grey: not among the best.",
		Caption:  strings.Join(append([]string{a.caption()}, a.LeftOut()...), " "), Series: []string{at(i)}}
	for m, r := range a.rows[i] {
		if r.Refused != "" || !(r.Error > 0) {
			continue
		}
		mark := figure.Mark{At: r.Error, From: math.Max(r.Error/2, r.Error-2*r.SE), To: r.Error + 2*r.SE}
		if last > 0 {
			mark.From, mark.To = r.Error, r.Error
			for _, rows := range a.rows {
				if o := rows[m]; o.Refused == "" && o.Error > 0 {
					mark.From, mark.To = math.Min(mark.From, o.Error), math.Max(mark.To, o.Error)
				}
			}
		}
		f.Rows = append(f.Rows, figure.ForestRow{Name: a.families[m].short, Marks: []figure.Mark{mark},
			Text: figure.Digits(r.Error, 2), Muted: !tied(r, least)})
	}
	slices.SortStableFunc(f.Rows, func(x, y figure.ForestRow) int { return cmp.Compare(x.Marks[0].At, y.Marks[0].At) })
	return f
}

// finding says which mechanism is the best at target i, or how many are as good.
func (a *Advice) finding(i int) string {
	least, ok := a.least(i, "")
	if !ok {
		return "Expected error of " + a.Measure()
	}
	best := 0
	for _, r := range a.rows[i] {
		if r.Refused == "" && tied(r, least) {
			best++
		}
	}
	at := fmt.Sprintf("At %s = %s, ", symbol(a.targets[i]), table.Number(scale(a.targets[i])))
	if best > 1 {
		return fmt.Sprintf("%s%d %ss are about equally good", at, best, a.subject())
	}
	return at + a.short(least.Mechanism) + " is the most accurate"
}

// String shows the table and the warnings as text.
func (a *Advice) String() string { return table.Text(a) }

// How says how an error was found.
type How string

// The ways. All but the last are about the same number, the error after post-processing on data from the public prior;
// where one row of a comparison is by theory, all are.
const (
	Enumeration How = "exact enumeration" // every data set of n records and every output
	Quadrature  How = "quadrature"        // every output, data sets at the quantiles of the prior
	Simulation  How = "simulation"        // data sets drawn from the prior, one draw of each
	// what theory predicts before post-processing: where no data set can be afforded
	Theory How = "theory"
)

// Row is one mechanism at one target.
type Row struct {
	Mechanism string              // or, of a learned structure's comparison, the model
	Model     model.Model         `json:"-"` // that is released
	Choice    string              // the best of the free choices at this target, such as a post-processing
	Chosen    mechanism.Mechanism `json:"-"` // the mechanism with that choice: pass it to Privatize
	Go        string              // the expression that makes it; empty for mechanisms that were given
	Target    dp.Request
	Certified dp.Guarantee
	// mean absolute error after post-processing, against the estimate without privacy: see Advice.Measure
	Error float64
	SE    float64 // standard error of Error, 0 where it is not simulated
	How   How
	Sets  int // data sets simulated, or summed over
	// mean KL divergence of the model's distributions, non-private ‖ released, nats; NaN for models of sums
	KL float64

	// what theory predicts for the plan, without data and before post-processing; NaN where there is no formula
	Expected    float64
	ExpectedHow string // closed form, quadrature, …
	Refused     string // why there is no error, which is then NaN: the mechanism does not apply, or it is left out
	// it may apply, but was not worked out within Options.Time and Memory; Refused says what it would take
	LeftOut bool
	// what was saved to keep within Options.Time: choices not tried, fewer data sets; empty where nothing was
	Reduced string

	losses   []float64 // of every simulated data set
	steps    float64   // estimated, for what was done
	warnings warning.List
}

// rounded is the error in the digits that its standard error leaves.
func (r Row) rounded() string {
	if r.SE > 0 {
		return figure.Rounded(r.Error, r.SE)
	}
	return table.Number(r.Error)
}

// estimate is the error with its standard error if it is simulated: 0.153 ± 0.003.
func (r Row) estimate() string {
	if r.SE > 0 {
		return figure.Estimate(r.Error, r.SE)
	}
	return r.rounded()
}

// planned is a choice that meets the target.
type planned struct {
	mechanism.Choice
	plan *mechanism.Plan
	draw float64 // steps
}

// work is one row under way: how far it is worked out, and what that takes.
type work struct {
	*Advice
	setting
	on      *model.Shape     // that the row is planned for
	costs   []mechanism.Cost // of every choice; nil where they are not known
	most    int              // data sets
	reduced string
}

// dearest is the steps of one draw of the choice that takes most.
func (w *work) dearest() (draw float64) {
	for _, i := range w.choices {
		draw = math.Max(draw, w.cost(i).Draw)
	}
	return draw
}

func (w *work) cost(choice int) mechanism.Cost {
	if w.costs == nil {
		return mechanism.Cost{}
	}
	return w.costs[choice]
}

// row plans the choices, finds the best, and gives its error. least is the smallest error so far at this target. Its
// errors are the context's.
func (w *work) row(ctx context.Context, f Family, t dp.Request, least float64) (Row, error) {
	row := Row{Mechanism: f.Title, Model: w.on.Model(), Target: t, Error: math.NaN(), KL: math.NaN(), Expected: math.NaN()}
	var list []planned
	for _, i := range w.choices {
		c := f.Choices[i]
		p, err := c.Mechanism.Plan(ctx, w.on, t)
		if ctx.Err() != nil {
			return row, ctx.Err()
		}
		if err != nil {
			if row.Refused == "" {
				row.Refused, row.LeftOut = err.Error(), limited(err)
			}
			continue
		}
		row.steps += w.cost(i).Plan + enumerationSteps
		list = append(list, planned{c, p, w.cost(i).Draw})
	}
	if len(list) == 0 {
		return row, nil
	}
	if w.setting.sets == 0 {
		return w.predicted(row, list), nil
	}
	best, found, err := w.best(ctx, list, least, &row.steps)
	if ctx.Err() != nil {
		return row, ctx.Err()
	}
	if err != nil { // of the draws or of the simulated data, which are as public as the plan
		row.Refused, row.LeftOut = err.Error(), limited(err)
		return row, nil
	}
	if math.IsNaN(found.absolute) {
		row.Refused, row.LeftOut = "its estimate has no "+w.Measure()+" that could be compared", false
		return row, nil
	}
	row.Refused, row.LeftOut, row.Reduced = "", false, w.reduced
	row.Choice, row.Chosen, row.Go, row.Certified = best.Name, best.Mechanism, best.Go, best.plan.Certified()
	row.Error, row.SE, row.KL, row.How, row.Sets = found.absolute, found.se, found.kl, found.how, found.sets
	row.losses, row.warnings = found.losses, best.plan.Warnings()
	row.Expected, row.ExpectedHow = Predict(best.plan)
	return row, nil
}

// predicted completes a row by theory, with the choice of the least error predicted; where there is no formula, it is
// left out.
func (w *work) predicted(row Row, list []planned) Row {
	row.Refused, row.LeftOut = trimmed(w.Advice.sets.refused)+", and no formula predicts its error", true
	if w.subject() == "model" { // theory has it in other units
		row.LeftOut, row.Refused = true, trimmed(w.Advice.sets.refused)
		return row
	}
	for _, c := range list {
		value, how := Predict(c.plan)
		if math.IsNaN(value) || row.Refused == "" && value >= row.Error {
			continue
		}
		row.Refused, row.LeftOut, row.Reduced = "", false, w.reduced
		row.Choice, row.Chosen, row.Go, row.Certified, row.warnings = c.Name, c.Mechanism, c.Go, c.plan.Certified(),
			c.plan.Warnings()
		row.Error, row.How, row.Expected, row.ExpectedHow = value, Theory, value, how
	}
	return row
}

// result is an error with how it was found.
type result struct {
	absolute, se, kl float64
	how              How
	sets             int
	losses           []float64
}

// pilot is the number of data sets on which choices are compared. The winner is then simulated with other noise, so
// that its error is not flattered by the choice.
const pilot = 16

func (w *work) best(ctx context.Context, list []planned, rival float64, steps *float64) (planned, result, error) {
	var best planned
	var found result
	least, pilots := math.Inf(1), len(list) > 1
	for _, c := range list {
		r, exact, err := w.enumerate(ctx, c.plan)
		if err == nil && !exact && pilots {
			r, err = w.simulate(ctx, c.plan, w.on, pilotNoise, min(pilot, w.most), rival)
			*steps += float64(w.draws(min(pilot, w.most))) * c.draw
		}
		if err != nil {
			return best, found, err
		}
		if pilots && r.absolute < least*(1-1e-9) || best.plan == nil {
			least, best, found = r.absolute, c, r
		}
	}
	if found.how == Simulation || found.how == "" {
		var err error
		if found, err = w.simulate(ctx, best.plan, w.on, finalNoise, w.most, rival); err != nil {
			return best, found, err
		}
		*steps += float64(w.draws(found.sets)) * best.draw
	}
	return best, found, nil
}

// Warnings lists, target by target, what the target's level warns of and what the plan of the recommended mechanism
// does, each once; and a size that is shown although the adjacency hides n, unless it is the one that the schema
// declares. Public, like all advice.
func (a *Advice) Warnings() warning.List {
	var out warning.List
	for i, t := range a.targets {
		out = out.And(t.Parameters.Warnings(mechanism.Size(a.shape)))
		best, ok := a.Best(i)
		if !ok {
			continue
		}
		out = out.And(best.warnings.ButLevel()) // the certified level says again what its target does
	}
	if n, _ := a.shape.N(); !a.targets[0].Adjacency.PublicN() && n != a.shape.Schema().ApproximateRows {
		out = append(out, warning.NNotPublic(n,
			"this advice, under "+a.targets[0].Adjacency.String()+", is for and shows"))
	}
	return out
}

// Warnings lists what the plan of the row warns of.
func (r Row) Warnings() warning.List { return r.warnings }
