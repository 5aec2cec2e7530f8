package eval

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/regression"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/keep"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
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
var plain = []mechanism.Mechanism{counts.Geometric(), counts.DiscreteGaussian(), regression.SufficientStatistics()}

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

// NoisyAccuracy is a held-out accuracy that may be published: a noisy count of right predictions.
type NoisyAccuracy struct {
	Share      float64      // noisy share of right predictions, cut to [0, 1]
	HalfWidth  float64      // the noise moves the share by at most this with probability 0.95
	Guarantee  dp.Guarantee // about the test rows
	TestRows   int
	Randomness string
	warnings   warning.List
}

// Table shows the accuracy with its guarantee.
func (a *NoisyAccuracy) Table() *table.Table {
	t := table.New("Held-out accuracy (may be published)", "item", "value")
	t.Add("accuracy", a.Share).Add("noise, 95 %", "± "+table.Number(a.HalfWidth)).Add("test rows", a.TestRows)
	return t.Add("guarantee", a.Guarantee.String()).Add("randomness", a.Randomness)
}

// String shows the accuracy as text.
func (a *NoisyAccuracy) String() string { return table.Text(a) }

// Warnings lists what is dangerous about the accuracy: about its level for that many test rows, test rows that the
// release was made from, and a number of test rows that tells how many rows there are in all where the release hides
// that.
func (a *NoisyAccuracy) Warnings() warning.List { return a.warnings }

// PrivateAccuracy releases the number of test rows that the release r of the statistics st predicts right, with
// geometric noise at a target; the request has the budget of the test rows and the seed, if any. Replacing one row
// changes the number by at most one. The number of test rows is published with it, so an adjacency under which it is
// private is refused (*mechanism.UnsupportedError). The predictions come from the release, so only the test rows are
// read.
func PrivateAccuracy(ctx context.Context, r *release.Release, st *model.Statistics, test *frame.Frame, t dp.Request,
	q keep.Request) (*NoisyAccuracy, error) {
	if q.Path != "" {
		return nil, fmt.Errorf("KeepIn is for releases of Privatize; publish the returned value itself")
	}
	n, public := test.PublicN()
	if !public {
		return nil, fmt.Errorf("%w: the number of test rows must be public", frame.ErrPrivateN)
	}
	if !t.Adjacency.PublicN() { // the share is a number of rows over n: publishing it publishes n
		return nil, &mechanism.UnsupportedError{Mechanism: "a charged accuracy",
			What: t.Adjacency.String() + " adjacency",
			Use:  "an adjacency under which the number of test rows is public, such as replace-one"}
	}
	right, err := countRight(r, test)
	if err != nil {
		return nil, err
	}
	// right and wrong are a column with two levels, so the binary model's machinery plans, certifies, charges and draws
	// it
	read, fitted := test.Schema(), r.Plan().Shape().Schema()
	column := frame.Categorical("prediction", "right", "wrong")
	column.Pad = "wrong" // of a schema that pads units; no row is made of this one
	s := &frame.Schema{Dataset: read.Dataset, Unit: read.Unit, RowsPerUnit: read.RowsPerUnit, UnitKey: read.UnitKey,
		PadUnits: read.PadUnits, Inferred: read.Inferred || fitted.Inferred, Columns: []frame.Column{column}}
	sh, err := model.NewShape(s, model.Binary("prediction"), n, true, "")
	if err != nil {
		return nil, err
	}
	if q.Statistics, err = model.FromCounts(sh, [][]int64{{right, int64(n) - right}}); err != nil {
		return nil, err
	}
	if q.Plan, err = counts.Geometric().WithPostProcess(counts.Clamp).Plan(ctx, sh, t); err != nil {
		return nil, err
	}
	one, _, err := q.Draw(ctx)
	if err != nil {
		return nil, err
	}
	a := &NoisyAccuracy{Guarantee: one.Guarantee(), TestRows: n, Randomness: one.Randomness(),
		warnings: accuracyWarnings(r, st, q.Plan, test)}
	rows := math.Max(1, float64(n))
	a.Share = one.Estimate().Tables[0][0] / rows
	a.HalfWidth = math.Min(1, halfWidth(q.Plan)/rows)
	return a, nil
}

