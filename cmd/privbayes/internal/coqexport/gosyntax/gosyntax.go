// Package gosyntax writes functions of Go as syntax trees for Coq, which proofs/lib/GoProgram.v gives a meaning: words
// of 64 bits, loops, and calls that draw. Functions of float64 have trees of their own, and their meaning from
// proofs/lib/FloatProgram.v. It translates node by node and decides nothing. What it has no tree for, it refuses: both
// kinds of numbers in one function, slices, switches of a value, labels, and a name that means two things in one
// function.
package gosyntax

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"slices"
	"strings"
)

// UnsupportedError is a piece of Go that has no tree, or a function that the files do not have.
type UnsupportedError struct {
	At   token.Position // of the piece; without a line where a function is missing
	What string
}

func (e *UnsupportedError) Error() string {
	return fmt.Sprintf("gosyntax: %v: no tree for %s", e.At, e.What)
}

// stubs are the packages whose names the functions use. Others stay unknown, and so does what is declared with them.
var stubs = map[string]string{
	"math/bits": "package bits; func Mul64(x, y uint64) (hi, lo uint64) { return }\n" +
		"func Add64(x, y, carry uint64) (sum, out uint64) { return }\n" +
		"func Sub64(x, y, borrow uint64) (difference, out uint64) { return }\n" +
		"func Len64(x uint64) int { return 0 }",
	"math/rand/v2": "package rand; type Source interface{ Uint64() uint64 }",
}

// floatStubs are those of functions of float64.
var floatStubs = map[string]string{
	"math": "package math; func Inf(sign int) float64 { return 0 }; func NaN() float64 { return 0 }\n" +
		"func Sqrt(x float64) float64 { return 0 }; func Nextafter(x, y float64) float64 { return 0 }\n" +
		"func Min(x, y float64) float64 { return 0 }",
	module + "num":       "package num; func Up(x float64) float64 { return 0 }",
	module + "hellinger": "package hellinger; func Rho(gamma, diameter float64) float64 { return 0 }",
}

// module is where packages are whose functions of float64 have trees.
const module = "github.com/privbayes/privbayes-go/internal/"

type stubImporter struct {
	files *token.FileSet
	stubs map[string]string
}

func (s stubImporter) Import(path string) (*types.Package, error) {
	text, ok := s.stubs[path]
	if !ok {
		return nil, fmt.Errorf("no package %s here", path)
	}
	f, err := parser.ParseFile(s.files, path, text, 0)
	if err != nil {
		return nil, err
	}
	return new(types.Config).Check(path, s.files, []*ast.File{f}, nil)
}

// Functions are definitions of the named functions of a package, in that order, given its files by name. A method is
// named Type.Method, and Type_Method in Coq. Errors: *[UnsupportedError], and those of Go's parser.
func Functions(sources map[string]string, names ...string) (string, error) {
	return translate(sources, stubs, false, names)
}

// Floats is [Functions] of functions of float64, which draw nothing. One may have a pointer to a type of its package.
// It calls methods of that, which are texts, too, or whose values proofs are given. A function F of package p is p_F in
// Coq.
func Floats(sources map[string]string, names ...string) (string, error) {
	return translate(sources, floatStubs, true, names)
}

func translate(sources, stubs map[string]string, floats bool, names []string) (string, error) {
	set := token.NewFileSet()
	var files []*ast.File
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		f, err := parser.ParseFile(set, name, sources[name], parser.SkipObjectResolution|parser.ParseComments)
		if err != nil {
			return "", err
		}
		if at := constrained(f, name, sources[name]); at.IsValid() {
			return "", &UnsupportedError{set.Position(at), "a file that is not of every build"}
		}
		files = append(files, f)
	}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Selections: map[*ast.SelectorExpr]*types.Selection{}}
	// errors are those of functions that use other packages
	check := types.Config{Importer: stubImporter{set, stubs}, Error: func(error) {}}
	pkg, _ := check.Check("sample", set, files, info)
	declared := map[string]*ast.FuncDecl{}
	for _, f := range files {
		for _, d := range f.Decls {
			d, ok := d.(*ast.FuncDecl)
			if name := ""; ok {
				if name = nameOf(d); name != "" && declared[name] != nil {
					return "", &UnsupportedError{set.Position(d.Pos()), "a second function " + name}
				}
				declared[name] = d
			}
		}
	}
	var out strings.Builder
	for _, name := range names {
		d, ok := declared[name]
		if !ok {
			return "", &UnsupportedError{What: "a function that is not there: " + name}
		}
		w := &writer{set: set, info: info, floats: floats, named: map[string]types.Object{}}
		text := w.function(d)
		if w.err != nil {
			return "", w.err
		}
		if floats && d.Recv == nil {
			name = pkg.Name() + "." + name
		}
		fmt.Fprintf(&out, "Definition %s : function := %s.\n", coqName(name), text)
	}
	return out.String(), nil
}

