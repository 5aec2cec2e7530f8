package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const reportSynopsis = `report RELEASE --public | --data FILE [--test FILE] [--out FILE] [flags]

With --public: the page about a release, a publication or running totals for a data-protection officer. It needs no
table and may be published. It says what is published, who is protected and how strongly, what budget is left, what is
not protected, and how to check it. What only people know is asked in the file of --answers, which is written where
there is none.
With --data: scores a release on rows that it was not made from, next to the non-private model and plain noise. It
adds no noise and uses no budget, but it reads the table: its output is for the data holder only, do not publish it,
unless --public-data says where these rows are published. A release of --split is scored on the other part of its table;
any other needs rows of its own, with --test.`

var reportExamples = []string{
	"privbayes report votes.release.json --data votes",
	"privbayes report survey.release.json --data survey.csv --test survey2.csv --out report.html",
	"privbayes report survey.release.json --public --budget survey.budget --answers answers.json --out report.html",
}

func reportCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("report", reportSynopsis)
	var rows tableFlags
	rows.add(f, "; which the release was made from")
	var test paths
	f.Var(&test, "test", "`file` with other rows to score on, written as --data is; several as with --data")
	open := f.String("public-data", "", "where the rows of --data and --test are published, in `words`, if they are: "+
		"then what is computed from them may be, too")
	to := f.String("out", "", "`file` for the report: .html, .md or .json; it replaces an older report alone")
	public := f.Bool("public", false, "the page for a data-protection officer, without a table")
	var page pageFlags
	page.add(f)
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case *public:
		f.reads("public", "out", "budget", "answers", "sets")
		if err := cmp.Or(f.excludes("public", "data", "test", "public-data"), f.unread()); err != nil {
			return err
		}
		return page.write(files[0], *to, *asJSON, out, errs)
	case len(rows.data) == 0:
		return wrongUsage("report: want --public, for the page that may be published; or --data, the table that the " +
			"release was made from, for scores")
	}
	f.reads("test", "out", "public-data")
	if len(test) > 0 {
		f.reads(written...)
	}
	if *open != "" && safetext.Check(*open) != nil {
		return wrongFlag("public-data", *open, "a few words of one line, such as \"yearbook of 1984, table 3\"")
	}
	if err := cmp.Or(rows.inputAlone(files, test), errors.Join(rows.find(), f.unread())); err != nil {
		return err
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	st, held, err := rowsOf(ctx, r, &rows, test, *open)
	if err != nil {
		return err
	}
	report, err := eval.NewReport(r, st, held)
	if err != nil {
		return err
	}
	if *to != "" {
		err = report.Save(*to)
	}
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(out, reportOutput(report, *open != ""))
	case *to != "":
		words := "It was computed from the raw table: for the data holder only, do not publish."
		if *open != "" {
			words = "It was computed from rows that are declared public: " + *open + "."
		}
		_, err = fmt.Fprintf(out, "Wrote %s. %s\n", safetext.File(*to), words)
	default:
		_, err = io.WriteString(out, report.Text(fitted(out)))
	}
	return err
}

// rowsOf counts the rows that a release was made from, and gives those to score it on.
func rowsOf(ctx context.Context, r *release.Release, t *tableFlags, test paths, open string) (*model.Statistics,
	*frame.Frame, error) {
	sh := r.Plan().Shape()
	t.rows = true
	declared := func(f *privbayes.Frame) *privbayes.Frame {
		if open != "" {
			return f.AsPublic(open)
		}
		return f
	}
	whole := declared(t.read(ctx, sh.Schema()))
	train, held := whole, (*privbayes.Frame)(nil)
	for _, step := range sh.Rows() {
		var err error
		if train, held, err = again(train, step); err != nil {
			return nil, nil, err
		}
	}
	if len(test) > 0 {
		other := tableFlags{data: test, flags: t.flags, formatFlags: t.formatFlags, rows: true}
		held = declared(other.read(ctx, sh.Schema()))
	}
	if err := train.Err(); err != nil {
		return nil, nil, err
	}
	if held == nil {
		return nil, nil,
			wrongFlag("test", nil, "a file with other rows. The release used all rows of this "+
				"table, so none is left to test it on. The public page needs no rows: give --public")
	}
	if err := held.Err(); err != nil {
		return nil, nil, err
	}
	if again := sh.OfRows(train.Data().Lineage()...).RowsText(); again != sh.RowsText() {
		return nil, nil,
			wrongUsage("report: the rows of the release were chosen by %s, and of --data the same steps are "+
				"%s: the rows were divided by their contents, in other columns than the release has, so this command "+
				"cannot tell which rows it has seen", sh.RowsText(), again)
	}
	made, err := train.Model(sh.Model()).Shape()
	if err != nil {
		return nil, nil, err
	}
	n, public := sh.N()
	if have, _ := made.N(); public && have != n {
		return nil, nil,
			wrongUsage("report: --data %s gives %d rows, and the release was made from %d; want "+
				"the table that it was made from", t.data.String(), have, n)
	}
	st, err := model.Count(made, train.Data())
	return st, held.Data(), err
}

