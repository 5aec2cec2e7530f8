package dirichlet

import (
	"context"
	"fmt"
	"hash/fnv"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// release draws every part once, each from a stream of its own, and puts the estimates together.
func (p *problem) release(ctx context.Context, d *drawing, name string) (model.Estimate, error) {
	var all model.Estimate
	weights := 0.0
	for i, part := range d.parts {
		e, err := p.one(ctx, d, part, fmt.Sprint(name, "/", i))
		if err != nil {
			return all, err
		}
		all.Tables = append(all.Tables, e.Tables...)
		switch {
		case part.tables == nil:
			all.Class = e.Class
		case p.task == NaiveBayes: // the mean of the tables' class totals, weighted by the inverse numbers of their columns
			w := float64(p.rows[i]) / float64(len(p.tables[i]))
			weights += w
			if all.Class == nil {
				all.Class = make([]float64, len(p.class))
			}
			for j, c := range e.Class {
				all.Class[j] += w * c
			}
		}
	}
	if weights > 0 {
		for j := range all.Class {
			all.Class[j] /= weights
		}
	}
	return all, nil
}

// one draws a part.
func (p *problem) one(ctx context.Context, d *drawing, part part, name string) (model.Estimate, error) {
	st := p.statistics
	switch {
	case d.extended:
		st = p.withClass
	case part.tables != nil:
		var tables [][]int64
		for _, k := range part.tables {
			tables = append(tables, p.tables[k])
		}
		var err error
		if st, err = model.FromCounts(part.plan.Shape(), tables); err != nil {
			return model.Estimate{}, err
		}
	}
	drawn, err := part.plan.Draw(ctx, st, name, dp.Seeded(seedOf(name)))
	if err != nil {
		return model.Estimate{}, err
	}
	if part.post != nil {
		return part.post(ctx, drawn)
	}
	return part.plan.Estimate(ctx, drawn)
}

// seedOf gives every draw of the study its own stream.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	fmt.Fprint(h, "dirichlet study/", name)
	return h.Sum64()
}
