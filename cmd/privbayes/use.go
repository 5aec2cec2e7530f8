package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

const predictSynopsis = `predict RELEASE --data FILE [--out FILE] [flags]

Writes a prediction for every row of a table, in its order, as CSV: the class and the probability of every class, or
mean and standard deviation of a response. The column that is predicted may be absent. It spends nothing; the
predictions are about the rows of the table, and as private as these are.`

var predictExamples = []string{
	"privbayes predict survey.release.json --data new.csv",
	"privbayes predict survey.release.json --data new.csv --out predictions.csv",
}

func predictCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("predict", predictSynopsis)
	var t tableFlags
	t.add(f, "; with the columns of the release")
	to := f.String("out", "", "new `file` for the predictions (default: standard output)")
	files, err := parse(f, args, 1)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return &usageError{"predict: want a release file"}
	case len(t.data) == 0:
		return &usageError{"predict: --data: want the table with the rows to predict"}
	case *asJSON && *to != "":
		return &usageError{"predict: --json writes to standard output, --out a CSV file; want one of them"}
	}
	f.reads("out")
	if err := errors.Join(t.find(), f.unread()); err != nil {
		return err
	}
	ctx, end := interruptible(errs, "prepared")
	defer end()
	r, err := release.Load(ctx, files[0])
	if err != nil {
		return err
	}
	rows, err := newRows(&t, r.Plan().Shape())
	if err != nil {
		return err
	}
	table, err := predictions(r, rows)
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, table)
	}
	return writeTable(out, *to, table, 0o600) // as private as the rows
}

// predictions is a header and a line for every row.
func predictions(r *release.Release, rows *frame.Frame) ([][]string, error) {
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', 6, 64) }
	sh := r.Plan().Shape()
	target := sh.Columns()[0]
	if !r.Model().Shape().Classifies() {
		mean, sd, err := r.Model().Forecast(rows)
		if err != nil {
			return nil, err
		}
		out := [][]string{{target.Name, "standard deviation"}}
		for i := range mean {
			out = append(out, []string{number(mean[i]), number(sd[i])})
		}
		return out, nil
	}
	p, err := r.Predict(rows)
	if err != nil {
		return nil, err
	}
	labels := target.Labels()
	out := [][]string{{target.Name}}
	for _, l := range labels {
		out[0] = append(out[0], "P("+l+")")
	}
	for _, row := range p {
		best, line := 0, []string{""}
		for k, x := range row {
			if line = append(line, number(x)); x > row[best] {
				best = k
			}
		}
		line[0] = labels[best]
		out = append(out, line)
	}
	return out, nil
}

const synthesizeSynopsis = `synthesize RELEASE --rows N [--out FILE] [flags]

Draws records from the released model and writes them as CSV, under the schema of the release's columns and in
its format. It reads no table and spends nothing: the records are as public as the release.
Standard error says so where that is not private.`

var synthesizeExamples = []string{
	"privbayes synthesize survey.release.json --rows 1000 --out synthetic.csv",
	"privbayes synthesize survey.release.json --rows 5 --seed 1",
}

func synthesizeCommand(args []string, out, errs io.Writer) error {
	f, asJSON := newFlags("synthesize", synthesizeSynopsis)
	n := f.Int("rows", 0, "number of records")
	seed := f.Uint64("seed", 0, "draw from this seed: the same records every time, as private as without")
	to := f.String("out", "", "new `file` for the records (default: standard output)")
	files, err := parse(f, args, 1)
	switch {
	case err != nil:
		return err
	case len(files) == 0:
		return &usageError{"synthesize: want a release file"}
	case *n < 1:
		return &usageError{fmt.Sprintf("synthesize: --rows %d; want at least 1", *n)}
	case *asJSON && *to != "":
		return &usageError{"synthesize: --json writes to standard output, --out a CSV file; want one of them"}
	}
	ctx, end := interruptible(errs, "prepared")
	defer end()
	r, err := release.Load(ctx, files[0])
	if err != nil {
		return err
	}
	stream, err := dp.Secure()
	if err != nil {
		return err
	}
	if f.given("seed") {
		stream = dp.Seeded(*seed)
	}
	synthetic, err := r.Synthesize(*n, stream)
	if err != nil {
		return err
	}
	if g := r.Guarantee(); g.Notion == dp.None {
		fmt.Fprintf(errs, "privbayes: note: the records are of a release without a guarantee: %s\n",
			label.Clip(g.String(), 500))
	}
	fmt.Fprintf(errs, "privbayes: warning: %s\n", warning.OneSet())
	if *asJSON {
		table, err := synthetic.Records()
		if err != nil {
			return err
		}
		return writeJSON(out, table)
	}
	var b bytes.Buffer
	if err := synthetic.WriteCSV(&b); err != nil {
		return err
	}
	return writeText(out, *to, b.Bytes(), 0o644)
}
