package regression

import (
	"cmp"
	"context"
	"math"

	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/steps"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// moments are the released ones next to what the posterior predicts of them: sums of products of two columns, of
// columns with the response, and of its square. Errors are those of sample.
func (d *statisticsSampler) moments(ctx context.Context, values []float64, p noisyMoments) ([]model.Moment, error) {
	draws, err := d.sample(ctx, values, p)
	if err != nil {
		return nil, err
	}
	problem := d.problem(p)
	square, y := float64(d.shape.Linear().Square()), d.shape.Model().Target()
	columns, list := d.columnWords(), list{predicted: draws.Predicted}
	for _, e := range problem.Entries {
		list.add(productWords(columns[e.Places[0][0]], columns[e.Places[0][1]]), e.Noisy, square)
	}
	for j, v := range problem.XY {
		list.add(productWords(columns[j], y), v, math.Sqrt(square))
	}
	list.add(productWords(y, y), problem.YY, 1)
	return list.moments, nil
}

// moments are those of the last step: the information Σ xxᵀ·min(a, cut) and the score Σ x·ω(y − m). Errors are those of
// sample.
func (d *scoringSampler) moments(ctx context.Context, drawn mechanism.Output,
	first, last steps.Released) ([]model.Moment, error) {
	draws, err := d.sample(ctx, drawn, first, last)
	if err != nil {
		return nil, err
	}
	columns, list := d.columnWords(), list{predicted: draws.Predicted}
	for k, e := range d.design.Entries(last.Point) {
		list.add("information, "+productWords(columns[e.Places[0][0]], columns[e.Places[0][1]]), last.Moments[k],
			d.design.Terms)
	}
	for j, v := range last.Gradient {
		list.add("score, "+cmp.Or(columns[j], "intercept"), v, math.Sqrt(d.design.Terms))
	}
	return list.moments, nil
}

// list is made of moments in the order of predictions.
type list struct {
	predicted []gram.Prediction
	moments   []model.Moment
}

// add is of a released number, which scale brings to sums of columns scaled to [−1, 1].
func (l *list) add(name string, released, scale float64) {
	of := l.predicted[len(l.moments)]
	l.moments = append(l.moments, model.Moment{Name: name, Released: scale * released, Predicted: scale * of.Mean,
		SD: scale * of.SD})
}

// columnWords are the names of the columns, without that of the intercept.
func (s *setting) columnWords() []string {
	names := s.shape.Linear().Weights()
	if s.shape.Linear().Intercept {
		names[0] = ""
	}
	return names
}

// productWords names the sum of a product over rows; an empty name is that of a column of ones.
func productWords(a, b string) string {
	switch {
	case a+b == "":
		return "rows"
	case a == "" || b == "":
		return a + b
	case a == b:
		return a + "²"
	}
	return a + " · " + b
}

// held is a context of chains, which tell their progress, under a contract of its own if there is one.
func held(ctx context.Context, contract mcmc.Contract) context.Context {
	ctx = mcmc.WithProgress(ctx, cert.ProgressOf(ctx))
	if contract == (mcmc.Contract{}) {
		return ctx
	}
	return contract.With(ctx)
}