// constrained is where a file says in which builds it is, if it does: in a line, by import "C", or by its name, which
// is matched with a machine that there is not.
func constrained(f *ast.File, name, text string) token.Pos {
	for _, g := range f.Comments {
		for _, c := range g.List {
			if constraint.IsGoBuild(c.Text) || constraint.IsPlusBuild(c.Text) {
				return c.Pos()
			}
		}
	}
	for _, i := range f.Imports {
		if i.Path.Value == `"C"` {
			return i.Pos()
		}
	}
	nowhere := build.Context{GOOS: "none", GOARCH: "none", Compiler: "gc",
		OpenFile: func(string) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }}
	if ok, err := nowhere.MatchFile("", name); !ok || err != nil {
		return f.Pos()
	}
	return token.NoPos
}

func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if p, ok := t.(*ast.StarExpr); ok {
		t = p.X
	}
	if of, ok := t.(*ast.Ident); ok {
		return of.Name + "." + d.Name.Name
	}
	return ""
}

func coqName(name string) string { return strings.ReplaceAll(name, ".", "_") }

// writer writes one function. It keeps its first error.
type writer struct {
	set    *token.FileSet
	info   *types.Info
	floats bool                    // numbers are float64, not words
	named  map[string]types.Object // what a name means: one thing in the whole function
	from   types.Object            // its parameter that gives random words, or whose methods are given
	err    error
}

func (w *writer) refuse(n ast.Node, what string) string {
	if w.err == nil {
		w.err = &UnsupportedError{w.set.Position(n.Pos()), what}
	}
	return "?"
}

func (w *writer) function(d *ast.FuncDecl) string {
	if d.Body == nil || d.Type.TypeParams != nil || d.Type.Results.NumFields() == 0 {
		return w.refuse(d, "a function without a result")
	}
	var params []string
	fields := d.Type.Params.List
	if d.Recv != nil {
		fields = append(slices.Clone(d.Recv.List), fields...)
	}
	for _, f := range fields {
		if len(f.Names) == 0 {
			return w.refuse(f, "a parameter without a name")
		}
		for _, name := range f.Names {
			if w.source(w.info.Defs[name].Type()) {
				if w.from != nil {
					return w.refuse(name, "a second source of random words")
				}
				w.from = w.info.Defs[name]
			}
			w.named[name.Name] = w.info.Defs[name]
			for _, p := range w.parts(name, w.info.Defs[name].Type()) {
				params = append(params, `"`+p+`"`)
			}
		}
	}
	var start strings.Builder // named results are 0
	for _, f := range d.Type.Results.List {
		w.result(f, w.info.TypeOf(f.Type))
		for _, name := range f.Names {
			w.named[name.Name] = w.info.Defs[name]
			for _, p := range w.parts(name, w.info.Defs[name].Type()) {
				fmt.Fprintf(&start, "  Assign [\"%s\"] (Num 0);\n", p)
			}
		}
	}
	return fmt.Sprintf("{| params := [%s]; body := [\n%s%s] |}", strings.Join(params, "; "), &start,
		w.block(d.Body.List, "  "))
}

// parts are the variables that hold a value: of a structure one for each field, of a source of random words none.
func (w *writer) parts(n *ast.Ident, t types.Type) (out []string) {
	if s, ok := t.Underlying().(*types.Struct); ok {
		for f := range s.Fields() {
			w.kind(n, f.Type())
			out = append(out, n.Name+"."+f.Name())
		}
		return out
	}
	if w.source(t) {
		return nil
	}
	w.kind(n, t)
	return []string{n.Name}
}

// source reports whether values of the type are no numbers: sources of random words, in functions of float64 pointers.
func (w *writer) source(t types.Type) bool {
	if w.floats && t != nil {
		p, ok := t.(*types.Pointer)
		if !ok {
			return false
		}
		_, ok = p.Elem().(*types.Named)
		return ok
	}
	return t != nil && t.String() == "math/rand/v2.Source"
}

