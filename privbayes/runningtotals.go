package privbayes

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/totals"
)

// RunningTotals is a sequence of running totals of a table, before anything is drawn.
type RunningTotals struct{ model *Model }

// RunningTotals begins a sequence: after each period, which are the levels of a column in their order, the number of
// rows so far in every cell of the table of some columns, or of all rows. The periods share one ρ and one charge. See
// package totals:
//
//	first, err := upToMarch.WithBudget(b).RunningTotals("quarter", "region").
//		Privatize("2026-Q1", privbayes.ZCDP(.05), privbayes.KeepIn("arrivals.1.totals.json"))
//	second, err := upToJune.WithBudget(b).NextTotals(first, privbayes.KeepIn("arrivals.2.totals.json"))
func (f *Frame) RunningTotals(period string, columns ...string) *RunningTotals {
	return &RunningTotals{f.Model(model.ContingencyTable(append([]string{period}, columns...)...))}
}

// Plan certifies all periods together. It reads no data. Of the options WithContext alone matters. See [totals.New].
func (r *RunningTotals) Plan(t Target, opts ...Option) (*totals.Plan, error) {
	if r == nil || r.model == nil {
		return nil, step("RunningTotals", errNoFrame)
	}
	if err := r.model.Err(); err != nil {
		return nil, err
	}
	p, err := totals.New(refined(opts).ctx, t, r.model.shape)
	return p, step("RunningTotals", err)
}

// Privatize releases the totals after every period until one, such as the first, and charges the frame's budget, which
// is needed, for the whole sequence. Options and errors are those of [Model.Privatize].
func (r *RunningTotals) Privatize(through string, t Target, opts ...Option) (*totals.Totals, error) {
	plan, err := r.Plan(t, opts...)
	if err != nil {
		return nil, err
	}
	return r.model.totals("RunningTotals", opts, func(ctx context.Context, q totals.Request) (*totals.Totals, error) {
		return plan.Begin(ctx, through, q)
	})
}

// NextTotals releases the totals after the period that follows the last one of a sequence, from all rows so far. The
// frame's budget is the one that paid for the sequence: it notes the period, which adds nothing. See
// [totals.Totals.Next].
func (f *Frame) NextTotals(before *totals.Totals, opts ...Option) (*totals.Totals, error) {
	if before == nil || before.Plan() == nil {
		return nil, step("NextTotals", domain.Refuse("totals", "sequence", "none", "the totals that RunningTotals released"))
	}
	plan := before.Plan()
	m := f.Model(model.ContingencyTable(append([]string{plan.Period()}, plan.Columns()...)...))
	if err := m.Err(); err != nil {
		return nil, err
	}
	return m.totals("NextTotals", opts, before.Next)
}

// totals draws periods of the frame's rows.
func (m *Model) totals(name string, opts []Option, draw func(ctx context.Context, q totals.Request) (*totals.Totals,
	error)) (*totals.Totals, error) {
	o := refined(opts)
	if err := unslotted(o, name); err != nil {
		return nil, err
	}
	st, err := m.frame.statistics(o.ctx, m.shape)
	if err != nil {
		return nil, step(name, err)
	}
	out, err := draw(o.ctx, totals.Request{Statistics: st, Budget: m.frame.budget, Seed: o.Seed, Path: o.Path})
	if err != nil {
		return nil, step(name, err)
	}
	return out.Warned(aboutRun(o, m.shape.Schema(), m.frame.budget, out.Loaded())...), nil
}

// LoadTotals reads a file of running totals and checks that its numbers follow from its plan and its measurements;
// options as in [LoadRelease].
func LoadTotals(path string, opts ...Option) (*totals.Totals, error) {
	return totals.Load(refined(opts).ctx, path)
}
