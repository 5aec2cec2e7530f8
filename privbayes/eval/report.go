// Package eval compares releases with held-out data, the non-private model and plain baselines, and describes the figures of the
// comparison.
//
// What it computes reads raw data. A [Report] keeps its public part (release, plan, certificate) apart from its private part
// (scores); a [Diagnostic] is private throughout.
//
// Place: above release; the façade's Evaluate and Compare are calls to it, package plots draws its figures.
package eval

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/seal"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// Report compares one release with held-out rows and the non-private model. Its private part must not be published.
type Report struct {
	release    *release.Release
	fitted     *model.Fitted // non-private
	Private    *Scores       // of the release
	NonPrivate *Scores       // of the non-private model
	Baseline   *Baseline     // plain noise on counts at the same level; nil if the release is that itself
	Majority   float64       // accuracy of always guessing the training majority
	LogLik     float64       // mean joint log-likelihood of a held-out row under the release, nats
	LogLikNP   float64       // the same without privacy
	KL         float64       // KL(non-private ‖ released) of the target's posterior, nats
	Hellinger  float64       // Hellinger distance of the two target posteriors
	Numbers    *NumberReport // in place of all the above for models without count tables
	test       int
	rows       warning.List // about the test rows
}

// NewReport scores a release beside the non-private model and plain noise on counts. It releases nothing; the draws behind the
// plain baseline are seeded diagnostics. Errors: *model.MismatchError, *InputError.
func NewReport(r *release.Release, st *model.Statistics, test *frame.Frame) (*Report, error) {
	rows := TrainingRows(st, test, r.Plan().Certified().Adjacency)
	if !r.Model().Shape().Model().Kind.Counts() {
		out, err := newNumberReport(r, st, test)
		if err == nil {
			out.rows = rows
		}
		return out, err
	}
	np, err := model.FitPrivately(seal.Key{}, st)
	if err != nil {
		return nil, err
	}
	out := &Report{release: r, fitted: np, test: test.Len(), rows: rows}
	labels, err := np.Labels(test)
	if err != nil {
		return nil, err
	}
	classes := np.Target().Labels
	for _, m := range []struct {
		f   *model.Fitted
		to  **Scores
		lik *float64
	}{{r.Model(), &out.Private, &out.LogLik}, {np, &out.NonPrivate, &out.LogLikNP}} {
		probs, err := m.f.Predict(test)
		if err != nil {
			return nil, err
		}
		if *m.to, err = Score(probs, labels, classes); err != nil {
			return nil, err
		}
		if *m.lik, err = m.f.LogLikelihood(test); err != nil {
			return nil, err
		}
	}
	out.Majority = shareOf(labels, argmax(np.Target().Mean()))
	out.KL = posteriorKL(np, r.Model())
	if out.Baseline, err = newBaseline(r, st, np, test, labels); err != nil {
		return nil, err
	}
	out.Hellinger = posterior.Hellinger(np.Target().Dirichlet, r.Model().Target().Dirichlet)
	return out, nil
}

// posteriorKL is KL(non-private target posterior ‖ released one).
func posteriorKL(np, released *model.Fitted) float64 {
	return posterior.KL(np.Target().Dirichlet, released.Target().Dirichlet)
}

// Release is the public release that was scored.
func (r *Report) Release() *release.Release { return r.release }

// PublicTables are the tables of the public part: release, plan, certificate.
func (r *Report) PublicTables() []*table.Table {
	out := []*table.Table{r.release.Table(), r.release.Plan().Table(), r.release.Certificate().Table(), r.release.Summary()}
	if t, err := r.release.Model().Coefficients(); err == nil { // of regressions
		out = append(out, t)
	}
	return out
}

// PrivateTables are the tables of the private part, each stamped.
func (r *Report) PrivateTables() []*table.Table {
	if r.Numbers != nil {
		return r.Numbers.privateTables(r)
	}
	head := []string{"metric", "release", "non-private", "majority class"}
	note := fmt.Sprintf("%d held-out rows. This release is itself a plain baseline: noise on counts.", r.test)
	if b := r.Baseline; b != nil {
		head = []string{"metric", "release", "plain baseline", "non-private", "majority class"}
		note = fmt.Sprintf("%d held-out rows. Plain baseline: %s at %s, mean of %d draws that are not released.", r.test, b.Name, b.Level, b.Draws)
	}
	t := table.New("Scores on held-out rows (private: do not publish)", head...)
	add := func(name string, own, plain, np float64, rest ...any) {
		row := []any{name, own}
		if r.Baseline != nil {
			row = append(row, plain)
		}
		t.Add(append(append(row, np), rest...)...)
	}
	b := r.Baseline
	if b == nil {
		b = &Baseline{Scores: &Scores{}}
	}
	np, plain := r.NonPrivate.rows(), b.Scores.rows()
	for i, row := range r.Private.rows() {
		var majority []any
		if i == 0 {
			majority = []any{r.Majority}
		}
		add(row.name, row.value, plain[i].value, np[i].value, majority...)
	}
	add("log-likelihood per row (nats)", r.LogLik, b.LogLik, r.LogLikNP)
	add("KL of the target posterior (nats)", r.KL, b.KL, 0)
	add("Hellinger distance of the target posterior", r.Hellinger, b.Hellinger, 0)
	t.Note(note + " Choosing model, bins or mechanism by these scores voids the guarantee.")
	if max(r.Hellinger, b.Hellinger) > farApart {
		t.Note(narrowPosteriors)
	}
	return []*table.Table{t, r.Private.ConfusionTable()}
}

