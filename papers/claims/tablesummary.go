package claims

import (
	"fmt"
	"strings"
)

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
