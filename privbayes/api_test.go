package privbayes_test

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/doc"
	"go/parser"
	"go/printer"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var updateAPI = flag.Bool("update-api", false, "rewrite docs/api.txt")

// The public API is what docs/api.txt lists: a change to it is made on purpose, with `make api`, and shows in review.
func TestAPIIsListed(t *testing.T) {
	got := listAPI(t)
	path := filepath.Join("..", "docs", "api.txt")
	if *updateAPI {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	have := strings.Split(string(want), "\n")
	for _, line := range strings.Split(got, "\n") {
		if !slices.Contains(have, line) {
			t.Errorf("not in docs/api.txt: %s", line)
		}
	}
	now := strings.Split(got, "\n")
	for _, line := range have {
		if !slices.Contains(now, line) {
			t.Errorf("no longer there: %s", line)
		}
	}
	t.Error("the public API changed; if that is meant, run make api")
}

// listAPI shows the exported declarations of the public packages, without bodies and comments: a section for each
// package with its synopsis and the number of its names, the library first, then what is for the papers' readers.
func listAPI(t *testing.T) string {
	t.Helper()
	base := strings.TrimSuffix(module, "privbayes")
	var b strings.Builder
	for _, part := range []struct {
		title    string
		patterns []string
	}{{"The library", []string{module + "/...", base + "data", base + "proofs"}},
		{"For the papers' readers", []string{base + "papers/..."}}} {
		total, sections := 0, strings.Builder{}
		for _, line := range goList(t, append([]string{"-f", "{{.ImportPath}} {{.Dir}}"}, part.patterns...)...) {
			path, dir, _ := strings.Cut(line, " ")
			if strings.Contains(path, "/internal/") || strings.Contains(path, "/cmd/") {
				continue
			}
			lines, synopsis := listPackage(t, path, dir)
			names := 0
			for _, l := range lines {
				if l != "" && !strings.HasPrefix(l, "\t") && !strings.HasPrefix(l, "}") {
					names++
				}
			}
			total += names
			fmt.Fprintf(&sections, "\n## %s: %d\n\n%s\n\n\t%s\n", strings.TrimPrefix(path, base), names, synopsis,
				strings.Join(lines, "\n\t"))
		}
		fmt.Fprintf(&b, "# %s: %d names\n%s\n", part.title, total, sections.String())
	}
	return strings.ReplaceAll(strings.TrimRight(b.String(), "\n"), "\t\n", "\n") + "\n"
}

// listPackage shows the declarations of a package: types with their methods, in the order of go doc; a name on every
// line that is not indented.
func listPackage(t *testing.T, path, dir string) (lines []string, synopsis string) {
	t.Helper()
	fset := token.NewFileSet()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		synopsis += new(doc.Package).Synopsis(f.Doc.Text())
		f.Comments = nil
		files = append(files, f)
	}
	d, err := doc.NewFromFiles(fset, files, path)
	if err != nil {
		t.Fatal(err)
	}
	add := func(node any) {
		var b bytes.Buffer
		if err := (&printer.Config{Mode: printer.UseSpaces | printer.TabIndent, Tabwidth: 4}).Fprint(&b, fset,
			node); err != nil {
			t.Fatal(err)
		}
		text := unexported.ReplaceAllString(b.String(), "{ … }")
		for line := range strings.Lines(text) {
			if line = strings.TrimRight(line, "\n"); strings.TrimSpace(line) != "" &&
				strings.TrimSpace(line) != filtered {
				lines = append(lines, line)
			}
		}
	}
	values := func(list []*doc.Value) {
		for _, v := range list {
			for _, n := range v.Names {
				if ast.IsExported(n) {
					lines = append(lines, v.Decl.Tok.String()+" "+n)
				}
			}
		}
	}
	funcs := func(list []*doc.Func) {
		for _, f := range list {
			f.Decl.Body, f.Decl.Doc = nil, nil
			f.Decl.Type.Func = token.NoPos
			add(f.Decl)
		}
	}
	values(d.Consts)
	values(d.Vars)
	funcs(d.Funcs)
	for _, typ := range d.Types {
		ast.FilterDecl(typ.Decl, ast.IsExported)
		bare(typ.Decl)
		lines = append(lines, "")
		add(typ.Decl)
		values(typ.Consts)
		values(typ.Vars)
		funcs(typ.Funcs)
		funcs(typ.Methods)
	}
	return lines, synopsis
}

// What the printer puts for fields and methods that are not exported, and a type that has no others.
const filtered = "// contains filtered or unexported fields"

var unexported = regexp.MustCompile(`\{\s*// contains filtered or unexported (fields|methods)\s*\}`)

// bare takes the comments out of a declaration.
func bare(d ast.Decl) {
	ast.Inspect(d, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			n.Doc = nil
		case *ast.TypeSpec:
			n.Doc, n.Comment = nil, nil
		case *ast.Field:
			n.Doc, n.Comment = nil, nil
		}
		return true
	})
}
