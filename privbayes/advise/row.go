package advise

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

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
