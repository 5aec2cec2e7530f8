package main

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// tree is a small checkout.
func tree(t *testing.T, files map[string]string) *stage {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		must.Do(t, write(root, name, []byte(text)))
	}
	pages := must.Get(pagesOf(root))(t)
	s := &stage{root: root, to: t.TempDir(), extra: t.TempDir(), pages: map[string]bool{}}
	for _, p := range pages {
		s.pages[p] = true
	}
	return s
}

// TestShelves: the documents' menu has a caption for each shelf that has a page, in order; a page of no shelf is first.
func TestShelves(t *testing.T) {
	s := tree(t, map[string]string{"docs/README.md": "# Documents", "docs/z.md": "", "docs/reference/b.md": "",
		"docs/tutorials/a.md": "", "docs/theory/README.md": "# Theory", "docs/theory/t.md": ""})
	for p := range s.pages {
		must.Do(t, s.page(p))
	}
	must.Do(t, s.contents())
	b := must.Get(os.ReadFile(filepath.Join(s.to, "docs", "README.md")))(t)
	menu := func(caption, page string) string {
		return "\n```{toctree}\n:hidden:\n" + caption + "\n" + page + "\n```\n"
	}
	want := "# Documents" + menu("", "/docs/z") + menu(":caption: Tutorials\n", "/docs/tutorials/a") +
		menu(":caption: Reference\n", "/docs/reference/b") + menu(":caption: Explanation\n", "/docs/theory/README")
	if string(b) != want {
		t.Errorf("%q; want %q", b, want)
	}
}

// TestLinks: links to pages stay, links to other files lead to the repository, code stays as it is.
func TestLinks(t *testing.T) {
	s := tree(t, map[string]string{"README.md": "", "docs/a.md": "", "notebooks/n.ipynb": "{}",
		"notebooks/n.md": "source", "code/x.go": "", "sources/sub/README.md": "", "docs/p.png": "png", "build/b.md": ""})
	if s.pages["notebooks/n.md"] || s.pages["build/b.md"] || !s.pages["notebooks/n.ipynb"] {
		t.Errorf("pages: %v", s.pages)
	}
	for from, want := range map[string]string{
		"[x](a.md#there)":           "[x](a.md#there)",
		"[x](../notebooks/n.ipynb)": "[x](../notebooks/n.ipynb)",
		"[x](../notebooks/n.md)":    "[x](" + repository + "/blob/main/notebooks/n.md)",
		"[x](../code/x.go) [y](../code)": "[x](" + repository + "/blob/main/code/x.go) [y](" + repository +
			"/tree/main/code)",
		"[x](../sources/sub)":                  "[x](../sources/sub/README.md)",
		"![x](p.png)":                          "![x](p.png)",
		"[x](https://example.org/a.md)":        "[x](https://example.org/a.md)",
		"`[x](none.md)` [y](a.md)":             "`[x](none.md)` [y](a.md)",
		"```\n[x](none.md)\n```\n[y](#here)":   "```\n[x](none.md)\n```\n[y](#here)",
		`<a href="../notebooks/n.ipynb">x</a>`: `<a href="../notebooks/n.html">x</a>`,
	} {
		got, err := s.linked("docs/a.md", from)
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", from, got, err, want)
		}
	}
	if _, err := s.linked("docs/a.md", "[x](none.md)"); err == nil {
		t.Error("a broken link passes")
	}
	if _, err := os.Stat(filepath.Join(s.to, "docs", "p.png")); err != nil {
		t.Error("the picture is not there")
	}
}

// TestNotebook: the page has the links, the figure's text, and the file to download is as it was.
func TestNotebook(t *testing.T) {
	original := `{"cells": [{"cell_type": "markdown", "source": ["# Title\n", "\n", "See [docs](../docs/a.md)."]},
		{"cell_type": "code", "metadata": {}, "source": "1", "outputs": [{"data": {"image/png": "x",
		"text/plain": ["Error against ε\n", "1 2"]}}]}], "nbformat": 4}`
	s := tree(t, map[string]string{"notebooks/n.ipynb": original, "docs/a.md": ""})
	must.Do(t, s.notebook("notebooks/n.ipynb"))
	kept, err := os.ReadFile(filepath.Join(s.extra, "notebooks", "n.ipynb"))
	if err != nil || string(kept) != original {
		t.Errorf("to download: %s, %v", kept, err)
	}
	b := must.Get(os.ReadFile(filepath.Join(s.to, "notebooks", "n.ipynb")))(t)
	var n struct {
		Cells []struct {
			Source   string
			Metadata struct {
				Mystnb struct{ Image struct{ Alt string } }
			}
		}
	}
	must.Do(t, json.Unmarshal(b, &n))
	for _, want := range []string{"# Title\n", "?urlpath=tree/notebooks/n.ipynb", `<a href="n.ipynb" download>`} {
		if !strings.Contains(n.Cells[0].Source, want) {
			t.Errorf("no %q in %q", want, n.Cells[0].Source)
		}
	}
	if alt := n.Cells[1].Metadata.Mystnb.Image.Alt; alt != "Error against ε" {
		t.Errorf("text of the figure: %q", alt)
	}
}

// TestPagesAreListed: Markdown that is on no list is refused, and a template is no page.
func TestPagesAreListed(t *testing.T) {
	for file, page := range map[string]bool{"README.md": true, "docs/a/b.md": true, "notebooks/01.ipynb": true,
		"privbayes/synthetic/text/README.md": false, "site/pages/plan.md": false, "docs/testdata/x.md": false,
		".github/x.md": false, "build/README.md": false} {
		if s := tree(t, map[string]string{file: "{{HEADING}}"}); s.pages[file] != page {
			t.Errorf("%s: page %v", file, s.pages[file])
		}
	}
	for _, file := range []string{"privbayes/other/text.md", "NOTES.md", "documents/x.md", "cmd/x.ipynb"} {
		root := t.TempDir()
		must.Do(t, write(root, file, []byte("x")))
		var listed *ListError
		if _, err := pagesOf(root); !errors.As(err, &listed) || listed.Path != file {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// TestWholeTree: this checkout is laid out, with every notebook, claim and package.
func TestWholeTree(t *testing.T) {
	s := &stage{root: filepath.Join("..", ".."), to: t.TempDir(), extra: t.TempDir()}
	must.Do(t, s.run())
	notebooks := must.Get(filepath.Glob("../../notebooks/[0-9]*.md"))(t)
	notebooks = append(notebooks, must.Get(filepath.Glob("../../docs/*/*.ipynb"))(t)...)
	claims := must.Get(os.ReadFile("../../docs/explanation/claims.md"))(t)
	if s.notebooks != len(notebooks) || s.claims != strings.Count(string(claims), "\n### `") || s.packages < 30 {
		t.Errorf("%d of %d notebooks, %d claims, %d packages", s.notebooks, len(notebooks), s.claims, s.packages)
	}
	page := must.Get(os.ReadFile(filepath.Join(s.to, "api", "privbayes", "mechanism", "counts.md")))(t)
	for _, want := range []string{"# package counts", "### Noise.WithPostProcess", "func (m Noise) WithPostProcess"} {
		if !strings.Contains(string(page), want) {
			t.Errorf("no %q on the page of counts", want)
		}
	}
	for _, name := range []string{"plan.md", "verify.md", "claims.md", "index.md"} {
		b, err := os.ReadFile(filepath.Join(s.to, name))
		if err != nil || strings.Contains(string(b), "@presets@") {
			t.Errorf("%s: %v", name, err)
		}
	}
}
