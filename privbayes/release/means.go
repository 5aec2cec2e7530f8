package release

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// MeasuredMeans are the means of the columns of numbers of a learned structure, of records with a value, with intervals
// at a level in (0, 1): from the noisy counts of a column's bins, of the table that [Release.MeasuredShares] takes, and
// the noisy sums within bins. They invert a test of the mean, for normal and for geometric noise. The estimate is
// that of the fit, moved into the interval. Intervals of the rows hold by the noise alone. Those of the population take
// the fitted standard deviation for that of a record. Values beyond the bounds were moved to them, and no interval
// includes that.
//
// Columns whose values are drawn evenly within bins have none: their sums were not released. Errors: *dp.ParameterError
// for a level and a release that learned no structure by noisy tables; those of bayesnet.Net.Query.
func (r *Release) MeasuredMeans(ctx context.Context, level float64) (out []Interval, err error) {
	if !(level > 0 && level < 1) {
		return nil, domain.Refuse("release", "level", level, "a number above 0 and below 1")
	}
	if s := r.Structure(); s == nil || len(s.Measured) == 0 {
		return nil, domain.Refuse("release", "measured tables", r.plan.Title(), "a structure learned by noisy tables")
	}
	_, alike := r.plan.Shape().Unit()
	var found []mechanism.Interval
	for _, c := range r.plan.Shape().Columns() {
		terms, ok := r.fitted.MeanTerms(c.Name)
		if !ok {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		m, err := r.firstMeasured(c.Name)
		if err != nil {
			return nil, err
		}
		mean, sd, err := r.fitted.NumberMoments(c.Name)
		if err != nil {
			return nil, err
		}
		q := score.BinnedMean{Counts: m.cells, At: terms.At, CountNoise: m.variance, Alike: float64(alike), Normal: m.normal,
			Lower: c.Edges[0], Upper: c.Edges[len(c.Edges)-1]}
		for b, step := range terms.Step {
			q.Room = math.Max(q.Room, step/2)
			if step > 0 {
				q.Sum += step * float64(terms.Sums[b])
				q.SumNoise += step * step * terms.Variance
			}
		}
		var of mechanism.Interval
		of.Rows = rangeOf(q.Interval(level))
		q.Deviation = sd
		of.Population = rangeOf(q.Interval(level))
		found = append(found, of)
		if math.IsNaN(mean) {
			mean = (of.Rows.Lower + of.Rows.Upper) / 2
		}
		out = append(out, Interval{Of: c.Name, Estimate: mean})
	}
	mechanism.About(r.plan.Shape().Schema().Sampling, found)
	for i, of := range found {
		out[i].Interval = of
		out[i] = out[i].inside()
	}
	return out, nil
}

func rangeOf(lower, upper float64) *mechanism.Range {
	return &mechanism.Range{Lower: lower, Upper: upper}
}

// means shows the means of the columns of numbers; nil where there are none.
func (r *Release) means() []*table.Table {
	list, err := r.MeasuredMeans(context.Background(), shownLevel)
	if err != nil || len(list) == 0 {
		return nil
	}
	decimals := make([]int, len(list))
	for i := range list {
		decimals[i] = decimalsOf(list[i : i+1])
	}
	return []*table.Table{intervalTable("Means of columns of numbers", list, decimals, func(i Interval) string {
		return safetext.Word(i.Of)
	}).Note("From noisy counts of bins and noisy sums within them, of records with a value.")}
}
