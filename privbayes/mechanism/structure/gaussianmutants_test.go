package structure

import (
	"errors"
	"testing"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// spied tells the private number of records of the release of two binary columns that is played: half of the sum of the
// counts that noise was last asked for.
func spied(t *testing.T) func() int64 {
	var seen []int64
	put(t, &noiseLaw, func(l noise.Distribution, count int64) noise.Distribution { seen = append(seen, count); return l })
	return func() (sum int64) {
		for _, v := range seen[max(0, len(seen)-4):] {
			sum += v
		}
		return sum / 2
	}
}

// Plans with Gaussian noise are checked by divergences: they, too, are refused with the sensitivity of another
// adjacency or less noise.
func TestMutantsGetNoGaussianPlan(t *testing.T) {
	for _, adj := range []dp.Adjacency{dp.ReplaceOne, dp.AddRemove} {
		for name, mutate := range map[string]func(t *testing.T){
			"none": func(*testing.T) {},
			"choices by other rates": func(t *testing.T) {
				put(t, &choiceLaw, func(s sample.Selection, scores []int64) []float64 {
					return sample.Selection{Num: 3 * s.Num, Den: s.Den, Flip: s.Flip}.LogProbs(scores)
				})
			},
			"less noise": func(t *testing.T) {
				put(t, &noiseLaw, func(l noise.Distribution, _ int64) noise.Distribution {
					out, _ := gaussian.Of(noise.Dyadic(l.Variance()/2, 20, true))
					return out
				})
			},
		} {
			t.Run(name, func(t *testing.T) {
				mutate(t)
				sh := shape(t, model.Tree().Always(), 200, 2, 2, 3)
				_, err := DiscreteGaussian().Plan(t.Context(), sh, dp.ZCDP(.5).Under(adj))
				var failed *mechanism.CheckError
				if errors.As(err, &failed) != (name != "none") || err != nil && failed == nil {
					t.Errorf("%s: %v", adj, err)
				}
			})
		}
	}
}
