package synthetic

import (
	"embed"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

//go:embed text
var texts embed.FS

// page is a piece of the README. Other pieces and values stand in it as {{NAME}}, and as "<<NAME>>" where they are
// string literals of Python and R.
func page(name string) (string, error) {
	b, err := texts.ReadFile("text/" + name)
	return strings.TrimSuffix(string(b), "\n"), err
}

// readme fills in the page: the numbers of the design, the columns, and the example.
func (s *Sets) readme(f *frame.Frame, e *example) (string, error) {
	var columns strings.Builder
	for _, c := range f.Schema().Columns {
		fmt.Fprintf(&columns, "* %s: %s\n", safetext.Markdown(c.Name), safetext.Markdown(strings.Join(c.Labels(), ", ")))
	}
	edges := "none: all columns are independent"
	if e := s.edges(); len(e) > 0 {
		edges = safetext.Markdown(strings.Join(e, ", "))
	}
	how, heading := "combine.md", fmt.Sprintf("%d synthetic sets of %d records", s.spec.Sets, s.spec.Rows)
	if s.spec.Sets == 1 {
		how, heading = "one.md", fmt.Sprintf("One synthetic set of %d records", s.spec.Rows)
	}
	kind, outcome, exposure, missing, err := e.chosen(f)
	if err != nil {
		return "", err
	}
	warnings := ""
	if w := s.Warnings(); len(w) > 0 {
		warnings = w.Markdown()
	}
	pieces, out := map[string]string{}, "{{PAGE}}\n"
	for place, name := range map[string]string{"PAGE": "README.md", "HOW": how, "PYTHON": kind + ".py", "R": kind + ".R"} {
		if pieces[place], err = page(name); err != nil {
			return "", err
		}
	}
	for range 3 { // pieces stand three deep: README.md, combine.md, odds.py
		out = fill(out, pieces)
	}
	return fill(out, map[string]string{"HEADING": heading, "ROWS": fmt.Sprint(s.spec.Rows),
		"RECORDS": fmt.Sprintf("%.12g", s.spec.Records), "TITLE": safetext.Markdown(s.spec.Title),
		"RELEASE": safetext.Markdown(s.spec.Public), "COLUMNS": columns.String(), "EDGES": edges, "WARNINGS": warnings,
		"OUTCOME": outcome.Column, "OUTCOME_LEVEL": outcome.Level, "EXPOSURE": exposure.Column,
		"EXPOSURE_LEVEL": exposure.Level, "MISSING": missing, "FIRST": s.file(0)}), nil
}

// fill puts values into a text in one pass, so that what looks like a place in a value stays as it is.
func fill(text string, values map[string]string) string {
	var pairs []string
	for k, v := range values {
		pairs = append(pairs, "{{"+k+"}}", v, `"<<`+k+`>>"`, quoted(v))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// quoted is a string literal of Python and of R.
func quoted(s string) string { b, _ := json.Marshal(s); return string(b) } // a string always marshals
