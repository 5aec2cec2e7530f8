package quantiles

import (
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanisms of this room.
func Descriptors() []mechanism.Descriptor {
	of := func(m mechanism.Mechanism, name, flag, short string, rebuild mechanism.Rebuild) mechanism.Descriptor {
		return mechanism.Descriptor{
			Kind: m.Name(), Name: name, Flag: flag, Title: m.Title(), Short: short, Rebuild: rebuild,
			New: func(mechanism.Options) mechanism.Mechanism { return m },
			Choices: func(sh *model.Shape) []mechanism.Choice {
				if m.Supports(sh) != nil {
					return nil
				}
				return []mechanism.Choice{{Name: "usual", Mechanism: m, Go: name + "()"}}
			},
		}
	}
	return []mechanism.Descriptor{
		of(Histogram(), "HistogramQuantiles", "histogram-quantiles", "Noisy histogram", mechanism.Rebuilds(kindHistogram,
			func(countParams) (mechanism.Family[*counted, countParams], error) {
				return Histogram().mathematics(), nil
			})),
		of(EM(), "QuantileEM", "quantile-em", "Exponential mechanism", rebuilds(kindEM, EM())),
		of(Joint(), "JointQuantiles", "joint-quantiles", "Joint exponential", rebuilds(kindJoint, Joint())),
	}
}

// Cost estimates a plan by its enumerations, and a draw by the passes over the points or the candidates.
func (m Exponential) Cost(sh *model.Shape, _ dp.Target) (c mechanism.Cost) {
	a, b := sh.Ranks()
	if len(a) == 0 {
		return mechanism.Cost{}
	}
	p, r := float64(sh.Lattice().Steps+1), ranks{a, b}
	c.Plan = 3e5 * float64(len(a))
	if !m.joint {
		c.Draw, c.Bytes = 60*p*float64(len(a)), 64*p
		return c
	}
	c.Plan += 20 * min(jointWork, r.jointChanges(14))
	candidates := p * float64(cellsOf(int64(p))+1)
	n, _ := sh.N()
	c.Draw = 150*candidates*float64(len(a)) + 10*float64(n)
	c.Bytes = 16*candidates*float64(len(a)+6) + 8*p
	return c
}

// Cost estimates a plan by its enumerations and the search for its noise, and a draw by its counts.
func (m Counting) Cost(sh *model.Shape, _ dp.Target) (c mechanism.Cost) {
	if m.Supports(sh) != nil {
		return c
	}
	p := float64(sh.Lattice().Steps + 1)
	counts := 2 * min(p, maxLeaves)
	return mechanism.Cost{Plan: 1e7 + 200*p, Draw: 3*p + 500*counts, Bytes: 8*p + 64*counts}
}
