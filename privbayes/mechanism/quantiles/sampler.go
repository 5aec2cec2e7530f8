package quantiles

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler releases the lattice points of the quantiles.
type sampler struct {
	*problem
	params
}

// Draw draws every quantile, or all at once.
func (d *sampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	counts, adj := data.Whole(), d.target.Adjacency
	if d.m.joint {
		places, err := d.drawJoint(ctx, counts, d.Cells, d.Rate, d.jointSensitivity(adj), src)
		return mechanism.Output{Raw: [][]int64{places}}, err
	}
	places := make([]int64, len(d.a))
	for i := range places {
		if ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		var err error
		if places[i], err = d.drawOne(i, counts, d.Rate, d.sensitivity(i, adj), src); err != nil {
			return mechanism.Output{}, err
		}
	}
	return mechanism.Output{Raw: [][]int64{places}}, nil
}

// Estimate is the values of the points, in increasing order: those of quantiles drawn on their own may cross, and
// sorting them costs nothing.
func (d *sampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	raw := drawn.Raw
	if len(raw) != 1 || len(raw[0]) != len(d.a) {
		return model.Estimate{}, domain.Refuse("quantiles", "raw", fmt.Sprintf("%d lists", len(raw)),
			fmt.Sprintf("one list of %d points", len(d.a)))
	}
	for _, v := range raw[0] {
		if v < 0 || v >= d.points {
			return model.Estimate{}, domain.Refuse("quantiles", "raw", v, fmt.Sprintf("points 0 to %d", d.points-1))
		}
	}
	return d.shape.Ranks().At(raw[0]), nil
}
