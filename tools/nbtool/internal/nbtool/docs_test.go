package nbtool_test

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// block is one fenced block of a page.
type block struct {
	line       int // of its first line, 1-based
	lang, text string
}

// blocks lists the fenced blocks of a page.
func blocks(page string) []block {
	var out []block
	var open *block
	for i, line := range strings.Split(page, "\n") {
		lang, fence := strings.CutPrefix(line, "```")
		switch {
		case fence && open == nil:
			open = &block{line: i + 2, lang: lang}
		case fence:
			out, open = append(out, *open), nil
		case open != nil:
			open.text += line + "\n"
		}
	}
	return out
}

// tidy removes blanks at the ends of lines and of the text: tables fill their columns.
func tidy(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(l, " \t")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// session runs the commands of a console block, the lines that begin with "$ ", one after the other in dir, and writes
// the block as it comes out. A command that fails adds its exit status.
func session(t *testing.T, dir, program, text string) string {
	t.Helper()
	var b strings.Builder
	for line := range strings.Lines(text) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ ")
		if !ok {
			continue
		}
		b.WriteString("$ " + command + "\n")
		c := exec.CommandContext(t.Context(), "bash", "-c",
			strings.ReplaceAll(command, "go run ./cmd/privbayes", program))
		c.Dir = dir
		out, err := c.CombinedOutput()
		b.Write(out)
		if err != nil {
			b.WriteString("(" + err.Error() + ")\n")
		}
	}
	return b.String()
}

// TestDocumentedOutputs: every output in the pages of docs/ is what the library puts out now: "console" blocks are
// sessions of the command, the "text" block of the page about certificates is the table of the release that its "go"
// block makes, which is the code below.
func TestDocumentedOutputs(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the command: not with -short")
	}
	root := checkout.Of(t)
	self := must.Get(os.ReadFile("docs_test.go"))(t)
	pages := map[string][]block{}
	for _, file := range docPages(t, root) {
		text := must.Get(os.ReadFile(file))(t)
		pages[filepath.Base(file)] = blocks(string(text))
	}
	dir := t.TempDir()
	program := filepath.Join(dir, "privbayes")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./cmd/privbayes")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	t.Chdir(dir)
	release, err := privbayes.ReadFrame(data.Votes()).
		Model(privbayes.NaiveBayes("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(7),
			privbayes.KeepIn("votes.release.json")).
		Release()
	must.Do(t, err)
	seen := map[string]int{}
	for page, list := range pages {
		for _, b := range list {
			about := page == "certificates.md"
			if about {
				seen[b.lang]++
			}
			want := ""
			switch {
			case b.lang == "console":
				want = session(t, dir, program, b.text)
			case about && b.lang == "text":
				want = release.Details().String()
			case about && b.lang == "go":
				if plain := strings.ReplaceAll(tidy(b.text), "\n", "\n\t"); !strings.Contains(string(self), plain) {
					t.Errorf("docs/%s:%d: the code is not that of this test", page, b.line)
				}
				continue
			default:
				continue
			}
			if tidy(b.text) != tidy(want) {
				t.Errorf("docs/%s:%d: the output is now\n%s", page, b.line, tidy(want))
			}
		}
	}
	if seen["go"] != 1 || seen["text"] != 1 || seen["console"] < 3 {
		t.Errorf("the page about certificates has blocks %v", seen)
	}
}

// The check of outputs sees a changed character, and a changed exit status.
func TestSessionsAreCompared(t *testing.T) {
	page := "text\n```console\n$ echo one; echo 'two  '\none\ntwo\n$ exit 3\n(exit status 3)\n```\n```go\nx\n```\n"
	list := blocks(page)
	if len(list) != 2 || list[0].line != 3 || list[1].lang != "go" || list[1].text != "x\n" {
		t.Fatalf("%+v", list)
	}
	if got := tidy(session(t, t.TempDir(), "none", list[0].text)); got != tidy(list[0].text) {
		t.Errorf("the same session came out as\n%s", got)
	}
	for _, other := range []string{strings.Replace(page, "two\n", "tow\n", 1),
		strings.Replace(page, "status 3", "status 1", 1)} {
		b := blocks(other)[0]
		if tidy(session(t, t.TempDir(), "none", b.text)) == tidy(b.text) {
			t.Errorf("passes:\n%s", b.text)
		}
	}
}

// shownPages are the pages whose code is for readers to copy: docs/, the README and the READMEs of the folders in it.
// Those of sources/ are of modules of their own.
func shownPages(t *testing.T, root string) []string {
	t.Helper()
	pages := append(docPages(t, root), filepath.Join(root, "README.md"))
	for _, f := range globbed(t, filepath.Join(root, "*", "README.md")) {
		if folder := filepath.Base(filepath.Dir(f)); folder != "docs" && folder != "sources" {
			pages = append(pages, f)
		}
	}
	return pages
}

