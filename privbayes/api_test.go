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

// listAPI lists every exported declaration of the public packages, a line each, without bodies and comments.
func listAPI(t *testing.T) string {
	t.Helper()
	var lines []string
	for _, dir := range goList(t, "-f", "{{.ImportPath}} {{.Dir}}", module+"/...", strings.TrimSuffix(module, "/privbayes")+"/data") {
		path, dir, _ := strings.Cut(dir, " ")
		if strings.Contains(path, "/internal/") {
			continue
		}
		fset := token.NewFileSet()
		names, err := filepath.Glob(filepath.Join(dir, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		var files []*ast.File
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(filepath.Base(name), "lock_") {
				continue
			}
			f, err := parser.ParseFile(fset, name, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, f)
		}
		d, err := doc.NewFromFiles(fset, files, path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimPrefix(strings.TrimPrefix(path, strings.TrimSuffix(module, "privbayes")), "/")
		add := func(node any) {
			var b bytes.Buffer
			if err := (&printer.Config{}).Fprint(&b, fset, node); err != nil {
				t.Fatal(err)
			}
			lines = append(lines, name+": "+strings.Join(strings.Fields(b.String()), " "))
		}
		values := func(list []*doc.Value) {
			for _, v := range list {
				for _, n := range v.Names {
					if ast.IsExported(n) {
						lines = append(lines, fmt.Sprintf("%s: %s %s", name, v.Decl.Tok, n))
					}
				}
			}
		}
		funcs := func(list []*doc.Func) {
			for _, f := range list {
				f.Decl.Body = nil
				add(f.Decl)
			}
		}
		values(d.Consts)
		values(d.Vars)
		funcs(d.Funcs)
		for _, typ := range d.Types {
			ast.FilterDecl(typ.Decl, ast.IsExported)
			add(typ.Decl)
			values(typ.Consts)
			values(typ.Vars)
			funcs(typ.Funcs)
			funcs(typ.Methods)
		}
	}
	slices.Sort(lines)
	return strings.Join(slices.Compact(lines), "\n") + "\n"
}
