package claims

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// sentence is one of a summary, with the rows that it rests on.
type sentence struct {
	text string
	rows []string
}

// overview is what a document's author should find said of it: what it is about, what is reproduced, and what is not.
type overview struct {
	about              string
	reproduced, mended []sentence
}

// overviews are the summaries of the documents.
var overviews = map[string]overview{}

// writeSummary writes the counts by verdict and the summary of every document of which there are results.
func writeSummary(b *strings.Builder, results []Result) {
	fmt.Fprintf(b, "\n## Summary\n\n%s: %s.\n", table.Count(len(results), "row"), countVerdicts(results))
	for _, d := range Documents() {
		var of []Result
		for _, r := range results {
			if r.Document == d {
				of = append(of, r)
			}
		}
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n**%s.** %s: %s.\n", d, table.Count(len(of), "row"), countVerdicts(of))
		if missing := withoutRow(d); len(missing) > 0 {
			fmt.Fprintf(b, "Without a row: %s.\n", strings.Join(missing, ", "))
		} else if items := Items(d); len(items) > 0 {
			fmt.Fprintf(b, "Each of its %s has a row.\n", table.Count(len(items), "item"))
		}
		o, ok := overviews[d]
		if !ok {
			continue
		}
		fmt.Fprintf(b, "%s\n", o.about)
		for _, part := range []struct {
			name string
			list []sentence
		}{{"What is reproduced", o.reproduced}, {"What is not, or not as printed", o.mended}} {
			if len(part.list) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n*%s.*\n", part.name)
			for _, s := range part.list {
				fmt.Fprintf(b, "%s (`%s`).\n", s.text, strings.Join(s.rows, "`, `"))
			}
		}
	}
}

// countVerdicts says how many rows have each verdict.
func countVerdicts(results []Result) string {
	count := map[Verdict]int{}
	for _, r := range results {
		count[r.Verdict]++
	}
	var out []string
	for _, v := range Verdicts() {
		if count[v] > 0 {
			out = append(out, fmt.Sprintf("%d %s", count[v], v))
		}
	}
	return strings.Join(out, " · ")
}
