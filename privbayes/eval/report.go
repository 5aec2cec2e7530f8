// Package eval compares releases with held-out data, the non-private model and plain baselines, and describes the
// figures of the comparison.
//
// What it computes reads raw data. A [Report] keeps its public part (release, plan, certificate) apart from its private
// part (scores); a [Diagnostic] is private throughout.
//
// Place: above release; the façade's Evaluate and Compare are calls to it, package plots draws its figures.
package eval

import (
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/internal/access"
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
	Lines      []Line        // the scores
	Baseline   *Baseline     // plain noise at the same level; nil if the release is that itself, or there is none
	Private    *Scores       // of the release's class probabilities; nil for models without classes
	NonPrivate *Scores       // of the non-private model's
	Guess      float64       // accuracy of always guessing the training majority; 0 for models without classes
	figures    []*figure.Figure
	bounds     *table.Table // of models of sums
	test       int
	rows       warning.List // about the test rows
}

// Line is one score of a report.
type Line struct {
	Name       string
	Release    float64 // NaN where the release does not know it
	Baseline   float64 // mean of the baseline's draws; NaN without a baseline
	NonPrivate float64
	share      bool // shown in per cent
}

// Line is the score of a name; ok is false if there is none.
func (r *Report) Line(name string) (l Line, ok bool) {
	for _, l := range r.Lines {
		if l.Name == name {
			return l, true
		}
	}
	return l, false
}

// Names of scores of models with classes.
const (
	klScore        = "KL of the target posterior (nats)"
	hellingerScore = "Hellinger distance of the target posterior"
)

// NewReport scores a release beside the non-private model and plain noise. It releases nothing; the draws behind the
// plain baseline are seeded diagnostics. Errors: *model.MismatchError, *model.Error, *dp.ParameterError.
func NewReport(r *release.Release, st *model.Statistics, test *frame.Frame) (*Report, error) {
	np, err := model.FitPrivately(access.Mine(), st)
	if err != nil {
		return nil, err
	}
	out := &Report{release: r, fitted: np, test: test.Len(),
		rows: trainingRows(st, test, r.Plan().Certified().Adjacency)}
	own, private, err := scores(r.Model(), np, test)
	if err != nil {
		return nil, err
	}
	without, nonPrivate, err := scores(np, np, test)
	if err != nil {
		return nil, err
	}
	out.Private, out.NonPrivate = private, nonPrivate
	baseline, plan := newBaseline(r.Plan())
	var plain []model.Score
	if out.Baseline = baseline; plan != nil {
		if plain, err = means(plan, st, np, test); err != nil {
			return nil, err
		}
	}
	for i, s := range own {
		l := Line{s.Name, s.Value, math.NaN(), without[i].Value, s.Share}
		if plain != nil {
			l.Baseline = plain[i].Value
		}
		out.Lines = append(out.Lines, l)
	}
	if private != nil {
		if out.Guess, err = np.Guess(test); err != nil {
			return nil, err
		}
	}
	if !np.Shape().Counts() {
		if out.bounds, err = atBounds(np.Shape(), st, test); err != nil {
			return nil, err
		}
	}
	out.figures, err = out.draw(test)
	return out, err
}

// distances are KL(non-private ‖ released) and the Hellinger distance of the target's posteriors.
func distances(np, released *model.Fitted) (kl, hellinger float64) {
	p, q := np.Target().Dirichlet, released.Target().Dirichlet
	return posterior.KL(p, q), posterior.Hellinger(p, q)
}

// Release is the public release that was scored.
func (r *Report) Release() *release.Release { return r.release }

// PublicTables are the tables of the public part: release, plan, certificate, what was learned of a structure, and the
// posterior of the target or the coefficients.
func (r *Report) PublicTables() []*table.Table {
	out := []*table.Table{r.release.Table(), r.release.Plan().Table(), r.release.Certificate().Table()}
	if s := r.release.Structure(); s != nil {
		out = append(out, s.Table())
	}
	return append(out, r.release.Summary())
}

// PrivateTables are the tables of the private part, each stamped: the scores; the confusion of classes, where there are
// any; and, of models of numbers, the parameters beside the non-private ones and the values at public bounds.
func (r *Report) PrivateTables() []*table.Table {
	out := []*table.Table{r.scoreTable()}
	if r.Private != nil {
		out = append(out, r.Private.ConfusionTable())
	}
	if r.bounds != nil {
		out = append(out, r.parameters(), r.bounds)
	}
	return out
}

