package counts

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Predicted is of a share of every distribution, of which all cells hold as many rows, or one has the share that is
// guessed and the others as many as each other, the widest of them: as [countSampler.Intervals].
func (c *countSampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	mechanism.Predicted, bool) {
	return c.predicted(rows, level, guess, c.cell)
}

// Predicted knows that the noise keeps the total.
func (d *knormSampler) Predicted(_ context.Context, rows int, level float64, guess *mechanism.Guess) (
	mechanism.Predicted, bool) {
	return d.predicted(rows, level, guess, d.cell)
}

func (c *countSampler) predicted(rows int, level float64, at *mechanism.Guess, cell func(table int) float64) (
	p mechanism.Predicted, ok bool) {
	_, public := c.shape.N()
	_, alike := c.shape.Unit()
	n := float64(rows)
	guess := at.Words("as many rows in every cell")
	list := c.shape.Conditionals()
	for i, d := range list {
		t := c.shape.TableOf(i)
		cells := float64(d.Rows * d.Levels)
		s := mechanism.Shares{N: n, Alike: float64(alike), Level: level, Fixed: public && d.Rows == 1,
			Variance: cell(t) * float64(c.shape.Tables()[t].Cells()) / cells, Normal: noise.FormOf(c.laws[t]).Sigma2 > 0}
		switch {
		case c.shape.SharesClass() && i == 0:
			s.Variance = classVariance(c.shape, cell)
		case c.shape.SharesClass():
			s = inClass(s, n/float64(d.Rows), classVariance(c.shape, cell))
		}
		if c.unitNoise != nil { // rows of a unit half as alike as can be
			guess = fmt.Sprintf("%s, and a correlation of .5 between rows of a unit", guess)
			s.Alike = 1 + float64(alike-1)/2
		}
		shares, of := at.Spread(d.Levels), n/float64(d.Rows)
		row := make([]float64, d.Levels)
		floats.ScaleTo(row, of, shares)
		for from := range at.Cells(d.Levels) {
			to := from + 1
			if m, ok := c.shape.Model().(model.HistogramModel); ok && m.Cumulative() { // the middle has the widest
				to = d.Levels / 2
			}
			share := floats.Sum(shares[from:to])
			p = p.Or(s.Share(row, from, to).Away(share, mechanism.InShares, guess).Sampled(level, share*(1-share), of,
				s.Alike))
		}
	}
	return p, len(list) > 0 && !math.IsNaN(p.Rows)
}
