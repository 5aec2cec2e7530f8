package privbayes_test

import (
	"go/types"
	"regexp"
	"slices"
	"strings"
)

// name is one exported declaration.
type name struct {
	unit, title string
	obj         types.Object
	owner       *types.Named // the type of a field or method
	excepted    bool
}

// withoutReader settles what is used beyond plain mention: by a notebook, through an interface, or as the type of
// something used.
func (tr *tree) withoutReader() (unused []string, checked int) {
	var names []name
	var interfaces []*types.Interface
	noted := mentions(tr.notebooks)
	for _, u := range tr.units {
		p := tr.plain[u.path]
		for _, id := range p.Scope().Names() {
			obj := p.Scope().Lookup(id)
			if t, ok := obj.(*types.TypeName); ok {
				if i, ok := t.Type().Underlying().(*types.Interface); ok {
					interfaces = append(interfaces, i)
				}
			}
			if u.public && obj.Exported() {
				names = append(names, members(u.path, obj)...)
			}
		}
	}
	for _, n := range names {
		// An interface is asked for where another package implements it, and with it all its methods.
		_, isType := n.obj.(*types.TypeName)
		if i, ok := n.obj.Type().Underlying().(*types.Interface); ok && isType &&
			tr.implementedElsewhere(i, n.obj.Pkg()) {
			tr.used[n.obj.Pos()] = true
			for m := range i.ExplicitMethods() {
				tr.used[m.Pos()] = true
			}
		}
	}
	for i, n := range names {
		names[i].excepted = n.excepted || noted[n.inNotebook()] || n.throughInterface(interfaces)
	}
	for changed := true; changed; {
		changed = false
		for _, n := range names {
			if n.excepted || tr.used[n.obj.Pos()] {
				changed = tr.useTypes(n.obj.Type(), map[types.Type]bool{}) || changed
			}
		}
	}
	for _, n := range names {
		if !n.excepted && !tr.used[n.obj.Pos()] {
			unused = append(unused, strings.TrimPrefix(n.unit, root+"/")+": "+n.title)
		}
	}
	slices.Sort(unused)
	return unused, len(names)
}

// members lists a declaration and, of a type, its exported fields and methods. Excepted are fields of saved types and
// of errors, which are there for the reader of a file or of a failure.
func members(unit string, obj types.Object) []name {
	list := []name{{unit: unit, title: obj.Name(), obj: obj}}
	t, ok := obj.(*types.TypeName)
	if !ok || t.IsAlias() {
		return list
	}
	named := t.Type().(*types.Named)
	isError := types.NewMethodSet(types.NewPointer(named)).Lookup(nil, "Error") != nil
	add := func(m types.Object, excepted bool) {
		if m.Exported() {
			list = append(list, name{unit: unit, title: obj.Name() + "." + m.Name(), obj: m, owner: named,
				excepted: excepted})
		}
	}
	for m := range named.Methods() {
		add(m, false)
	}
	switch s := named.Underlying().(type) {
	case *types.Struct:
		for i := range s.NumFields() {
			add(s.Field(i), isError || strings.Contains(s.Tag(i), "json:") || s.Field(i).Embedded())
		}
	case *types.Interface:
		for m := range s.ExplicitMethods() {
			add(m, false)
		}
	}
	return list
}

// inNotebook is how a notebook mentions the name.
func (n name) inNotebook() string {
	if n.owner != nil {
		return n.obj.Name()
	}
	return n.obj.Pkg().Name() + "." + n.obj.Name()
}

// shown are the methods called through interfaces of the standard library or by a notebook.
var shown = []string{"String", "GoString", "Format", "HTML", "Error", "Unwrap", "Is", "MarshalJSON", "UnmarshalJSON",
	"MarshalText", "UnmarshalText", "Warnings", "Parts"}

func (n name) throughInterface(interfaces []*types.Interface) bool {
	f, ok := n.obj.(*types.Func)
	if !ok || n.owner == nil || types.IsInterface(n.owner) {
		return false
	}
	return slices.Contains(shown, f.Name()) || slices.ContainsFunc(interfaces, func(i *types.Interface) bool {
		m, _, _ := types.LookupFieldOrMethod(i, false, f.Pkg(), f.Name())
		return m != nil && (types.Implements(n.owner, i) || types.Implements(types.NewPointer(n.owner), i))
	})
}

func (tr *tree) implementedElsewhere(i *types.Interface, home *types.Package) bool {
	for _, u := range tr.units {
		p := tr.plain[u.path]
		for _, id := range p.Scope().Names() {
			t, ok := p.Scope().Lookup(id).(*types.TypeName)
			if ok && p != home && !types.IsInterface(t.Type()) &&
				(types.Implements(t.Type(), i) || types.Implements(types.NewPointer(t.Type()), i)) {
				return true
			}
		}
	}
	return false
}

var (
	cells     = regexp.MustCompile("(?s)```go\n.*?```")
	qualified = regexp.MustCompile(`\w+\.\w+`)
	selected  = regexp.MustCompile(`\.(\w+)`)
	keyed     = regexp.MustCompile(`(\w+):`)
)

// mentions lists what the notebooks' cells mention: "pkg.Name" for declarations, "Name" for selectors and keys.
func mentions(notebooks string) map[string]bool {
	found := map[string]bool{}
	for _, cell := range cells.FindAllString(notebooks, -1) {
		for _, q := range qualified.FindAllString(cell, -1) {
			found[q] = true
		}
		for _, m := range slices.Concat(selected.FindAllStringSubmatch(cell, -1),
			keyed.FindAllStringSubmatch(cell, -1)) {
			found[m[1]] = true
		}
	}
	return found
}

// useTypes marks the named types that make up t, as far as they show in the types of used names.
func (tr *tree) useTypes(t types.Type, seen map[types.Type]bool) (changed bool) {
	if seen[t] {
		return false
	}
	seen[t] = true
	within := func(inner types.Type) { changed = tr.useTypes(inner, seen) || changed }
	switch t := t.(type) {
	case *types.Named:
		if pos := t.Origin().Obj().Pos(); !tr.used[pos] {
			tr.used[pos], changed = true, true
		}
		if i, ok := t.Underlying().(*types.Interface); ok {
			for e := range i.EmbeddedTypes() {
				within(e)
			}
		}
	case *types.Alias:
		if pos := t.Obj().Pos(); !tr.used[pos] {
			tr.used[pos], changed = true, true
		}
		within(types.Unalias(t))
	case *types.Signature:
		for p := range t.TypeParams().TypeParams() {
			within(p.Constraint())
		}
		within(t.Params())
		within(t.Results())
	case *types.Tuple:
		for v := range t.Variables() {
			within(v.Type())
		}
	case *types.Map:
		within(t.Key())
		within(t.Elem())
	case interface{ Elem() types.Type }:
		within(t.Elem())
	}
	return changed
}
