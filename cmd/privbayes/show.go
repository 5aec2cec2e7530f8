package main

import (
	"cmp"
	"context"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/question"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const showSynopsis = `show RELEASE [--figure FILE] [--json]

Shows a release, a publication or running totals, as the commands that make them do. It reads no table and uses no
budget.
--figure writes a picture of the estimates and their intervals, which may be published.`

var showExamples = []string{"privbayes show survey.release.json",
	"privbayes show survey.release.json --figure survey.svg",
	"privbayes show survey.publication.json --item \"mean of income\" --out income.release.json"}

// showJSON is a release for programs: all of it public.
type showJSON struct {
	ID         string          `json:"id"`
	Guarantee  dp.Guarantee    `json:"guarantee"`      // of an item that of its publication
	Item       *dp.Guarantee   `json:"item,omitempty"` // of the item by itself
	Selection  *selectionJSON  `json:"selection,omitempty"`
	Mechanism  string          `json:"mechanism"`
	Randomness string          `json:"randomness"`
	Dataset    string          `json:"dataset"`
	Unit       string          `json:"unit"`
	N          *int            `json:"n,omitempty"` // where it is public
	Spec       *spec           `json:"spec"`        // without a mechanism
	Columns    []columnJSON    `json:"columns"`
	Tables     []*table.Table  `json:"tables"`
	Graph      []bayesnet.Node `json:"graph,omitempty"`
	// Distances of a learned model from the rows, of all pairs, at 95 %: where learn --statements measured them.
	Distances []release.Distance `json:"distances,omitempty"`
	Warnings  warning.List       `json:"warnings,omitempty"`
	HTML      string             `json:"html"`
}

type columnJSON struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"`
	Labels []string `json:"labels,omitempty"`
}

func showCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("show", showSynopsis)
	detailed := details(f)
	picture := f.String("figure", "", "write a dot plot of the estimates to this `file`, a new SVG file")
	item := f.String("item", "", "of a publication: show one item alone, by its `name`")
	to := f.String("out", "", "with --item: save the item as a release, a new `file`, for the other commands")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *to != "" && *item == "":
		return wrongFlag("out", *to, "it with --item")
	case *picture != "" && filepath.Ext(*picture) != ".svg":
		return wrongFlag("figure", *picture, "a file name that ends in .svg")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	o, err := open(ctx, files[0], *item)
	all, r := o.publication, o.release
	switch {
	case err != nil:
		return err
	case o.found != nil && *picture != "":
		return wrongFlag("figure", *picture, "a release: what was found of a column has no figure")
	case o.found != nil:
		return o.found(*asJSON, *detailed, out)
	case o.totals != nil:
		return showTotals(o.totals, *picture, *asJSON, *detailed, out)
	case o.selection != nil:
		return showSelection(ctx, o, *picture, *asJSON, *detailed, out)
	case r != nil && *to != "":
		if err := r.SaveNew(*to); err != nil {
			return &fileError{*to, err}
		}
	case r == nil && (*to != "" || *picture != ""):
		return wrongFlag("item", nil, "the item of the publication, by its name")
	case r == nil && *asJSON:
		return writeJSON(out, publicationOutput(all))
	case r == nil:
		text := publicationText(ctx, all, fitted(out))
		if *detailed {
			text += "\n" + fitted(out)(all.Plan().Certificate().Table())
		}
		return tell(out, text)
	}
	if err := draw(r, *picture); err != nil {
		return err
	}
	switch {
	case *asJSON:
	case all != nil:
		return wrote(out, tell(out, itemText(ctx, all, r, *detailed, fitted(out))), *to, *picture)
	default:
		return wrote(out, tell(out, releaseText(ctx, r, r.Warnings(), *detailed, fitted(out))), *to, *picture)
	}
	j, err := showOutput(r)
	if err != nil {
		return err
	}
	return writeJSON(out, j)
}

// draw writes a picture of a release where one is asked for.
func draw(r *release.Release, picture string) error {
	if picture == "" {
		return nil
	}
	plot, err := r.Figure()
	if err != nil {
		return err
	}
	return writeFigure(picture, plot)
}

// plannedOutput is what is known of a release before it is drawn.
func plannedOutput(p *mechanism.Plan) (j showJSON, err error) {
	sh := p.Shape()
	unit, _ := sh.Unit()
	j = showJSON{Mechanism: p.Title(), Dataset: sh.Schema().Dataset, Unit: unit}
	if n, public := sh.N(); public {
		j.N = &n
	}
	for _, c := range sh.Columns() {
		j.Columns = append(j.Columns, columnJSON{c.Name, string(c.Kind), c.Labels()})
	}
	j.Spec, err = specOf(p)
	return j, err
}

