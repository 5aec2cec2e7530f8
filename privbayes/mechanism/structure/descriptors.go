package structure

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{
		mechanism.Describe(Geometric(), "LearnedGeometric", "learned-geometric", "Learned, geometric"),
		mechanism.Describe(DiscreteGaussian(), "LearnedGaussian", "learned-gaussian", "Learned, Gaussian"),
	}
}

// Cost estimates a plan by its enumerations and calibration, and a draw by its scores and fits.
func (m Learning) Cost(sh *model.Shape, t dp.Request) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	d, cells := float64(len(sh.Columns())), float64(sh.Cells())
	c.Plan = 1.5e8
	if t.Notion != dp.Pure {
		c.Plan += 2e8
	}
	c.Draw = 2e6 + 400*cells*d // every round scores all pairs and fits what was measured
	if sh.Learning().Algorithm == model.Forest {
		c.Draw = 2e6 + 400*cells
	}
	c.Bytes = 64*cells + 1e6
	return c
}
