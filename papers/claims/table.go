package claims

import (
	"context"
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/privbayes/table"
)

// Result is one executed claim, as the tables show it.
type Result struct {
	ID             string   `json:"id"`
	Document       string   `json:"document"`
	Place          string   `json:"place"`
	Items          []string `json:"items,omitempty"` // the numbered items of the document that it is about
	Assumes        string   `json:"assumes,omitempty"`
	Statement      string   `json:"statement"`
	Verdict        Verdict  `json:"verdict"`
	True           string   `json:"true,omitempty"`
	Counterexample string   `json:"counterexample,omitempty"` // the smallest one found
	Remark         string   `json:"remark,omitempty"`
	Reason         string   `json:"reason,omitempty"` // why it is not a claim
	Ours           bool     `json:"ours,omitempty"`   // this library's own statement beside the document's
	Margin         string   `json:"margin,omitempty"` // bound ÷ truth
	Cases          int64    `json:"cases"`
	Agrees         bool     `json:"agrees"`
	Derived        bool     `json:"derived"`        // the verdict follows from the evidence
	Test           string   `json:"test,omitempty"` // what executes it
	Notebook       string   `json:"notebook"`
	Source         string   `json:"source"`
}

// Execute runs claims, several at a time, and lists what they found in the order given. Errors: the first of the
// claims' own.
func Execute(ctx context.Context, list []Claim) ([]Result, error) {
	found, err := runEach(ctx, list)
	if err != nil {
		return nil, err
	}
	out := make([]Result, len(list))
	for i, c := range list {
		out[i] = resultOf(c, found[i])
	}
	return out, nil
}

// runEach is Claim.Run of each.
func runEach(ctx context.Context, list []Claim) ([]*Finding, error) {
	found, errs := make([]*Finding, len(list)), make([]error, len(list))
	work := make(chan int)
	var wait sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(list)) {
		wait.Go(func() {
			for i := range work {
				found[i], errs[i] = list[i].Run(ctx)
			}
		})
	}
	for i := range list {
		work <- i
	}
	close(work)
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return found, nil
}

func resultOf(c Claim, f *Finding) Result {
	r := Result{
		ID: c.ID, Document: c.Document, Place: c.Place, Items: c.Items, Assumes: c.Assumes, Statement: c.Statement,
		Verdict: c.Verdict, True: c.True, Counterexample: c.Counterexample, Remark: c.Remark, Reason: c.Reason,
		Margin: f.margin(), Cases: f.Cases, Agrees: f.Agrees(), Derived: f.Derived() != "", Notebook: c.Notebook(),
		Source: c.Source, Ours: c.Ours || c.Document == Library,
	}
	if !f.nothing {
		r.Test = "TestClaimsAgree/" + c.ID
	}
	return r
}

// Notebook is the file under notebooks/ that shows the claim: the one that its row names, or that of its document.
func (c Claim) Notebook() string {
	for _, d := range documents {
		if c.notebook == "" && d.name == c.Document {
			return d.notebook
		}
	}
	return c.notebook
}

// evidence is the smallest counterexample, or the margin, or the number of cases, or why there is none.
func (r Result) evidence() string {
	switch {
	case r.Reason != "":
		return r.Reason
	case r.Counterexample != "":
		return r.Counterexample
	case r.Margin != "":
		return r.Margin
	}
	return table.Count(r.Cases, "case")
}

// status is the verdict, and a warning where execution disagrees with it.
func (r Result) status() string {
	if !r.Agrees {
		return string(r.Verdict) + " (execution DISAGREES)"
	}
	return string(r.Verdict)
}

// Summary shows results as one table.
func Summary(results []Result) *table.Table {
	t := table.New("Claims, executed", "id", "place", "assumes", "statement", "verdict", "true form", "evidence")
	for _, r := range results {
		t.Add(r.ID, r.Place, r.Assumes, r.Statement, r.status(), r.True, r.evidence())
	}
	return t
}

