package notebooks_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// The notebooks that apply the library read like an analysis: a cell is short, and what it shows comes from a verb.
// Those about the papers, 01 to 07 and 09, may build what their figures show.
var aboutPapers = []string{"01", "02", "03", "04", "05", "06", "07", "09"}

// longestCell is how many lines an applied cell may have, magic and blank ones included.
const longestCell = 12

// widestLine is how many columns a line of such a cell may have, a tab being eight: more leave the page.
const widestLine = 110

// byHand are the packages whose values an applied notebook gets from a verb: tables and figures of the library's and of
// others.
var byHand = []string{"table", "figure", "plots", "plot", "plotter", "plotutil", "vg", "gonbui", "image", "draw"}

// heavyCells says which cells of an applied notebook are too long, or build a table or a figure themselves. The kernel
// imports what a cell names, so names count, and paths under another name.
func heavyCells(n *nbtool.Notebook) []string {
	var found []string
	for i, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		text := string(c.Source)
		say := func(format string, args ...any) {
			found = append(found, fmt.Sprintf("cell %d (%s): ", i+1, c.ID)+fmt.Sprintf(format, args...))
		}
		if k := strings.Count(strings.TrimSpace(text), "\n") + 1; k > longestCell {
			say("%d lines, at most %d: make a verb of it, or two cells", k, longestCell)
		}
		for line := range strings.Lines(text) {
			if k := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimRight(line, "\n"), "\t", "        ")); k > widestLine {
				say("a line of %d columns, at most %d", k, widestLine)
			}
		}
		if strings.HasPrefix(text, "%%bash") {
			continue
		}
		for _, name := range roomsNamed(text) {
			say("builds with %s by hand: make a verb with Table and Figure of it", name)
		}
	}
	return found
}

// roomsNamed are the packages of byHand that Go code names, or imports under any name, once each.
func roomsNamed(code string) []string {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", -1, len(code)), []byte(code), func(token.Position, string) {}, 0) // "%%" is no Go
	var found []string
	before, last := token.ILLEGAL, ""
	for {
		_, tok, lit := s.Scan()
		name := ""
		switch {
		case tok == token.EOF:
			slices.Sort(found)
			return slices.Compact(found)
		case tok == token.PERIOD && last != "":
			name = last
		case tok == token.STRING && strings.Contains(lit, "/"):
			name = strings.Trim(lit[strings.LastIndex(lit, "/")+1:], "\"`")
		}
		if slices.Contains(byHand, name) {
			found = append(found, name)
		}
		last = ""
		if tok == token.IDENT && before != token.PERIOD { // x.table is a field
			last = lit
		}
		before = tok
	}
}

// TestAppliedNotebooksReadLikeAnalysis: in every notebook but those about the papers no cell is over twelve lines and
// none builds a table or a figure by hand, and every line is on the page.
func TestAppliedNotebooksReadLikeAnalysis(t *testing.T) {
	applied := 0
	for _, md := range list(t, "[0-9][0-9]_*.md") {
		if slices.Contains(aboutPapers, md[:2]) {
			continue
		}
		applied++
		src := must.Get(os.ReadFile(md))(t)
		n := must.Get(nbtool.FromMarkdown(string(src)))(t)
		for _, f := range heavyCells(n) {
			t.Errorf("%s: %s", md, f)
		}
	}
	if applied < 4 {
		t.Errorf("%d applied notebooks", applied)
	}
}

// The rule sees a line too many and what is built by hand under any name; it leaves alone twelve lines, comments,
// strings, fields and shells.
func TestHeavyCellsAreSeen(t *testing.T) {
	twelve := strings.Repeat("nb.Show(a)\n", longestCell)
	for code, want := range map[string]string{
		twelve: "",
		"%%\n\tnb.Show(" + strings.Repeat("ε", 102-9) + ")\n": "",
		"%%\n\tnb.Show(" + strings.Repeat("ε", 103-9) + ")\n": "a line of 111 columns",
		twelve + "nb.Show(b)":                                               "13 lines",
		"%%bash\n" + strings.Repeat("echo\n", longestCell):                  "13 lines",
		"%%\nt := table.New(\"x\", \"y\")":                                  "builds with table",
		"%%\nnb.Show(&figure.Figure{})":                                     "builds with figure",
		"import made \"github.com/privbayes/privbayes-go/privbayes/table\"": "builds with table",
		"%%\np := plot.New()":                                               "builds with plot",
		"%%\nnb.Show(must(a.Table()), a.Figure()) // table.New":             "",
		"%%\nnb.Printf(\"table.New\")\nx.table.Show()":                      "",
		"%%bash\nls table.csv figure.png":                                   "",
	} {
		n := must.Get(nbtool.FromMarkdown("# T\n\n```go\n" + strings.TrimSuffix(code, "\n") + "\n```\n"))(t)
		got := strings.Join(heavyCells(n), "; ")
		if want == "" && got != "" || want != "" && strings.Count(got, "cell 2 ") != 1 || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}