// kind is how a value of the type is wrapped. Those of the machine's size are taken to have 64 bits.
func (w *writer) kind(n ast.Node, t types.Type) string {
	if b, ok := t.Underlying().(*types.Basic); ok {
		switch k := b.Kind(); {
		case k == types.Bool:
			return "Truth"
		case w.floats && k == types.Float64:
			return "F64"
		case w.floats:
		case k == types.Uint64 || k == types.Uint:
			return "U64"
		case k == types.Int64 || k == types.Int:
			return "I64"
		}
	}
	return w.refuse(n, "a value of type "+t.String())
}

// word is the kind of a number.
func (w *writer) word(e ast.Expr) string {
	t := w.info.Types[e].Type
	if t == nil {
		return w.refuse(e, "an expression without a type")
	}
	if k := w.kind(e, t); k != "Truth" {
		return k
	}
	return w.refuse(e, "arithmetic of truth values")
}

func (w *writer) variable(n *ast.Ident) string {
	o := w.info.ObjectOf(n)
	if have, ok := w.named[n.Name]; o == nil || ok && have != o {
		return w.refuse(n, "the name "+n.Name+", which means two things here, or nothing")
	}
	if _, ok := o.(*types.Var); !ok || o.Parent() == o.Pkg().Scope() {
		return w.refuse(n, "the name "+n.Name+", which is no local variable")
	}
	w.named[n.Name] = o
	return n.Name
}

// single is a variable that holds one value, and not a structure.
func (w *writer) single(n *ast.Ident) string {
	if t := w.info.TypeOf(n); t != nil {
		w.kind(n, t)
	}
	return w.variable(n)
}

func (w *writer) block(list []ast.Stmt, indent string) string {
	var out []string
	for _, s := range list {
		out = append(out, w.statement(s, indent)...)
	}
	return strings.Join(out, ";\n")
}

// nested is a list of statements in brackets.
func (w *writer) nested(list []ast.Stmt, indent string) string {
	if len(list) == 0 {
		return "[]"
	}
	return "[\n" + w.block(list, indent+"  ") + "]"
}

func (w *writer) statement(s ast.Stmt, indent string) []string {
	line := func(format string, args ...any) []string { return []string{indent + fmt.Sprintf(format, args...)} }
	var before []string
	init := func(s ast.Stmt) {
		if s != nil {
			before = w.statement(s, indent)
		}
	}
	switch s := s.(type) {
	case *ast.AssignStmt:
		return w.assign(s, line)
	case *ast.IncDecStmt:
		op := map[token.Token]string{token.INC: "Add", token.DEC: "Sub"}[s.Tok]
		x := w.expr(s.X)
		return line(`Assign [%s] %s`, w.target(s.X), w.arithmetic(op, s.X, x, "(Num 1)"))
	case *ast.DeclStmt:
		if d, ok := s.Decl.(*ast.GenDecl); ok && d.Tok == token.VAR && len(d.Specs) == 1 {
			if v := d.Specs[0].(*ast.ValueSpec); len(v.Names) == 1 && len(v.Values) == 0 {
				var out []string
				for _, p := range w.parts(v.Names[0], w.info.Defs[v.Names[0]].Type()) {
					out = append(out, line(`Assign ["%s"] (Num 0)`, p)...)
				}
				w.variable(v.Names[0])
				return out
			}
		}
	case *ast.IfStmt:
		init(s.Init)
		no := "[]"
		switch e := s.Else.(type) {
		case nil:
		case *ast.BlockStmt:
			no = w.nested(e.List, indent)
		default:
			return line("%s", w.refuse(e, "else if"))
		}
		return append(before, line("If %s %s %s", w.expr(s.Cond), w.nested(s.Body.List, indent), no)...)
	case *ast.ForStmt:
		if w.floats {
			return line("%s", w.refuse(s, "a loop of floating point"))
		}
		init(s.Init)
		cond, post := "(Num 1)", "[]"
		if s.Cond != nil {
			cond = w.expr(s.Cond)
		}
		if s.Post != nil {
			post = w.nested([]ast.Stmt{s.Post}, indent)
		}
		return append(before, line("For %s %s %s", cond, post, w.nested(s.Body.List, indent))...)
	case *ast.SwitchStmt:
		if s.Init == nil && s.Tag == nil && len(s.Body.List) > 0 {
			return line("%s", w.cases(s.Body.List, indent))
		}
	case *ast.ReturnStmt:
		if len(s.Results) > 0 {
			return line("Return %s", w.several(s.Results))
		}
	case *ast.BranchStmt:
		if s.Tok == token.CONTINUE && s.Label == nil {
			return line("Continue")
		}
	}
	return line("%s", w.refuse(s, fmt.Sprintf("a statement %T", s)))
}

