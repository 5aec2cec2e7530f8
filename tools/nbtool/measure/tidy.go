package main

import (
	"bytes"
	"go/ast"
	"go/format"
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
	longest      = 120 // columns of a line, a tab being one
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
	o, err := outside(root)
	if err != nil {
		return nil, err
	}
	prose, err := proseOf(root)
	if err != nil {
		return nil, err
	}
	pages, printed, err := vocabularyOf(root, o.goFiles)
	return append([]figure{
		{"packages of the library", library.packages, nil},
		{"files of the library, without tests", library.files, nil},
		{"lines of the library, without tests", library.lines, nil},
		{"lines of the library's tests", library.tests, nil},
		{"exported names of the library", names, nil},
		o.columns.named("lines over 120 columns"),
		o.files.named("files over 600 lines"),
		o.functions.named("functions over 70 lines"),
		o.packages.named("packages over 15 files"),
		o.unformatted.named("files that gofmt would change"),
		o.words.named("lines with words of our own where the field has its"),
		pages, printed,
	}, readable(prose)...), err
}

// limits are the places that do not keep the limits.
type limits struct {
	columns, files, functions, packages, unformatted, words figure

	goFiles []string // without tests
}

// outside finds them.
func outside(root string) (o limits, err error) {
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
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		switch filepath.Ext(file) {
		case ".md":
			text, err := os.ReadFile(file)
			o.prose(rel, string(text))
			return err
		case ".go":
		default:
			return nil
		}
		if !strings.HasSuffix(file, "_test.go") {
			perPackage[filepath.Dir(rel)]++
			o.goFiles = append(o.goFiles, rel)
		}
		return o.file(file, rel)
	})
	for dir, n := range perPackage {
		if n > fullPackage {
			o.packages.add(dir)
		}
	}
	return o, err
}

// file looks at one file.
func (o *limits) file(file, rel string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if formatted, err := format.Source(text); err != nil || !bytes.Equal(formatted, text) {
		o.unformatted.add(rel)
	}
	lines := strings.Split(string(text), "\n")
	for _, line := range lines {
		if utf8.RuneCountInString(line) > longest {
			o.columns.add(rel)
		}
	}
	o.prose(rel, string(text))
	if len(lines) > longFile+1 {
		o.files.add(rel)
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	for _, decl := range f.Decls {
		if fn, ok := decl.(*ast.FuncDecl); ok && fset.Position(fn.End()).Line-fset.Position(fn.Pos()).Line >= longFunction {
			o.functions.add(rel + " " + fn.Name.Name)
		}
	}
	return nil
}

// prose counts the lines that have a word of our own.
func (o *limits) prose(rel, text string) {
	for line := range strings.Lines(text) {
		if slang.MatchString(line) {
			o.words.add(rel)
		}
	}
}

func (f *figure) add(place string) {
	f.number++
	f.places = append(f.places, place)
}

func (f figure) named(name string) figure {
	f.name = name
	return f
}
