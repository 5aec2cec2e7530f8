package sums

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	d := mechanism.Describe(New(), "NoisySums", "noisy-sums", "Noisy sums")
	d.Choices = func(sh *model.Shape) []mechanism.Choice {
		if supports(sh) != nil {
			return nil
		}
		return []mechanism.Choice{{Name: "noise-aware posterior", Mechanism: New(), Go: "NoisySums()"}}
	}
	return []mechanism.Descriptor{d}
}

// Cost estimates a plan by the enumerations of its certificate, and a draw by its posterior.
func (m Noisy) Cost(sh *model.Shape, _ dp.Request) mechanism.Cost {
	c := mechanism.Cost{Plan: 3e5, Draw: 3e5, Bytes: 1 << 20}
	l := sh.Lattice()
	if l == nil {
		return c
	}
	c.Bytes += 8 * 600 * float64(l.Len())
	c.Draw += 500 * 40 * float64(l.Len())
	switch {
	case l.Form == model.PerColumn:
		d := float64(len(l.Low))
		c.Plan, c.Draw = 2e6, c.Draw+4000*d*d
	case l.Form == model.PerGroup:
		c.Plan = 5e6
	case l.Form == model.TwoPowers:
		c.Draw += 2e7
	}
	if sh.OneParameter() != nil {
		c.Draw += 1.5e7
	}
	return c
}
