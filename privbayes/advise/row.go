package advise

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// How says how an error was found.
type How string

// The ways. Each is about the same number, the error after post-processing on data from the public prior.
const (
	Enumeration How = "exact enumeration" // every data set of n records and every output
	Quadrature  How = "quadrature"        // every output, data sets at the quantiles of the prior
	Simulation  How = "simulation"        // data sets drawn from the prior, one draw of each
)

// Row is one mechanism at one target.
type Row struct {
	Mechanism string
	Choice    string // the best of the free choices at this target, such as a post-processing
	Target    dp.Target
	Certified dp.Guarantee
	Error     float64 // mean absolute error after post-processing, against the estimate without privacy: see Advice.Measure
	SE        float64 // standard error of Error, 0 where it is not simulated
	How       How
	Sets      int     // data sets simulated, or summed over
	KL        float64 // mean KL divergence of the model's distributions, non-private ‖ released, nats; NaN for models of sums

	Expected    float64 // what theory predicts for the plan, without data and before post-processing; NaN where there is no formula
	ExpectedHow string  // closed form, quadrature, …
	Refused     string  // why the mechanism does not apply; Error is then NaN

	losses   []float64 // of every simulated data set
	warnings warning.List
}

// planned is a choice that meets the target.
type planned struct {
	Choice
	plan *mechanism.Plan
}

// row plans every choice, finds the best, and gives its error. least is the smallest error so far at this target.
func (a *Advice) row(ctx context.Context, f Family, t dp.Target, least float64) (Row, error) {
	row := Row{Mechanism: f.Title, Target: t, Error: math.NaN(), KL: math.NaN(), Expected: math.NaN()}
	var list []planned
	for _, c := range f.Choices {
		p, err := c.Mechanism.Plan(ctx, a.shape, t)
		if ctx.Err() != nil {
			return row, ctx.Err()
		}
		if err != nil {
			if row.Refused == "" {
				row.Refused = err.Error()
			}
			continue
		}
		list = append(list, planned{c, p})
	}
	if len(list) == 0 {
		return row, nil
	}
	row.Refused = ""
	best, found, err := a.best(ctx, list, least)
	if err != nil {
		return row, err
	}
	row.Choice, row.Certified = best.Name, best.plan.Certified()
	row.Error, row.SE, row.KL, row.How, row.Sets = found.absolute, found.se, found.kl, found.how, found.sets
	row.losses, row.warnings = found.losses, best.plan.Warnings()
	row.Expected, row.ExpectedHow = Predict(best.plan)
	return row, nil
}

// result is an error with how it was found.
type result struct {
	absolute, se, kl float64
	how              How
	sets             int
	losses           []float64
}

// pilot is the number of data sets on which choices are compared. The winner is then simulated with other noise, so that its error is not
// flattered by the choice.
const pilot = 16

func (a *Advice) best(ctx context.Context, list []planned, rival float64) (planned, result, error) {
	var best planned
	var found result
	least, pilots := math.Inf(1), len(list) > 1
	for _, c := range list {
		r, exact, err := a.enumerate(ctx, c.plan)
		if err == nil && !exact && pilots {
			r, err = a.simulate(ctx, c.plan, pilotNoise, pilot, rival)
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
		if found, err = a.simulate(ctx, best.plan, finalNoise, a.options.Data, rival); err != nil {
			return best, found, err
		}
	}
	return best, found, nil
}
