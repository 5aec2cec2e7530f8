package privbayes2017

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Descriptors describes the mechanism of this room.
func Descriptors() []mechanism.Descriptor {
	return []mechanism.Descriptor{mechanism.Describe(New(), "LearnedAsPublished", "privbayes", "PrivBayes")}
}

// Cost estimates a plan by its enumerations and a draw by the tables that it counts.
func (m Published) Cost(sh *model.Shape, t dp.Request) (c mechanism.Cost) {
	q, err := prepare(context.Background(), sh, t)
	if err != nil {
		return c
	}
	sets := float64(q.count(mostSets))
	c.Plan = 1e8
	c.Draw = 2e6 + sets*(float64(q.largest())*10+q.n)
	c.Bytes = 1e6 + 16*sets*math.Min(float64(q.largest()), 1e4)
	return c
}
