package eval

import (
	"context"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Baseline is what plain noise on counts would give at the level of a release: means over several seeded draws from the training
// data. It is a diagnostic, not a release: private, do not publish.
type Baseline struct {
	Name      string
	Level     dp.Level
	Draws     int
	Scores    *Scores // means; the confusion and calibration tables are left out
	LogLik    float64
	KL        float64
	Hellinger float64
}

// baselineDraws is how many releases a baseline's means are taken over.
const baselineDraws = 20

// plainMechanisms need no baseline beside them.
var plainMechanisms = map[string]bool{"geometric": true, "discrete-gaussian": true}

// newBaseline plans the better of geometric and, where the level has a δ, discrete Gaussian noise at the level that the release is
// compared at: its target or, where a paper's own mode was asked for, what was certified. It is nil for releases that are plain
// noise on counts themselves, and for those without a level.
func newBaseline(r *release.Release, st *model.Statistics, np *model.Fitted, test *frame.Frame, labels []int) (*Baseline, error) {
	p := r.Plan()
	target := p.Target()
	if target.NominalScale {
		target = dp.Target{Level: p.Certified().Level, Adjacency: target.Adjacency}
	}
	if plainMechanisms[p.Mechanism()] || target.Notion == dp.None {
		return nil, nil
	}
	plan, err := counts.Geometric().Plan(context.Background(), st.Shape(), target)
	if target.Notion != dp.Pure {
		other, errG := counts.DiscreteGaussian().Plan(context.Background(), st.Shape(), target)
		if errG == nil && (err != nil || countError(other) < countError(plan)) {
			plan, err = other, nil
		}
	}
	if err != nil {
		return nil, nil // the adjacency or level is one that plain noise does not reach: there is nothing to compare
	}
	b := &Baseline{Name: plan.Title(), Level: target.Level, Draws: baselineDraws, Scores: &Scores{N: len(labels)}}
	for seed := range uint64(baselineDraws) {
		if err := b.add(plan, st, np, test, labels, seed); err != nil {
			return nil, err
		}
	}
	return b, nil
}

// countError is the expected absolute error of a count.
func countError(p *mechanism.Plan) float64 {
	for _, e := range p.Expected() {
		if e.Name == "absolute error of a count" {
			return e.Value
		}
	}
	return 0
}

// add scores one draw and adds its share to the means.
func (b *Baseline) add(p *mechanism.Plan, st *model.Statistics, np *model.Fitted, test *frame.Frame, labels []int, seed uint64) error {
	d, err := p.Draw(context.Background(), st, "diagnostic", dp.Seeded(seed))
	if err != nil {
		return err
	}
	r, err := release.New(p, d)
	if err != nil {
		return err
	}
	probs, err := r.Predict(test)
	if err != nil {
		return err
	}
	s, err := Score(probs, labels, np.Target().Labels)
	if err != nil {
		return err
	}
	lik, err := r.Model().LogLikelihood(test)
	if err != nil {
		return err
	}
	const w = 1.0 / baselineDraws
	m := b.Scores
	m.Accuracy += w * s.Accuracy
	m.AccuracySE += w * s.AccuracySE
	m.Balanced += w * s.Balanced
	m.AUC += w * s.AUC
	m.Brier += w * s.Brier
	m.CrossEntropy += w * s.CrossEntropy
	m.ECE += w * s.ECE
	b.LogLik += w * lik
	b.KL += w * posteriorKL(np, r.Model())
	b.Hellinger += w * posterior.Hellinger(np.Target().Dirichlet, r.Model().Target().Dirichlet)
	return nil
}
