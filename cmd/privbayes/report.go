package main

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const reportSynopsis = `report RELEASE --data FILE [--test FILE] [--out FILE] [flags]

Scores a release on rows that it was not made from, beside the non-private model and plain noise. It draws and spends
nothing, but it reads the table: what it shows is for the owner of the data, do not publish it. --public leaves that
out. A release of --split is scored on the other part of its table; any other needs rows of its own, with --test.`

var reportExamples = []string{
	"privbayes report votes.release.json --data votes",
	"privbayes report survey.release.json --data survey.csv --test survey2.csv --out report.html",
	"privbayes report survey.release.json --data survey.csv --test survey2.csv --public --out public.md",
}

func reportCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("report", reportSynopsis)
	var table tableFlags
	table.add(f, "; which the release was made from")
	test := f.String("test", "", "CSV or CSV.gz `file` with other rows to score on, written as --data is")
	to := f.String("out", "", "`file` for the report: .html, .md or .json; it replaces an older report alone")
	public := f.Bool("public", false, "the public part alone: release, plan, certificate; with --out")
	files, err := parse(f, args, 1)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return &usageError{"report: want a release file"}
	case len(table.data) == 0:
		return &usageError{"report: --data: want the table that the release was made from"}
	case *public && *to == "":
		return &usageError{"report: --public needs --out"}
	case *public && *asJSON:
		return &usageError{"report: --json shows the private scores, --public leaves them out; want one of them, or " +
			"--public with an --out that ends in .json"}
	}
	f.reads("test", "out", "public")
	if *test != "" {
		f.reads(written...)
	}
	if err := errors.Join(table.find(), f.unread()); err != nil {
		return err
	}
	ctx, end := interruptible(errs, "prepared")
	defer end()
	r, err := release.Load(ctx, files[0])
	if err != nil {
		return err
	}
	st, held, err := rowsOf(r, &table, *test)
	if err != nil {
		return err
	}
	report, err := eval.NewReport(r, st, held)
	if err != nil {
		return err
	}
	switch {
	case *to != "" && *public:
		err = report.SavePublic(*to)
	case *to != "":
		err = report.Save(*to)
	}
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(out, reportOutput(report))
	case *to != "":
		_, err = fmt.Fprintln(out, *to)
	default:
		_, err = fmt.Fprint(out, report)
	}
	return err
}

// rowsOf counts the rows that a release was made from, and gives those to score it on.
func rowsOf(r *release.Release, t *tableFlags, test string) (*model.Statistics, *frame.Frame, error) {
	sh := r.Plan().Shape()
	whole := t.read(sh.Schema())
	train, held := whole, (*privbayes.Frame)(nil)
	for _, step := range sh.Rows() {
		var err error
		if train, held, err = again(train, step); err != nil {
			return nil, nil, err
		}
	}
	if test != "" {
		held = (&tableFlags{paths{test}, t.flags, t.formatFlags}).read(sh.Schema())
	}
	if err := train.Err(); err != nil {
		return nil, nil, err
	}
	if held == nil {
		return nil, nil,
			&usageError{"report: --test: want a file with other rows: the release was made from all rows of " +
				"the table, and scores on those would be of rows that it has seen (or release with --split 0.7,1)"}
	}
	if err := held.Err(); err != nil {
		return nil, nil, err
	}
	if again := sh.OfRows(train.Data().Lineage()...).RowsText(); again != sh.RowsText() {
		return nil, nil,
			&usageError{fmt.Sprintf("report: the rows of the release were chosen by %s, and of --data the same steps are "+
				"%s: the rows were divided by their contents, in other columns than the release has, so this command "+
				"cannot tell which rows it has seen", sh.RowsText(), again)}
	}
	made, err := train.Model(sh.Model()).Shape()
	if err != nil {
		return nil, nil, err
	}
	n, public := sh.N()
	if have, _ := made.N(); public && have != n {
		return nil, nil,
			&usageError{fmt.Sprintf("report: --data %s gives %d rows, and the release was made from %d; want "+
				"the table that it was made from", t.data.String(), have, n)}
	}
	st, err := model.Count(made, train.Data())
	return st, held.Data(), err
}

// again divides a table as the release's was.
func again(table *privbayes.Frame, step frame.RowStep) (train, test *privbayes.Frame, err error) {
	switch step.Name {
	case "WithoutN":
		return table.WithoutN(), nil, nil
	case "Split":
		train, test = table.Split(step.Fraction, step.Seed)
	case "Holdout":
		train, test = table.Holdout(step.Count, step.Seed)
	default:
		return nil, nil,
			&usageError{fmt.Sprintf("report: the rows of the release were chosen by %s, which this command "+
				"cannot repeat; want a release of all rows or of a split", step.Shown())}
	}
	if step.Test {
		train, test = test, train
	}
	return train, test, train.Err()
}

// reportJSON is what report writes with --json: scores that read the table.
type reportJSON struct {
	Release  string       `json:"release"`
	Scores   []scoreJSON  `json:"scores_do_not_publish"`
	Warnings warning.List `json:"warnings,omitempty"`
}

type scoreJSON struct {
	Name       string   `json:"name"`
	Release    *float64 `json:"release"`
	Baseline   *float64 `json:"plain_baseline,omitempty"`
	NonPrivate *float64 `json:"non_private"`
}

func reportOutput(r *eval.Report) reportJSON {
	known := func(x float64) *float64 {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
		return &x
	}
	j := reportJSON{Release: r.Release().ID(), Warnings: r.Warnings()}
	for _, l := range r.Lines {
		j.Scores = append(j.Scores, scoreJSON{l.Name, known(l.Release), known(l.Baseline), known(l.NonPrivate)})
	}
	return j
}
