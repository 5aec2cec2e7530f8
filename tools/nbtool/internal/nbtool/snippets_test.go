package nbtool_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

// given are the names that a snippet may use without declaring them: what the text around it speaks of.
var given = map[string]string{
	"ctx": "context.Context", "votes": "*privbayes.Frame", "train": "*privbayes.Frame", "test": "*privbayes.Frame",
	"model": "*privbayes.Model", "sh": "*privbayes.Shape", "targets": "[]privbayes.Target",
	"private": "*privbayes.Privatized", "release": "*privbayes.Release",
}

// roomOf are the packages that a snippet may name without importing them: the standard library's, and this module's by
// their last name.
func roomOf(t *testing.T, root string) map[string]string {
	t.Helper()
	rooms := map[string]string{}
	for _, std := range []string{"context", "errors", "fmt", "log", "os", "time"} {
		rooms[std] = std
	}
	c := exec.CommandContext(t.Context(), "go", "list", "./privbayes/...", "./data/...")
	c.Dir = root
	out := must.Get(c.Output())(t)
	for _, p := range strings.Fields(string(out)) {
		rooms[path.Base(p)] = p
	}
	return rooms
}

// program makes a function of each snippet, in one file. A snippet that is a file's declarations stands as it is.
func program(t *testing.T, rooms map[string]string, snippets []block, where []string) string {
	t.Helper()
	var b strings.Builder
	used := map[string]bool{}
	for i, s := range snippets {
		body := "package p\nfunc f() error {\n" + s.text + "\nreturn nil\n}\n"
		f, err := parser.ParseFile(token.NewFileSet(), "snippet.go", body, 0)
		if err != nil {
			t.Errorf("%s: %v", where[i], err)
			continue
		}
		free := map[string]bool{}
		for _, id := range f.Unresolved { // names that nothing in the snippet declares
			free[id.Name] = true
		}
		var params, quiet []string
		for _, name := range slices.Sorted(maps.Keys(free)) {
			switch typ, ok := given[name]; {
			case ok:
				params = append(params, name+" "+typ)
				room, _, _ := strings.Cut(strings.TrimLeft(typ, "*[]"), ".")
				used[room] = true
			case rooms[name] != "":
				used[name] = true
			}
		}
		// What a snippet makes and leaves is used by its reader.
		for _, st := range f.Decls[0].(*ast.FuncDecl).Body.List {
			if a, ok := st.(*ast.AssignStmt); ok && a.Tok == token.DEFINE {
				for _, l := range a.Lhs {
					if id := l.(*ast.Ident); id.Name != "_" {
						quiet = append(quiet, "_ = "+id.Name)
					}
				}
			}
		}
		fmt.Fprintf(&b, "func snippet%d(%s) error {\n{\n//line %s\n%s\n%s\n}\nreturn nil\n}\n\n", i,
			strings.Join(params, ", "), where[i], s.text, strings.Join(quiet, "\n"))
	}
	head := "package snippets\n\nimport (\n"
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if used[name] {
			head += fmt.Sprintf("\t%q\n", rooms[name])
		}
	}
	return head + ")\n\n" + b.String()
}

// vetted type-checks a package of one file with the module around it, and says what the compiler says.
func vetted(t *testing.T, root, text string) string {
	t.Helper()
	dir := t.TempDir()
	file, overlay := filepath.Join(dir, "snippets.go"), filepath.Join(dir, "overlay.json")
	for name, content := range map[string]string{file: text, overlay: fmt.Sprintf("{\"Replace\": {%q: %q}}",
		filepath.Join(root, "internal", "snippets", "snippets.go"), file)} {
		must.Do(t, os.WriteFile(name, []byte(content), 0o600))
	}
	c := exec.CommandContext(t.Context(), "go", "build", "-overlay", overlay, "./internal/snippets")
	c.Dir = root
	out, err := c.CombinedOutput()
	if err != nil {
		return cmp.Or(string(out), err.Error())
	}
	return ""
}

// TestSnippetsCompile: every piece of Go in the READMEs and the pages of docs/ compiles, with the names that its text
// speaks of given. The page about mechanisms of one's own is code of a module that TestOwnMechanismIsCompiled knows,
// and the cells of the README's own notebook are run by TestOwnNotebook.
func TestSnippetsCompile(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles: not with -short")
	}
	root := checkout.Of(t)
	rooms := roomOf(t, root)
	var snippets []block
	var where []string
	for _, file := range shownPages(t, root) {
		text := must.Get(os.ReadFile(file))(t)
		name := filepath.Base(file)
		first, last := notebookLines(string(text))
		for _, b := range blocks(string(text)) {
			if b.lang != "go" || name == "own_mechanism.md" || b.line > first && b.line < last {
				continue
			}
			snippets, where = append(snippets, b), append(where, fmt.Sprintf("%s:%d", name, b.line))
		}
	}
	if len(snippets) < 9 {
		t.Errorf("%d pieces of Go", len(snippets))
	}
	if said := vetted(t, root, program(t, rooms, snippets, where)); said != "" {
		t.Errorf("the compiler says\n%s", said)
	}
	// A name that the library does not have is seen, and named by page and line.
	broken := block{text: "report, err := train.Modle(privbayes.NaiveBayes(\"Class\"))\n"}
	said := vetted(t, root, program(t, rooms, []block{broken}, []string{"page.md:7"}))
	if !strings.Contains(said, "page.md:7") || !strings.Contains(said, "Modle") {
		t.Errorf("a misspelled verb: %q", said)
	}
}

// notebookLines are the lines between which a page tells of one's own notebook.
func notebookLines(page string) (first, last int) {
	before, after, found := strings.Cut(page, "\n## Your own notebooks\n")
	if !found {
		return 0, 0
	}
	section, _, _ := strings.Cut(after, "\n## ")
	return strings.Count(before, "\n") + 1, strings.Count(before, "\n") + 2 + strings.Count(section, "\n")
}
