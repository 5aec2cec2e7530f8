package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// compareFactors are the levels compared, times the asked one, which is the middle of the list.
var compareFactors = []float64{.1, .3, 1, 3, 10}

const compareMiddle = 2

// advice compares mechanisms around the asked level: nothing is drawn from data, and nothing is spent. Progress goes to
// errs.
func (p planFlags) advice(out, errs io.Writer, asJSON bool) error {
	ctx, end := interruptible(errs, "compared")
	defer end()
	if p.error != 0 && !(p.error > 0) {
		return wrongUsage("--error %v; want a number > 0", p.error)
	}
	sh, t, err := p.public()
	if err != nil {
		return err
	}
	var targets []dp.Request
	for _, factor := range compareFactors {
		next := t
		next.Epsilon = cert.Number(factor) * t.Epsilon
		next.Rho = factor * t.Rho
		targets = append(targets, next)
	}
	a, err := advise.For(ctx, sh, targets, advise.Options{Time: p.time})
	if err != nil {
		return err
	}
	if err := p.draw(a.Figure()); err != nil {
		return err
	}
	j := compareJSON{Measure: a.Measure(), Terms: a.Figure().Caption, Warnings: a.Warnings()}
	for i := range targets {
		j.Recommended = append(j.Recommended, spoken(a.Reason(i)))
		for _, r := range a.Rows(i) {
			if r.Refused == "" || r.LeftOut || p.why {
				j.Rows = append(j.Rows, rowOutput(r))
			}
		}
	}
	for _, line := range a.LeftOut() {
		j.LeftOut = append(j.LeftOut, spoken(line))
	}
	if d, err := usual(ctx, sh, t); err == nil {
		j.Usual = d.Flag
	}
	for _, c := range a.Crossovers() {
		j.Crossings = append(j.Crossings, compareCrossing(c))
	}
	if p.error > 0 {
		if j.Backwards, err = reach(ctx, a, p.error); err != nil {
			return err
		}
	}
	if asJSON {
		return writeJSON(out, j)
	}
	fmt.Fprint(out, spoken(a.String()))
	if j.Usual != "" {
		fmt.Fprintf(out, "Where --mechanism is left out, %s is taken.\n", j.Usual)
	}
	if p.why {
		no := a.NotApplicable(compareMiddle)
		for _, row := range no.Rows {
			row[1] = spoken(row[1])
		}
		fmt.Fprintf(out, "\n%s", no)
	}
	if j.Backwards != nil {
		fmt.Fprintf(out, "\n%s", j.Backwards)
	}
	return nil
}

// compareJSON is the JSON form of a comparison.
type compareJSON struct {
	Measure     string            `json:"measure"`
	Terms       string            `json:"terms"`
	Recommended []string          `json:"recommended"`
	Usual       string            `json:"usual,omitempty"` // the mechanism where none is asked for
	Crossings   []compareCrossing `json:"crossings,omitempty"`
	Backwards   *compareReach     `json:"backwards,omitempty"`
	LeftOut     []string          `json:"left_out,omitempty"`
	Rows        []compareRow      `json:"rows"`
	Warnings    warning.List      `json:"warnings,omitempty"`
}

type compareRow struct {
	Mechanism string   `json:"mechanism"`
	Target    string   `json:"target"`
	Choice    string   `json:"choice,omitempty"`
	Flags     string   `json:"flags,omitempty"` // that ask for it
	Certified string   `json:"certified,omitempty"`
	Error     *float64 `json:"error,omitempty"`
	SE        *float64 `json:"standard_error,omitempty"`
	How       string   `json:"how,omitempty"`
	Refused   string   `json:"refused,omitempty"`
	LeftOut   bool     `json:"left_out,omitempty"` // it may apply, but takes more time or memory than there is
	Reduced   string   `json:"reduced,omitempty"`
}

func rowOutput(r advise.Row) compareRow {
	row := compareRow{Mechanism: r.Mechanism, Target: r.Target.Parameters.String(), Refused: spoken(r.Refused),
		LeftOut: r.LeftOut, Reduced: r.Reduced}
	if r.Refused == "" {
		row.Choice, row.Certified, row.Error, row.SE, row.How = r.Choice, r.Certified.String(), &r.Error, &r.SE,
			string(r.How)
		if flags := spoken(r.Go); strings.HasPrefix(flags, "--mechanism ") && !strings.Contains(flags, "(") {
			row.Flags = flags
		}
	}
	return row
}

type compareCrossing struct {
	Level float64 `json:"level"`
	From  string  `json:"from"`
	To    string  `json:"to"`
}

// compareReach says which level, or which n, reaches an error.
type compareReach struct {
	Error     float64  `json:"error"`
	Level     *float64 `json:"level,omitempty"` // none where the levels compared do not bracket it
	N         *int     `json:"n,omitempty"`     // at the asked level; none where no n does
	Mechanism string   `json:"mechanism,omitempty"`
	Text      string   `json:"text"`
}

// String says it in words.
func (r *compareReach) String() string { return r.Text + "\n" }

func reach(ctx context.Context, a *advise.Advice, e float64) (*compareReach, error) {
	r := &compareReach{Error: e}
	target := a.Targets()[compareMiddle]
	symbol := "ε"
	if target.Rho > 0 {
		symbol = "ρ"
	}
	n, _ := a.Shape().N()
	if level, ok := a.LevelFor(e); ok {
		r.Level = &level
		r.Text = fmt.Sprintf("An error of %g at n = %d: %s near %.3g.", e, n, symbol, level)
	} else {
		r.Text = fmt.Sprintf("An error of %g at n = %d: outside the levels compared.", e, n)
	}
	size, err := a.NFor(ctx, compareMiddle, e)
	var no *advise.Error
	switch {
	case errors.As(err, &no):
		r.Text += fmt.Sprintf("\nAt %s: %s.", target.Parameters, no.What)
	case err != nil:
		return nil, err
	default:
		r.N, r.Mechanism = &size.N, size.Best.Mechanism
		r.Text += fmt.Sprintf("\nAt %s: n near %d, by %s.", target.Parameters, size.N, size.Best.Mechanism)
	}
	return r, nil
}
