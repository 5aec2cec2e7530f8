package advise

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Predict is the error that theory predicts for a plan, in the unit of [mechanism.Plan.PredictUnit], and how: the
// mechanism's own prediction ([mechanism.Plan.Predict]), else, of a mechanism with a short list of outputs, the sum
// over it at equal counts. Where there is no formula (the Hellinger mechanism on tables with too many candidates to
// sum), it is NaN.
func Predict(p *mechanism.Plan) (value float64, how string) {
	if value, how = p.Predict(); how != "" {
		return value, how
	}
	n, public := p.Shape().N()
	if !public || n == 0 {
		return math.NaN(), ""
	}
	return predictBalanced(p, n)
}

// predictBalanced sums over the outputs of one table at equal counts.
func predictBalanced(p *mechanism.Plan, n int) (float64, string) {
	conds := p.Shape().Conditionals()
	if len(conds) != 1 || conds[0].Rows != 1 {
		return math.NaN(), ""
	}
	levels := conds[0].Levels
	x, plain := make([]int64, levels), make([]float64, levels)
	total, prior := float64(n), p.Shape().Model().Prior()
	for i := range x {
		total += prior.At(i)
	}
	for i := range x {
		x[i] = int64(n / levels)
		if i < n%levels {
			x[i]++
		}
		plain[i] = (float64(x[i]) + prior.At(i)) / total
	}
	sum, failed := 0.0, error(nil)
	ok := p.OutputLaw([][]int64{x}, func(raw [][]int64, q float64) {
		if failed != nil {
			return
		}
		var e model.Estimate
		e, failed = p.Estimate(context.Background(), &mechanism.Drawn{Output: mechanism.Output{Raw: raw}})
		if failed != nil {
			return
		}
		var out [][]float64
		if out, failed = estimates(p.Shape(), e); failed != nil {
			return
		}
		for i := range plain {
			sum += q * math.Abs(out[0][i]-plain[i]) / float64(levels)
		}
	})
	if !ok || failed != nil {
		return math.NaN(), ""
	}
	return sum, "sum over all candidates, at balanced data"
}
