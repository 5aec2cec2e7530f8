package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/terminal"
	"github.com/privbayes/privbayes-go/privbayes/advise"
	"github.com/privbayes/privbayes-go/privbayes/budget"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/publication"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
	"github.com/privbayes/privbayes-go/privbayes/table"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// details declares the flag of commands that show first what everyone reads, and the technical part on request.
func details(f *flagSet) *bool {
	f.reads("details")
	return f.Bool("details", false, "show the technical details, too: settings, formulas, scope of checks")
}

// remedies are what the commands say where a warning of the library says in Go what to do.
var remedies = map[warning.Kind]string{
	warning.KindNotKept:      "Save it with --out.",
	warning.KindNoBudget:     `Make one with "privbayes budget", and charge it with --budget.`,
	warning.KindSingleSet:    "Use it to try programs. For results use the command intervals on the release.",
	warning.KindTrainingRows: "Release a part with --split, or score on other rows with --test.",
}

// worded are warnings in the words of the command line.
func worded(list warning.List) warning.List { return list.InWords(remedies) }

// fresh are those without the one that a release was loaded, which is what commands do with a file.
func fresh(list warning.List) warning.List {
	return slices.DeleteFunc(worded(list), func(w warning.Warning) bool { return w.Kind == warning.KindLoaded })
}

// privacyNames are the names of privacy definitions.
var privacyNames = map[dp.Notion]string{dp.Pure: "pure DP", dp.Approximate: "approximate DP", dp.Renyi: "Rényi DP",
	dp.Concentrated: "zero-concentrated DP", dp.TruncatedConcentrated: "truncated concentrated DP"}

// guaranteed is a guarantee with its symbols, its name and who is protected.
func guaranteed(g dp.Guarantee) string {
	if g.Notion == dp.None {
		return g.String()
	}
	symbols := g.Parameters.String()
	return symbols + " (" + privacyNames[g.Notion] + ")" + strings.TrimPrefix(g.String(), symbols)
}

// privacy says in lines what a guarantee is, and what it means for one privacy unit.
func privacy(ctx context.Context, p *mechanism.Plan, g dp.Guarantee) string {
	return stated(g, privacyreport.InWords(ctx, p, g))
}

// privacyOfAll is [privacy] of all items of a publication together.
func privacyOfAll(ctx context.Context, p *publication.Publication) string {
	return stated(p.Guarantee(), privacyreport.PublicationInWords(ctx, p.Plan(), p.Guarantee()))
}

func stated(g dp.Guarantee, words []string) string {
	return "Privacy: " + guaranteed(g) + "\n" + strings.Join(append(words, ""), "\n")
}

// fitted shows tables as wide as the terminal, in the words of the command line.
func fitted(out io.Writer) func(*table.Table) string {
	return func(t *table.Table) string {
		return terminal.Text(terminal.Tables{t}, terminal.Columns(stream(out)), shownWords.Replace)
	}
}

// guaranteesIn writes the guarantees that a table of a plan or a release states in symbols and standard words.
func guaranteesIn(t *table.Table, p *mechanism.Plan, g dp.Guarantee) *table.Table {
	for _, row := range t.Rows {
		switch row[0] {
		case "guarantee":
			row[1] = guaranteed(g)
		case "guarantee of the plan", "guarantee of this item alone", "guarantee of a candidate":
			row[1] = guaranteed(p.Certified())
		}
	}
	return t
}

// planText shows a plan and its checks.
func planText(ctx context.Context, p *mechanism.Plan, details bool, text func(*table.Table) string) string {
	shown, checks := p.Table(), p.Certificate().Summary()
	if details {
		checks = p.Certificate().Table()
	}
	usual := p.StandardFormula().Level.String() == p.Certified().Parameters.String()
	shown.Rows = slices.DeleteFunc(shown.Rows, func(row []string) bool { // the guarantee stands below, in words
		return !details && (row[0] == "standard formula" && usual || row[0] == "guarantee" || row[0] == "composition") ||
			row[0] == "decision" // which learn --plan says first
	})
	all := text(guaranteesIn(shown, p, p.Certified())) + "\n" + privacy(ctx, p, p.Certified()) + "\n" + text(checks)
	if !details {
		all += "--details shows formulas and scope of the checks.\n"
	}
	return all + worded(p.Warnings()).String()
}

