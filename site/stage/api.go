package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const module = "github.com/privbayes/privbayes-go"

// rooms are where the packages are that users import.
var rooms = []string{"privbayes", "data"}

// api writes a page for every package that users import, from its doc comments and examples, and a list of them.
func (s *stage) api() error {
	var dirs []string
	for _, room := range rooms {
		err := filepath.WalkDir(filepath.Join(s.root, room), func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() {
				return err
			}
			if d.Name() == "testdata" || d.Name() == "internal" {
				return filepath.SkipDir
			}
			rel, err := filepath.Rel(s.root, p)
			if err != nil {
				return err
			}
			if _, err := build.ImportDir(p, 0); err == nil {
				dirs = append(dirs, filepath.ToSlash(rel))
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	slices.Sort(dirs)
	var list strings.Builder
	list.WriteString("# The API\n\nFrom the doc comments of the packages that users import; `go doc` says the same. " +
		"What is private to the module is not listed.\n\n| package | what it is |\n|---|---|\n")
	known := map[string]*doc.Package{}
	fset := token.NewFileSet()
	for _, dir := range dirs {
		p, err := packageOf(fset, s.root, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		known[dir] = p
	}
	for _, dir := range dirs {
		p := known[dir]
		page := apiPage{p: p, fset: fset, dir: dir, known: known}
		if err := write(s.to, "api/"+dir+".md", page.markdown()); err != nil {
			return err
		}
		s.packages++
		fmt.Fprintf(&list, "| [%s](%s.md) | %s |\n", dir, dir, strings.ReplaceAll(p.Synopsis(p.Doc), "|", "\\|"))
	}
	list.WriteString("\n```{toctree}\n:hidden:\n:glob:\n\n**\n```\n")
	return write(s.to, "api/README.md", []byte(list.String()))
}

// packageOf parses the package of a folder, with its examples.
func packageOf(fset *token.FileSet, root, dir string) (*doc.Package, error) {
	where := filepath.Join(root, filepath.FromSlash(dir))
	info, err := build.ImportDir(where, 0)
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range slices.Concat(info.GoFiles, info.TestGoFiles, info.XTestGoFiles) {
		b, err := os.ReadFile(filepath.Join(where, name))
		if err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, name, b, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return doc.NewFromFiles(fset, files, path.Join(module, dir))
}

// apiPage writes the page of one package.
type apiPage struct {
	p     *doc.Package
	fset  *token.FileSet
	dir   string
	known map[string]*doc.Package // all pages
	b     bytes.Buffer
}

func (a *apiPage) markdown() []byte {
	fmt.Fprintf(&a.b, "# package %s\n\n```go\nimport %q\n```\n\n", a.p.Name, path.Join(module, a.dir))
	a.text(a.p.Doc)
	a.examples(a.p.Examples)
	a.values("Constants", a.p.Consts)
	a.values("Variables", a.p.Vars)
	if len(a.p.Funcs) > 0 {
		a.b.WriteString("## Functions\n\n")
		for _, f := range a.p.Funcs {
			a.function(f, "")
		}
	}
	if len(a.p.Types) > 0 {
		a.b.WriteString("## Types\n\n")
	}
	for _, t := range a.p.Types {
		fmt.Fprintf(&a.b, "### %s\n\n", t.Name)
		a.declaration(t.Decl)
		a.text(t.Doc)
		a.examples(t.Examples)
		for _, v := range slices.Concat(t.Consts, t.Vars) {
			a.declaration(v.Decl)
			a.text(v.Doc)
		}
		for _, f := range t.Funcs {
			a.function(f, "")
		}
		for _, f := range t.Methods {
			a.function(f, t.Name+".")
		}
	}
	return a.b.Bytes()
}

func (a *apiPage) values(title string, list []*doc.Value) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(&a.b, "## %s\n\n", title)
	for _, v := range list {
		a.declaration(v.Decl)
		a.text(v.Doc)
	}
}

func (a *apiPage) function(f *doc.Func, of string) {
	mark := "###"
	if of != "" {
		mark = "####"
	}
	fmt.Fprintf(&a.b, "%s %s%s\n\n", mark, of, f.Name)
	a.declaration(f.Decl)
	a.text(f.Doc)
	a.examples(f.Examples)
}

func (a *apiPage) declaration(d ast.Decl) {
	if f, ok := d.(*ast.FuncDecl); ok {
		own := *f
		own.Body, own.Doc = nil, nil
		d = &own
	}
	var b bytes.Buffer
	if err := format.Node(&b, a.fset, d); err != nil {
		fmt.Fprintf(&b, "%v", err)
	}
	a.code("go", b.String())
}

func (a *apiPage) code(language, text string) {
	fence := "```"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	fmt.Fprintf(&a.b, "%s%s\n%s\n%s\n\n", fence, language, strings.TrimRight(text, "\n"), fence)
}

// heading is one of a doc comment. Names have the headings of the page, so that it is bold text.
var heading = regexp.MustCompile(`(?m)^##### (.*)$`)

// text writes a doc comment. Its links lead to pages of the site,
// or to where the standard library is documented.
func (a *apiPage) text(text string) {
	if text == "" {
		return
	}
	p := a.p.Printer()
	p.HeadingLevel = 5
	p.HeadingID = func(*comment.Heading) string { return "" }
	p.DocLinkURL = func(l *comment.DocLink) string { return a.link(l) }
	out := p.Markdown(a.p.Parser().Parse(text))
	a.b.Write(heading.ReplaceAll(out, []byte("**$1**")))
	a.b.WriteString("\n")
}

// link is where a name of a doc comment stands.
func (a *apiPage) link(l *comment.DocLink) string {
	if l.ImportPath == "" {
		return anchor(a.p, l)
	}
	dir, _ := strings.CutPrefix(l.ImportPath, module+"/")
	p := a.known[dir]
	if p == nil {
		return l.DefaultURL("https://pkg.go.dev/")
	}
	back, err := filepath.Rel(filepath.FromSlash(path.Dir(a.dir)), filepath.FromSlash(dir+".md"))
	if err != nil {
		return ""
	}
	return filepath.ToSlash(back) + anchor(p, l)
}

// anchor is the heading under which a name of a package stands: its own, that of its type, or that of its kind.
func anchor(p *doc.Package, l *comment.DocLink) string {
	if l.Name == "" {
		return ""
	}
	named := func(list []*doc.Value, heading string) string {
		for _, v := range list {
			if slices.Contains(v.Names, l.Name) {
				return heading
			}
		}
		return ""
	}
	under := strings.TrimPrefix(l.Recv, "*")
	for _, t := range p.Types {
		own := "#" + strings.ToLower(t.Name)
		switch {
		case t.Name == under:
			for _, f := range t.Methods {
				if f.Name == l.Name {
					return own + strings.ToLower(l.Name)
				}
			}
			return own // a field
		case under == "" && (t.Name == l.Name || named(t.Consts, own) != "" || named(t.Vars, own) != ""):
			return own
		}
	}
	if heading := named(p.Consts, "#constants") + named(p.Vars, "#variables"); heading != "" {
		return heading
	}
	return "#" + strings.ToLower(l.Name) // a function
}

func (a *apiPage) examples(list []*doc.Example) {
	for _, e := range list {
		title := "Example"
		if e.Suffix != "" {
			title += " (" + e.Suffix + ")"
		}
		fmt.Fprintf(&a.b, "*%s*\n\n", title)
		var b bytes.Buffer
		var node any = e.Code
		if e.Play != nil {
			node = e.Play
		}
		if err := format.Node(&b, a.fset, node); err != nil {
			fmt.Fprintf(&b, "%v", err)
		}
		a.code("go", b.String())
		if e.Output != "" {
			a.code("text", e.Output)
		}
	}
}
