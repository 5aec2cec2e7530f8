package gridmap

import (
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Weights are the integers that the grid point of x is drawn from, of one distribution without parents. They are what a
// checker outside this module is given.
func (d *sampler) Weights(x []int64) (*sample.Weights, error) {
	if len(d.conds) != 1 || d.conds[0].Rows != 1 {
		return nil, domain.Refuse("gridmap", "plan", "several distributions", "one distribution without parents")
	}
	return d.weights(0, x, d.rate)
}
