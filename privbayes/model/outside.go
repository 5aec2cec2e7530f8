package model

import (
	"fmt"

	"gonum.org/v1/gonum/mathext"

	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// distributed is a model of how values are distributed before they are moved to the bounds.
type distributed interface {
	distribution() string                                 // what it is called, "" where none is stated
	outside(parameters []float64, lo, hi float64) float64 // the share of it beyond two bounds
}

// Distribution names the distribution that a model states of values before they are moved to the bounds, such as the
// exponential one; "" where it states none.
func (s *Shape) Distribution() string {
	if m, ok := s.model.(distributed); ok {
		return m.distribution()
	}
	return ""
}

// OutsideBounds is the share of the model's Distribution that lies outside the bounds of its column, averaged over
// draws of its parameters; 0 where there is none.
func (s *Shape) OutsideBounds(d *Draws) (share float64) {
	if s.Distribution() == "" {
		return 0
	}
	lo, hi := s.bounds(0)
	for _, v := range d.Values {
		share += s.model.(distributed).outside(v, lo, hi) / float64(len(d.Values))
	}
	return share
}

// noteOutside says in a summary how much of the distribution lies outside the bounds, where that matters.
func noteOutside(f *Fitted, t *table.Table) *table.Table {
	share := f.shape.OutsideBounds(f.draws)
	if share <= warning.MostOutside {
		return t
	}
	lo, hi := f.shape.bounds(0)
	return t.Note(fmt.Sprintf("The parameter describes the %s of values before they are moved to the bounds of the column. "+
		"%s %% of it lies outside the bounds [%s, %s]. Mean describes the values of the column.", f.shape.Distribution(), table.Number(100*share), table.Number(lo), table.Number(hi)))
}

func (m MeanSDModel) distribution() string {
	if m.latent {
		return "latent normal"
	}
	return ""
}

func (m MeanSDModel) outside(p []float64, lo, hi float64) float64 {
	return normalBelow((lo-p[0])/p[1]) + normalBelow((p[0]-hi)/p[1])
}

func (m RateModel) distribution() string { return rates[m.law].distribution }

func (m RateModel) outside(p []float64, lo, hi float64) float64 {
	cdf := m.cdf()
	return cdf(p[0], lo) + 1 - cdf(p[0], hi)
}

func (PoissonModel) distribution() string { return "Poisson distribution" }

func (PoissonModel) outside(p []float64, lo, hi float64) float64 {
	above := mathext.GammaIncReg(hi+1, p[0]) // P(X > hi)
	if lo <= 0 {
		return above
	}
	return above + mathext.GammaIncRegComp(lo, p[0]) // P(X < lo)
}
