package main

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// predictiveFlags ask for the predictive check of a regression.
type predictiveFlags struct {
	on     bool
	figure string
}

func predictiveFlagsOf(f *flagSet) *predictiveFlags {
	p := &predictiveFlags{}
	f.BoolVar(&p.on, "check", false, "compare the released numbers of a regression with what its posterior predicts of "+
		"them")
	f.StringVar(&p.figure, "figure", "", "with --check or --areas: draw it to this `file`, a new SVG file")
	return p
}

// write checks a regression against its own posterior, after its chains ran.
func (p *predictiveFlags) write(ctx context.Context, r *release.Release, asJSON bool, out io.Writer) error {
	if err := r.Model().Sample(ctx); err != nil {
		return err
	}
	c, err := r.PredictiveCheck()
	if err != nil {
		return err
	}
	if p.figure != "" {
		if err := writeFigure(p.figure, c.Figure()); err != nil {
			return err
		}
	}
	if !asJSON {
		return wrote(out, display(out, c), p.figure)
	}
	return writeJSON(out, struct {
		Release string                   `json:"release"`
		Check   *release.PredictiveCheck `json:"check"`
		HTML    string                   `json:"html"`
	}{r.ID(), c, table.HTML(c)})
}