func showOutput(r *release.Release) (showJSON, error) {
	j, err := plannedOutput(r.Plan())
	j.ID, j.Guarantee, j.Randomness, j.HTML = r.ID(), r.Stated(), r.Randomness(), table.HTML(r)
	j.Tables, j.Warnings = append([]*table.Table{r.Table()}, r.Parts()...), worded(r.Warnings())
	j.Distances, _ = r.Distances(.95) // none without statements
	if own := r.Guarantee(); own != j.Guarantee {
		j.Item = &own
	}
	d := r.Plan().Shape().Graph()
	if n := r.Model().Network(); d == nil && n != nil {
		d = n.DAG()
	}
	for i := 0; d != nil && i < d.Len(); i++ {
		j.Graph = append(j.Graph, d.Node(i))
	}
	return j, err
}

const intervalsSynopsis = `intervals RELEASE [--level L] [--ask QUESTION | --test TERM]… [--json]
intervals RELEASE --check [--figure FILE] [--json]
intervals RELEASE --areas WHAT [--figure FILE] [--json]
intervals RELEASE --calibrate FILE | --clusters FILE [--json]

Lists every number of a release with an interval that accounts for the noise, the same as release and show print, or
answers questions: what a release shows itself by the same numbers, all else by the posterior that accounts for the
noise. It reads no table and uses no budget. A question of a network, a classifier,
	a contingency table or a categorical column is one of

  P(a=x, b=y | c=z)          the share of a=x, b=y among the rows with c=z
  diff(Q, Q) ratio(Q, Q)     a difference or a ratio of two questions
  odds(Q, Q)                 the odds ratio of two probabilities
  dependence(parent, child)  what an edge of the network says, in bits

Names that hold one of , | ( ) = or a quote stand in double quotes.

--test tests whether the coefficients of a term of a regression are 0: a column, all levels of a factor, or terms of
a formula such as "school:sex" or "poly(age, 2)". It is not valid where the term was chosen by the same release. Of a
learned structure it tests whether two columns are independent, as "sex,income" or "mann-whitney:sex,income" by
another test than chi-square: t, mann-whitney or median. The pair must have been measured.

--check compares the released numbers of a regression with what its posterior predicts of them, which includes the
noise. It finds numbers that no regression gives, or only one far from the prior.

--areas estimates five groups or more together, such as the means or the rates of regions: those with much noise are
drawn towards the others. The estimate of each group by itself stands next to it.

--calibrate and --clusters take the cells of a weighted release: to weigh them to the public sizes of the population's
parts, or for intervals that allow for people of one area being alike.`

var intervalsExamples = []string{
	"privbayes intervals survey.release.json",
	`privbayes intervals votes.release.json --ask "P(V3=y | Class=democrat)" --level .9`,
	`privbayes intervals votes.release.json --ask "ratio(P(V3=y | Class=democrat), P(V3=y | Class=republican))" --json`,
	`privbayes intervals wages.release.json --test "education:parttime"`,
	`privbayes intervals survey.learned.json --test "mann-whitney:sex,income"`,
	"privbayes intervals wages.release.json --check",
	"privbayes intervals regions.release.json --areas ill=yes --figure regions.svg",
}

// intervals are numbers of a release with intervals that account for the noise.
type intervals struct {
	Release  string        `json:"release"`
	Level    float64       `json:"level"`
	Rows     []intervalRow `json:"rows"`
	Notes    []string      `json:"notes,omitempty"` // how they were found
	Warnings warning.List  `json:"warnings,omitempty"`
}

// intervalRow is a row of intervals.
type intervalRow struct {
	Of     string       `json:"of"`
	Label  string       `json:"label,omitempty"`
	About  string       `json:"about"` // "population" or "rows"
	Mean   *cert.Number `json:"mean,omitempty"`
	SD     *cert.Number `json:"sd,omitempty"`
	Lower  cert.Number  `json:"lower"`
	Upper  cert.Number  `json:"upper"`
	Median bool         `json:"median,omitempty"` // mean is the median, and there is no sd
	// Of an answer: the interval before any count was seen, and one without a prior, from one measured table.
	PriorLower *cert.Number `json:"prior_lower,omitempty"`
	PriorUpper *cert.Number `json:"prior_upper,omitempty"`
	ScoreLower *cert.Number `json:"score_lower,omitempty"`
	ScoreUpper *cert.Number `json:"score_upper,omitempty"`
	RHat       *cert.Number `json:"r_hat,omitempty"`
	ESS        *cert.Number `json:"ess,omitempty"`

	decimals *int // those of the release; nil where the width decides
	of       release.Interval
}

func intervalsCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("intervals", intervalsSynopsis)
	level := f.Float64("level", .95, "the probability that an interval has, above 0 and below 1")
	posterior := f.Bool("posterior", false, "list the posterior that accounts for the noise instead of the intervals "+
		"that a release shows: it reads the prior and all tables together, and takes seconds to minutes for a network")
	var asked []string
	f.Var(repeated(func(text string) error { asked = append(asked, text); return nil }), "ask",
		"a `question`, see above; may be repeated")
	var tests []string
	f.Var(repeated(func(text string) error { tests = append(tests, text); return nil }), "test",
		"test a `term` of a regression, or a pair of columns of a learned structure, see above; may be repeated")
	check, areas, cells := predictiveFlagsOf(f), areasFlagOf(f), cellsFlagsOf(f)
	files, err := parse(f, args)
	alone := []string{"totals", "clusters", "calibrate", "areas", "check", "test", "ask", "posterior", "level"}
	for i, name := range alone[:6] {
		err = cmp.Or(err, f.excludes(name, alone[i+1:]...))
	}
	err = cmp.Or(err, validFigure(check.figure, check.on || areas.of != ""))
	switch {
	case err != nil:
		return err
	case !(*level > 0 && *level < 1):
		return wrongFlag("level", *level, "a number above 0 and below 1, such as .95")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	switch {
	case check.on:
		return check.write(ctx, r, *asJSON, out)
	case cells.asked():
		return cells.write(r, *asJSON, out)
	case areas.of != "":
		return areas.write(ctx, r, check.figure, *asJSON, out)
	case len(tests) > 0:
		return writeTests(ctx, r, tests, *asJSON, out)
	}
	list, err := &intervals{}, error(nil)
	if len(asked) > 0 {
		list, err = answersTo(ctx, r, *level, *posterior, asked)
	} else {
		list, err = intervalsOf(ctx, r, *level, *posterior)
	}
	if err != nil {
		return err
	}
	list.Release, list.Level = r.ID(), *level
	list.Notes = append(list.Notes, foundNotes(r.Plan().Shape().Columns())...)
	if *asJSON {
		return writeIntervals(out, list, list.Table())
	}
	return display(out, list)
}

// columnsOf are the columns that questions may name.
func columnsOf(r *release.Release) (list []question.Column) {
	for _, c := range r.Plan().Shape().Columns() {
		list = append(list, question.Column{Name: c.Name, Levels: c.Labels()})
	}
	return list
}

// intervalsOf lists all numbers of a release, those that it shows itself or those of the noise-aware posterior: the one
// place where they come from.
func intervalsOf(ctx context.Context, r *release.Release, level float64, posterior bool) (*intervals, error) {
	if !posterior {
		found, how, err := r.Numbers(ctx, level)
		if err != nil || how != "" {
			list := rowsOfRelease(r, found, how)
			if r.Model().Shape().Linear() != nil { // units, reference levels, the residual standard deviation
				for _, note := range r.Summary().Notes {
					list.Notes = append(list.Notes, spoken(note))
				}
			}
			return list, err
		}
	}
	p, err := noiseaware.OfContext(ctx, r)
	if err != nil {
		return nil, err
	}
	rows, err := p.Summary(level)
	if err != nil {
		return nil, err
	}
	return rowsOfNoiseAware(r, level, rows, p.Table()), nil
}

// answersTo are answers to questions: what the release shows itself of a share, so that there is one estimate of it,
// and of all other numbers the posterior.
func answersTo(ctx context.Context, r *release.Release, level float64, posterior bool, asked []string) (*intervals,
	error) {
	var questions []*noiseaware.Question
	for _, text := range asked {
		q, err := question.Parse(text, columnsOf(r))
		if err != nil {
			return nil, &usageError{text: "--ask: " + err.Error(), err: err, flag: "--ask"}
		}
		questions = append(questions, q)
	}
	if posterior {
		return posteriorOf(ctx, r, level, questions)
	}
	known, how, err := shownShares(ctx, r, level, questions)
	if err != nil {
		return nil, err
	}
	shown := func(q *noiseaware.Question) []intervalRow {
		for _, share := range sharesOf(q, r.Plan().Shape()) {
			if rows := known[share]; rows != nil {
				return rows
			}
		}
		return nil
	}
	list, others := &intervals{}, []*noiseaware.Question{}
	for _, q := range questions {
		if shown(q) == nil {
			others = append(others, q)
		}
	}
	further := &intervals{}
	if len(others) > 0 {
		if further, err = posteriorOf(ctx, r, level, others); err != nil {
			return nil, err
		}
	}
	next := 0
	for _, q := range questions {
		rows := shown(q)
		if rows == nil {
			list.Rows = append(list.Rows, further.Rows[next])
			next++
		}
		for _, row := range rows {
			row.Of, row.Label = q.String(), ""
			list.Rows = append(list.Rows, row)
		}
	}
	if len(others) < len(questions) {
		list.Notes = append(list.Notes, "Method: "+how+".")
	}
	list.Notes, list.Warnings = append(list.Notes, further.Notes...), further.Warnings
	return list, nil
}

