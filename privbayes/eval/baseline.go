package eval

import (
	"context"
	"slices"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Baseline is plain noise on counts or on second moments at the level of a release: what its scores are compared with
// are means over several seeded draws from the training data, a diagnostic and not a release.
type Baseline struct {
	Name  string
	Level dp.Parameters
	Draws int
}

// baselineDraws is how many releases a baseline's means are taken over.
const baselineDraws = 20

// plain are the mechanisms that others are compared with; they need no baseline beside them.
var plain = []mechanism.Mechanism{counts.Geometric(), counts.DiscreteGaussian(), linear.SufficientStatistics()}

// newBaseline plans the plain noise that errs least at the level that a release is compared at: its target or, where a
// paper's own mode was asked for, what was certified. It is nil for releases that are plain noise themselves, for those
// without a level, and where plain noise does not reach the adjacency or level: there is nothing to compare.
func newBaseline(p *mechanism.Plan) (*Baseline, *mechanism.Plan) {
	target := p.Target()
	if target.NominalScale {
		target = dp.Request{Parameters: p.Certified().Parameters, Adjacency: target.Adjacency}
	}
	own := func(m mechanism.Mechanism) bool { return m.Name() == p.Mechanism() }
	if target.Notion == dp.None || slices.ContainsFunc(plain, own) {
		return nil, nil
	}
	var best *mechanism.Plan
	for _, m := range plain {
		if m.Supports(p.Shape()) != nil {
			continue
		}
		other, err := m.Plan(context.Background(), p.Shape(), target)
		if err == nil && (best == nil || countError(other) < countError(best)) {
			best = other
		}
	}
	if best == nil {
		return nil, nil
	}
	return &Baseline{Name: best.Title(), Level: target.Parameters, Draws: baselineDraws}, best
}

// countError is the expected absolute error of a count.
func countError(p *mechanism.Plan) float64 {
	v, _ := p.ExpectedValue("absolute error of a count")
	return v
}

// means are the mean scores of a baseline's draws.
func means(p *mechanism.Plan, st *model.Statistics, np *model.Fitted, test *frame.Frame) ([]model.Score, error) {
	var out []model.Score
	for seed := range uint64(baselineDraws) {
		r, err := draw(context.Background(), p, st, seed)
		if err != nil {
			return nil, err
		}
		list, _, err := scores(r.Model(), np, test)
		if err != nil {
			return nil, err
		}
		if out == nil {
			out = make([]model.Score, len(list))
		}
		for i, s := range list {
			out[i].Name, out[i].Share = s.Name, s.Share
			const w = 1.0 / baselineDraws
			out[i].Value += w * s.Value
		}
	}
	return out, nil
}

// draw makes a release for a comparison, which is never published.
func draw(ctx context.Context, p *mechanism.Plan, st *model.Statistics, seed uint64) (*release.Release, error) {
	d, err := p.Draw(ctx, st, "diagnostic", dp.Seeded(seed))
	if err != nil {
		return nil, err
	}
	return release.New(ctx, p, d)
}

// scores are those of the class probabilities, where the model has classes, and the model's own, with the distances
// from the model np without privacy.
func scores(f, np *model.Fitted, test *frame.Frame) ([]model.Score, *Scores, error) {
	own, err := f.Scores(test)
	if err != nil || !f.Shape().Classifies() {
		return own, nil, err
	}
	labels, err := np.Labels(test)
	if err != nil {
		return nil, nil, err
	}
	flat, classes, err := f.Probabilities(test)
	if err == nil {
		err = checkFlat(flat, classes, labels)
	}
	if err != nil {
		return nil, nil, err
	}
	s, err := score(flat, labels, classes, f.Shape().Columns()[0].Labels())
	if err != nil {
		return nil, nil, err
	}
	if !f.Shape().Counts() { // no law of the target to be distant from
		return append(s.rows(), own...), s, nil
	}
	kl, hellinger := 0.0, 0.0
	if f != np {
		kl, hellinger = distances(np, f)
	}
	lines := append(s.rows(), own...)
	if len(own) > 0 && own[0].Name == f.Shape().Words().Score { // what heads the report comes first
		lines = append(own, s.rows()...)
	}
	return append(lines, model.Score{Name: klScore, Value: kl},
		model.Score{Name: hellingerScore, Value: hellinger}), s, nil
}