func (r *Report) scoreTable() *table.Table {
	words := r.fitted.Shape().Words()
	head := []string{"metric", "release"}
	note := table.Count(r.test, "held-out row") + "."
	if b := r.Baseline; b != nil {
		head = append(head, "plain baseline")
		note += fmt.Sprintf(" Plain baseline: %s at %s, mean of %d draws that are not released.", b.Name, b.Level,
			b.Draws)
	} else if r.bounds == nil {
		note += " This release is itself a plain baseline: noise on counts."
	}
	head = append(head, "non-private")
	if r.Private != nil {
		head = append(head, words.Guess)
	}
	t := table.New("Scores on held-out rows (private: do not publish)", head...)
	unknown := false
	for i, l := range r.Lines {
		row := []any{l.Name, l.shown(l.Release)}
		if r.Baseline != nil {
			row = append(row, l.shown(l.Baseline))
		}
		if row = append(row, l.shown(l.NonPrivate)); i == 0 && r.Private != nil {
			row = append(row, r.Guess)
		}
		t.Add(row...)
		unknown = unknown || math.IsNaN(l.Release)
	}
	note += " Choosing model, " + words.Public + " or mechanism by these scores voids the guarantee."
	if unknown {
		note += " The release does not know the residual variance: its intervals are of the plane, not of responses."
	}
	t.Note(note)
	if l, _ := r.Line(hellingerScore); l.Release > farApart || l.Baseline > farApart {
		t.Note(narrowPosteriors)
	}
	return t
}

// shown is a value of the line in a table.
func (l Line) shown(v float64) any {
	switch {
	case math.IsNaN(v):
		return nil
	case l.share:
		return percent(v)
	}
	return v
}

// percent shows a share.
func percent(x float64) string { return fmt.Sprintf("%.1f %%", 100*x) }

// Narrow posteriors are soon far apart, which need not alarm: above the Hellinger distance of two normal laws of equal
// sd whose means differ by three of them, √(1 − e^(−9/8)) = 0.82, or at a divergence of 9/2 nats between these, tables
// say why.
const (
	farApart         = 0.82
	farApartKL       = 4.5
	narrowPosteriors = "Posteriors of many rows are narrow: their distances are large as soon as the means differ " +
		"by more than a few standard deviations, however near the means are."
)

// Caption labels the figures: guarantee, adjacency and n.
func (r *Report) Caption() string { return r.release.Caption() }

// Figures are the figures of the private part: scores side by side, calibration or the coverage of intervals, and the
// posterior.
func (r *Report) Figures() []*figure.Figure { return r.figures }

func (r *Report) draw(test *frame.Frame) (out []*figure.Figure, err error) {
	if words := r.fitted.Shape().Words(); words.Bars != "" {
		out = append(out, r.bars(words))
	}
	if r.Private != nil {
		out = append(out, r.Private.calibrationFigure(r.Caption()))
	}
	cover, err := r.release.Model().Coverage(r.fitted, test, r.Caption())
	if err != nil {
		return nil, err
	}
	if cover != nil {
		out = append(out, cover)
	}
	law, err := PosteriorFigure(r.release, r.fitted)
	return append(out, law), err
}

// bars show the score that heads the report.
func (r *Report) bars(words model.Words) *figure.Figure {
	l, _ := r.Line(words.Score)
	s := figure.Series{Name: words.Score, Kind: figure.Bars}
	f := &figure.Figure{Title: words.Bars, XLabel: "model", YLabel: words.Score, Caption: r.Caption(), Private: true}
	add := func(name string, v float64) {
		f.XTicks, s.X, s.Y = append(f.XTicks, name), append(s.X, float64(len(s.X))), append(s.Y, v)
	}
	add("release", l.Release)
	if r.Baseline != nil {
		add("plain baseline", l.Baseline)
	}
	add("non-private", l.NonPrivate)
	if r.Private != nil {
		add(words.Guess, r.Guess)
	}
	f.Series = []figure.Series{s}
	return f
}

// PosteriorFigure draws the posterior of the target or, of a model of numbers, the draws: released and, when np is not
// nil, non-private; with np it is private. Errors: *model.Error if np is fitted to another model.
func PosteriorFigure(r *release.Release, np *model.Fitted) (*figure.Figure, error) {
	return r.Model().Figure(np, r.Caption())
}

// Headlines are three lines for a terminal: the score that heads the report, the same without privacy, and the
// guarantee.
func (r *Report) Headlines() string {
	words := r.fitted.Shape().Words()
	l, _ := r.Line(words.Score)
	return fmt.Sprintf("headline: %s of the release = %s\nheadline: %s without privacy = %s\n"+
		"headline: guarantee of the plan = %s\n",
		words.Headline, table.Number(l.Release), words.Headline, table.Number(l.NonPrivate),
		r.release.Plan().Certified())
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
	learned := ""
	if s := r.release.Structure(); s != nil {
		learned = s.Table().HTML()
	}
	b.WriteString("<h4>Public part</h4>" + r.release.Table().HTML() + learned + public.HTML() +
		"<h4>Private part: do not publish</h4>" + private.HTML())
	for _, t := range r.PrivateTables() {
		b.WriteString(t.HTML())
	}
	return b.String()
}