// accuracyWarnings are those of an accuracy of r on test rows.
func accuracyWarnings(r *release.Release, st *model.Statistics, plan *mechanism.Plan, test *frame.Frame) warning.List {
	adj := r.Plan().Certified().Adjacency
	out := plan.Certified().Warnings(mechanism.Size(plan.Shape())).And(trainingRows(st, test, adj))
	if n, public := test.PublicN(); public && !adj.PublicN() && st.Selection().SameSource(test.Selection()) {
		out = append(out, warning.NNotPublic(n, "next to a release under "+adj.String()+", of the same source, this "+
			"shows"))
	}
	return out
}

// halfWidth is the 95 % bound on the noise of a count, from its standard deviation: Laplace-like tails put P(|Z| > t)
// at e^{−√2 t/sd}, so t = sd·ln(20)/√2.
func halfWidth(p *mechanism.Plan) float64 {
	for _, e := range p.Expected() {
		if e.Unit == "records" {
			return math.Ceil(e.Value * math.Log(20) / math.Sqrt2)
		}
	}
	return math.NaN()
}

// countRight counts the rows whose most probable class is theirs.
func countRight(r *release.Release, test *frame.Frame) (int64, error) {
	probs, err := r.Predict(test)
	if err != nil {
		return 0, err
	}
	labels, err := r.Model().Labels(test)
	if err != nil {
		return 0, err
	}
	right := int64(0)
	for i, row := range probs {
		if floats.MaxIdx(row) == labels[i] {
			right++
		}
	}
	return right, nil
}

// Shares are released probabilities beside the shares in the rows. Private: do not publish.
type Shares struct {
	Rows    []noiseaware.Row // with 95 % intervals
	InRows  []float64        // the shares in the rows; NaN where no row has the class
	what    string           // the probabilities are, and the label of each
	labels  []string
	caption string
	open    public
}

// CompareShares puts probabilities of a posterior, such as those of noiseaware.Posterior.ByClass, beside the shares in
// rows, which are read in the clear. Without any it takes the levels of the target. Errors: *dp.ParameterError for what
// is missing; those of reading the columns.
func CompareShares(p *noiseaware.Posterior, rows *frame.Frame, params ...noiseaware.Parameter) (*Shares, error) {
	if p == nil || rows == nil {
		return nil, domain.Refuse("eval", "posterior and rows", "one is missing", "both")
	}
	if len(params) == 0 {
		var err error
		if params, err = p.Choose(""); err != nil {
			return nil, err
		}
	}
	f, err := p.Intervals(params...)
	if err != nil {
		return nil, err
	}
	out := &Shares{Rows: noiseaware.Summaries(params, 0.95), caption: f.Caption, open: ofRows(rows)}
	out.what, out.labels = noiseaware.Labels(params)
	levels, err := p.Choose("")
	if err != nil {
		return nil, err
	}
	for _, q := range params {
		share, err := share(rows, levels[0].Name, len(levels), q)
		if err != nil {
			return nil, err
		}
		out.InRows = append(out.InRows, share)
	}
	return out, nil
}

// share is that of one parameter's level among the rows it is about.
func share(rows *frame.Frame, target string, classes int, q noiseaware.Parameter) (float64, error) {
	feature, class, level := q.Place()
	var counts []int64
	var err error
	if feature == "" {
		counts, err = rows.CountPrivate(target)
	} else if counts, err = rows.CountPrivate(target, feature); err == nil {
		levels := len(counts) / classes
		counts = counts[class*levels : (class+1)*levels]
	}
	if err != nil {
		return 0, err
	}
	total := 0.0
	for _, n := range counts {
		total += float64(n)
	}
	return float64(counts[level]) / total, nil
}

// Table has a row for every probability.
func (s *Shares) Table() *table.Table {
	t := table.New(s.open.title("Released probabilities next to the rows"), s.what, "released",
		"95 %", "in the rows")
	for i, r := range s.Rows {
		t.Add(s.labels[i], r.Mean, fmt.Sprintf("%.3f – %.3f", r.Lower, r.Upper), s.InRows[i])
	}
	return t.Note("The intervals include the noise of the release.").Note(s.caption)
}

// String is the table as text.
func (s *Shares) String() string { return table.Text(s) }

// PrivatePosterior is PosteriorFigure beside the fit of the statistics themselves. It reads the data: private, do not
// publish.
func PrivatePosterior(r *release.Release, st *model.Statistics) (*figure.Figure, error) {
	np, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		return nil, err
	}
	f, err := PosteriorFigure(r, np)
	if err == nil {
		public(st.Public()).opened(f)
	}
	return f, err
}
