//go:build !browser

package main

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/totals"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const totalsSynopsis = `totals --period COLUMN --rho NUMBER --schema FILE --data FILE --budget BUDGET --out FILE [flags]
totals --after FILE --schema FILE --data FILE --budget BUDGET --out FILE [flags]
totals --period COLUMN --rho NUMBER --plan --schema FILE [flags]

Releases running totals: the number of rows so far, in every cell of a table, after each period. The periods are the
levels of a column, in their order: the schema lists all of them, those to come included. The table has the rows of all
periods so far. The first release is charged for the whole sequence. Each later one goes on --after the file of the
release before it and adds nothing to the budget, which is needed: it knows which periods were released. The error
grows with the logarithm of the number of periods.

A row keeps its period, and rows_per_unit bounds the rows of a unit in all periods together. A row that is added to a
period after its release counts in part, half in the next total.`

var totalsExamples = []string{
	"privbayes totals --period quarter --columns region --rho 0.05 --plan --schema arrivals.schema.json",
	"privbayes totals --period quarter --columns region --rho 0.05 --schema arrivals.schema.json --data arrivals.csv " +
		"--budget arrivals.budget --out arrivals.1.totals.json",
	"privbayes totals --after arrivals.1.totals.json --schema arrivals.schema.json --data arrivals.csv " +
		"--budget arrivals.budget --out arrivals.2.totals.json",
}

// totalsFlags are those of a publication, with a table in place of wishes.
type totalsFlags struct {
	publishFlags
	period, columns, until, after string
}

func totalsCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("totals", totalsSynopsis)
	var p totalsFlags
	f.StringVar(&p.period, "period", "", "the `column` whose levels are the periods, in their order")
	f.StringVar(&p.columns, "columns", "", "count by these `columns`, separated by commas (default: all rows)")
	f.StringVar(&p.until, "until", "", "of a first release: the last `period` in it (default: the first one)")
	f.StringVar(&p.after, "after", "", "go on after this `file` of running totals, by one period")
	p.addRho(f, ", for all periods together")
	f.Lookup("adjacency").Usage = rowsOnly
	p.add(f, "running totals", "plan, and say the error after each period: no row is read")
	if _, err := parse(f, args); err != nil {
		return err
	}
	f.reads("plan")
	if p.after != "" {
		f.reads("after")
		return p.next(out, errs, *asJSON)
	}
	if p.period == "" {
		return wrongFlag("period", nil, "the column whose levels are the periods; or --after, the file to go on from")
	}
	table := []string{p.period}
	if p.columns != "" {
		list, err := columnsIn("columns", p.columns)
		if err != nil {
			return err
		}
		table = append(table, list...)
	}
	if !f.given("rho") {
		return wrongFlag("rho", nil, "ρ of zero-concentrated DP, for all periods together, such as --rho 0.05")
	}
	target, err := p.privacy()
	if err != nil {
		return err
	}
	f.reads("period", "columns")
	if p.plan {
		return p.planned(out, errs, target, table, *asJSON)
	}
	return p.first(out, errs, target, table, *asJSON)
}

// totalsPlanJSON is what totals --plan writes with --json.
type totalsPlanJSON struct {
	Plan      *totals.Plan `json:"plan"`
	Certified dp.Guarantee `json:"certified"` // of all periods
	Periods   []string     `json:"periods"`
	SD        []float64    `json:"sd"` // of the noise in the total of a cell, after each period
	Warnings  warning.List `json:"warnings,omitempty"`
}

// planned shows the plan.
func (p *totalsFlags) planned(out, errs io.Writer, target dp.Request, table []string, asJSON bool) error {
	if p.n < 0 { // it does not matter
		p.n = 1
	}
	ctx, shape, end, err := p.beforePlan(errs, target)
	if err != nil {
		return err
	}
	defer end()
	sh, err := shape(model.ContingencyTable(table...))
	if err != nil {
		return err
	}
	plan, err := totals.New(ctx, target, sh)
	if err != nil {
		return err
	}
	if !asJSON {
		return tell(out, fitted(out)(plan.Table())+worded(plan.Warnings()).String())
	}
	j := totalsPlanJSON{Plan: plan, Certified: plan.Certified(), Periods: plan.Periods(),
		Warnings: worded(plan.Warnings())}
	for t := range j.Periods {
		j.SD = append(j.SD, plan.SD(t+1))
	}
	return writeJSON(out, j)
}

// first releases the first period, or the periods until one.
func (p *totalsFlags) first(out, errs io.Writer, target dp.Request, table []string, asJSON bool) error {
	p.flags.reads("until")
	return p.release(out, errs, table, asJSON, func(f *privbayes.Frame, options []privbayes.Option) (*totals.Totals,
		error) {
		r := f.RunningTotals(table[0], table[1:]...)
		if p.until == "" {
			plan, err := r.Plan(target, options...)
			if err != nil {
				return nil, err
			}
			p.until = plan.Periods()[0]
		}
		return r.Privatize(p.until, target, options...)
	})
}

// next releases the period after those of a file.
func (p *totalsFlags) next(out, errs io.Writer, asJSON bool) error {
	before, err := totals.Load(context.Background(), p.after)
	if err != nil {
		return err
	}
	table := append([]string{before.Plan().Period()}, before.Plan().Columns()...)
	return p.release(out, errs, table, asJSON, func(f *privbayes.Frame, options []privbayes.Option) (*totals.Totals,
		error) {
		return f.NextTotals(before, options...)
	})
}

// totalsJSON is what totals writes with --json.
type totalsJSON struct {
	releaseJSON
	Through string            `json:"through"` // the last period that was released
	Totals  []totals.Estimate `json:"totals"`  // after it, at 95 %
	Added   []totals.Estimate `json:"added"`   // by it; null after the first period, which added all
}

// release is the chain of the façade.
func (p *totalsFlags) release(out, errs io.Writer, table []string, asJSON bool, draw func(f *privbayes.Frame,
	options []privbayes.Option) (*totals.Totals, error)) error {
	if p.flags.given("n") {
		return wrongUsage("--n: it is for --plan; running totals count the rows that they are of")
	}
	if p.plan {
		return wrongUsage("--plan: it is for a sequence that begins; --after goes on with one that was planned")
	}
	if p.budget == "" {
		return wrongFlag("budget", nil, "the budget file that pays for the sequence: it knows which periods were released")
	}
	p.flags.reads("budget", "out", "part", "seed")
	rows, options, end, err := p.ready(errs, "running totals", []publication.Item{
		publication.Of(model.ContingencyTable(table...))})
	if err != nil {
		return err
	}
	defer end()
	made, err := draw(rows, options)
	if err != nil {
		return err
	}
	if !asJSON {
		return p.ends(out, totalsText(made, false, fitted(out))+p.kept(made.Loaded())+"\n")
	}
	about := p.output(made, "running totals", made.Loaded(), made.Warnings())
	j := totalsJSON{releaseJSON: about, Through: made.Through()}
	after, added := estimates(made)
	j.Totals = after[len(after)-1]
	if len(added) > 0 {
		j.Added = added[len(added)-1]
	}
	return writeJSON(out, j)
}

// drawTotals writes a picture of the totals after every period.
func drawTotals(picture string, t *totals.Totals) error { return writeFigure(picture, t.Figure()) }
