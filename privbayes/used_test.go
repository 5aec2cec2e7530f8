package privbayes_test

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// Every exported name has a reader: an example, a test, a notebook, or another package, also of the modules papers,
// bench and sources. What nobody reads is a promise without a purpose, and goes.
func TestEveryExportedNameIsUsed(t *testing.T) {
	if testing.Short() {
		t.Skip("type-checks three modules")
	}
	tree := newTree(t)
	notebooks := must.Get(filepath.Glob(filepath.Join("..", "notebooks", "*.md")))(t)
	if len(notebooks) == 0 {
		t.Fatal("no notebook found")
	}
	for _, name := range notebooks {
		text := must.Get(os.ReadFile(name))(t)
		tree.notebooks += string(text)
	}
	modules, err := filepath.Glob(filepath.Join("..", "sources", "*", "*.go"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no nested module found: %v", err)
	}
	for _, name := range modules {
		text := must.Get(os.ReadFile(name))(t)
		tree.notebooks += "```go\n" + string(text) + "\n```\n"
	}
	unused, checked := tree.unused(t)
	if checked < 1000 {
		t.Errorf("only %d exported names were looked at", checked)
	}
	for _, name := range unused {
		t.Errorf("%s is used by no example, test, notebook or other package", name)
	}
}

// The check sees what nobody reads, and accepts each kind of reader.
func TestUnusedNamesAreFound(t *testing.T) {
	tree := &tree{fset: token.NewFileSet(), plain: map[string]*types.Package{}, outside: importer.Default(),
		used: map[token.Pos]bool{}}
	add := func(path, kind, text string) *ast.File {
		return must.Get(parser.ParseFile(tree.fset, path+"/"+kind+".go", text, 0))(t)
	}
	tree.units = []unit{{
		path: "m/a", public: true,
		code: []*ast.File{add("m/a", "a", `package a
			type Shown struct { Read, Idle int; Saved int `+"`json:\"saved\"`"+` }
			func (s Shown) Asked() int { return s.idle() + s.Idle }
			func (s Shown) idle() int { return 0 }
			func (s Shown) Forgotten() int { return s.Forgotten() }
			func (s Shown) String() string { return "" }
			type Result struct{ Value int }
			func Called() Result { return Result{Inner()} }
			func Inner() int { return 1 }
			func Tested() {}
			func Noted() {}
			type Failure struct{ Want string }
			func (f *Failure) Error() string { return f.Want }
			type Asker interface{ Ask() }
			func (s Shown) Ask() {}
			const Lonely = 1
			`)},
		inside: []*ast.File{add("m/a", "a_test", `package a
			func use() { Tested(); _ = Shown{Read: 1}; _ = Failure{}; var x Asker; x.Ask() }`)},
	}, {
		path: "m/b",
		code: []*ast.File{add("m/b", "b", `package b
			import "m/a"
			func f() int { return a.Called().Value + a.Shown{}.Asked() }`)},
	}}
	tree.notebooks = "```go\na.Noted()\n```\n"
	modules, err := filepath.Glob(filepath.Join("..", "sources", "*", "*.go"))
	if err != nil || len(modules) == 0 {
		t.Fatalf("no nested module found: %v", err)
	}
	for _, name := range modules {
		text := must.Get(os.ReadFile(name))(t)
		tree.notebooks += "```go\n" + string(text) + "\n```\n"
	}
	unused, checked := tree.unused(t)
	if want := []string{"m/a: Inner", "m/a: Lonely", "m/a: Shown.Forgotten", "m/a: Shown.Idle"}; !slices.Equal(unused,
		want) {
		t.Errorf("unused names %q among %d, want %q", unused, checked, want)
	}
}

// tree is the module's source, type-checked from the ground up.
type tree struct {
	fset      *token.FileSet
	units     []unit // dependencies first
	notebooks string
	plain     map[string]*types.Package // as other packages see them
	outside   types.Importer            // the standard library and other modules
	used      map[token.Pos]bool        // where a used name is declared
}

// unit is one package: its own files, its tests inside and outside.
type unit struct {
	path                  string
	public                bool
	code, inside, without []*ast.File
}

func newTree(t *testing.T) *tree {
	t.Helper()
	tr := &tree{fset: token.NewFileSet(), plain: map[string]*types.Package{}, used: map[token.Pos]bool{}}
	for _, line := range goList(t, "-f", `{{.ImportPath}} {{.Dir}} {{join .GoFiles ","}} {{join .TestGoFiles ","}} {{join .XTestGoFiles ","}}`, "-deps", root+"/...") {
		f := strings.Split(line, " ")
		if f[0] != root && !strings.HasPrefix(f[0], root+"/") {
			continue
		}
		parse := func(list string) (files []*ast.File) {
			for _, name := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' }) {
				file := must.Get(parser.ParseFile(tr.fset, filepath.Join(f[1], name), nil, parser.SkipObjectResolution))(t)
				files = append(files, file)
			}
			return files
		}
		public := f[0] == root+"/data" || f[0] == root+"/proofs" || strings.HasPrefix(f[0], module) && !strings.Contains(f[0], "/internal/")
		tr.units = append(tr.units, unit{path: f[0], public: public, code: parse(f[2]), inside: parse(f[3]),
			without: parse(f[4])})
	}
	imported := map[string]bool{}
	for _, u := range tr.units {
		for _, f := range slices.Concat(u.code, u.inside, u.without) {
			for _, i := range f.Imports {
				if path := strings.Trim(i.Path.Value, `"`); path != root && !strings.HasPrefix(path, root+"/") {
					imported[path] = true
				}
			}
		}
	}
	delete(imported, "unsafe")
	exports := map[string]string{}
	export := []string{"-export", "-f", "{{.ImportPath}} {{.Export}}"}
	for _, line := range goList(t, append(export, slices.Sorted(maps.Keys(imported))...)...) {
		path, file, _ := strings.Cut(line, " ")
		exports[path] = file
	}
	tr.outside = importer.ForCompiler(tr.fset, "gc", func(path string) (io.ReadCloser, error) {
		if exports[path] == "" {
			return nil, fmt.Errorf("no export data for %s", path)
		}
		return os.Open(exports[path])
	})
	return tr
}

