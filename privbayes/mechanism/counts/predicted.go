package counts

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Predicted is of a share of every distribution, of which all cells hold as many rows: as [countSampler.Intervals].
func (c *countSampler) Predicted(_ context.Context, rows int, level float64) (mechanism.Predicted, bool) {
	return c.predicted(rows, level, c.cell)
}

// Predicted knows that the noise keeps the total.
func (d *knormSampler) Predicted(_ context.Context, rows int, level float64) (mechanism.Predicted, bool) {
	return d.predicted(rows, level, d.cell)
}

func (c *countSampler) predicted(rows int, level float64, cell func(table int) float64) (p mechanism.Predicted,
	ok bool) {
	_, public := c.shape.N()
	_, alike := c.shape.Unit()
	n := float64(rows)
	guess := "as many rows in every cell"
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
		row := make([]float64, d.Levels)
		for k := range row {
			row[k] = n / cells
		}
		if c.unitNoise != nil { // rows of a unit half as alike as can be
			guess = fmt.Sprintf("%s, and a correlation of .5 between rows of a unit", guess)
			s.Alike = 1 + float64(alike-1)/2
		}
		last := 1
		if m, ok := c.shape.Model().(model.HistogramModel); ok && m.Cumulative() {
			last = d.Levels / 2
		}
		p = p.Or(s.Share(row, 0, last).Away(float64(last)/float64(d.Levels), mechanism.InShares, guess))
	}
	return p, len(list) > 0 && !math.IsNaN(p.Rows)
}
