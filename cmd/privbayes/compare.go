package main

import (
	"context"
	"fmt"
	"io"

	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// advice compares mechanisms around the asked level: nothing is drawn from data, and nothing is spent.
func (p planFlags) advice(out io.Writer, asJSON bool) error {
	_, sh, t, err := p.inputs()
	if err != nil {
		return err
	}
	var targets []dp.Target
	for _, factor := range []float64{.1, .3, 1, 3, 10} {
		next := t
		next.Epsilon = cert.Number(factor) * t.Epsilon
		next.Rho = factor * t.Rho
		targets = append(targets, next)
	}
	a, err := advise.For(context.Background(), sh, targets, advise.Options{})
	if err != nil {
		return err
	}
	if !asJSON {
		fmt.Fprintf(out, "%s\n%s", a, a.Refusals(2))
		return nil
	}
	type row struct {
		Mechanism, Target, Certified, Refused string
		Error, SE                             float64
	}
	var rows []row
	for i, t := range targets {
		for _, r := range a.Rows(i) {
			if r.Refused != "" {
				rows = append(rows, row{Mechanism: r.Mechanism, Target: t.Level.String(), Refused: r.Refused})
				continue
			}
			rows = append(rows, row{r.Mechanism, t.Level.String(), r.Certified.String(), "", r.Error, r.SE})
		}
	}
	return writeJSON(out, rows)
}
