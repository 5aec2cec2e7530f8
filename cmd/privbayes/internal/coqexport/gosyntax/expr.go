package gosyntax

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// operators are those that wrap around.
var operators = map[token.Token]string{token.ADD: "Add", token.SUB: "Sub", token.MUL: "Mul", token.QUO: "Div",
	token.REM: "Rem", token.SHR: "Shr", token.SHL: "Shl", token.OR: "Bor"}

// expr is the tree of an expression. Operands stand in the order in which Go evaluates them, but for a > b, which
// becomes b < a: there neither may draw.
func (w *writer) expr(e ast.Expr) string {
	if v := w.info.Types[e].Value; v != nil {
		return w.constantOf(e, v)
	}
	switch e := e.(type) {
	case *ast.Ident:
		return fmt.Sprintf(`(Var "%s")`, w.single(e))
	case *ast.ParenExpr:
		return w.expr(e.X)
	case *ast.SelectorExpr:
		if n, ok := e.X.(*ast.Ident); ok && w.info.Selections[e] != nil && w.info.Selections[e].Kind() == types.FieldVal &&
			!w.source(w.info.TypeOf(n)) {
			return fmt.Sprintf(`(Var "%s.%s")`, w.variable(n), e.Sel.Name)
		}
	case *ast.UnaryExpr:
		switch e.Op {
		case token.NOT:
			return fmt.Sprintf("(Not %s)", w.expr(e.X))
		case token.SUB:
			if w.floats {
				break
			}
			return fmt.Sprintf("(Neg %s %s)", w.word(e), w.expr(e.X))
		}
	case *ast.BinaryExpr:
		return w.binary(e)
	case *ast.CallExpr:
		if t := w.info.Types[e].Type; t != nil {
			w.kind(e, t)
		}
		return w.call(e)
	}
	return w.refuse(e, fmt.Sprintf("an expression %T", e))
}

// value is an expression, or a call with several results.
func (w *writer) value(e ast.Expr) string {
	if c, ok := e.(*ast.CallExpr); ok && w.info.Types[e].Value == nil {
		return w.call(c)
	}
	return w.expr(e)
}

// words are the values of an expression: of a variable or a literal that is a structure, its fields.
func (w *writer) words(e ast.Expr) (out []string) {
	if c, ok := e.(*ast.CompositeLit); ok {
		return w.fields(c)
	}
	n, ok := e.(*ast.Ident)
	if t := w.info.TypeOf(e); ok && t != nil && w.info.Types[e].Value == nil {
		if _, ok := t.Underlying().(*types.Struct); ok {
			w.variable(n)
			for _, p := range w.parts(n, t) {
				out = append(out, fmt.Sprintf(`(Var "%s")`, p))
			}
			return out
		}
	}
	return []string{w.expr(e)}
}

// several is what a function returns.
func (w *writer) several(es []ast.Expr) string {
	if _, call := es[0].(*ast.CallExpr); call && len(es) == 1 {
		return w.value(es[0])
	}
	var out []string
	for _, e := range es {
		out = append(out, w.words(e)...)
	}
	if len(out) == 1 {
		return out[0]
	}
	return fmt.Sprintf("(Tuple [%s])", strings.Join(out, "; "))
}

// arithmetic is an operation on numbers, of words with their kind.
func (w *writer) arithmetic(op string, e ast.Expr, x, y string) string {
	kind := w.word(e)
	if !w.floats {
		return fmt.Sprintf("(%s %s %s %s)", op, kind, x, y)
	}
	if op != "Add" && op != "Sub" && op != "Mul" {
		return w.refuse(e, op+" of floating point")
	}
	return fmt.Sprintf("(%s %s %s)", op, x, y)
}

func (w *writer) binary(e *ast.BinaryExpr) string {
	if op, ok := operators[e.Op]; ok {
		if (e.Op == token.SHR || e.Op == token.SHL) && w.info.Types[e.Y].Value == nil && w.word(e.Y) != "U64" {
			return w.refuse(e, "a shift by a number that may be negative")
		}
		return w.arithmetic(op, e, w.expr(e.X), w.expr(e.Y))
	}
	x, y := w.expr(e.X), w.expr(e.Y)
	turned := func() {
		if strings.Contains(x, "Call") || strings.Contains(y, "Call") {
			w.refuse(e, "a comparison of calls by "+e.Op.String())
		}
		x, y = y, x
	}
	switch e.Op {
	case token.LAND:
		return fmt.Sprintf("(And %s %s)", x, y)
	case token.LOR:
		return fmt.Sprintf("(Or %s %s)", x, y)
	case token.EQL:
		return fmt.Sprintf("(Eq %s %s)", x, y)
	case token.NEQ:
		return fmt.Sprintf("(Not (Eq %s %s))", x, y)
	case token.LSS:
		return fmt.Sprintf("(Lt %s %s)", x, y)
	case token.GTR:
		turned()
		return fmt.Sprintf("(Lt %s %s)", x, y)
	case token.GEQ, token.LEQ:
		if w.floats == (e.Op == token.GEQ) {
			turned()
		}
		if w.floats { // of NaN neither < nor >= holds
			return fmt.Sprintf("(Le %s %s)", x, y)
		}
		return fmt.Sprintf("(Not (Lt %s %s))", x, y)
	}
	return w.refuse(e, "the operator "+e.Op.String())
}

