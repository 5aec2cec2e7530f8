package numbers

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/sums"
)

// noteErrors are the relative errors of theory/numbers.md §2.
var noteErrors = []RateError{{N: 500, Epsilon: .1, Note: .241}, {N: 500, Epsilon: 1, Note: .049},
	{N: 500, Epsilon: 5, Note: .044}, {N: 5000, Epsilon: .1, Note: .0203}, {N: 5000, Epsilon: 1, Note: .0143}}

// Rates measures the relative error of an exponential rate ½ on [0, 10], whose prior is the problem's; ten times as
// often at ε = 0.1 and n = 500, where three releases in a thousand err by more than 100 %. Errors: those of planning,
// and ctx's.
func Rates(ctx context.Context, runs int, seed uint64) ([]RateError, error) {
	const theta = .5
	p := problems()[0]
	out := append([]RateError(nil), noteErrors...)
	for i, e := range out {
		runs := runs
		if e.Note > .1 {
			runs *= 10
		}
		src := dp.Seeded(seed ^ uint64(e.N)<<20 ^ math.Float64bits(e.Epsilon))
		sh, err := p.shape(e.N)
		if err != nil {
			return nil, err
		}
		plan, err := sums.New().Plan(ctx, sh, dp.PureDP(e.Epsilon))
		if err != nil {
			return nil, err
		}
		square := 0.0
		for range runs {
			st, err := p.statistics(sh, e.N, func() float64 { return math.Exp(sample.LogGamma(src, 1)) / theta })
			if err != nil {
				return nil, err
			}
			d, err := plan.Draw(ctx, st, "simulated", src)
			if err != nil {
				return nil, err
			}
			estimate, err := plan.Estimate(ctx, d)
			if err != nil {
				return nil, err
			}
			off := estimate.Draws.Mean()[0]/theta - 1
			square += off * off / float64(runs)
		}
		out[i].Runs, out[i].Error = runs, math.Sqrt(square)
	}
	return out, nil
}
