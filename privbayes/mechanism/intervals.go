package mechanism

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Interval is what a release knows of one number: of the population that the rows are an independent sample of, and of
// the rows themselves. The noise of the release is in both. Nil where there is none.
type Interval struct {
	Population *Range `json:"population,omitempty"`
	Rows       *Range `json:"rows,omitempty"`
	// AtOnce are the ends of bands that hold all numbers of the list together: of the shares of a histogram or a CDF.
	// The other intervals are for one number each. Nil where no band is known.
	AtOnce *Interval `json:"at_once,omitempty"`
}

// Range is an interval's ends.
type Range struct {
	Lower float64 `json:"lower"`
	Upper float64 `json:"upper"`
}

// Ranged is a sampler that knows intervals for what a model estimates from its draws.
type Ranged interface {
	// Intervals are those of every parameter, in the order of the model's Parameters, or else of every probability, in
	// that of model.Fitted.Posteriors and model.Fitted.Margins; of a CDF those of the shares below its edges. how says
	// in one line how they were found; ok is false where there are none. A thousand take about a second at most.
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
	About(p.spec.Shape.Schema().Sampling, list)
	return list, how, ok && ctx.Err() == nil, ctx.Err()
}

// About leaves out, in place, the intervals that a schema's Sampling does not ask for: of the population of a census,
// and of the rows of a sample, where there is one of the population.
func About(sampling frame.Sampling, list []Interval) {
	for i := range list {
		switch sampling {
		case frame.Census:
			list[i].Population = nil
			if list[i].AtOnce != nil {
				list[i].AtOnce.Population = nil
			}
		case frame.Sample:
			if list[i].Population != nil { // what is known of the rows alone is shown
				list[i].Rows = nil
			}
			if list[i].AtOnce != nil {
				list[i].AtOnce.Rows = nil
			}
		}
	}
}

// Pooled is the estimate of one of many areas, drawn towards the others as far as its own numbers are uncertain.
type Pooled struct {
	Mean float64 `json:"mean"`
	Range
	direct *Interval
}

// Direct is the area's interval by itself, for a contingency table.
func (p Pooled) Direct() *Interval { return p.direct }

// Areas are the numbers of many areas. Value is what a rate or a mean in [0, 1] is in the units of the data.
type Areas struct {
	List   []score.Area
	Value  func(theta float64) float64
	Direct []Interval // of each area by itself, where the release's own intervals have none
}

// poolable is a sampler that knows the numbers of many areas, and their intervals at a level: see [Plan.Pooled].
type poolable interface {
	Areas(drawn Output, feature, label string, level float64) (Areas, bool)
}

// leastAreas are pooled.
const leastAreas = 5

// Pooled are the estimates of areas together, with intervals at a level in (0, 1), in the units of the data: of the
// means of a GroupMeans model, with feature and label empty, or of the share of one level of a feature in every class
// of naive Bayes, or of one column of a contingency table of two in every level of the other. The areas are taken to
// follow one Beta distribution, of which nothing is known. The intervals hold over areas, not of each: an area that is
// unlike the others is drawn in, so they stand beside the direct ones and not in their place. Errors:
// *dp.ParameterError for other releases, a census, fewer than five areas or another level, the context's. Source:
// theory/intervals.md §6.
func (p *Plan) Pooled(ctx context.Context, d *Drawn, feature, label string, level float64) ([]Pooled, error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("mechanism", "level", level, "a level of intervals above 0 and below 1")
	}
	if p.spec.Shape.Schema().Sampling == frame.Census {
		return nil, domain.Refuse("mechanism", "areas", "of a census", "rows that are a sample: pooled estimates are about "+
			"the population that they come from")
	}
	r, ok := p.spec.Sampler.(poolable)
	var areas Areas
	if ok && d != nil {
		areas, ok = r.Areas(d.Output, feature, label, level)
	}
	if !ok || d == nil {
		of := p.spec.Shape.Model().String()
		if feature != "" {
			of += fmt.Sprintf(", level %q of %q", label, feature)
		}
		return nil, domain.Refuse("mechanism", "areas", of,
			"means of groups, or a level of a feature under naive Bayes or in a contingency table of two columns, with "+
				"noise on sums or counts, one row a unit")
	}
	if len(areas.List) < leastAreas {
		return nil, domain.Refuse("mechanism", "areas", len(areas.List), "at least 5, to learn from each other")
	}
	found, err := score.Pool(ctx, areas.List, level)
	out := make([]Pooled, len(found))
	for i, q := range found {
		out[i] = Pooled{Mean: areas.Value(q.Mean), Range: Range{areas.Value(q.Lower), areas.Value(q.Upper)}}
		if areas.Direct != nil {
			out[i].direct = &areas.Direct[i]
		}
	}
	return out, err
}
