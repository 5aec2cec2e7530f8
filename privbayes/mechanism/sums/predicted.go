package sums

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
)

// Predicted is of the first mean, of values that are spread as guessed or evenly over the range, as many in every
// group; of units with moments of their own, at a correlation of one half. In the units of the data, and of several
// columns as for the one with the widest range.
func (d *sampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	p mechanism.Predicted, ok bool) {
	if d.shape.OneParameter() != nil || d.latent() {
		return p, false
	}
	l := d.shape.Lattice()
	of := float64(rows)
	if d.byGroup() && !d.lone() {
		of /= float64(max(l.Groups, 1))
	}
	for i := range l.Low {
		j := i
		if d.Unit > 0 || d.byGroup() {
			j = 0
		}
		mean, variance := guess.Place(l.Low[i], l.High[i], d.Steps == 1)
		alike := float64(d.rows)
		if d.Unit > 0 {
			alike = 1 + float64(d.Unit-1)/2
		}
		width := l.High[i] - l.Low[i]
		q := d.ofMean(j, d.guess(of, .5, mean, variance), level).Away(l.Value(i, mean*float64(l.Steps)),
			mechanism.InValues, guess.Words(d.guessed()))
		p = p.Or(q.Sampled(level, variance*width*width, of, alike))
	}
	return p, true
}