// Narrow posteriors are soon far apart, which need not alarm: above the Hellinger distance of two normal laws of equal sd whose means differ
// by three of them, √(1 − e^(−9/8)) = 0.82, or at a divergence of 9/2 nats between these, tables say why.
const (
	farApart         = 0.82
	farApartKL       = 4.5
	narrowPosteriors = "Posteriors of many rows are narrow: their distances are large as soon as the means differ by more than a few standard deviations, however near the means are."
)

// Caption labels the figures: guarantee, adjacency and n.
func (r *Report) Caption() string { return r.release.Caption() }

// Figures are the figures of the private part: scores side by side, calibration, posterior of the target.
func (r *Report) Figures() []*figure.Figure {
	if r.Numbers != nil {
		return r.Numbers.figures(r)
	}
	bars := &figure.Figure{
		Title: "Accuracy on held-out rows", XLabel: "model", YLabel: "accuracy", Caption: r.Caption(), Private: true,
		XTicks: []string{"release", "non-private", "majority class"},
		Series: []figure.Series{{Name: "accuracy", Kind: figure.Bars, X: []float64{0, 1, 2}, Y: []float64{r.Private.Accuracy, r.NonPrivate.Accuracy, r.Majority}}},
	}
	if b := r.Baseline; b != nil {
		bars.XTicks = append([]string{"release", "plain baseline"}, bars.XTicks[1:]...)
		bars.Series[0].X = append(bars.Series[0].X, 3)
		bars.Series[0].Y = append([]float64{r.Private.Accuracy, b.Scores.Accuracy}, bars.Series[0].Y[1:]...)
	}
	return []*figure.Figure{bars, r.Private.calibrationFigure(r.Caption()), PosteriorFigure(r.release, r.fitted)}
}

// densityPoints is how many points a density is drawn with.
const densityPoints = 201

// PosteriorFigure draws the density of the first component of the target's posterior, released and, when np is not nil,
// non-private; with np it is private. Of a model without count tables it shows the draws.
func PosteriorFigure(r *release.Release, np *model.Fitted) *figure.Figure {
	if !r.Model().Shape().Model().Kind.Counts() {
		return drawsFigure(r, np)
	}
	target := r.Model().Target()
	f := &figure.Figure{
		Title:  "Posterior of P(" + target.Name + " = " + target.Labels[0] + ")",
		XLabel: "probability", YLabel: "density", Caption: r.Caption(), Private: np != nil,
	}
	curves := []struct {
		name string
		b    posterior.Beta
	}{{"released", target.Marginal(0)}}
	if np != nil {
		curves = append(curves, struct {
			name string
			b    posterior.Beta
		}{"non-private", np.Target().Marginal(0)})
	}
	lo, hi := 1.0, 0.0
	for _, c := range curves {
		lo, hi = math.Min(lo, c.b.Quantile(1e-4)), math.Max(hi, c.b.Quantile(1-1e-4))
	}
	for i, c := range curves {
		s := figure.Series{Name: c.name, Kind: figure.Line, Dashed: i == 1}
		for k := range densityPoints {
			x := lo + (hi-lo)*(float64(k)+0.5)/densityPoints
			s.X, s.Y = append(s.X, x), append(s.Y, math.Exp(c.b.LogDensity(x)))
		}
		f.Series = append(f.Series, s)
	}
	return f
}

// Headlines are three lines for a terminal: accuracy, accuracy without privacy, and the guarantee.
func (r *Report) Headlines() string {
	if r.Numbers != nil {
		return r.Numbers.headlines(r)
	}
	return fmt.Sprintf("headline: accuracy of the release = %s\nheadline: accuracy without privacy = %s\nheadline: guarantee of the plan = %s\n",
		table.Number(r.Private.Accuracy), table.Number(r.NonPrivate.Accuracy), r.release.Plan().Certified())
}

// spaced puts an empty line below a text that is not empty.
func spaced(s string) string {
	if s != "" {
		s += "\n"
	}
	return s
}

// String shows both parts as text, each with its warnings.
func (r *Report) String() string {
	var b strings.Builder
	public, private := r.parts()
	b.WriteString("PUBLIC PART\n\n")
	for _, t := range r.PublicTables() {
		b.WriteString(t.String() + "\n")
	}
	b.WriteString(spaced(public.String()) + "PRIVATE PART: do not publish\n\n" + spaced(private.String()))
	for _, t := range r.PrivateTables() {
		b.WriteString(t.String() + "\n")
	}
	return b.String()
}

// HTML shows the scores and the release, each with its warnings.
func (r *Report) HTML() string {
	var b strings.Builder
	public, private := r.parts()
	b.WriteString("<h4>Public part</h4>" + r.release.Table().HTML() + public.HTML() + "<h4>Private part: do not publish</h4>" + private.HTML())
	for _, t := range r.PrivateTables() {
		b.WriteString(t.HTML())
	}
	return b.String()
}
