package quantiles

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/score"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
)

// Predicted is of the widest of the quantiles, in ranks: how far the noise and the sampling of the rows move the count
// of records below a quantile, and half a leaf, at whose ends intervals end, of values that are spread evenly.
func (d *countSampler) Predicted(ctx context.Context, rows int, level float64, _ *mechanism.Guess) (
	p mechanism.Predicted, ok bool) {
	n, variances := float64(rows), d.upwards()
	leaf := .5 / float64(d.leaves())
	for _, a := range d.a {
		share := float64(a) / float64(d.b)
		at := int(math.Round(share * float64(d.leaves())))
		v := d.law.Variance() * d.varianceUpTo(at, share, variances)
		z := score.Noise{SD: math.Sqrt(v), Normal: noise.FormOf(d.law).Sigma2 > 0}
		reach := func(spread, room float64) *mechanism.Range {
			far, _, err := num.RootBracket(func(t float64) float64 { return z.Tail(t, spread) - (1-level)/2 }, 0,
				60*(z.SD+spread), 1e-9*(z.SD+spread))
			if err != nil || ctx.Err() != nil {
				return nil
			}
			away := math.Min((far+room)/n+leaf, 1)
			return &mechanism.Range{Lower: -away, Upper: away}
		}
		i := mechanism.Interval{Rows: reach(0, .5), Population: reach(math.Sqrt(n*float64(d.rows)*share*(1-share)), 0)}
		p = p.Or(i.Away(0, mechanism.InRanks, "values spread evenly over the range").Sampled(level, share*(1-share), n,
			float64(d.rows)))
	}
	return p, !math.IsNaN(p.Rows)
}

// Predicted is what the ranks of the ends say.
func (d *sampler) Predicted(_ context.Context, _ int, level float64, _ *mechanism.Guess) (p mechanism.Predicted,
	ok bool) {
	if !d.m.intervals || level > intervalLevel+1e-12 {
		return p, false
	}
	for i, own := range d.places {
		share := float64(d.a[own[1]]) / float64(d.b)
		low, high := d.endsOf(i)
		ends := mechanism.Range{Lower: low, Upper: high}
		p = p.Or(mechanism.Interval{Rows: &ends, Population: &ends}.Away(share, mechanism.InRanks, "no guess"))
	}
	return p, true
}
