package claims

import (
	_ "embed"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// preface opens the page, and evidence says what the words rest on.
var (
	//go:embed page/preface.txt
	preface string
	//go:embed page/evidence.txt
	evidence string
)

// words say what each verdict means.
var words = map[Verdict]string{
	Holds: "No counterexample stands among the cases visited. *Attained* says that a bound was reached, or as a " +
		"supremum approached, to 1e-3.",
	Loose:   "True with room to spare: the range of bound ÷ truth over the cases visited is given.",
	Outside: "True where the printed assumptions are met; the example shows what fails where they are not.",
	ProofWrong: "No counterexample stands among the cases visited, but a step of the printed proof fails at the " +
		"example given.",
	Vacuous: "No case meets the assumptions: the statement is true and says nothing.",
	Corrected: "The example meets every printed assumption and contradicts the sentence as printed, which is true " +
		"in the form given.",
	False: "The example meets every printed assumption and contradicts the sentence as printed; the text beside it " +
		"says what is the case.",
	NotAClaim: "Nothing to execute; the reason is given.",
}

// Markdown is docs/claims.md: a summary by document, the results by document, and what the mechanisms of the network
// paper guarantee.
func Markdown(results []Result) string {
	var b strings.Builder
	b.WriteString(preface)
	writeSummary(&b, results)
	b.WriteString("\n## What the words mean\n\n")
	for _, v := range Verdicts() {
		fmt.Fprintf(&b, "* **%s** — %s\n", v, words[v])
	}
	b.WriteString(evidence)
	for _, d := range Documents() {
		fmt.Fprintf(&b, "\n## %s\n", d)
		for _, r := range results {
			if r.Document == d {
				writeRow(&b, r)
			}
		}
	}
	b.WriteString("\n## What the mechanisms of the network paper guarantee\n\n")
	b.WriteString("The true version of its Table 1: one record replaced, n public, N draws.\n\n| mechanism | " +
		"guarantee | how | claims |\n|---|---|---|---|\n")
	for _, g := range guarantees {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", cell(g.mechanism), cell(g.level), cell(g.how),
			strings.Join(g.claims, "`, `"))
	}
	return b.String()
}

// writeRow writes one claim: what is said, under which assumptions, and what execution shows.
func writeRow(b *strings.Builder, r Result) {
	ours := ""
	if r.Ours && r.Document != Library {
		ours = " (ours, not the document's)"
	}
	fmt.Fprintf(b, "\n### `%s` %s%s: %s\n\n", r.ID, r.Place, ours, r.status())
	line := func(name, text string) {
		if text != "" {
			fmt.Fprintf(b, "* *%s.* %s\n", name, plain(text))
		}
	}
	line("Assumes", r.Assumes)
	line("Says", r.Statement)
	switch {
	case r.Reason != "":
		line("Not a claim", r.Reason)
	case r.Counterexample != "" && r.Verdict == Outside:
		line("Fails outside", r.Counterexample)
	case r.Counterexample != "" && r.Verdict == ProofWrong:
		line("The step that fails", r.Counterexample)
	case r.Counterexample != "":
		line("Counterexample", r.Counterexample)
	case r.Margin != "":
		line("Margin", r.Margin)
	}
	line("True", r.True)
	line("Remark", r.Remark)
	if r.Test != "" {
		fmt.Fprintf(b, "* *Executed* by `%s`: %s; notebook [%s](../notebooks/%s.ipynb).\n", r.Test,
			table.Count(r.Cases, "case"), r.Notebook[:2], r.Notebook)
	}
}

// plain is text that Markdown shows as it stands.
func plain(text string) string {
	return strings.NewReplacer("\n", " ", "*", `\*`, "_", `\_`, "|", `\|`, "<", `\<`).Replace(text)
}

// cell is text that does not end a cell of a Markdown table.
func cell(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, "|", "\\|"), "\n", " ")
}
