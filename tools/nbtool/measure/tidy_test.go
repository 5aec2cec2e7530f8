package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

var update = flag.Bool("update", false, "write the figures of today to testdata/tidy.txt")

const ratchet = "testdata/tidy.txt"

// The figures of testdata/tidy.txt may only go down. A change that needs a higher one writes it there, and says in its
// message why it is worth that. A figure that has become 1 % less is written down, too, so that it stays there:
//
//	go test ./tools/nbtool/measure -update
func TestTheHouseIsTidy(t *testing.T) {
	figures := must.Get(tidy(filepath.Join("..", "..", "..")))(t)
	if *update {
		var b strings.Builder
		for _, f := range figures {
			fmt.Fprintf(&b, "%7d  %s\n", f.number, f.name)
		}
		must.Do(t, os.WriteFile(ratchet, []byte(b.String()), 0o644))
		return
	}
	text := must.Get(os.ReadFile(ratchet))(t)
	for _, problem := range compare(figures, string(text)) {
		t.Error(problem)
	}
}

// compare says which figures are above those written down, or so far below that they should be written down.
func compare(figures []figure, written string) (problems []string) {
	allowed := map[string]int{}
	for line := range strings.Lines(written) {
		var n int
		number, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if _, err := fmt.Sscan(number, &n); err == nil {
			allowed[name] = n
		}
	}
	for _, f := range figures {
		most, known := allowed[f.name]
		switch {
		case !known:
			problems = append(problems, fmt.Sprintf("%s: no figure in %s", f.name, ratchet))
		case f.number > most:
			problems = append(problems, fmt.Sprintf("%s: %d, at most %d wanted: %s", f.name, f.number, most,
				strings.Join(f.places[:min(len(f.places), 20)], ", ")))
		case f.number < most-most/100:
			problems = append(problems, fmt.Sprintf("%s: %d, and %s still allows %d: go test -update", f.name, f.number, ratchet,
				most))
		}
	}
	return problems
}

func TestCompareSeesWhatGrewAndWhatShrank(t *testing.T) {
	written := "  1000  lines\n     2  files over 600 lines\n"
	for name, c := range map[string]struct {
		lines, files, problems int
	}{"the same": {1000, 2, 0}, "a little less": {991, 2, 0}, "more": {1001, 2, 1}, "much less": {980, 2, 1},
		"one less of few": {1000, 1, 1}, "both more": {2000, 3, 2}} {
		got := compare([]figure{{"lines", c.lines, nil}, {"files over 600 lines", c.files, nil}}, written)
		if len(got) != c.problems {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := compare([]figure{{"functions", 1, nil}}, written); len(got) != 1 {
		t.Errorf("a figure that is not written down: %q", got)
	}
}

func TestTidyCounts(t *testing.T) {
	root := t.TempDir()
	body := strings.Repeat("\n", longFunction)
	for name, text := range map[string]string{
		"go.mod":   "module m\n",
		"a/a.go":   "package a\n\nfunc F() {" + body + "}\n\n// " + strings.Repeat("x", longest) + "\n",
		"b/b.go":   "package b\n" + strings.Repeat("\n", longFile),
		"b/ok.go":  "package b\n\nfunc f() {" + body[1:] + "}\n" + strings.Repeat("\n", longFile-longFunction-2),
		"c/go.mod": "module c\n",
		"doc.md":   "The law of the noise.\nLawful, and the distribution.\nOther tables beside it\n",
	} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	for i := range fullPackage + 1 {
		write(t, filepath.Join(root, "c", fmt.Sprintf("f%d.go", i)), "package c\n")
	}
	got := must.Get(tidy(root))(t)
	var numbers []int
	for _, f := range got {
		numbers = append(numbers, f.number)
	}
	if want := []int{2, 3, 1276, 0, 1, 1, 1, 1, 1, 3, 2, 0, 0, 0, 0, 0}; !slices.Equal(numbers, want) {
		t.Errorf("%+v, want %v", got, want)
	}
}

// Sentences are split as readers split them, and tables, code, headings and labels are left out.
func TestSentencesAreCounted(t *testing.T) {
	page := "# A heading of more than six words, really\n\nOne two three four five six. Seven eight nine ten `x. y` twelve\n" +
		"[thirteen](a.md) fourteen; by A. Smith et al. (2016): more.\n\n| a table of one two three four |\n\n```go\n" +
		"code is not prose at all here.\n```\n* A list item of just six words.\n* too short\n\n    indented text is code as " +
		"well, too\n" + strings.Repeat("word ", 31) + "end.\n"
	var got []string
	list := sentences("p.md", page)
	for _, s := range list {
		got = append(got, fmt.Sprint(s.words, s.parts))
	}
	if want := []string{"6 false", "15 true", "7 false", "32 false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q: %+v", got, want, list)
	}
	f := readable(list)
	if f[0].number != 7 || f[1].number != 250 || f[2].number != 250 || !strings.Contains(f[1].places[0], "p.md (32 words)") {
		t.Errorf("%+v", f)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must.Do(t, os.MkdirAll(filepath.Dir(path), 0o755))
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
}

// Terms are found in pages, package comments and texts of programs, and named with what to say; code, names, other
// comments and places that are allowed are left out.
func TestTermsAreFound(t *testing.T) {
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":                             "module m\n",
		"README.md":                          "A law, `the law`, in law's name; lawful.\n```sh\nthe law\n```\n",
		"docs/howto/auditing.md":             "The law of the protocol, and a Façade.\n",
		"docs/theory/x.md":                   "The law.\n",
		"docs/explanation/claims.md":         "The law.\n",
		"privbayes/a/a.go":                   "// Package a has a law.\npackage a // law\n\nvar s = \"a coin, one's own\"\n",
		"papers/b/b.go":                      "// Package b.\npackage b\n\nvar s = \"a coin of one's own\"\n",
		"privbayes/audit/program/program.go": "// Package program states a law, beside draws.\npackage program\n",
	} {
		write(t, filepath.Join(root, filepath.FromSlash(name)), text)
	}
	o := must.Get(outside(root))(t)
	prose, printed := must.Get2(vocabularyOf(root, o.goFiles))(t)
	slices.Sort(prose.places)
	want := []string{`README.md: "law", say distribution`, `README.md: "law", say distribution`,
		`docs/howto/auditing.md: "façade", say main package, top-level API`, `privbayes/a/a.go: "law", say distribution`,
		`privbayes/audit/program/program.go: "beside", say next to, compared with`}
	if prose.number != len(want) || !slices.Equal(prose.places, want) {
		t.Errorf("%q", prose.places)
	}
	if want := []string{`privbayes/a/a.go: "coin", say random bit, binary variable`,
		`privbayes/a/a.go: "one's own", say your own`}; !slices.Equal(printed.places, want) {
		t.Errorf("%q", printed.places)
	}
}