// releaseText shows a release: its numbers, then their guarantee, and with details how they were made.
func releaseText(ctx context.Context, r *release.Release, list warning.List, details bool,
	text func(*table.Table) string) string {
	return tablesText(r, details, text) + privacy(ctx, r.Plan(), r.Guarantee()) + fresh(list).String()
}

// itemText shows an item of a publication as a release, with the guarantee of the publication.
func itemText(ctx context.Context, p *publication.Publication, r *release.Release, details bool,
	text func(*table.Table) string) string {
	return tablesText(r, details, text) + privacyOfAll(ctx, p) + "This is the guarantee of all items of the publication " +
		"together. Of it this item's own numbers use " + r.Guarantee().Parameters.String() + ".\n" +
		fresh(p.Warnings()).String()
}

func tablesText(r *release.Release, details bool, text func(*table.Table) string) (all string) {
	tables := append([]*table.Table{r.Table()}, r.Parts()...)
	if !details { // which are the last part
		tables = tables[:len(tables)-1]
	}
	for _, t := range tables {
		all += text(guaranteesIn(t, r.Plan(), r.Stated())) + "\n"
	}
	return all
}

// budgetText shows a ledger with the days of its charges.
func budgetText(b *budget.Budget, text func(*table.Table) string) string {
	t, charges := b.Table(), b.Charges()
	if len(t.Columns) > 0 {
		t.Columns = append([]string{"date"}, t.Columns...)
		for i, c := range charges {
			day := c.Info["time"]
			t.Rows[i] = append([]string{day[:min(len(day), 10)]}, t.Rows[i]...)
		}
	}
	return text(t) + worded(b.Warnings()).String()
}

// adviceTable compares mechanisms, the least error at the asked level first, and marks the recommended one.
func adviceTable(a *advise.Advice) *table.Table {
	head, levels := []string{"mechanism"}, a.Targets()
	for _, t := range levels {
		head = append(head, t.Parameters.String())
	}
	all := a.Table()
	t := table.New(all.Title, append(head, "")...)
	rows := a.Rows(compareMiddle)
	order, worst := make([]int, len(rows)), 0.0
	for m, r := range rows {
		if order[m] = m; r.Refused == "" {
			worst = math.Max(worst, r.SE/r.Error)
		}
	}
	slices.SortStableFunc(order, func(i, j int) int { // what does not apply at this level stands last
		if a, b := rows[i].Refused != "", rows[j].Refused != ""; a != b {
			return map[bool]int{false: -1, true: 1}[a]
		}
		return cmp.Compare(rows[i].Error, rows[j].Error)
	})
	best, found := a.Best(compareMiddle)
	for _, m := range order {
		cells, applies := []any{rows[m].Mechanism}, false
		for i := range levels {
			r, cell := a.Rows(i)[m], "–"
			if r.Refused == "" {
				cell, applies = fmt.Sprintf("%.2g", r.Error), true
			}
			cells = append(cells, cell)
		}
		if found && rows[m].Mechanism == best.Mechanism {
			cells = append(cells, "← recommended")
		}
		if applies {
			t.Add(cells...)
		}
	}
	others := map[string]bool{}
	for i := range levels {
		others[a.Reason(i)] = i != compareMiddle
	}
	reduced := false // what was compared with less, to save time
	t.Notes = slices.DeleteFunc(all.Notes, func(note string) bool {
		if strings.HasSuffix(note, "That keeps within the time.") {
			reduced = true
			return true
		}
		return others[note]
	})
	if reduced {
		t.Note("To save time some rows were compared on fewer data sets or with fewer options: --details lists them. " +
			"A larger --time compares more.")
	}
	if worst > 0 {
		t.Note(fmt.Sprintf("Errors are simulated, at the asked level with a standard error of at most %.2g %% of the value: "+
			"--details shows each.", 100*worst))
	}
	return t
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

// foundNotes say which categories and bounds were found in the data.
func foundNotes(columns []frame.Column) (notes []string) {
	for _, c := range columns {
		note := c.FoundBy()
		if note == "" {
			continue
		}
		if note = "T" + note[1:] + "."; c.Found.What == frame.FoundBounds {
			note += " " + frame.Clipped
		}
		notes = append(notes, note)
	}
	return notes
}
