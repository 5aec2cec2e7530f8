package main

import (
	"context"
	"io"

	"github.com/privbayes/privbayes-go/privbayes/release/privacyreport"
	"github.com/privbayes/privbayes-go/privbayes/selection"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

// selectionJSON is what show writes of a selection besides its accepted release.
type selectionJSON struct {
	Accepted bool            `json:"accepted"`
	Rules    selection.Rules `json:"rules"`
	Slacks   *table.Table    `json:"slacks"` // of every criterion, from the report
}

// selectionOutput is a selection for programs: the accepted release, or what is known of the candidates, with the
// identifier and the guarantee of the whole.
func selectionOutput(s *selection.Selection) (showJSON, error) {
	shown := table.HTML(s)
	r, none := s.Release()
	var j showJSON
	var err error
	if none == nil {
		j, err = showOutput(r)
		j.HTML = shown + j.HTML
	} else {
		j, err = plannedOutput(s.Plan().Candidate())
		j.Randomness, j.HTML = s.Randomness(), shown
	}
	j.ID, j.Guarantee, j.Item, j.Warnings = s.ID(), s.Guarantee(), nil, worded(s.Warnings())
	j.Tables = append([]*table.Table{s.Table()}, j.Tables...)
	j.Selection = &selectionJSON{none == nil, s.Plan().Rules(), s.Table()}
	return j, err
}

// showSelection shows the selection of a file.
func showSelection(ctx context.Context, o opened, picture string, asJSON, details bool, out io.Writer) error {
	if picture != "" {
		r, err := o.selection.Release()
		if err == nil {
			err = draw(r, picture)
		}
		if err != nil {
			return err
		}
	}
	if !asJSON {
		return wrote(out, tell(out, selectionText(ctx, o.selection, details, fitted(out))), picture)
	}
	j, err := selectionOutput(o.selection)
	if err != nil {
		return err
	}
	return writeJSON(out, j)
}

// selectionText shows a selection: its criteria with their slacks, the accepted release, and the guarantee of the
// whole.
func selectionText(ctx context.Context, s *selection.Selection, details bool, text func(*table.Table) string) string {
	all := text(s.Table()) + "\n"
	if r, err := s.Release(); err == nil {
		all += tablesText(r, details, text)
	}
	if details {
		all += text(s.Plan().Table()) + "\n" + text(s.Plan().Certificate().Table()) + "\n"
	}
	words := privacyreport.InWords(ctx, s.Plan().Candidate(), s.Guarantee())
	return all + stated(s.Guarantee(), words) + fresh(s.Warnings()).String()
}
