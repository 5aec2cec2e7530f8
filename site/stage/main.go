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
	"html"
	"io/fs"
	"log"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
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
var unpublished = []string{".github", "python", "site", "privbayes/synthetic/text"}

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

// shelf is a part of the menu of the documents: a caption, and the folders whose pages stand below it.
type shelf struct {
	caption string
	folders []string
}

// shelves are in the order of the menu. A page that is in none of their folders stands first, below no caption.
var shelves = []shelf{
	{"Tutorials", []string{"docs/tutorials"}},
	{"How-to guides", []string{"docs/howto"}},
	{"Reference", []string{"docs/reference"}},
	{"Explanation", []string{"docs/explanation", "docs/theory"}},
	{"Contributing", []string{"docs/contributing"}},
}

// taken splits a list of pages into those of a shelf and the others.
func taken(list []string, sh shelf) (own, others []string) {
	for _, p := range list {
		if within(p, sh.folders) {
			own = append(own, p)
		} else {
			others = append(others, p)
		}
	}
	return own, others
}

// menu is the part of a page that puts others below it in the menus, under a caption or none.
func menu(caption string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	text := "\n```{toctree}\n:hidden:\n"
	if caption != "" {
		text += ":caption: " + caption + "\n"
	}
	for _, p := range list {
		text += "\n/" + strings.TrimSuffix(strings.TrimSuffix(p, ".md"), ".ipynb")
	}
	return text + "\n```\n"
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
		var below string
		for _, sh := range shelves {
			var own []string
			own, list = taken(list, sh)
			below += menu(sh.caption, own)
		}
		below = menu("", list) + below
		file := filepath.Join(s.to, filepath.FromSlash(readme))
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := os.WriteFile(file, append(text, below...), 0o644); err != nil {
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

// repository is where links to files that are no pages lead.
const repository = "https://github.com/privbayes/privbayes-go"

var (
	markdownLink = regexp.MustCompile(`(!?)(\]\(\s*)(<?)([^)\s>]+)(>?)([^)]*\))`)
	htmlLink     = regexp.MustCompile(`(href|src)="([^"]*)"`)
	galleryRow   = regexp.MustCompile(`(?s)<tr>.*?</tr>`)
	rowTitle     = regexp.MustCompile(`<b>(.*?)</b>`)
	inlineCode   = regexp.MustCompile("``[^`]*``|`[^`\n]*`")
	fenceMark    = regexp.MustCompile("^\\s{0,3}(```+|~~~+)")
)

// page stages a Markdown file: links to pages stay, links to other files lead to the repository, pictures come along.
func (s *stage) page(name string) error {
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	text, err := s.linked(name, string(b))
	if err != nil {
		return err
	}
	return write(s.to, name, []byte(text))
}

// linked rewrites the links of a Markdown text of a page outside its code.
func (s *stage) linked(name, text string) (string, error) {
	// The picture of a row that is a link has the row's title as its text.
	text = galleryRow.ReplaceAllStringFunc(text, func(row string) string {
		if m := rowTitle.FindStringSubmatch(row); m != nil {
			return strings.Replace(row, `alt=""`, `alt="`+m[1]+`"`, 1)
		}
		return row
	})
	var failed error
	lines, fence := strings.Split(text, "\n"), ""
	for i, line := range lines {
		if m := fenceMark.FindStringSubmatch(line); m != nil {
			switch {
			case fence == "":
				fence = m[1]
			case strings.HasPrefix(m[1], fence):
				fence = ""
			}
			continue
		}
		if fence != "" {
			continue
		}
		var codes []string
		line = inlineCode.ReplaceAllStringFunc(line, func(code string) string {
			codes = append(codes, code)
			return fmt.Sprintf("\x00%d\x00", len(codes)-1)
		})
		line = markdownLink.ReplaceAllStringFunc(line, func(link string) string {
			m := markdownLink.FindStringSubmatch(link)
			to, err := s.target(name, m[4], false)
			if err != nil {
				failed = err
			}
			return m[1] + m[2] + m[3] + to + m[5] + m[6]
		})
		line = htmlLink.ReplaceAllStringFunc(line, func(link string) string {
			m := htmlLink.FindStringSubmatch(link)
			to, err := s.target(name, html.UnescapeString(m[2]), true)
			if err != nil {
				failed = err
			}
			return m[1] + `="` + html.EscapeString(to) + `"`
		})
		for k, code := range codes {
			line = strings.Replace(line, fmt.Sprintf("\x00%d\x00", k), code, 1)
		}
		lines[i] = line
	}
	return strings.Join(lines, "\n"), failed
}

// target is where a link of a page leads on the site; raw links stand in HTML, which the site builder leaves alone.
func (s *stage) target(page, link string, raw bool) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.IsAbs() || u.Path == "" {
		return link, nil
	}
	to := path.Join(path.Dir(page), u.Path)
	fragment := ""
	if u.Fragment != "" {
		fragment = "#" + u.Fragment
	}
	info, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(to)))
	if err == nil && info.IsDir() && s.pages[path.Join(to, "README.md")] {
		to = path.Join(to, "README.md")
	}
	switch {
	case s.pages[to]:
		back, err := filepath.Rel(filepath.FromSlash(path.Dir(page)), filepath.FromSlash(to))
		if err != nil {
			return "", err
		}
		back = filepath.ToSlash(back)
		if raw {
			back = strings.TrimSuffix(strings.TrimSuffix(back, ".md"), ".ipynb") + ".html"
		}
		return back + fragment, nil
	case err != nil:
		return "", fmt.Errorf("link to %s: %w", link, err)
	case isPicture(to):
		b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(to)))
		if err != nil {
			return "", err
		}
		where := s.to
		if raw {
			where = s.extra
		}
		return link, write(where, to, b)
	case info.IsDir():
		return repository + "/tree/main/" + to, nil
	}
	return repository + "/blob/main/" + to + fragment, nil
}

func isPicture(name string) bool {
	switch path.Ext(name) {
	case ".png", ".svg", ".jpg":
		return true
	}
	return false
}
