package structure

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() (out []mechanism.Descriptor) {
	for _, d := range []struct {
		m                 Learning
		name, flag, short string
	}{
		{Geometric(), "LearnedGeometric", "learned-geometric", "Learned, geometric"},
		{DiscreteGaussian(), "LearnedGaussian", "learned-gaussian", "Learned, Gaussian"},
	} {
		out = append(out, mechanism.Descriptor{
			Kind: d.m.Name(), Name: d.name, Flag: d.flag, Title: d.m.Title(), Short: d.short,
			Rebuild: mechanism.Rebuilds(d.m.Name(), func(params) (mechanism.Family[*problem, params], error) {
				return d.m.mathematics(), nil
			}),
			New: func(mechanism.Options) mechanism.Mechanism { return d.m },
			Choices: func(sh *model.Shape) []mechanism.Choice {
				if d.m.Supports(sh) != nil {
					return nil
				}
				return []mechanism.Choice{{Name: "usual", Mechanism: d.m, Go: d.name + "()"}}
			},
		})
	}
	return out
}

// Cost estimates a plan by its enumerations and calibration, and a draw by its scores and fits.
func (m Learning) Cost(sh *model.Shape, t dp.Target) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	d, cells := float64(len(sh.Columns())), float64(sh.Cells())
	c.Plan = 1.5e8
	if t.Notion != dp.Pure {
		c.Plan += 2e8
	}
	set, _ := sh.Learns()
	c.Draw = 2e6 + 400*cells*d // every round scores all pairs and fits what was measured
	if set.Algorithm == model.Forest {
		c.Draw = 2e6 + 400*cells
	}
	c.Bytes = 64*cells + 1e6
	return c
}
