package sums

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// sampler adds noise to the integers released, and estimates from them.
type sampler struct {
	*problem
	law onSums
}

// Draw reads the integer sums once.
func (d *sampler) Draw(_ context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	whole := data.Whole()
	if len(whole) != d.shape.Lattice().Len() {
		return mechanism.Output{}, &mechanism.StatisticsError{Have: "statistics without integer sums",
			Want: "the integer sums of " + d.shape.Model().String()}
	}
	out := d.measured(whole, data.Rows())
	z := make([]int64, len(out))
	d.law.draw(src, z)
	for i, v := range z {
		out[i] += v
	}
	return mechanism.Output{Raw: [][]int64{out}}, nil
}

// Estimate is the posterior of the model's parameters given the noisy sums.
func (d *sampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	if len(drawn.Raw) != 1 || len(drawn.Raw[0]) != d.dims() {
		return model.Estimate{}, domain.Refuse("sums", "raw", "numbers of another shape",
			fmt.Sprintf("one list of %d integers", d.dims()))
	}
	for _, v := range drawn.Raw[0] {
		if v > maxDrawn || v < -maxDrawn {
			return model.Estimate{}, domain.Refuse("sums", "raw", v, "sums and noise below 2^62")
		}
	}
	values, err := d.posterior(ctx, drawn.Raw[0])
	if err != nil {
		return model.Estimate{}, err
	}
	return model.Estimate{Draws: &model.Draws{Names: d.shape.Parameters(), Values: values}}, nil
}

const maxDrawn = 1 << 62
