// Command stage lays out what the site is built from: every page of the repository in the place it has there, so that
// links between pages hold; the notebooks with their outputs; pages of the API from the doc comments; the claims as one
// table; and the pages of the site's own. Where pages stand is listed here: what stands elsewhere is refused until it
// is, on the one list or the other.
//
//	go run ./site/stage -to build/site/source -extra build/site/extra
package main

import (
	"flag"
	"fmt"
	"io/fs"
	"log"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	log.SetFlags(0)
	log.SetPrefix("stage: ")
	root := flag.String("root", ".", "the checkout")
	to := flag.String("to", "build/site/source", "where the pages go; what is there is removed")
	extra := flag.String("extra", "build/site/extra", "where files go that the site holds as they are")
	flag.Parse()
	s := &stage{root: *root, to: *to, extra: *extra}
	if err := s.run(); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d pages, %d notebooks, %d packages, %d claims\n", len(s.pages), s.notebooks, s.packages, s.claims)
}

// stage is the layout under way.
type stage struct {
	root, to, extra string

	pages                       map[string]bool // staged pages, by their path in the checkout
	notebooks, packages, claims int
}

func (s *stage) run() error {
	for _, dir := range []string{s.to, s.extra} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	pages, err := pagesOf(s.root)
	if err != nil {
		return err
	}
	s.pages = map[string]bool{}
	for _, p := range pages {
		s.pages[p] = true
	}
	for _, p := range pages {
		if strings.HasSuffix(p, ".ipynb") {
			err = s.notebook(p)
		} else {
			err = s.page(p)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
	}
	for _, step := range []func() error{s.contents, s.api, s.claimTable, s.own} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// apiIndex is the list of packages.
const apiIndex = "api/README.md"

// published is where the pages of the site stand: files, and folders all of whose Markdown files and executed notebooks
// are pages, but for folders that a program reads.
var published = []string{"README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "docs", "notebooks", "bench",
	"data", "papers", "proofs", "sources"}

// unpublished is where Markdown stands that is no page for readers of the site: templates, and what programs read.
var unpublished = []string{".github", "site", "privbayes/synthetic/text"}

// skipped are folders of any place without pages: what was built, what tests read, and what begins with a dot.
var skipped = []string{"build", "testdata", "node_modules"}

// ListError is a Markdown file that neither list has.
type ListError struct{ Path string }

func (e *ListError) Error() string {
	return e.Path + " is on no list of site/stage: name it, or its folder, as published or as unpublished"
}

// pagesOf lists the pages of a checkout. The Markdown beside a notebook of the same name is its source, and no page.
// Error: *ListError.
func pagesOf(root string) (pages []string, err error) {
	err = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if slices.Contains(skipped, d.Name()) || strings.HasPrefix(d.Name(), ".") && rel != "." {
				return filepath.SkipDir
			}
			return nil
		}
		ext := filepath.Ext(rel)
		switch {
		case ext != ".md" && ext != ".ipynb", strings.HasSuffix(rel, ".out.ipynb"), strings.HasSuffix(rel, ".in.ipynb"):
		case ext == ".md" && exists(strings.TrimSuffix(path, ".md")+".ipynb"):
		case within(rel, published):
			pages = append(pages, rel)
		case !within(rel, unpublished):
			return &ListError{rel}
		}
		return nil
	})
	return pages, err
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// within reports whether a file is one of a list, or in a folder of it.
func within(file string, list []string) bool {
	return slices.ContainsFunc(list, func(p string) bool { return file == p || strings.HasPrefix(file, p+"/") })
}

// contents gives every README the list of the pages that it is the nearest one to, which the site's menus show.
func (s *stage) contents() error {
	under := map[string][]string{}
	for p := range s.pages {
		dir := path.Dir(p)
		if path.Base(p) == "README.md" {
			dir = path.Dir(dir)
		}
		for dir != "." && !s.pages[dir+"/README.md"] {
			dir = path.Dir(dir)
		}
		readme := path.Join(dir, "README.md")
		// these are on the first page
		if p != readme && p != "docs/README.md" && p != "notebooks/README.md" && p != apiIndex {
			under[readme] = append(under[readme], p)
		}
	}
	for readme, list := range under {
		slices.Sort(list)
		var b strings.Builder
		b.WriteString("\n```{toctree}\n:hidden:\n\n")
		for _, p := range list {
			rel, err := filepath.Rel(filepath.FromSlash(path.Dir(readme)), filepath.FromSlash(p))
			if err != nil {
				return err
			}
			b.WriteString(strings.TrimSuffix(strings.TrimSuffix(filepath.ToSlash(rel), ".md"), ".ipynb") + "\n")
		}
		b.WriteString("```\n")
		file := filepath.Join(s.to, filepath.FromSlash(readme))
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, b.String()...), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// write puts a file below a folder.
func write(dir, name string, b []byte) error {
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}