// docPages are the pages of docs/ and of its shelves. The theory has no examples.
func docPages(t *testing.T, root string) []string {
	t.Helper()
	docs := filepath.Join(root, "docs")
	pages := append(globbed(t, filepath.Join(docs, "*.md")), globbed(t, filepath.Join(docs, "*", "*.md"))...)
	return slices.DeleteFunc(pages, func(p string) bool { return filepath.Base(filepath.Dir(p)) == "theory" })
}

func globbed(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatalf("no %s (%v)", pattern, err)
	}
	return files
}

// TestIndex: docs/reference/mechanisms.md names every mechanism that the main package makes, and every test that a page
// names as a link to its file is in that file.
func TestIndex(t *testing.T) {
	root := checkout.Of(t)
	index := must.Get(os.ReadFile(filepath.Join(root, "docs", "reference", "mechanisms.md")))(t)
	makers := must.Get(mechanismMakers(filepath.Join(root, "privbayes", "privbayes.go")))(t)
	if len(makers) < 13 {
		t.Errorf("the main package makes %v", makers)
	}
	for _, name := range makers {
		if !strings.Contains(string(index), "\n| `"+name+"`") {
			t.Errorf("docs/reference/mechanisms.md has no row for %s", name)
		}
	}
	tests := regexp.MustCompile("\\[`((?:Test|Example)\\w*)`\\]\\(([^)]+_test\\.go)\\)")
	named := 0
	for _, page := range docPages(t, root) {
		text := must.Get(os.ReadFile(page))(t)
		for _, m := range tests.FindAllStringSubmatch(string(text), -1) {
			named++
			source, err := os.ReadFile(filepath.Join(filepath.Dir(page), m[2]))
			if err != nil || !strings.Contains(string(source), "func "+m[1]+"(") {
				t.Errorf("%s: %s has no %s (%v)", filepath.Base(page), m[2], m[1], err)
			}
		}
	}
	if named < 13 {
		t.Errorf("%d tests are named", named)
	}
}

// mechanismMakers lists the exported functions of a file whose result is a type of a package under privbayes/mechanism.
func mechanismMakers(file string) ([]string, error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	rooms := map[string]bool{}
	for _, i := range f.Imports {
		if p := strings.Trim(i.Path.Value, `"`); strings.Contains(p, "/privbayes/mechanism/") {
			rooms[p[strings.LastIndex(p, "/")+1:]] = true
		}
	}
	var names []string
	for _, d := range f.Decls {
		fn, ok := d.(*ast.FuncDecl)
		if !ok || fn.Recv != nil || !fn.Name.IsExported() || fn.Type.Results == nil || len(fn.Type.Results.List) != 1 {
			continue
		}
		if sel, ok := fn.Type.Results.List[0].Type.(*ast.SelectorExpr); ok {
			if room, ok := sel.X.(*ast.Ident); ok && rooms[room.Name] {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names, nil
}

// TestDockerfiles: the image of the repository and the one Binder builds are the
// same file.
func TestDockerfiles(t *testing.T) {
	a := must.Get(os.ReadFile(filepath.Join(checkout.Of(t), "Dockerfile")))(t)
	b := must.Get(os.ReadFile(filepath.Join(checkout.Of(t), "binder", "Dockerfile")))(t)
	if !bytes.Equal(a, b) {
		t.Error("Dockerfile and binder/Dockerfile differ: cp Dockerfile binder/Dockerfile")
	}
}

// TestVersionsAgree: there is one version, and every place that states it states the same: releases, the
// citation, the R package, the top of the changelog, and what the modules below the library require of one another.
func TestVersionsAgree(t *testing.T) {
	root := checkout.Of(t)
	stated := map[string][]string{
		"CITATION.cff":  {`(?m)^version: ([0-9.]+)$`},
		"r/DESCRIPTION": {`(?m)^Version: ([0-9.]+)$`},
		"CHANGELOG.md":  {`\A[^\x00]*?\n## ([0-9.]+)`},
	}
	for _, pattern := range []string{"go.work", "bench/go.mod", "papers/go.mod", "site/go.mod", "cmd/*/go.mod",
		"sources/*/go.mod", "tools/nbtool/go.mod"} {
		for _, file := range globbed(t, filepath.Join(root, filepath.FromSlash(pattern))) {
			name := must.Get(filepath.Rel(root, file))(t)
			stated[name] = []string{`github\.com/privbayes/privbayes-go\S* v([0-9.]+)`}
		}
	}
	for file, places := range stated {
		text := must.Get(os.ReadFile(filepath.Join(root, file)))(t)
		for _, place := range places {
			found := regexp.MustCompile(place).FindAllStringSubmatch(string(text), -1)
			if len(found) == 0 {
				t.Errorf("%s states no version at %s", file, place)
			}
			for _, m := range found {
				if m[1] != release.Version {
					t.Errorf("%s states version %s; releases are written by %s", file, m[1], release.Version)
				}
			}
		}
	}
}
