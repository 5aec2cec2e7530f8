package greedybayes

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	m := New()
	return []mechanism.Descriptor{{
		Kind: kind, Name: "LearnedAsPublished", Flag: "privbayes", Title: m.Title(), Short: "PrivBayes",
		Rebuild: mechanism.Rebuilds(kind, func(params) (mechanism.Family[*problem, params], error) {
			return m.mathematics(), nil
		}),
		New: func(mechanism.Options) mechanism.Mechanism { return m },
		Choices: func(sh *model.Shape) []mechanism.Choice {
			if m.Supports(sh) != nil {
				return nil
			}
			return []mechanism.Choice{{Name: "usual", Mechanism: m, Go: "LearnedAsPublished()"}}
		},
	}}
}

// Cost estimates a plan by its enumerations and a draw by the tables that it counts.
func (m Published) Cost(sh *model.Shape, t dp.Target) (c mechanism.Cost) {
	q, err := m.prepare(context.Background(), sh, t)
	if err != nil {
		return c
	}
	sets := float64(q.count(mostSets))
	c.Plan = 1e8
	c.Draw = 2e6 + sets*(float64(q.largest())*10+q.n)
	c.Bytes = 1e6 + 16*sets*math.Min(float64(q.largest()), 1e4)
	return c
}