// cases are conditions one after another; the last may be default.
func (w *writer) cases(list []ast.Stmt, indent string) string {
	c := list[0].(*ast.CaseClause)
	if len(c.List) != 1 {
		return w.refuse(c, "a case without one condition")
	}
	no := "[]"
	if len(list) > 1 {
		if d := list[1].(*ast.CaseClause); d.List == nil && len(list) == 2 {
			no = w.nested(d.Body, indent)
		} else {
			no = fmt.Sprintf("[\n%s  %s]", indent, w.cases(list[1:], indent+"  "))
		}
	}
	return fmt.Sprintf("If %s %s %s", w.expr(c.List[0]), w.nested(c.Body, indent), no)
}

// target are the variables that are assigned, of a structure all. No expression reads _.
func (w *writer) target(e ast.Expr) string {
	n, ok := e.(*ast.Ident)
	switch {
	case !ok:
		return w.refuse(e, "an assignment to what is no variable")
	case n.Name == "_":
		return `"_"`
	case w.info.ObjectOf(n) == nil:
		return w.variable(n)
	}
	if w.source(w.info.ObjectOf(n).Type()) {
		return w.refuse(e, "an assignment to what gives random words, or whose methods are given")
	}
	parts := w.parts(n, w.info.ObjectOf(n).Type())
	w.variable(n)
	return `"` + strings.Join(parts, `"; "`) + `"`
}

func (w *writer) assign(s *ast.AssignStmt, line func(string, ...any) []string) []string {
	if len(s.Rhs) != 1 {
		return line("%s", w.refuse(s, "an assignment of several values"))
	}
	if c, ok := s.Rhs[0].(*ast.CompositeLit); ok {
		return w.structure(s, c, line)
	}
	var targets []string
	for _, l := range s.Lhs {
		targets = append(targets, w.target(l))
	}
	value := w.value(s.Rhs[0])
	switch s.Tok {
	case token.ASSIGN, token.DEFINE:
	case token.ADD_ASSIGN:
		value = w.arithmetic("Add", s.Lhs[0], w.expr(s.Lhs[0]), value)
	case token.SUB_ASSIGN:
		value = w.arithmetic("Sub", s.Lhs[0], w.expr(s.Lhs[0]), value)
	default:
		value = w.refuse(s, "the assignment "+s.Tok.String())
	}
	return line("Assign [%s] %s", strings.Join(targets, "; "), value)
}

// structure assigns the fields of a structure.
func (w *writer) structure(s *ast.AssignStmt, c *ast.CompositeLit, line func(string, ...any) []string) (out []string) {
	n, ok := s.Lhs[0].(*ast.Ident)
	if !ok || len(s.Lhs) != 1 || s.Tok != token.DEFINE {
		return line("%s", w.refuse(s, "a structure that is not a new variable"))
	}
	parts := w.parts(n, w.info.Types[c].Type)
	w.variable(n)
	for i, e := range w.fields(c) {
		out = append(out, line(`Assign ["%s"] %s`, parts[i], e)...)
	}
	return out
}

// fields are the values of a structure, all of them. Where they are named, none may draw: their order could be another.
func (w *writer) fields(c *ast.CompositeLit) []string {
	s, ok := w.info.Types[c].Type.Underlying().(*types.Struct)
	if !ok {
		return []string{w.refuse(c, "a literal that is no structure")}
	}
	at := map[string]int{}
	out := slices.Repeat([]string{"(Num 0)"}, s.NumFields())
	for i := range s.NumFields() {
		at[s.Field(i).Name()] = i
		w.kind(c, s.Field(i).Type())
	}
	for i, e := range c.Elts {
		if pair, named := e.(*ast.KeyValueExpr); named {
			i, e = at[pair.Key.(*ast.Ident).Name], pair.Value
			if strings.Contains(w.expr(e), "Call") {
				return []string{w.refuse(e, "a call in a named field")}
			}
		}
		out[i] = w.expr(e)
	}
	return out
}

// constantOf is a constant as an integer, and a truth value as 0 or 1.
func (w *writer) constantOf(e ast.Expr, v constant.Value) string {
	if v.Kind() == constant.Bool {
		if constant.BoolVal(v) {
			return "(Num 1)"
		}
		return "(Num 0)"
	}
	if v = constant.ToInt(v); v.Kind() != constant.Int {
		return w.refuse(e, "a constant that is no integer")
	}
	if constant.Sign(v) < 0 {
		return fmt.Sprintf("(Num (%s))", v.ExactString())
	}
	return fmt.Sprintf("(Num %s)", v.ExactString())
}
