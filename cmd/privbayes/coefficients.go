package main

import (
	"context"
	"io"
	"math"
	"strconv"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

const coefficientsSynopsis = `coefficients RELEASE [--level L] [--out FILE] [--json]

Writes the coefficients of a regression as CSV: a line each, with mean, standard deviation and interval over the
posterior draws, in the units of the response for one unit more of a column. The spread includes the noise. --json has
their covariance, too, and notes on units and on the level that a factor's levels are compared with. It reads no table
and uses no budget.`

var coefficientsExamples = []string{
	"privbayes coefficients wages.release.json",
	"privbayes coefficients wages.release.json --level .9 --json",
}

// coefficientsJSON is what coefficients writes with --json: lists in the order of names.
type coefficientsJSON struct {
	Release    string      `json:"release"`
	Response   string      `json:"response"`
	Level      float64     `json:"level"`
	Names      []string    `json:"names"`
	Mean       []float64   `json:"mean"`
	SD         []float64   `json:"sd"`
	Lower      []float64   `json:"lower"`
	Upper      []float64   `json:"upper"`
	Covariance [][]float64 `json:"covariance"`
	Notes      []string    `json:"notes"`
}

func coefficientsCommand(args []string, out, errs io.Writer) error {
	f, asJSON := longFlags("coefficients", coefficientsSynopsis)
	level := f.Float64("level", .95, "the probability that an interval has, above 0 and below 1")
	to := f.String("out", "", "new `file` for the coefficients (default: standard output)")
	files, err := parse(f, args)
	switch {
	case err != nil:
		return err
	case !(*level > 0 && *level < 1):
		return wrongFlag("level", *level, "a number above 0 and below 1, such as .95")
	case *asJSON && *to != "":
		return wrongUsage("coefficients: --json writes to standard output, --out a CSV file; want one of them")
	}
	ctx, end := f.interruptible(errs, "prepared")
	defer end()
	r, err := releaseIn(ctx, files[0])
	if err != nil {
		return err
	}
	c, err := coefficientsOf(ctx, r, *level)
	switch {
	case err != nil:
		return err
	case *asJSON:
		return writeJSON(out, c)
	}
	return writeTable(out, *to, c.records(), 0o644)
}

// coefficientsOf are those of a regression with several posterior draws. Errors: *dp.ParameterError for other releases.
func coefficientsOf(ctx context.Context, r *release.Release, level float64) (*coefficientsJSON, error) {
	if err := r.Model().Sample(ctx); err != nil {
		return nil, err
	}
	if r.Plan().Shape().Linear() == nil || r.Draws().Len() < 2 {
		return nil, domain.Refuse("coefficients", "release", r.Plan().Title()+", "+r.Plan().Shape().Model().String(),
			"a regression with posterior draws; of others, the command show")
	}
	d, err := r.Model().CoefficientDraws()
	if err != nil {
		return nil, err
	}
	_, covariance, err := r.Model().CoefficientCovariance()
	if err != nil {
		return nil, err
	}
	out := &coefficientsJSON{Release: r.ID(), Response: r.Plan().Shape().Model().Target(), Level: level, Names: d.Names,
		Mean: d.Mean(), Covariance: covariance, Notes: r.Summary().Notes}
	for i := range d.Names {
		out.SD = append(out.SD, math.Sqrt(covariance[i][i]))
		out.Lower = append(out.Lower, d.Quantile(i, (1-level)/2))
		out.Upper = append(out.Upper, d.Quantile(i, (1+level)/2))
	}
	return out, nil
}

// records is a header and a line for every coefficient.
func (c *coefficientsJSON) records() [][]string {
	out := [][]string{{"coefficient", "mean", "sd", "lower", "upper"}}
	number := func(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }
	for i, name := range c.Names {
		out = append(out, []string{name, number(c.Mean[i]), number(c.SD[i]), number(c.Lower[i]), number(c.Upper[i])})
	}
	return out
}
