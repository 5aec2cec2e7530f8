package privbayes

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/selection"
)

// Selecting is a model whose releases are drawn until one meets criteria, before anything is drawn.
type Selecting struct {
	model *Model
	rules selection.Rules
}

// Accept releases the first of several draws whose synthetic rows meet criteria, or none. See package selection for the
// rules and what they cost:
//
//	frame.Learn().Accept(selection.Rules{
//		Criteria: selection.Criteria{}.CellsWithin(3, .01).RatioWithin(1.4),
//		Test:     selection.Test{Epsilon: .3, Wrong: .01},
//		Stop:     selection.Stop{OneIn: 20, Most: 10},
//	}).Privatize(privbayes.Geometric(), privbayes.PureDP(3))
func (m *Model) Accept(rules selection.Rules) *Selecting { return &Selecting{m, rules} }

// Plan divides the target, certifies a candidate and the whole, and reads no data. Of the options WithContext alone
// matters. See [selection.New].
func (s *Selecting) Plan(mech Mechanism, t Target, opts ...Option) (*selection.Plan, error) {
	if s == nil {
		return nil, step("Accept", errNoFrame)
	}
	sh, err := s.model.Shape()
	if err != nil {
		return nil, err
	}
	p, err := selection.New(refined(opts).ctx, t, s.rules, sh, func(ctx context.Context, t dp.Request) (*mechanism.Plan,
		error) {
		return s.model.plan(ctx, mech, t)
	})
	return p, step("Accept", err)
}

// Privatize plans, charges the frame's budget once for the whole, draws every candidate, and keeps the first accepted
// one, if any: options and errors are those of [Model.Privatize]. A selection that accepted none is no error here: see
// [selection.Selection.Release].
func (s *Selecting) Privatize(mech Mechanism, t Target, opts ...Option) (*selection.Selection, error) {
	plan, err := s.Plan(mech, t, opts...)
	if err != nil {
		return nil, err
	}
	frame, o := s.model.frame, refined(opts)
	if err := unslotted(o, "Accept"); err != nil {
		return nil, err
	}
	if err := frame.needsRows("Accept"); err != nil {
		return nil, step("Accept", err)
	}
	r := selection.Request{Rows: frame.f, Budget: frame.budget, Seed: o.Seed, Path: o.Path}
	if r.Statistics, err = frame.statistics(o.ctx, s.model.shape); err != nil {
		return nil, step("Accept", err)
	}
	out, err := plan.Draw(o.ctx, r)
	if err != nil {
		return nil, step("Accept", err)
	}
	return out.Warned(aboutRun(o, frame.schema(), frame.budget, out.Loaded())...), nil
}