// Import serves the module's own packages as type-checked here.
func (tr *tree) Import(path string) (*types.Package, error) {
	if p, ok := tr.plain[path]; ok {
		return p, nil
	}
	return tr.outside.Import(path)
}

// check type-checks files and notes every name they use that counts returns true for. Tests may come with errors, where
// they see a package both with and without its inner tests; what is not resolved then is not taken as used.
func (tr *tree) check(
	path string,
	files []*ast.File,
	counts func(use *ast.Ident, of types.Object) bool,
) (*types.Package, error) {
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	conf := types.Config{Importer: tr, Error: func(error) {}}
	p, err := conf.Check(path, tr.fset, files, info)
	for ident, obj := range info.Uses {
		switch o := obj.(type) {
		case *types.Func:
			obj = o.Origin()
		case *types.Var:
			obj = o.Origin()
		}
		if counts(ident, obj) {
			tr.used[obj.Pos()] = true
		}
	}
	return p, err
}

func ofInterface(obj types.Object) bool {
	f, ok := obj.(*types.Func)
	return ok && f.Signature().Recv() != nil && types.IsInterface(f.Signature().Recv().Type())
}

// unused lists the exported names of public packages without a reader, and how many were looked at.
func (tr *tree) unused(t *testing.T) (names []string, checked int) {
	t.Helper()
	always := func(*ast.Ident, types.Object) bool { return true }
	for _, u := range tr.units {
		p, err := tr.check(u.path, u.code, func(_ *ast.Ident, of types.Object) bool {
			// An interface's methods are asked for by the package that calls them.
			return of.Pkg() != nil && (of.Pkg().Path() != u.path || ofInterface(of))
		})
		if err != nil {
			t.Fatal(err)
		}
		tr.plain[u.path] = p
	}
	for _, u := range tr.units {
		tests := map[*token.File]bool{}
		for _, f := range u.inside {
			tests[tr.fset.File(f.Pos())] = true
		}
		inTest := func(use *ast.Ident, _ types.Object) bool { return tests[tr.fset.File(use.Pos())] }
		plain := tr.plain[u.path]
		if len(u.inside) > 0 {
			with, _ := tr.check(u.path, slices.Concat(u.code, u.inside), inTest)
			// Tests outside may use what the tests inside export.
			tr.plain[u.path] = with
			tr.check(u.path+"_test", u.without, always)
			tr.plain[u.path] = plain
		}
		tr.check(u.path+"_test", u.without, always)
	}
	return tr.withoutReader()
}
