package main

import (
	"io"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/totals"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// shownTotalsJSON are running totals for programs: all of it public.
type shownTotalsJSON struct {
	ID         string              `json:"id"`
	Guarantee  dp.Guarantee        `json:"guarantee"` // of all periods
	Randomness string              `json:"randomness"`
	Through    string              `json:"through"`
	Periods    []string            `json:"periods"` // of the sequence, those to come included
	Totals     [][]totals.Estimate `json:"totals"`  // after each period that was released, at 95 %
	Added      [][]totals.Estimate `json:"added"`   // by each of these from the second on
	Tables     []*table.Table      `json:"tables"`
	Warnings   warning.List        `json:"warnings,omitempty"`
	HTML       string              `json:"html"`
}

// showTotals shows the running totals of a file.
func showTotals(t *totals.Totals, picture string, asJSON, details bool, out io.Writer) error {
	if picture != "" {
		if err := drawTotals(picture, t); err != nil {
			return err
		}
	}
	if !asJSON {
		return wrote(out, tell(out, totalsText(t, details, fitted(out))), picture)
	}
	j := shownTotalsJSON{ID: t.ID(), Guarantee: t.Guarantee(), Randomness: t.Randomness(), Through: t.Through(),
		Periods: t.Plan().Periods(), Tables: append([]*table.Table{t.Table()}, t.Parts()...),
		Warnings: worded(t.Warnings()), HTML: table.HTML(t)}
	j.Totals, j.Added = estimates(t)
	return writeJSON(out, j)
}

// estimates are the totals after each period that was released, and what each of these added from the second on.
func estimates(t *totals.Totals) (after, added [][]totals.Estimate) {
	labels := t.Plan().Periods()
	for i, label := range labels {
		now, err := t.After(label, .95)
		if err != nil { // a period to come
			break
		}
		after = append(after, now)
		if i > 0 {
			more, _ := t.Between(labels[i-1], label, .95) // both were released
			added = append(added, more)
		}
	}
	return after, added
}

// totalsText shows running totals, and the guarantee of the whole sequence.
func totalsText(t *totals.Totals, details bool, text func(*table.Table) string) string {
	all := text(t.Table()) + "\n"
	for _, part := range t.Parts() {
		all += text(part) + "\n"
	}
	if details {
		all += text(t.Plan().Table()) + "\n" + text(t.Plan().Certificate().Table()) + "\n"
	}
	return all + stated(t.Guarantee(), nil) + fresh(t.Warnings()).String()
}