// shownShares are the intervals of the shares that a release shows, by what each is of and its level; of a learned
// structure also those of the measured pairs that are asked about.
func shownShares(ctx context.Context, r *release.Release, level float64, asked []*noiseaware.Question) (
	map[[2]string][]intervalRow, string, error) {
	found, how, err := r.Intervals(ctx, level)
	if err != nil || r.Model().Draws() != nil {
		return nil, "", err
	}
	for _, q := range asked {
		of, given, ok := q.Events()
		if !ok || len(given) > 0 || len(of) != 2 || r.Structure() == nil {
			continue
		}
		shares, err := r.MeasuredShares(ctx, level, slices.Sorted(maps.Keys(of))...)
		if has[*release.NotAnsweredError](err) {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		found = append(found, shares...)
	}
	out := map[[2]string][]intervalRow{}
	for _, row := range rowsOfRelease(r, found, how).Rows {
		share := [2]string{row.Of, row.Label}
		out[share] = append(out[share], row)
	}
	return out, how, nil
}

// sharesOf are the ways in which a release may name what a question is of, and its level: of a column, of one given its
// class or its parents, or of a cell of a contingency table.
func sharesOf(q *noiseaware.Question, sh *model.Shape) [][2]string {
	of, given, ok := q.Events()
	switch {
	case !ok:
		return nil
	case sh.Joint() && len(given) == 0 && len(of) == len(sh.Columns()):
		t, labels := sh.Tables()[0], []string{}
		for _, c := range t.Columns {
			labels = append(labels, of[c])
		}
		return [][2]string{{t.Name, strings.Join(labels, ", ")}}
	case len(of) == 2 && len(given) == 0: // a pair that a learned structure measured, in either order
		names := slices.Sorted(maps.Keys(of))
		a, b := names[0], names[1]
		return [][2]string{{a + " × " + b, of[a] + ", " + of[b]}, {b + " × " + a, of[b] + ", " + of[a]}}
	case len(of) != 1:
		return nil
	}
	for column, level := range of {
		name, words := safetext.Word(column), []string{}
		for _, p := range parentsOf(sh, column, given) {
			words = append(words, safetext.Word(p)+" = "+safetext.Word(given[p]))
		}
		if len(given) == 0 {
			return [][2]string{{column, level}, {name, level}}
		}
		return [][2]string{{name + " | " + strings.Join(words, ", "), level}}
	}
	return nil
}

// parentsOf are the columns that are given, in the order in which a release names them.
func parentsOf(sh *model.Shape, column string, given noiseaware.Event) []string {
	names := slices.Sorted(maps.Keys(given))
	if d := sh.Graph(); d != nil {
		if i, ok := d.Index(column); ok {
			at := func(name string) int {
				v, _ := d.Index(name)
				return slices.Index(d.Parents(i), v)
			}
			slices.SortFunc(names, func(a, b string) int { return at(a) - at(b) })
		}
	}
	return names
}

// posteriorOf answers questions by the posterior that accounts for the noise.
func posteriorOf(ctx context.Context, r *release.Release, level float64, questions []*noiseaware.Question) (*intervals,
	error) {
	p, err := noiseaware.OfNetwork(ctx, r)
	if err != nil {
		return nil, err
	}
	a, err := p.Answers(ctx, questions...)
	if err != nil {
		return nil, err
	}
	rows, err := a.Rows(level)
	if err != nil {
		return nil, err
	}
	list := rowsOfNoiseAware(r, level, rows, a.Table())
	for i, q := range a.List {
		row, w := &list.Rows[i], rows[i]
		row.RHat, row.ESS = number(q.RHat), number(q.ESS)
		row.PriorLower, row.PriorUpper = endsOf(w.PriorLower, w.PriorUpper)
		row.ScoreLower, row.ScoreUpper = endsOf(w.ScoreLower, w.ScoreUpper)
	}
	list.Warnings = p.Warnings()
	return list, nil
}

func number(x float64) *cert.Number { return (*cert.Number)(&x) }

// rowsOfRelease are the intervals that a release knows itself, each once: of the population, then of the rows.
func rowsOfRelease(r *release.Release, found []release.Interval, how string) *intervals {
	list, decimals := &intervals{Notes: []string{"Method: " + how + "."}}, r.Decimals(found)
	seen := map[[2]string]bool{} // a target without parents is among the nodes again, whose names are quoted
	for k, i := range found {
		if seen[[2]string{i.Of, i.Label}] {
			continue
		}
		seen[[2]string{i.Of, i.Label}], seen[[2]string{safetext.Word(i.Of), i.Label}] = true, true
		for _, about := range []struct {
			what   string
			within *mechanism.Range
		}{{"population", i.Population}, {"rows", i.Rows}} {
			if about.within != nil {
				list.Rows = append(list.Rows, intervalRow{Of: i.Of, Label: i.Label, About: about.what, Mean: number(i.Estimate),
					Lower: cert.Number(about.within.Lower), Upper: cert.Number(about.within.Upper), decimals: &decimals[k], of: i})
			}
		}
	}
	return list
}

// endsOf are the ends of an interval, or nil where there is none.
func endsOf(lower, upper float64) (*cert.Number, *cert.Number) {
	if math.IsNaN(lower) || math.IsInf(upper-lower, 0) {
		return nil, nil
	}
	return number(lower), number(upper)
}

// rowsOfNoiseAware are rows without the answer that ignores the noise.
func rowsOfNoiseAware(r *release.Release, level float64, rows []noiseaware.Row, shown *table.Table) *intervals {
	list := &intervals{}
	if r.Plan().Shape().Schema().Sampling == frame.Census {
		list.Notes = append(list.Notes, `The schema says that the rows are the whole population ("sampling": "census"). `+
			`What is said about a population here is about one of which they would be a sample.`)
	}
	for _, r := range rows {
		row := intervalRow{Of: r.Of, Label: r.Label, About: "population", Mean: number(r.Mean), SD: number(r.SD),
			Lower: cert.Number(r.Lower), Upper: cert.Number(r.Upper), Median: r.Median}
		if r.Median {
			row.SD = nil
		}
		list.Rows = append(list.Rows, row)
	}
	for _, note := range shown.Notes {
		if of := "95 %: "; strings.HasPrefix(note, of) || strings.HasPrefix(note, "score "+of) {
			note = strings.ReplaceAll(note, of, percent(level)+": ")
		}
		list.Notes = append(list.Notes, spoken(note))
	}
	return list
}

// percent is a level in per cent.
func percent(level float64) string { return strconv.FormatFloat(100*level, 'g', 6, 64) + " %" }

// Table shows the intervals.
func (l *intervals) Table() *table.Table {
	level := percent(l.Level)
	t := table.New("Intervals that account for the noise", "of", "level", "about the", "estimate", level)
	further := func(head string, of func(intervalRow) *cert.Number) bool {
		some := slices.ContainsFunc(l.Rows, func(r intervalRow) bool { return of(r) != nil })
		if some {
			t.Columns = append(t.Columns, head+" "+level)
		}
		return some
	}
	prior := further("prior", func(r intervalRow) *cert.Number { return r.PriorLower })
	score := further("score", func(r intervalRow) *cert.Number { return r.ScoreLower })
	for _, r := range l.Rows {
		decimals := table.Decimals(float64(r.Upper-r.Lower) / (2 * 1.96))
		if r.decimals != nil {
			decimals = *r.decimals
		}
		ends := func(lower, upper *cert.Number) string {
			if lower == nil {
				return ""
			}
			return r.of.Ends(mechanism.Range{Lower: float64(*lower), Upper: float64(*upper)}, decimals)
		}
		mean := ""
		if r.Mean != nil {
			mean = r.of.Text(float64(*r.Mean), decimals)
		}
		if r.Median {
			mean += " (median)"
		}
		cells := []any{r.Of, r.Label, r.About, mean, ends(&r.Lower, &r.Upper)}
		if prior {
			cells = append(cells, ends(r.PriorLower, r.PriorUpper))
		}
		if score {
			cells = append(cells, ends(r.ScoreLower, r.ScoreUpper))
		}
		t.Add(cells...)
	}
	for _, note := range l.Notes {
		t.Note(note)
	}
	return t
}