// guarantee is one row of the true version of Table 1 of the network paper.
type guarantee struct {
	mechanism, level, how string
	claims                []string
}

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
	Slip: "False as printed, and meant in the form given, which the text around it uses: a sign, an index, a unit. The " +
		"remark says why it is read so.",
	Corrected: "The example meets every printed assumption and contradicts the sentence as printed, which is true " +
		"in the form given.",
	False: "The example meets every printed assumption and contradicts the sentence as printed; the text beside it " +
		"says what is the case.",
	NotAClaim: "Nothing to execute; the reason is given.",
}

// Markdown is docs/explanation/claims.md: a summary by document, the results by document, and what the mechanisms of
// the network paper guarantee.
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
		fmt.Fprintf(b, "* *Executed* by `%s`: %s; notebook [%s](../../notebooks/%s.ipynb).\n", r.Test,
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

// sentence is one of a summary, with the rows that it rests on.
type sentence struct {
	text string
	rows []string
}

// overview is what a document's author should find said of it: what it is about, what is reproduced, and what is not.
type overview struct {
	about                      string
	reproduced, mended, beside []sentence // beside: our comparisons, which answer no sentence of the document
}

// writeSummary writes the counts by verdict and the summary of every document of which there are results. Rows of our
// own are counted with the library, beside whichever document they stand.
func writeSummary(b *strings.Builder, results []Result) {
	b.WriteString("\n## Summary\n\n| document | rows |")
	for _, v := range Verdicts() {
		fmt.Fprintf(b, " %s |", v)
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(Verdicts())+1) + "\n")
	for _, d := range append(Documents(), "") {
		of := counted(results, d)
		if len(of) == 0 {
			continue
		}
		name := d
		if d == "" {
			name = "all"
		}
		count := countVerdicts(of)
		fmt.Fprintf(b, "| %s | %d |", cell(name), len(of))
		for _, v := range Verdicts() {
			fmt.Fprintf(b, " %d |", count[v])
		}
		b.WriteString("\n")
	}
	for _, d := range Documents() {
		of := ofDocument(results, d)
		if len(of) == 0 {
			continue
		}
		fmt.Fprintf(b, "\n### %s\n\n", d)
		o := overviews[d]
		fmt.Fprintf(b, "%s\n", strings.TrimSpace(o.about+" "+covered(d)))
		reproduced := "What is reproduced"
		if d == Library {
			reproduced = "What it states"
		}
		for _, part := range []struct {
			name string
			list []sentence
		}{{reproduced, o.reproduced}, {"What is not, or not as printed", o.mended}, {"Beside it", o.beside}} {
			if len(part.list) == 0 {
				continue
			}
			fmt.Fprintf(b, "\n*%s*\n\n", part.name)
			for _, s := range part.list {
				fmt.Fprintf(b, "* %s (`%s`).\n", capital(s.text), strings.Join(s.rows, "`, `"))
			}
		}
	}
}

// covered says whether every numbered item of a document has a row.
func covered(document string) string {
	items := Items(document)
	switch missing := withoutRow(document); {
	case len(items) == 0:
		return ""
	case len(missing) > 0:
		return fmt.Sprintf("Of its %d items these have no row: %s.", len(items), strings.Join(missing, ", "))
	}
	return fmt.Sprintf("Each of its %d items has a row.", len(items))
}

// ofDocument lists the results of a document, all of them for "".
func ofDocument(results []Result, document string) []Result {
	var out []Result
	for _, r := range results {
		if document == "" || r.Document == document {
			out = append(out, r)
		}
	}
	return out
}

// counted lists the results that count for a document: our own count for the library.
func counted(results []Result, document string) []Result {
	var out []Result
	for _, r := range results {
		if document == "" || r.Ours && document == Library || !r.Ours && r.Document == document {
			out = append(out, r)
		}
	}
	return out
}

// countVerdicts counts the rows of each verdict.
func countVerdicts(results []Result) map[Verdict]int {
	count := map[Verdict]int{}
	for _, r := range results {
		count[r.Verdict]++
	}
	return count
}

// capital is a sentence that begins with a capital, where it begins with a Latin letter.
func capital(text string) string {
	if text != "" && text[0] >= 'a' && text[0] <= 'z' {
		return strings.ToUpper(text[:1]) + text[1:]
	}
	return text
}
