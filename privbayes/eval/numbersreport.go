package eval

import (
	"context"
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/linear"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// NumberReport is the private part of a report on a model of numbers. It reads raw data: private, do not publish.
type NumberReport struct {
	Release    *NumberScores // nil for rates
	NonPrivate *NumberScores
	Baseline   *NumberBaseline // sufficient statistics at the same level; nil where there are none
	LogLik     float64         // of rates: mean log-density of held-out values at the posterior mean, nats
	LogLikNP   float64
	model      *model.Fitted // non-private
	training   []int         // values at a public bound, by column; nil where there was no frame
	heldOut    []int
	rows       int // of training
}

// NumberBaseline is what noise on the second moments would give at the level of a release: means over several seeded draws.
type NumberBaseline struct {
	Name   string
	Level  dp.Level
	Draws  int
	Scores *NumberScores
}

// newNumberReport scores a release of a model of numbers.
func newNumberReport(r *release.Release, st *model.Statistics, test *frame.Frame) (*Report, error) {
	np, err := model.FitPrivately(seal.Key{}, st)
	if err != nil {
		return nil, err
	}
	n := &NumberReport{training: st.AtBounds(seal.Key{}), rows: st.Rows(seal.Key{})}
	if n.heldOut, err = np.Shape().AtBounds(seal.Key{}, test); err != nil {
		return nil, err
	}
	out := &Report{release: r, fitted: np, test: test.Len(), Numbers: n}
	if np.Shape().Model().Kind != model.KindLinearRegression {
		n.model = np
		if n.LogLik, err = RateScore(r.Model(), test); err != nil {
			return nil, err
		}
		if n.LogLikNP, err = RateScore(np, test); err != nil {
			return nil, err
		}
		return out, nil
	}
	if np, err = withResidual(np, st); err != nil {
		return nil, err
	}
	out.fitted, n.model = np, np
	if n.Release, err = ScoreNumbers(r.Model(), test); err != nil {
		return nil, err
	}
	if n.NonPrivate, err = ScoreNumbers(np, test); err != nil {
		return nil, err
	}
	n.Baseline, err = newNumberBaseline(r, st, test)
	return out, err
}

// withResidual adds the residual standard deviation of the training rows to a non-private fit.
func withResidual(np *model.Fitted, st *model.Statistics) (*model.Fitted, error) {
	if np.KnowsResidual() {
		return np, nil
	}
	xx, xy, rss := np.Shape().RegressionMoments(st.OpenSums(seal.Key{}))
	w := np.Draws().Mean()
	for i, a := range w {
		rss -= 2 * a * xy[i]
		for j, b := range w {
			rss += a * xx.At(i, j) * b
		}
	}
	sd := math.Sqrt(math.Max(rss, 1e-12) / math.Max(1, float64(st.Rows(seal.Key{}))))
	return model.Fit(np.Shape(), model.Estimate{Draws: np.Draws().WithResidual(sd)})
}

// newNumberBaseline plans noise on second moments at the level that the release is compared at; nil for releases that are that
// themselves, and at levels that it does not reach, such as pure ε.
func newNumberBaseline(r *release.Release, st *model.Statistics, test *frame.Frame) (*NumberBaseline, error) {
	p := r.Plan()
	target := p.Target()
	if target.NominalScale {
		target = dp.Target{Level: p.Certified().Level, Adjacency: target.Adjacency}
	}
	if p.Mechanism() == linear.StatisticsKind || target.Notion == dp.None {
		return nil, nil
	}
	plan, err := linear.SufficientStatistics().Plan(context.Background(), st.Shape(), target)
	if err != nil {
		return nil, nil // there is nothing to compare
	}
	b := &NumberBaseline{Name: plan.Title(), Level: target.Level, Draws: baselineDraws, Scores: &NumberScores{Predictive: true}}
	for seed := range uint64(baselineDraws) {
		d, err := plan.Draw(context.Background(), st, "diagnostic", dp.Seeded(seed))
		if err != nil {
			return nil, err
		}
		one, err := release.New(plan, d)
		if err != nil {
			return nil, err
		}
		s, err := ScoreNumbers(one.Model(), test)
		if err != nil {
			return nil, err
		}
		const w = 1.0 / baselineDraws
		m := b.Scores
		m.N = s.N
		m.MSE += w * s.MSE
		m.RMSE += w * s.RMSE
		m.MAE += w * s.MAE
		m.R2 += w * s.R2
		m.Coverage += w * s.Coverage
		m.Width += w * s.Width
		m.LogScore += w * s.LogScore
	}
	return b, nil
}

// privateTables are the scores, the parameters beside the non-private ones, and the values at public bounds, each stamped.
func (n *NumberReport) privateTables(r *Report) []*table.Table {
	return []*table.Table{n.scores(r), n.parameters(r), n.atBounds(r)}
}

// atBounds shows how much the public bounds cut.
func (n *NumberReport) atBounds(r *Report) *table.Table {
	t := table.New("Values at a public bound (private: do not publish)", "column", "bounds", "beyond them, while reading", "training values at a bound", "share", "held-out values at a bound", "share")
	for i, c := range n.model.Shape().Columns() {
		beyond := "refused"
		if c.OnOutOfDomain == frame.DomainClamp {
			beyond = "moved to the bound"
		}
		row := []any{c.Name, fmt.Sprintf("[%v, %v]", c.Min, c.Max), beyond, nil, nil}
		if n.training != nil {
			row[3], row[4] = n.training[i], percent(float64(n.training[i])/math.Max(1, float64(n.rows)))
		}
		t.Add(append(row, n.heldOut[i], percent(float64(n.heldOut[i])/math.Max(1, float64(r.test))))...)
	}
	return t.Note("Many values at a bound mean that it cuts into the data, and biases the fit. Choosing bounds by these counts voids the guarantee.")
}

func (n *NumberReport) scores(r *Report) *table.Table {
	const title = "Scores on held-out rows (private: do not publish)"
	note := table.Count(r.test, "held-out row") + ". Choosing model, bounds or mechanism by these scores voids the guarantee."
	if n.Release == nil {
		return table.New(title, "metric", "release", "non-private").
			Add("mean log-density at the posterior mean (nats)", n.LogLik, n.LogLikNP).Note(note)
	}
	head, sets := []string{"metric", "release"}, []*NumberScores{n.Release}
	if b := n.Baseline; b != nil {
		head, sets = append(head, "plain baseline"), append(sets, b.Scores)
		note += fmt.Sprintf(" Plain baseline: %s at %s, mean of %d draws that are not released.", b.Name, b.Level, b.Draws)
	}
	head, sets = append(head, "non-private"), append(sets, n.NonPrivate)
	t := table.New(title, head...)
	add := func(name string, of func(s *NumberScores) any) {
		row := []any{name}
		for _, s := range sets {
			row = append(row, of(s))
		}
		t.Add(row...)
	}
	add("mean squared error", func(s *NumberScores) any { return s.MSE })
	add("root mean squared error", func(s *NumberScores) any { return s.RMSE })
	add("mean absolute error", func(s *NumberScores) any { return s.MAE })
	add("R²", func(s *NumberScores) any { return s.R2 })
	add("coverage of 95 % intervals", func(s *NumberScores) any { return percent(s.Coverage) })
	add("width of 95 % intervals", func(s *NumberScores) any { return s.Width })
	add("log-density per row (nats)", func(s *NumberScores) any {
		if !s.Predictive {
			return nil
		}
		return s.LogScore
	})
	if !n.Release.Predictive {
		note += " The release does not know the residual variance: its intervals are of the plane, not of responses."
	}
	return t.Note(note)
}

// parameters compares the released draws with the non-private posterior, in its standard deviations.
func (n *NumberReport) parameters(r *Report) *table.Table {
	t := table.New("Parameters, released and non-private (private: do not publish)", "parameter", "release", "non-private", "sd of the non-private posterior", "apart, in sd")
	own, np := r.release.Draws(), n.model.Draws()
	for _, name := range np.Names {
		values, ok := own.Parameter(name)
		if !ok {
			continue
		}
		all, _ := np.Parameter(name)
		m, _ := meanSD(values)
		mean, sd := meanSD(all)
		row := []any{name, m, mean, sd, nil}
		if sd > 1e-12*math.Abs(mean) {
			row[4] = (m - mean) / sd
		}
		t.Add(row...)
	}
	if n.Release != nil {
		t.Note("Weights on scaled rows; see Coefficients for the units of the data.")
	}
	return t
}

func meanSD(v []float64) (mean, sd float64) {
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		sd += (x - mean) * (x - mean)
	}
	return mean, math.Sqrt(sd / math.Max(1, float64(len(v)-1)))
}

// headlines are three lines for a terminal.
func (n *NumberReport) headlines(r *Report) string {
	name, own, np := "log-density", n.LogLik, n.LogLikNP
	if n.Release != nil {
		name, own, np = "root mean squared error", n.Release.RMSE, n.NonPrivate.RMSE
	}
	return fmt.Sprintf("headline: %s of the release = %s\nheadline: %s without privacy = %s\nheadline: guarantee of the plan = %s\n",
		name, table.Number(own), name, table.Number(np), r.release.Plan().Certified())
}
