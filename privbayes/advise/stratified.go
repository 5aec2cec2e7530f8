package advise

import (
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// strataDraws is the least number of draws from each data set of a stratified simulation.
const strataDraws = 3

// stratified simulates one distribution with two levels: several draws from data sets at the quantiles of the prior and
// toward its ends, weighted. A mechanism that errs far on rare data sets, such as the Hellinger mechanism where one
// level is rare, is seen to do so, which data sets drawn from the prior might miss.
func (a *Advice) stratified(ctx context.Context, p *mechanism.Plan, on *model.Shape, noise uint64,
	most int) (result, error) {
	n, _ := a.shape.N()
	counts, weights := a.dataSetsOf(n, quadrature)
	draws := max(strataDraws, most/len(counts))
	r := result{how: Simulation, sets: len(counts) * draws}
	losses, failed := make([]result, len(counts)), make([]error, len(counts))
	parallel(ctx, len(counts), func(i int) {
		st, err := model.FromCounts(a.shape, [][]int64{{counts[i], int64(n) - counts[i]}})
		d := &dataSet{statistics: st}
		if err == nil {
			d.plain, err = st.Means(access.Mine())
		}
		sum, squares, kl := 0.0, 0.0, 0.0
		for j := 0; j < draws && err == nil; j++ {
			var e, k float64
			e, k, err = a.loss(ctx, p, on, d, a.options.Seed+noise+uint64(i*draws+j))
			sum, squares, kl = sum+e, squares+e*e, kl+k
		}
		m := float64(draws)
		losses[i], failed[i] = result{absolute: sum / m, kl: kl / m, se: math.Max(0, squares/m-sum*sum/m/m) / (m - 1)},
			err // se: its square
	})
	if ctx.Err() != nil {
		return r, ctx.Err()
	}
	for i, l := range losses {
		if failed[i] != nil {
			return r, failed[i]
		}
		r.absolute, r.kl, r.se = r.absolute+weights[i]*l.absolute, r.kl+weights[i]*l.kl, r.se+weights[i]*weights[i]*l.se
	}
	r.se = math.Sqrt(r.se)
	return r, nil
}
