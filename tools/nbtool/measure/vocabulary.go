package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// term is a word of our own, as an expression without marks of its ends, and what the field or plain English says.
type term struct{ ours, say string }

// vocabulary is what readers shall not meet: in README, docs, notebooks, package comments, and texts that programs
// print. The first thirteen are counted in all other lines, too (slang).
var vocabulary = []term{
	{`laws?`, "distribution"},
	{`shipped|ships`, "as used, as implemented, comes with"},
	{`coins?`, "random bit, binary variable"},
	{`purses?`, "budget"},
	{`drawers?`, "sampler"},
	{`leaps?`, "block move"},
	{`toys?`, "small instance"},
	{`pulses?`, "progress"},
	{`beside`, "next to, compared with"},
	{`holds? the truth`, "contains the true value"},
	{`knows? the noise`, "accounts for the noise"},
	{`nobody has`, "pseudo-counts"},
	{`made-up`, "pseudo-counts, simulated"},
	{`textbooks?`, "standard formula"},
	{`fa[cç]ade`, "main package, top-level API"},
	{`ground floor`, "lowest layer"},
	{`one's own`, "your own"},
	{`whoever`, "anyone who"},
	{`notions?`, "privacy definition"},
	{`lattices?`, "grid"},
}

const inAllLines = 13 // terms of the vocabulary that are counted in every line

const aCheck = "a word of a check, which release files hold"

// allowed are places where a term is right, with the reason. The key is a file and the term as it stands there.
var allowed = map[string]string{
	"cmd/privbayes/internal/coqexport/hellinger.go coins":     "a name in a proof",
	"cmd/privbayes/internal/coqexport/hellinger.go law":       "a name in a proof",
	"cmd/privbayes/internal/coqexport/hellinger.go laws":      "a name in a proof",
	"cmd/privbayes/internal/coqexport/write/main.go shipped":  "the name of a folder",
	"cmd/privbayes/internal/coqexport/write/plans.go coins":   "the first line of proofs, which are kept",
	"cmd/privbayes/spec.go notion":                            "a field of a file",
	"docs/howto/auditing.md law":                              "the word of the protocol of audits",
	"docs/howto/report.md law":                                "of a state",
	"docs/howto/schema.md law":                                "of nature",
	"docs/reference/certificates.md law":                      aCheck,
	"docs/reference/certificates.md shipped":                  aCheck,
	"docs/reference/structure.md law":                         "of a state",
	"docs/tutorials/exercises.md law":                         "the word of the protocol of audits",
	"privbayes/audit/program/program.go law":                  "the word of the protocol of audits",
	"privbayes/audit/program/protocol.go law":                 "the word of the protocol of audits",
	"privbayes/cert/words.go law":                             aCheck,
	"privbayes/cert/words.go shipped":                         aCheck,
	"privbayes/mechanism/counts/discretegaussian.go law":      aCheck,
	"privbayes/mechanism/counts/discretegaussian.go shipped":  aCheck,
	"privbayes/mechanism/counts/geometric.go law":             aCheck,
	"privbayes/mechanism/counts/geometric.go shipped":         aCheck,
	"privbayes/mechanism/counts/knorm.go law":                 aCheck,
	"privbayes/mechanism/counts/knorm.go shipped":             aCheck,
	"privbayes/mechanism/dirichlet/certify.go laws":           aCheck,
	"privbayes/mechanism/dirichlet/certify.go shipped":        aCheck,
	"privbayes/mechanism/gridmap/certify.go shipped":          aCheck,
	"privbayes/mechanism/hellinger/certify.go shipped":        aCheck,
	"privbayes/mechanism/posteriorsample/certify.go laws":     aCheck,
	"privbayes/mechanism/quantiles/certify.go lattice":        aCheck,
	"privbayes/mechanism/regression/formula.go lattice":       aCheck,
	"privbayes/mechanism/regression/formula.go shipped":       aCheck,
	"privbayes/mechanism/regression/integers.go lattice":      aCheck,
	"privbayes/mechanism/regression/samplerchecks.go drawer":  aCheck,
	"privbayes/mechanism/regression/samplerchecks.go shipped": aCheck,
	"privbayes/mechanism/regression/statistics.go shipped":    aCheck,
	"privbayes/mechanism/structure/batchcheck.go law":         aCheck,
	"privbayes/mechanism/structure/checks.go law":             aCheck,
	"privbayes/mechanism/structure/checks.go shipped":         aCheck,
	"privbayes/mechanism/structure/divergence.go law":         aCheck,
	"privbayes/mechanism/structure/divergence.go shipped":     aCheck,
	"privbayes/noiseaware/of.go law":                          "a name of the API",
	"privbayes/release/entry/draft.go laws":                   "of a state",
	"privbayes/release/privacyreport/answers.go law":          "of a state",
	"privbayes/release/privacyreport/report.go law":           "of a state",
	"privbayes/release/privacyreport/sections.go law":         "of a state",
}

