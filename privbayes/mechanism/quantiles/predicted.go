package quantiles

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// guessed says what Predicted supposes.
const guessed = "values spread evenly over the range"

// Predicted is of the widest of the quantiles, of a column whose values are spread evenly, so that shares of its range
// are ranks.
func (d *countSampler) Predicted(ctx context.Context, rows int, level float64) (p mechanism.Predicted, ok bool) {
	points := make([]int64, d.Points)
	for i := range points { // so many below every point, rounded
		points[i] = int64(i+1)*int64(rows)/d.Points - int64(i)*int64(rows)/d.Points
	}
	list, _, ok := d.Intervals(ctx, mechanism.Output{Raw: d.sums(points)}, level)
	if !ok {
		return p, false
	}
	l := d.shape.Lattice()
	low, wide := l.Low[0], l.High[0]-l.Low[0]
	for i, a := range d.a {
		share := float64(a) / float64(d.b)
		p = p.Or(list[i].Away(low+share*wide, mechanism.InRanks, guessed).Times(1/wide, mechanism.InRanks))
	}
	return p, true
}

// Predicted is what the ranks of the ends say.
func (d *sampler) Predicted(_ context.Context, _ int, level float64) (p mechanism.Predicted, ok bool) {
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
