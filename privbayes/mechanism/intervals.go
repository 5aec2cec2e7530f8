package mechanism

import (
	"context"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Interval is what a release knows of one number: of the population that the rows are an independent sample of, and of
// the rows themselves. The noise of the release is in both. Nil where there is none.
type Interval struct {
	Population *Range `json:"population,omitempty"`
	Rows       *Range `json:"rows,omitempty"`
}

// Range is an interval's ends.
type Range struct {
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Ranged is a sampler that knows intervals for what a model estimates from its draws.
type Ranged interface {
	// Intervals are those of every parameter, in the order of the model's Parameters, or else of every probability, in
	// that of model.Fitted.Posteriors; of a CDF those of the shares below its edges. how says in one line how they were
	// found; ok is false where there are none. They take less than a second.
	Intervals(ctx context.Context, drawn Output, level float64) (list []Interval, how string, ok bool)
}

// Intervals are those of a draw at a level in (0, 1), by its sampler, as far as the schema's Sampling asks for them; ok
// is false where the mechanism knows none. They are functions of released numbers. Errors: *dp.ParameterError, the
// context's.
func (p *Plan) Intervals(ctx context.Context, d *Drawn, level float64) (list []Interval, how string, ok bool,
	err error) {
	if !(level > 0 && level < 1) {
		return nil, "", false, domain.Refuse("mechanism", "level", level, "a level of intervals above 0 and below 1")
	}
	r, ok := p.spec.Sampler.(Ranged)
	if !ok || d == nil {
		return nil, "", false, nil
	}
	list, how, ok = r.Intervals(ctx, d.Output, level)
	sampling := p.spec.Shape.Schema().Sampling
	for i := range list {
		switch sampling {
		case frame.Census:
			list[i].Population = nil
		case frame.Sample:
			list[i].Rows = nil
		}
	}
	return list, how, ok && ctx.Err() == nil, ctx.Err()
}