// expressionOf finds the terms of a list as whole words.
func expressionOf(terms []term) *regexp.Regexp {
	var list []string
	for _, t := range terms {
		list = append(list, t.ours)
	}
	return regexp.MustCompile(`(?i)\b(` + strings.Join(list, "|") + `)\b`)
}

var (
	slang   = expressionOf(vocabulary[:inAllLines])
	foreign = expressionOf(vocabulary)
)

// insteadOf says what stands for a term that was found.
func insteadOf(found string) string {
	for _, t := range vocabulary {
		if expressionOf([]term{t}).MatchString(found) {
			return t.say
		}
	}
	return ""
}

// terms adds the terms in a text of a file that are not allowed there.
func (f *figure) terms(file, text string) {
	for _, found := range foreign.FindAllString(text, -1) {
		if word := strings.ToLower(found); allowed[file+" "+word] == "" {
			f.add(fmt.Sprintf("%s: %q, say %s", file, word, insteadOf(word)))
		}
	}
}

// vocabularyOf counts terms in what readers meet: pages and package comments, and texts of programs.
func vocabularyOf(root string, goFiles []string) (prose, printed figure, err error) {
	prose.name = "words of our own in pages and package comments"
	printed.name = "words of our own in texts that programs print"
	pages, err := pagesOf(root)
	if err != nil {
		return prose, printed, err
	}
	for _, page := range pages {
		text, err := os.ReadFile(filepath.Join(root, page))
		if err != nil {
			return prose, printed, err
		}
		prose.terms(filepath.ToSlash(page), codeSpan.ReplaceAllString(fenceOf.ReplaceAllString(string(text), ""), ""))
	}
	for _, file := range goFiles {
		rel := filepath.ToSlash(file)
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, file), nil, parser.ParseComments)
		if err != nil {
			return prose, printed, err
		}
		prose.terms(rel, f.Doc.Text())
		if first, _, _ := strings.Cut(rel, "/"); first != "cmd" && first != "privbayes" && first != "internal" {
			continue
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if s, ok := n.(*ast.BasicLit); ok && s.Kind == token.STRING && strings.Contains(s.Value, " ") {
				printed.terms(rel, s.Value)
			}
			return true
		})
	}
	return prose, printed, nil
}

// pagesOf are the README, the pages of docs without claims and theory, and the notebooks' texts, below the root.
func pagesOf(root string) (pages []string, err error) {
	for _, pattern := range []string{"README.md", "docs/*.md", "docs/*/*.md", "notebooks/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			return nil, err
		}
		for _, file := range found {
			rel, err := filepath.Rel(root, file)
			if err != nil {
				return nil, err
			}
			if filepath.Base(rel) != "claims.md" && filepath.Base(filepath.Dir(rel)) != "theory" {
				pages = append(pages, rel)
			}
		}
	}
	return pages, nil
}
