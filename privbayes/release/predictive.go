package release

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// PredictiveCheck is a posterior predictive check of a regression: the released numbers next to what the posterior
// predicts of them. It was computed from the release only, and may be published.
type PredictiveCheck struct {
	Moments []model.Moment // of a linear regression all, of Fisher scoring those of the last step
	of      string
	about   string
}

// PredictiveCheck compares what was released of a regression with what its posterior predicts: z = (released −
// predicted)/sd, the noise of the release in sd. Under the model and its prior z has a standard deviation of at most 1.
//
// A large |z| says that no regression within the bounds gives such numbers, or only one that the prior all but
// excludes. A small one is no proof of the model: there are as many coefficients as numbers to fit, so that the moments
// of a clipped response, or of a curve fitted by a line, are also those of a linear regression.
//
// Errors: *dp.ParameterError for a release without a posterior given noisy moments, such as a table; of
// [model.Fitted.Unsampled], where chains do not agree, or wait until Sample runs them.
func (r *Release) PredictiveCheck() (*PredictiveCheck, error) {
	if r.est.Sampling == nil || r.est.Sampling.Moments == nil {
		return nil, domain.Refuse("release", "predictive check", r.plan.Title()+", "+r.plan.Shape().Model().String(),
			"a linear regression by SufficientStatistics(), or a logistic or Poisson one by FisherScoring()")
	}
	if err := r.fitted.Unsampled(); err != nil {
		return nil, err
	}
	list, err := r.est.Sampling.Moments(context.Background())
	return &PredictiveCheck{list, r.plan.Shape().Model().String(), r.Caption()}, err
}

// farOff is the |z| of which a table speaks: of 100 numbers none reaches it by chance in 99 of 100 releases.
const farOff = 4

// Largest is the moment with the greatest |z|.
func (c *PredictiveCheck) Largest() (most model.Moment) {
	for i, m := range c.Moments {
		if i == 0 || math.Abs(m.Z()) > math.Abs(most.Z()) {
			most = m
		}
	}
	return most
}

// Table shows every moment.
func (c *PredictiveCheck) Table() *table.Table {
	t := table.New("Predictive check of the "+c.of, "sum over rows", "released", "predicted", "sd", "z")
	for _, m := range c.Moments {
		d := table.Decimals(m.SD)
		t.Add(safetext.Line(m.Name), table.Fixed(m.Released, d), table.Fixed(m.Predicted, d), table.Fixed(m.SD, d),
			table.Fixed(m.Z(), 2))
	}
	t.Note("Columns are scaled to [−1, 1] by their bounds. sd is that of the prediction, and includes the noise.")
	most := c.Largest()
	if math.Abs(most.Z()) > farOff {
		t.Note(fmt.Sprintf("The posterior does not fit %s: no coefficients within the bounds and the prior give such "+
			"numbers. Do not use its intervals.", safetext.Line(most.Name)))
	} else {
		t.Note("The posterior fits all numbers. That does not show that the model holds: a clipped response or a curve has " +
			"the moments of some line, too.")
	}
	return t.Note(c.about + ".")
}

// String shows the check as text.
func (c *PredictiveCheck) String() string { return table.Text(c) }

// Figure shows every z, over the interval that 95 % of predictions lie in.
func (c *PredictiveCheck) Figure() *figure.Forest {
	f := &figure.Forest{Title: "Released numbers and their predictions", XLabel: "released less predicted, in sd",
		Subtitle: "Predicted by the posterior, with 95 % intervals that include the noise, and released.",
		Series:   []string{"predicted, 95 %", "released"}, Reference: &figure.Reference{Name: "as predicted"},
		Caption: c.about}
	for _, m := range c.Moments {
		f.Rows = append(f.Rows, figure.ForestRow{Name: safetext.Line(m.Name), Text: table.Fixed(m.Z(), 2),
			Marks: []figure.Mark{{From: -1.96, To: 1.96}, {At: m.Z(), From: m.Z(), To: m.Z()}}})
	}
	return f
}

// MarshalJSON writes the moments with their z, and the largest |z|.
func (c *PredictiveCheck) MarshalJSON() ([]byte, error) {
	type moment struct {
		model.Moment
		Z float64 `json:"z"`
	}
	out := struct {
		Moments []moment `json:"moments"`
		Largest float64  `json:"largest_z"`
	}{Largest: math.Abs(c.Largest().Z())}
	for _, m := range c.Moments {
		out.Moments = append(out.Moments, moment{m, m.Z()})
	}
	return json.Marshal(out)
}
