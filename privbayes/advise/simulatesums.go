package advise

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/regression"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// Rows drawn for the sums of a model of numbers; for larger n their sums are scaled up. What is left out is sampling variation, which both
// estimates share.
const (
	rateRows       = 10_000
	regressionRows = 1000
)

// simulateRate draws a rate from the model's own prior on its range, and values with that rate, moved to the column's bounds where they are
// outside.
func simulateRate(sh *model.Shape, n int, src *dp.Stream) (*model.Statistics, error) {
	prior, err := sh.RatePosterior(0, 0)
	if err != nil {
		return nil, err
	}
	theta := prior.Sampler().Draw(src)
	statistic, _, _, _, _ := sh.RateStatistic()
	column, center := sh.Columns()[0], sh.Model().Center
	rows, sum := min(n, rateRows), 0.0
	for range rows {
		var x float64
		switch sh.Model().Kind {
		case model.KindNormalPrecision:
			x = center + sample.Normal(src)/math.Sqrt(theta)
		case model.KindLaplaceScale:
			x = center + math.Copysign(math.Exp(sample.LogGamma(src, 1))/theta, sample.Float64(src)-.5)
		default:
			x = math.Exp(sample.LogGamma(src, 1)) / theta
		}
		sum += statistic(math.Min(math.Max(x, column.Min), column.Max))
	}
	return model.FromSums(sh, n, []float64{sum * float64(n) / float64(rows)})
}

// simulateRegression draws weights from the model's own prior on its ball, features uniform between their public bounds, a residual
// standard deviation uniform between 0 and a quarter of the response's range, and responses, cut to their range.
func simulateRegression(ctx context.Context, sh *model.Shape, n int, src *dp.Stream) (*model.Statistics, error) {
	design := sh.Design()
	d := design.Dim()
	precision := mat.NewSymDense(d, nil)
	for i := range d {
		precision.SetSym(i, i, sh.Model().Alpha[0])
	}
	prior, err := ball.New(precision, make([]float64, d), sh.Model().Radius)
	if err != nil {
		return nil, err
	}
	w := make([]float64, d)
	if _, err := prior.Draw(src, w); err != nil {
		return nil, err
	}
	sigma := sample.Float64(src) / 2 // of responses scaled to [−1, 1]
	columns := sh.Columns()
	rows := min(n, regressionRows)
	scaled, x := make([]float64, rows*(d+1)), make([]float64, len(columns)-1)
	for r := range rows {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for i := range x {
			c := columns[i+1]
			x[i] = c.Min + sample.Float64(src)*(c.Max-c.Min)
		}
		row := scaled[r*(d+1) : (r+1)*(d+1)]
		if _, err := design.Row(x, columns[0].Min, row); err != nil {
			return nil, err
		}
		y := sigma * sample.Normal(src)
		for i, v := range row[:d] {
			y += w[i] * v
		}
		row[d] = math.Min(math.Max(y, -1), 1)
	}
	m, err := regression.NewMoments(d)
	if err != nil {
		return nil, err
	}
	if err := m.AddRows(scaled); err != nil {
		return nil, err
	}
	var sums []float64
	xx := m.XX()
	for i := range d {
		for j := i; j < d; j++ {
			sums = append(sums, xx.At(i, j))
		}
	}
	sums = append(append(sums, m.XY()...), m.YY())
	for i := range sums {
		sums[i] *= float64(n) / float64(rows)
	}
	return model.FromSums(sh, n, sums)
}
