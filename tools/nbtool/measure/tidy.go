package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Limits that a file, a function and a package keep, but for those that are counted.
const (
	longFile     = 600 // lines
	longFunction = 70  // lines
	fullPackage  = 15  // files without tests
)

// figure is a number that may only go down, and the places that it counts, where there are such.
type figure struct {
	name   string
	number int
	places []string
}

// tidy counts what is to become less: the size of the library's module, and what does not keep the limits, in all
// modules, tests included.
func tidy(root string) ([]figure, error) {
	_, packages, modules, err := measure(root)
	if err != nil {
		return nil, err
	}
	library, names := modules["."], 0
	for dir, s := range packages {
		if moduleOf(root, dir) == "." {
			names += s.names
		}
	}
	var columns, files, functions, full figure
	perPackage := map[string]int{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name := d.Name(); file != root && (name[0] == '.' || name == "build" || name == "testdata") {
				return filepath.SkipDir
			}
			return nil
		case filepath.Ext(file) != ".go":
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
		lines := strings.Split(string(text), "\n")
		for _, line := range lines {
			if utf8.RuneCountInString(line) > longest {
				columns.add(rel)
			}
		}
		if len(lines) > longFile+1 {
			files.add(rel)
		}
		if !strings.HasSuffix(file, "_test.go") {
			perPackage[filepath.Dir(rel)]++
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, decl := range f.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && fset.Position(fn.End()).Line-fset.Position(fn.Pos()).Line >= longFunction {
				functions.add(rel + " " + fn.Name.Name)
			}
		}
		return nil
	})
	for dir, n := range perPackage {
		if n > fullPackage {
			full.add(dir)
		}
	}
	return []figure{
		{"packages of the library", library.packages, nil},
		{"files of the library, without tests", library.files, nil},
		{"lines of the library, without tests", library.lines, nil},
		{"lines of the library's tests", library.tests, nil},
		{"exported names of the library", names, nil},
		columns.named("lines over 120 columns"),
		files.named("files over 600 lines"),
		functions.named("functions over 70 lines"),
		full.named("packages over 15 files"),
	}, err
}

func (f *figure) add(place string) {
	f.number++
	f.places = append(f.places, place)
}

func (f figure) named(name string) figure {
	f.name = name
	return f
}