// again divides a table as the release's was.
func again(table *privbayes.Frame, step frame.RowStep) (train, test *privbayes.Frame, err error) {
	switch step.Name {
	case "WithoutN":
		return table.WithoutN(), nil, nil
	case "Part":
		rule, name, _ := step.InPart()
		return table.Part(rule, name), nil, nil
	case "Split":
		train, test = table.Split(step.Fraction, step.Seed)
	case "Holdout":
		train, test = table.Holdout(step.Count, step.Seed)
	default:
		return nil, nil,
			wrongUsage("report: the rows of the release were chosen by %s, which this command "+
				"cannot repeat; want a release of all rows or of a split", step.Shown())
	}
	if step.Test {
		train, test = test, train
	}
	return train, test, train.Err()
}

// reportJSON is what report writes with --json: scores that read the table.
type reportJSON struct {
	Release  string       `json:"release"`
	Scores   []scoreJSON  `json:"scores_do_not_publish,omitempty"`
	Open     []scoreJSON  `json:"scores_of_public_data,omitempty"`
	Warnings warning.List `json:"warnings,omitempty"`
}

type scoreJSON struct {
	Name       string   `json:"name"`
	Release    *float64 `json:"release"`
	Baseline   *float64 `json:"plain_baseline,omitempty"`
	NonPrivate *float64 `json:"non_private"`
}

func reportOutput(r *eval.Report, open bool) reportJSON {
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	j := reportJSON{Release: r.Release().ID(), Warnings: worded(r.Warnings())}
	for _, l := range r.Lines {
		j.Scores = append(j.Scores, scoreJSON{l.Name, known(l.Release), known(l.Baseline), known(l.NonPrivate)})
	}
	if open {
		j.Scores, j.Open = nil, j.Scores
	}
	return j
}

// pageFlags say what the page for a data-protection officer may know besides the release.
type pageFlags struct {
	flags                 *flagSet
	budget, answers, sets string
}

func (p *pageFlags) add(f *flagSet) {
	p.flags = f
	f.StringVar(&p.budget, "budget", "", "with --public: "+budgetWords)
	f.StringVar(&p.answers, "answers", "", "with --public: a JSON `file` of what only people know; where there is none, "+
		"a new one with the questions is written")
	f.StringVar(&p.sets, "sets", "", "with --public: a `folder` of synthetic sets that were made from the release")
}

// write writes the page: to a file, or to out as Markdown or JSON. It names open questions and red lines on errs.
func (p *pageFlags) write(file, to string, asJSON bool, out, errs io.Writer) error {
	about := privacyreport.Options{Sets: p.sets}
	var err error
	if p.budget != "" {
		if about.Budget, err = budget.Existing(p.budget); err != nil {
			return err
		}
	}
	text, err := readWithin(p.answers, privacyreport.MaxAnswers)
	ask := p.answers != "" && errors.Is(err, fs.ErrNotExist)
	switch {
	case p.answers == "" || ask:
	case err != nil:
		return err
	default:
		if about.Answers, err = privacyreport.ParseAnswers(text); err != nil {
			return fmt.Errorf("%s: %w", safetext.File(p.answers), err)
		}
	}
	ctx, end := p.flags.interruptible(errs, "prepared")
	defer end()
	page, err := privbayes.PrivacyReport(file, about, privbayes.WithContext(ctx))
	if err != nil {
		return err
	}
	if to != "" {
		if err := page.Save(to); err != nil {
			return err
		}
	}
	if ask {
		if err := journal.WriteNew(journal.OS, p.answers, privacyreport.Template(), 0o600); err != nil {
			return err
		}
		fmt.Fprintf(errs, "privbayes: note: %s is new: answer its questions and run this again\n", safetext.File(p.answers))
	}
	for _, a := range page.Alerts {
		fmt.Fprintf(errs, "privbayes: warning: %s\n", safetext.Line(a))
	}
	switch {
	case asJSON:
		return writeJSON(out, page)
	case to == "":
		_, err = io.WriteString(out, page.Markdown())
	default:
		_, err = fmt.Fprintf(out, "Wrote %s. It may be published. Open answers: %d.\n", safetext.File(to),
			len(page.Open))
	}
	return err
}

const predictSynopsis = `predict RELEASE --data FILE [--out FILE] [flags]

Writes a prediction for every row of a table, in its order, as CSV: the class and the probability of every class, or
mean and standard deviation of a response. The column that is predicted may be absent. It uses no budget; the
predictions are about the rows of the table, and as private as these are.
Of a release of two linked tables --data names both files, and each unit has a prediction, with its key, in the order of
the parents; or one file that has one row a unit.`

var predictExamples = []string{
	"privbayes predict survey.release.json --data new.csv",
	"privbayes predict survey.release.json --data new.csv --out predictions.csv",
}

func predictCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("predict", predictSynopsis)
	var t tableFlags
	t.add(f, "; with the columns of the release")
	to := f.String("out", "", "new `file` for the predictions (default: standard output)")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case len(t.data) == 0:
		return wrongFlag("data", nil, "the table with the rows to predict")
	case *asJSON && *to != "":
		return wrongUsage("predict: --json writes to standard output, --out a CSV file; want one of them")
	}
	f.reads("out")
	if err := cmp.Or(t.inputAlone(files, nil), errors.Join(t.find(), f.unread())); err != nil {
		return err
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	rows, units, err := newRows(ctx, &t, r.Plan().Shape())
	if err != nil {
		return err
	}
	table, err := predictions(r, rows)
	if err != nil {
		return err
	}
	table.byUnit(units)
	if *asJSON {
		return writeJSON(out, table)
	}
	return writeTable(out, *to, table.records(), 0o600) // as private as the rows
}

const synthesizeSynopsis = `synthesize RELEASE --rows N [--format csv|arrow] [--out FILE | --tables FOLDER] [flags]

Draws records from the released model and writes them as CSV or Arrow, under the schema of the release's columns and in
its format. It reads no table and uses no budget: the records are as public as the release. Standard error says so where
that is not private. Of a selection it writes the rows that were accepted, and with --rows others.
Numbers of learned structures have the means that noisy sums give within every bin. Others, and those of "learn
--evenly", are drawn evenly within the public bins, so that counts and shares of bins are fit for analysis, and means,
quantiles and slopes of numbers are not. Slopes lose what the bins lose in either case.
A release of two linked tables with "places" becomes two tables again with --tables: N parents and their children, with
keys from 1 on.`

var synthesizeExamples = []string{
	"privbayes synthesize survey.release.json --rows 1000 --out synthetic.csv",
	"privbayes synthesize survey.release.json --rows 5 --seed 1",
	"privbayes synthesize town.release.json --rows 1000 --tables town.synthetic",
}

func synthesizeCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("synthesize", synthesizeSynopsis)
	n := f.Int("rows", 0, "number of records (of a selection by default the rows that were accepted)")
	seed := f.Uint64("seed", 0, "draw from this number: the same records every time, as private as without")
	to := f.String("out", "", "new `file` for the records (default: standard output)")
	tables := f.String("tables", "", "`folder` for two files, of the parents and of their children")
	form := formatFlag(f)
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case form.check() != nil:
		return form.check()
	case f.excludes("tables", "out", "format") != nil:
		return f.excludes("tables", "out", "format")
	case f.given("tables") && *tables == "":
		return wrongFlag("tables", "", "a folder for two new files")
	case *n < 1 && (f.given("rows") || f.given("seed")):
		return wrongFlag("rows", *n, "at least 1")
	case *asJSON && *to != "":
		return wrongUsage("synthesize: --json writes to standard output, --out a CSV file; want one of them")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, synthetic, err := rowsFrom(ctx, files[0], *n, f, *seed)
	if err != nil {
		return err
	}
	noteSynthetic(r, synthetic, errs)
	if *tables != "" {
		return writeTables(out, *tables, r.Plan().Shape().Schema(), synthetic, *asJSON)
	}
	if *asJSON || form.arrow() {
		table, err := typed(synthetic)
		switch {
		case err != nil:
			return err
		case form.arrow():
			return writeArrow(out, *to, table.Columns, table.Rows)
		}
		return writeJSON(out, table)
	}
	var b bytes.Buffer
	if err := synthetic.WriteCSV(&b); err != nil {
		return err
	}
	return writeText(out, *to, b.Bytes(), 0o644)
}

// rowsFrom draws records from the release of a file, or gives those that a selection accepted where no number is asked
// for.
func rowsFrom(ctx context.Context, path string, n int, f *flagSet, seed uint64) (*release.Release, *frame.Frame,
	error) {
	o, err := open(ctx, path, "")
	if err == nil {
		o.release, err = o.only(path)
	}
	switch {
	case err != nil:
		return nil, nil, err
	case n < 1 && o.selection != nil:
		rows, err := o.selection.Synthetic()
		return o.release, rows, err
	case n < 1:
		return nil, nil, wrongFlag("rows", nil, "the number of records, at least 1")
	}
	stream, err := dp.Secure()
	if err != nil {
		return nil, nil, err
	}
	if f.given("seed") {
		stream = dp.Seeded(seed)
	}
	rows, err := o.release.Synthesize(n, stream)
	return o.release, rows, err
}

// noteSynthetic says what to know of synthetic records.
func noteSynthetic(r *release.Release, synthetic *frame.Frame, errs io.Writer) {
	if g := r.Guarantee(); g.Notion == dp.None {
		fmt.Fprintf(errs, "privbayes: note: the records are of a release without a guarantee: %s\n",
			safetext.Clip(g.String(), 500))
	}
	for _, c := range synthetic.Schema().Columns {
		if c.HasMissing() && len(c.Missing) > 0 && c.MissingCategory != c.Missing[0] {
			fmt.Fprintf(errs, "privbayes: note: missing values are written as in the table's own files: %q for what releases "+
				"show as %s\n", c.Missing[0], safetext.Word(c.MissingCategory))
			break
		}
	}
	for _, w := range worded(synthetic.Warnings()) {
		fmt.Fprintf(errs, "privbayes: warning: %s\n", w)
	}
}
