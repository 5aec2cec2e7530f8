// Package eval compares releases with held-out data, the non-private model and plain baselines, and describes the
// figures of the comparison.
//
// What it computes reads raw data. A [Report] keeps its public part (release, plan, certificate) apart from its private
// part (scores); a [Diagnostic] is private throughout.
package eval

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
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
	open       public       // why training and test rows are public
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
	out := &Report{release: r, fitted: np, test: test.Len(), open: ofBoth(st, test),
		rows: trainingRows(st, test, r.Plan().Certified().Adjacency)}
	own, private, err := scores(r.Model(), np, test)
	if err != nil {
		return nil, err
	}
	without, nonPrivate, err := scores(np, np, test)
	if err != nil {
		return nil, err
	}
	if out.Private, out.NonPrivate = private, nonPrivate; private != nil {
		private.open, nonPrivate.open = out.open, out.open
	}
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
		if out.bounds, err = out.atBounds(np.Shape(), st, test); err != nil {
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

// PublicTables are the tables of the public part: a learned structure, the estimates, details of the release, plan and
// certificate.
func (r *Report) PublicTables() []*table.Table {
	out := []*table.Table{r.release.Summary()}
	if s := r.release.Structure(); s != nil {
		out = []*table.Table{s.Table(), out[0]}
	}
	return append(out, r.release.Details(), r.release.Plan().Table(), r.release.Certificate().Table())
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
	t := table.New(r.open.title("Scores on held-out rows"), head...)
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
	fittedBy(t, r.fitted)
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

// Figures are the figures of the private part: scores side by side, calibration or the coverage of intervals
// and residuals, and the posterior.
func (r *Report) Figures() []*figure.Figure { return r.figures }

func (r *Report) draw(test *frame.Frame) (out []*figure.Figure, err error) {
	if words := r.fitted.Shape().Words(); words.Bars != "" {
		out = append(out, r.bars(words))
	}
	if r.Private != nil && len(r.Private.Calibration) > 1 { // a single point says nothing in a plane
		out = append(out, r.Private.calibrationFigure(r.Caption()))
	}
	for _, of := range []func(*model.Fitted, *frame.Frame, string) (*figure.Figure, error){
		r.release.Model().Coverage, r.release.Model().Residuals} {
		more, err := of(r.fitted, test, r.Caption())
		if err != nil {
			return nil, err
		}
		if more != nil {
			out = append(out, more)
		}
	}
	law, err := PosteriorFigure(r.release, r.fitted)
	if err != nil {
		return nil, err
	}
	out = append(out, law)
	r.open.opened(out...)
	return out, nil
}

// bars show the score that heads the report.
func (r *Report) bars(words model.Words) *figure.Figure {
	l, _ := r.Line(words.Score)
	s := figure.Series{Name: words.Score, Kind: figure.Bars}
	f := &figure.Figure{Title: words.Bars, XLabel: "model", YLabel: words.Axis, Caption: r.Caption(), Private: true}
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

// PosteriorFigure draws the posterior of the target or, of a model of numbers, the draws, and when np is not nil the
// same without privacy; with np it is private. The density of counts is the noise-aware one where that is found without
// draws; the one that ignores the noise is dashed. Errors: *model.Error if np is fitted to another model.
func PosteriorFigure(r *release.Release, np *model.Fitted) (*figure.Figure, error) {
	f, err := r.Model().Figure(np, r.Caption())
	if err != nil {
		return nil, err
	}
	if aware, ok := noiseaware.Exact(r); ok && len(f.Series) == 1 && f.Series[0].Kind == figure.Density {
		if d, err := aware.Densities(); err == nil {
			d.Private, d.VLines = f.Private, f.VLines
			return d, nil
		}
	}
	if r.Model().Unsampled() != nil { // an estimate alone
		return f, nil
	}
	if s := &f.Series[0]; s.Kind == figure.Points && len(s.Lo) == 0 && r.Model().Draws() != nil {
		list, _, err := r.Intervals(context.Background(), .95)
		if err != nil || len(list) != len(s.X) {
			return f, err
		}
		of := "rows"
		for i := range list {
			if list[i].Rows == nil {
				of = "population"
			}
		}
		for i, x := range list {
			within := x.Rows
			if of == "population" {
				within = cmp.Or(x.Population, x.Rows)
			}
			if within == nil {
				s.Lo, s.Hi = nil, nil
				return f, nil
			}
			s.Y[i], s.Lo, s.Hi = x.Estimate, append(s.Lo, min(within.Lower, x.Estimate)), append(s.Hi, max(within.Upper,
				x.Estimate))
		}
		f.Subtitle = "Released with 95 % intervals of the " + of + ", which include the noise."
	}
	return f, nil
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
func (r *Report) String() string { return r.Text((*table.Table).String) }

// Text is String with tables as show writes them, such as for a narrower terminal.
func (r *Report) Text(show func(*table.Table) string) string {
	var b strings.Builder
	public, private := r.parts()
	b.WriteString("PUBLIC PART\n\n")
	for _, t := range r.PublicTables() {
		b.WriteString(show(t) + "\n")
	}
	heading, _ := r.open.heading()
	first, rest, _ := strings.Cut(heading, ":")
	b.WriteString(spaced(public.String()) + strings.ToUpper(first) + ":" + rest + "\n\n" + spaced(private.String()))
	for _, t := range r.PrivateTables() {
		b.WriteString(show(t) + "\n")
	}
	return b.String()
}

// HTML shows the scores and the release, each with its warnings.
func (r *Report) HTML() string {
	var b strings.Builder
	public, private := r.parts()
	heading, _ := r.open.heading()
	b.WriteString("<h4>Public part</h4>" + r.release.Table().HTML() + r.release.Details().HTML() + public.HTML() +
		"<h4>" + safetext.HTML(heading) + "</h4>" + private.HTML())
	for _, t := range r.PrivateTables() {
		b.WriteString(t.HTML())
	}
	return b.String()
}

// Reports are several releases of one model, scored on the same rows. Private: do not publish.
type Reports struct {
	names   []string
	reports []*Report
}

// CompareReports puts reports of releases of one classifier side by side, with the model without privacy and the
// majority class. Errors: *dp.ParameterError for reports of other models, other numbers of test rows, or without
// classes.
func CompareReports(names []string, reports ...*Report) (*Reports, error) {
	if len(reports) == 0 || len(names) != len(reports) {
		return nil, domain.Refuse("eval", "reports", fmt.Sprintf("%d names for %d reports", len(names), len(reports)),
			"one name for each report")
	}
	for i, r := range reports {
		if r == nil || r.Private == nil {
			return nil, domain.Refuse("eval", "report of "+names[i], "none with classes", "a report of a classifier")
		}
		have, want := r.release.Plan().Shape().Model().String(), reports[0].release.Plan().Shape().Model().String()
		if have != want || r.test != reports[0].test {
			return nil, domain.Refuse("eval", "report of "+names[i], have, "the model and the test rows of the first: "+
				want)
		}
	}
	return &Reports{names, reports}, nil
}

// open is why the rows of all reports are public.
func (r *Reports) open() public {
	out := r.reports[0].open
	for _, one := range r.reports {
		out = one.open.and(out)
	}
	return out
}

// caption says on how many rows, and what was released.
func (r *Reports) caption() string {
	s := table.Count(r.reports[0].test, "held-out row")
	var seen []string
	for _, one := range r.reports {
		if c := one.release.Caption(); !slices.Contains(seen, c) {
			seen = append(seen, c)
			s += ". " + c
		}
	}
	return s
}

// Table has a row for every release, one for the model without privacy and one for the majority class.
func (r *Reports) Table() *table.Table {
	first := r.reports[0]
	t := table.New(r.open().title("On "+table.Count(first.test, "held-out row")), "model", "accuracy", "AUC",
		"cross-entropy, nats", "calibration error")
	add := func(name string, s *Scores) { t.Add(name, s.Accuracy, s.AUC, s.CrossEntropy, s.ECE) }
	for i, one := range r.reports {
		add(r.names[i], one.Private)
	}
	add("without privacy", first.NonPrivate)
	return t.Add("always the majority", first.Guess)
}

// Figure draws the accuracies, with two standard errors over rows to either side, and the model without privacy as a
// line.
func (r *Reports) Figure() *figure.Forest {
	first := r.reports[0]
	f := &figure.Forest{Title: "Accuracy of several releases", XLabel: "accuracy", Percent: true, Private: r.open() == "",
		Caption:   r.open().caption(r.caption() + ". Always the majority: " + table.Number(first.Guess)),
		Series:    []string{"release, ± 2 s.e. over rows"},
		Reference: &figure.Reference{Name: "without privacy", Y: first.NonPrivate.Accuracy}}
	for i, one := range r.reports {
		a, se := one.Private.Accuracy, one.Private.AccuracySE
		f.Rows = append(f.Rows, figure.ForestRow{Name: r.names[i], Marks: []figure.Mark{{At: a, From: a - 2*se, To: a +
			2*se}},
			Text: fmt.Sprintf("%.1f ± %.1f %%", 100*a, 200*se)})
	}
	return f
}

// String is the table as text.
func (r *Reports) String() string { return table.Text(r) }

// Warnings lists what the release warns of, and whether the test rows are rows that it was made from.
func (r *Report) Warnings() warning.List { return r.release.Warnings().And(r.rows) }

// parts are the warnings of the public part, about the release, and of the private one, about this run and the test
// rows.
func (r *Report) parts() (public, private warning.List) {
	public = r.release.Warnings().OfRelease()
	for _, w := range r.Warnings() {
		if !slices.Contains(public, w) {
			private = append(private, w)
		}
	}
	return public, private
}

// trainingRows warns of an evaluation on rows that statistics were counted from, as far as that follows from public
// facts: from the steps that chose the rows, and from n unless the adjacency hides it. Rows of different sources, such
// as two files, are not compared: that would read them.
func trainingRows(st *model.Statistics, test *frame.Frame, adj dp.Adjacency) warning.List {
	chosen := test.Selection()
	switch kind, shared := st.Selection().Overlap(chosen, adj.PublicN()); {
	case shared > 0:
		return warning.List{warning.TrainingRows(shared, test.Len(), "")}
	case kind == frame.OverlapSame:
		return warning.List{warning.TrainingRows(0, 0, "the test rows are the rows that the release was made from")}
	case kind == frame.OverlapPart:
		return warning.List{warning.TrainingRows(0, 0,
			"test rows and the rows that the release was made from were chosen from each other")}
	}
	return nil
}

// shownN is the number of rows of a comparison, for its title: stamped where the comparison's guarantees, or the frame,
// treat it as private.
func shownN(words string, private bool) string {
	if private {
		return words + " (itself private)"
	}
	return words
}

// parameters compares the released draws with the non-private posterior, in its standard deviations.
func (r *Report) parameters() *table.Table {
	if r.fitted.Shape().Linear() != nil {
		return r.coefficients()
	}
	t := table.New(r.open.title("Parameters, released and non-private"), "parameter", "release", "non-private")
	own, np := r.release.Draws(), r.fitted.Draws()
	known := np.Len() == 1 // the numbers of the rows themselves
	if !known {
		t.Columns = append(t.Columns, "sd of the non-private posterior")
	}
	t.Columns = append(t.Columns, "apart, in sd")
	for _, name := range np.Names {
		values, ok := own.Parameter(name)
		if !ok {
			continue
		}
		all, _ := np.Parameter(name)
		m := stat.Mean(values, nil)
		mean, sd := stat.MeanStdDev(all, nil)
		row := []any{name, m, mean, sd, nil}
		if known {
			row, sd = slices.Delete(row, 3, 4), stat.StdDev(values, nil)
		}
		if sd > 1e-12*math.Abs(mean) {
			row[len(row)-1] = (m - mean) / sd
		}
		t.Add(row...)
	}
	if known {
		t.Note("The non-private numbers are those of the rows themselves: apart in sd of the released posterior.")
	}
	return t
}

// atBounds shows how much the public bounds cut.
func (r *Report) atBounds(sh *model.Shape, st *model.Statistics, test *frame.Frame) (*table.Table, error) {
	heldOut, err := sh.AtBounds(access.Mine(), test)
	if err != nil {
		return nil, err
	}
	training, rows := st.AtBounds(access.Mine()), st.Rows(access.Mine()) // nil where there was no frame
	share := func(k, of int) string { return percent(float64(k) / math.Max(1, float64(of))) }
	t := table.New(r.open.title("Values at a public bound"), "column", "bounds",
		"beyond them, while reading", "training values at a bound", "share", "held-out values at a bound", "share")
	for i, c := range sh.Columns() {
		if l := sh.Lattice(); l != nil && i >= len(l.Low) || !c.Numeric() { // groups, a factor
			continue
		}
		beyond := "refused"
		if c.OnOutOfDomain == frame.DomainClamp {
			beyond = "moved to the bound"
		}
		row := []any{c.Name, fmt.Sprintf("[%v, %v]", c.Min, c.Max), beyond, nil, nil}
		if training != nil {
			row[3], row[4] = training[i], share(training[i], rows)
		}
		t.Add(append(row, heldOut[i], share(heldOut[i], test.Len()))...)
	}
	return t.Note("Many values at a bound mean that it cuts into the data, and biases the fit. " +
		"Choosing bounds by these counts voids the guarantee."), nil
}