// packages are the names before those of functions of other packages in Coq.
var packages = []string{"math", "num", "hellinger"}

// machines are the names that proofs/lib/GoProgram.v and its users give to what is no function of the package.
var machines = []string{"Uint64", "Mul64", "Add64", "Sub64", "Len64", "max", "min"}

// call is a conversion, or a call with the fields of structures as arguments, and without the source of random words,
// which is always that of the function itself.
func (w *writer) call(e *ast.CallExpr) string {
	if w.info.Types[e.Fun].IsType() && len(e.Args) == 1 && !w.floats {
		w.word(e.Args[0])
		return fmt.Sprintf("(Conv %s %s)", w.word(e), w.expr(e.Args[0]))
	}
	name, args := "", []string(nil)
	switch f := e.Fun.(type) {
	case *ast.Ident:
		if w.floats {
			return w.refuse(e, "a call of no package and no receiver")
		}
		switch o := w.info.Uses[f].(type) {
		case *types.Builtin:
			if name = o.Name(); name != "max" && name != "min" || len(e.Args) != 2 {
				return w.refuse(e, "the function "+name)
			}
		case *types.Func: // a name with _ could be that of a method
			if name = o.Name(); slices.Contains(machines, name) || strings.Contains(name, "_") {
				return w.refuse(e, "a function of the package that is named "+name)
			}
		}
	case *ast.SelectorExpr:
		name, args = w.selected(f)
	}
	if name == "" {
		return w.refuse(e, "a call of what is no function")
	}
	w.results(e)
	for _, a := range e.Args {
		if !w.source(w.info.Types[a].Type) {
			args = append(args, w.words(a)...)
		} else if n, ok := a.(*ast.Ident); !ok || !w.own(n) {
			return w.refuse(a, "a source of random words that is no parameter")
		}
	}
	return fmt.Sprintf(`(Call "%s" [%s])`, name, strings.Join(args, "; "))
}

// own reports whether a name is the source of random words that the function is given.
func (w *writer) own(n *ast.Ident) bool { return w.from != nil && w.info.Uses[n] == w.from }

// results refuses a call whose values are no numbers, nor structures of them.
func (w *writer) results(e *ast.CallExpr) {
	if t, ok := w.info.Types[e].Type.(*types.Tuple); ok {
		for v := range t.Variables() {
			w.result(e, v.Type())
		}
		return
	}
	w.result(e, w.info.Types[e].Type)
}

// result refuses a value of a function that is no number, nor a structure of them.
func (w *writer) result(n ast.Node, t types.Type) {
	if t == nil || w.source(t) {
		w.refuse(n, "a function whose value is no number")
		return
	}
	w.parts(&ast.Ident{NamePos: n.Pos()}, t)
}

// method is the name of a method in Coq, if no other function has it: one of a package that is named as the type.
func (w *writer) method(of, name string) string {
	if strings.Contains(of+name, "_") || w.floats && slices.Contains(packages, of) {
		return ""
	}
	return of + "_" + name
}

// selected is the function of package bits, a word of the source, or the method of a structure or a word, with its
// fields, which it cannot change.
func (w *writer) selected(f *ast.SelectorExpr) (name string, args []string) {
	n, ok := f.X.(*ast.Ident)
	if !ok {
		return "", nil
	}
	if p, ok := w.info.Uses[n].(*types.PkgName); ok {
		if _, known := w.info.Uses[f.Sel].(*types.Func); !known || !w.floats && p.Imported().Path() != "math/bits" {
			return "", nil
		}
		if w.floats {
			return p.Imported().Name() + "_" + f.Sel.Name, nil
		}
		return f.Sel.Name, nil
	}
	t, s := w.info.TypeOf(n), w.info.Selections[f]
	if t == nil || s == nil || s.Kind() != types.MethodVal {
		return "", nil
	}
	if w.source(t) {
		if !w.own(n) {
			return "", nil
		}
		p, ok := t.(*types.Pointer)
		if !ok {
			return f.Sel.Name, nil
		}
		// of a value, the fields would be arguments
		if by, ok := s.Obj().(*types.Func); !ok || len(s.Index()) > 1 || !types.Identical(by.Signature().Recv().Type(), t) {
			return "", nil
		}
		return w.method(p.Elem().(*types.Named).Obj().Name(), f.Sel.Name), nil
	}
	for _, p := range w.parts(n, t) {
		args = append(args, fmt.Sprintf(`(Var "%s")`, p))
	}
	w.variable(n)
	of, named := t.(*types.Named)
	if by, ok := s.Obj().(*types.Func); !named || !ok || !types.Identical(by.Signature().Recv().Type(), t) {
		return "", nil
	}
	return w.method(of.Obj().Name(), f.Sel.Name), args
}
