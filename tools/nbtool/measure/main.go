// Command measure prints the size of the house: exported names of each package, lines of code, and lines that are too
// long. Names are types, functions, methods of exported types, constants and variables. Code is what is left without
// comments, blank lines and tests. papers/ is counted apart: it is for papers' readers, not for users. Of each module it
// prints all lines of its files without tests, comments and blank lines included.
//
//	go run ./tools/nbtool/measure
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
	"unicode/utf8"
)

// longest is the greatest number of columns of a line, a tab being one.
const longest = 120

// size is what is counted of a part of the module.
type size struct{ names, code, long int }

// whole is a module's files without tests: how many, and their lines.
type whole struct{ files, lines int }

func main() {
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
		fmt.Printf("%-9s %6d names, %6d lines of code, %5d lines over %d columns\n", part, s.names, s.code, s.long,
			longest)
	}
	fmt.Printf("outside papers/: %d exported names, %d lines of code, %d lines over %d columns\n",
		total["library"].names,
		total["library"].code+total["internal"].code, total["library"].long+total["internal"].long, longest)
	for _, m := range slices.Sorted(maps.Keys(modules)) {
		fmt.Printf("module %-16s %5d files, %6d lines without tests\n", m, modules[m].files, modules[m].lines)
	}
}

// measure reads every Go file below root. The parts are papers; internal, with commands, whose names nobody imports;
// and the library. A module is named by its folder.
func measure(root string) (total, packages map[string]size, modules map[string]whole, err error) {
	total, packages, modules = map[string]size{}, map[string]size{}, map[string]whole{}
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
			slices.Contains([]string{"cmd", "bench", "tools", "notebooks"}, first):
			part = "internal"
		}
		t, p := total[part], packages[dir]
		for line := range strings.Lines(string(text)) {
			if utf8.RuneCountInString(strings.TrimRight(line, "\n")) > longest {
				t.long++
			}
		}
		if !strings.HasSuffix(file, "_test.go") {
			m := modules[moduleOf(root, dir)]
			modules[moduleOf(root, dir)] = whole{m.files + 1, m.lines + bytes.Count(text, []byte("\n"))}
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
