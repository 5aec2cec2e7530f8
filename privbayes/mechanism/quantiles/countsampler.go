package quantiles

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// countSampler releases the noisy counts of a tree, the leaves first.
type countSampler struct {
	*counted
	tree
	law noise.Distribution
}

// Draw adds noise to every count.
func (d *countSampler) Draw(ctx context.Context, data mechanism.Private, src *dp.Stream) (mechanism.Output, error) {
	out := d.sums(data.Whole())
	for _, level := range out {
		if ctx.Err() != nil {
			return mechanism.Output{}, ctx.Err()
		}
		for i := range level {
			level[i] += d.law.Draw(src)
		}
	}
	return mechanism.Output{Raw: out}, nil
}

// Estimate makes the counts consistent and reads the quantiles off.
func (d *countSampler) Estimate(_ context.Context, drawn mechanism.Output) (model.Estimate, error) {
	sizes := d.sizes()
	if len(drawn.Raw) != len(sizes) {
		return model.Estimate{}, domain.Refuse("quantiles", "raw", fmt.Sprintf("%d levels", len(drawn.Raw)),
			fmt.Sprint(len(sizes)))
	}
	for l, size := range sizes {
		if len(drawn.Raw[l]) != size {
			return model.Estimate{}, domain.Refuse("quantiles", "raw", fmt.Sprintf("%d counts", len(drawn.Raw[l])),
				fmt.Sprint(size))
		}
	}
	total := float64(d.n)
	leaves := d.consistent(drawn.Raw, total, d.known)
	return d.shape.Ranks().At(d.quantiles(leaves, d.ranks, total, d.known)), nil
}
