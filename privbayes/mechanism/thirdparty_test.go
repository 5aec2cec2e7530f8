package mechanism_test

import (
	"context"
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	_ "github.com/privbayes/privbayes-go/privbayes" // which the other module uses
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// outside runs the go command in the module testdata/thirdparty, offline. It resolves the module's requirements in a
// copy of its go.mod, with the library's sums, so that nothing is written to the checkout.
func outside(t *testing.T, args ...string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for from, to := range map[string]string{"testdata/thirdparty/go.mod": "go.mod", "../../go.sum": "go.sum"} {
		text := must.Get(os.ReadFile(from))(t)
		must.Do(t, os.WriteFile(filepath.Join(dir, to), text, 0o600))
	}
	args = append([]string{args[0], "-mod=mod", "-modfile=" + filepath.Join(dir, "go.mod")}, args[1:]...)
	c := exec.CommandContext(t.Context(), "go", args...)
	c.Dir = filepath.Join("testdata", "thirdparty")
	c.Env = append(os.Environ(), "GOPROXY=off", "GOWORK=off")
	out, err := c.CombinedOutput()
	return string(out), err
}

// A mechanism in another module plans, certifies, releases and verifies: its own tests say so. They take less than a
// second, and linking some more.
func TestAMechanismOfAnotherModule(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and links another module: not with -short")
	}
	files, err := filepath.Glob(filepath.Join("testdata", "thirdparty", "*.go"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, f := range files { // what this test sees read, and what it imports, makes its kept result stale
		must.Get(os.ReadFile(f))(t)
	}
	if out, err := outside(t, "test", "./..."); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// Another module cannot open private statistics: the key is not for it. That its file compiles without the key shows
// that nothing else is wrong.
func TestAnotherModuleHasNoKey(t *testing.T) {
	dir := t.TempDir()
	build := func(text string) (string, error) {
		file, overlay := filepath.Join(dir, "thief.go"), filepath.Join(dir, "overlay.json")
		module := must.Get(filepath.Abs(filepath.Join("testdata", "thirdparty")))(t)
		j := must.Get(json.Marshal(map[string]any{"Replace": map[string]string{filepath.Join(module, "thief",
			"thief.go"): file}}))(t)
		for name, text := range map[string][]byte{file: []byte(text), overlay: j} {
			must.Do(t, os.WriteFile(name, text, 0o600))
		}
		return outside(t, "build", "-overlay", overlay, "./thief")
	}
	const honest = `package thief

import "github.com/privbayes/privbayes-go/privbayes/mechanism"

func Read(data mechanism.Private) [][]int64 { return data.Tables() }
`
	if out, err := build(honest); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const unnamed = `
func Open(st *model.Statistics) mechanism.Private { return mechanism.Open(struct{}{}, st) }
func Read2(st *model.Statistics) mechanism.Private {
	return mechanism.Open(struct{ mine bool; _ [0]func() }{mine: true}, st)
}
`
	with := strings.Replace(honest, "import ", "import \"github.com/privbayes/privbayes-go/privbayes/model\"\nimport ", 1)
	if out, err := build(with + unnamed); err == nil || strings.Count(out, "as access.Key value") != 2 {
		t.Errorf("%v\n%s", err, out)
	}
	thief := strings.Replace(honest, "import ", "import \"github.com/privbayes/privbayes-go/internal/access\"\nimport ",
		1) +
		"func Open() mechanism.Private { return mechanism.Open(access.Mine(), nil) }\n"
	if out, err := build(thief); err == nil || !strings.Contains(out, "use of internal package") {
		t.Errorf("%v\n%s", err, out)
	}
}

// Only Open hands out Private, for a key; else it is an argument of a sampler's Draw. No exported signature, field or
// variable has one otherwise.
func TestPrivateIsHandedToDrawOnly(t *testing.T) {
	opened, samplers := 0, 0
	err := filepath.WalkDir(filepath.Join("..", ".."), func(path string, e fs.DirEntry, err error) error {
		if err == nil && e.IsDir() && e.Name() == "testdata" {
			return filepath.SkipDir
		}
		if err != nil || e.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, found := range handsOut(f) {
			switch found {
			case "mechanism.Open":
				opened++
			case "Draw":
				samplers++
			default:
				t.Errorf("%s: %s", path, found)
			}
		}
		return nil
	})
	if err != nil || opened != 1 || samplers < 8 {
		t.Error(opened, samplers, err)
	}
}

// The search sees what would hand out private statistics.
func TestLeaksOfPrivateAreFound(t *testing.T) {
	for _, leak := range []string{
		"func Leak() mechanism.Private { return p }",
		"func (t T) Leak(f func(mechanism.Private)) {}",
		"type T struct { Leak mechanism.Private }",
		"type T struct { mechanism.Private }",
		"var Leak mechanism.Private",
		"func Draw() mechanism.Private { return p }",
		"func Leak() (x []mechanism.Private) { return }",
		"func Leak(c chan mechanism.Private) {}",
		"type Leak interface { Get() mechanism.Private }",
		"type Leak = mechanism.Private",
	} {
		f := must.Get(parser.ParseFile(token.NewFileSet(), "", "package p\n"+leak, parser.SkipObjectResolution))(t)
		if found := handsOut(f); len(found) != 1 || found[0] == "Draw" || found[0] == "mechanism.Open" {
			t.Errorf("%s: %q", leak, found)
		}
	}
}

// handsOut lists the exported declarations of a file whose types mention Private: "Draw" for a Draw that takes one as
// an argument, "mechanism.Open" for the one maker, which takes a key, and the others as leaks, by name.
func handsOut(f *ast.File) (found []string) {
	inside := f.Name.Name == "mechanism"
	mentions := func(n ast.Node) (yes bool) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.BlockStmt, *ast.BasicLit:
				return false
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				yes = yes || ok && x.Name == "mechanism" && n.Sel.Name == "Private"
				return false
			case *ast.Ident:
				yes = yes || inside && n.Name == "Private"
			}
			return true
		})
		return yes
	}
	draws := func(name string, t *ast.FuncType) bool {
		if name != "Draw" || t.Results != nil && mentions(t.Results) {
			return false
		}
		for _, p := range t.Params.List {
			switch p.Type.(type) {
			case *ast.Ident, *ast.SelectorExpr:
			default:
				if mentions(p.Type) {
					return false
				}
			}
		}
		return true
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			switch name := d.Name.Name; {
			case !d.Name.IsExported() || !mentions(d.Type):
			case draws(name, d.Type):
				found = append(found, "Draw")
			case inside && d.Recv != nil && mentions(d.Recv) && !mentions(d.Type.Params): // who asks has one already
			case inside && name == "Open" && d.Recv == nil && takesKey(d.Type):
				found = append(found, "mechanism.Open")
			default:
				found = append(found, "leak: "+name)
			}
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if t, ok := s.(*ast.TypeSpec); ok && t.Name.IsExported() && !(inside && t.Name.Name == "Private") {
					if i, ok := t.Type.(*ast.InterfaceType); ok {
						for _, m := range i.Methods.List {
							if ft, ok := m.Type.(*ast.FuncType); ok && mentions(ft) && draws(m.Names[0].Name, ft) {
								found = append(found, "Draw")
							} else if mentions(m) {
								found = append(found, "leak: "+t.Name.Name)
							}
						}
					} else if mentions(t.Type) {
						found = append(found, "leak: "+t.Name.Name)
					}
				}
				if v, ok := s.(*ast.ValueSpec); ok && v.Names[0].IsExported() && mentions(v) {
					found = append(found, "leak: "+v.Names[0].Name)
				}
			}
		}
	}
	return found
}

func takesKey(t *ast.FuncType) bool {
	s, ok := t.Params.List[0].Type.(*ast.SelectorExpr)
	x, isName := s.X.(*ast.Ident)
	return ok && isName && x.Name == "access" && s.Sel.Name == "Key"
}

// A kind is registered once, with what rebuilds it: anything else is a mistake that shows at start-up.
func TestKindsAreTakenOnce(t *testing.T) {
	rebuild := mechanism.Rebuild(func(context.Context, *model.Shape, dp.Request, json.RawMessage) (*mechanism.Plan,
		error) {
		return nil, nil
	})
	for _, d := range []mechanism.Descriptor{{Kind: "geometric", Rebuild: rebuild}, {Kind: "x"}, {Rebuild: rebuild}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%q is registered", d.Kind)
				}
			}()
			mechanism.Register(d)
		}()
	}
}
