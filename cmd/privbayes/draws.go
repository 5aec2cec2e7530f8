package main

import (
	"io"
	"strconv"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

const drawsSynopsis = `draws RELEASE [--format csv|arrow] [--out FILE] [--json]

Writes posterior draws as CSV or Arrow: a line a draw, with the number of its chain, its number in the chain, and the
parameters.
The spread of the draws of a regression includes the noise. They are its coefficients in the units of the data, and the
residual standard deviation; a posterior sample has its own parameters. It reads no table and uses no budget.`

var drawsExamples = []string{
	"privbayes draws wages.release.json --out draws.csv",
	"privbayes draws wages.release.json --format arrow --out draws.arrow",
	"privbayes draws wages.release.json --json",
}

func drawsCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("draws", drawsSynopsis)
	to := f.String("out", "", "new `file` for the draws (default: standard output)")
	form := formatFlag(f)
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case form.check() != nil:
		return form.check()
	case *asJSON && *to != "":
		return wrongUsage("draws: --json writes to standard output, --out a CSV file; want one of them")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	if err := r.Model().Sample(ctx); err != nil {
		return err
	}
	d, err := r.PosteriorDraws()
	if err != nil {
		return err
	}
	if *asJSON {
		return writeJSON(out, struct {
			Release string `json:"release"`
			*release.PosteriorDraws
		}{r.ID(), d})
	}
	if form.arrow() {
		names, rows := drawColumns(d)
		return writeArrow(out, *to, names, rows)
	}
	return writeTable(out, *to, drawRows(d), 0o644)
}

// drawRows is a header and a line for every draw.
func drawRows(d *release.PosteriorDraws) [][]string {
	out := [][]string{append([]string{"chain", "draw"}, d.Names...)}
	for k, v := range d.Values {
		chain, draw := d.Place(k)
		line := []string{strconv.Itoa(chain), strconv.Itoa(draw)}
		for _, x := range v {
			line = append(line, strconv.FormatFloat(x, 'g', -1, 64))
		}
		out = append(out, line)
	}
	return out
}

// drawColumns are the same as numbers.
func drawColumns(d *release.PosteriorDraws) (names []string, rows [][]any) {
	for k, v := range d.Values {
		chain, draw := d.Place(k)
		row := []any{int64(chain), int64(draw)}
		for _, x := range v {
			row = append(row, x)
		}
		rows = append(rows, row)
	}
	return append([]string{"chain", "draw"}, d.Names...), rows
}
