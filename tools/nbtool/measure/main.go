// Command measure prints the size of the house: exported names of each package, and lines of code; what may only go
// down stands in testdata/tidy.txt. Names are types, functions, methods of exported types, constants and variables.
// Code is what is left without comments, blank lines and tests. papers/ is counted apart: it is for papers' readers,
// not for users. Of each module it prints packages and files without tests, and all their lines, comments and blank
// lines included, and those of its tests.
//
//	go run ./tools/nbtool/measure
//	go run ./tools/nbtool/measure docs/README.md # sentences of pages that are long, or have a colon or semicolon
package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// size is what is counted of a part of the module.
type size struct{ names, code int }

// whole is a module: how many packages and files it has without tests, their lines, and those of its tests.
type whole struct{ packages, files, lines, tests int }

func (w whole) plus(x whole) whole {
	return whole{w.packages + x.packages, w.files + x.files, w.lines + x.lines, w.tests + x.tests}
}

func main() {
	if pages := os.Args[1:]; len(pages) > 0 { // of prose
		if err := offenders(pages); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	total, packages, modules, err := measure(".")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	var dirs []string
	for dir, s := range packages {
		if s.names > 0 {
			dirs = append(dirs, dir)
		}
	}
	slices.Sort(dirs)
	fmt.Println("exported names, code lines:")
	for _, dir := range dirs {
		fmt.Printf("%6d %6d  %s\n", packages[dir].names, packages[dir].code, dir)
	}
	for _, part := range []string{"library", "internal", "papers"} {
		s := total[part]
		fmt.Printf("%-9s %6d names, %6d lines of code\n", part, s.names, s.code)
	}
	fmt.Printf("outside papers/: %d exported names, %d lines of code\n", total["library"].names,
		total["library"].code+total["internal"].code)
	var all whole
	show := func(name string, w whole) {
		fmt.Printf("%-22s %4d packages, %5d files, %6d lines without tests, %6d of tests\n",
			name, w.packages, w.files, w.lines, w.tests)
	}
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		show("module "+m, modules[m])
		all = all.plus(modules[m])
	}
	show("all", all)
}

// measure reads every Go file below root. The parts are papers; internal, with commands, whose names nobody imports;
// and the library. A module is named by its folder.
func measure(root string) (total, packages map[string]size, modules map[string]whole, err error) {
	total, packages, modules = map[string]size{}, map[string]size{}, map[string]whole{}
	counted := map[string]bool{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if name := d.Name(); file != root && (name[0] == '.' || name == "build" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		}
		if filepath.Ext(file) != ".go" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		dir := filepath.ToSlash(filepath.Dir(rel))
		part := "library"
		switch first, _, _ := strings.Cut(dir, "/"); {
		case first == "papers":
			part = "papers"
		case strings.Contains("/"+dir+"/", "/internal/"),
			slices.Contains([]string{"cmd", "bench", "site", "tools"}, first):
			part = "internal"
		}
		t, p := total[part], packages[dir]
		lines := bytes.Count(text, []byte("\n"))
		add := whole{tests: lines}
		if !strings.HasSuffix(file, "_test.go") {
			add = whole{files: 1, lines: lines}
			if !counted[dir] {
				add.packages, counted[dir] = 1, true
			}
			code := codeLines(text)
			t.code, p.code = t.code+code, p.code+code
			if part != "internal" {
				names, err := exported(text)
				if err != nil {
					return err
				}
				t.names, p.names = t.names+names, p.names+names
			}
		}
		total[part], packages[dir] = t, p
		m := moduleOf(root, dir)
		modules[m] = modules[m].plus(add)
		return nil
	})
	return total, packages, modules, err
}

// moduleOf is the nearest folder at or above dir that has a go.mod, or root's, which is ".".
func moduleOf(root, dir string) string {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(dir), "go.mod")); err == nil {
			break
		}
	}
	return dir
}

// codeLines is the number of lines that hold a token.
func codeLines(text []byte) int {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(text))
	var s scanner.Scanner
	s.Init(file, text, nil, 0) // without comments
	lines := map[int]bool{}
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			return len(lines)
		}
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		at := file.Line(pos)
		for i := range strings.Count(lit, "\n") + 1 { // a raw string has several
			lines[at+i] = true
		}
	}
}

// exported is the number of exported names that a file declares.
func exported(text []byte) (n int, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
	if err != nil || f.Name.Name == "main" {
		return 0, err
	}
	count := func(names ...*ast.Ident) {
		for _, name := range names {
			if name.IsExported() {
				n++
			}
		}
	}
	for _, d := range f.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type)) {
				count(d.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				switch spec := spec.(type) {
				case *ast.TypeSpec:
					count(spec.Name)
				case *ast.ValueSpec:
					count(spec.Names...)
				}
			}
		}
	}
	return n, nil
}

// receiver is the name of a method's type.
func receiver(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		return t.Name
	case *ast.StarExpr:
		return receiver(t.X)
	case *ast.IndexExpr:
		return receiver(t.X)
	case *ast.IndexListExpr:
		return receiver(t.X)
	}
	return ""
}
