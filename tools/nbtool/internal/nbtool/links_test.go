package nbtool

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/checkout"
)

var (
	inlineCode = regexp.MustCompile("`[^`\n]*`")
	mdLink     = regexp.MustCompile(`\]\(\s*<?([^)\s>]+)>?[^)]*\)`)
	htmlLink   = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	htmlAnchor = regexp.MustCompile(`(?:id|name)="([^"]*)"`)
	linkText   = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
)

// prose is a Markdown text without its code: fenced lines are empty, inline code is gone.
func prose(text string, keepInline bool) []string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		mark, info := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, lines[i] = mark, ""
		case fence != "":
			if info == "" && strings.HasPrefix(mark, fence) {
				fence = ""
			}
			lines[i] = ""
		case !keepInline:
			lines[i] = inlineCode.ReplaceAllString(line, "")
		}
	}
	return lines
}

// anchors are the places in a Markdown text that a link can name: its headings, as GitHub writes them (lower case,
// letters, digits, hyphens and underscores kept, blanks turned into hyphens, the second of a kind -1), and HTML ids.
func anchors(text string) map[string]bool {
	set := map[string]bool{}
	for _, line := range prose(text, true) {
		for _, m := range htmlAnchor.FindAllStringSubmatch(line, -1) {
			set[m[1]] = true
		}
		title := strings.TrimLeft(line, "#")
		if k := len(line) - len(title); k == 0 || k > 6 || !strings.HasPrefix(title, " ") {
			continue
		}
		title = linkText.ReplaceAllString(strings.TrimSpace(title), "$1")
		var b strings.Builder
		for _, r := range strings.ToLower(title) {
			switch {
			case r == ' ':
				b.WriteByte('-')
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				b.WriteRune(r)
			}
		}
		name := b.String()
		for i := 1; set[name]; i++ {
			name = fmt.Sprintf("%s-%d", b.String(), i)
		}
		set[name] = true
	}
	return set
}

// brokenLinks lists the relative links of a Markdown file in a checkout that lead nowhere: to no file, out of the
// checkout, or to no heading of a page. Addresses on the network are not followed.
func brokenLinks(root, file string) []string {
	b, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return []string{err.Error()}
	}
	var bad []string
	for i, line := range prose(string(b), false) {
		found := append(mdLink.FindAllStringSubmatch(line, -1), htmlLink.FindAllStringSubmatch(line, -1)...)
		for _, m := range found {
			u, err := url.Parse(m[1])
			if err == nil && u.IsAbs() {
				continue
			}
			if err == nil {
				err = followLink(root, file, u)
			}
			if err != nil {
				bad = append(bad, fmt.Sprintf("%s:%d: %s: %v", file, i+1, m[1], err))
			}
		}
	}
	return bad
}

func followLink(root, file string, u *url.URL) error {
	to := file
	if u.Path != "" {
		to = filepath.Join(filepath.Dir(file), filepath.FromSlash(u.Path))
	}
	if !filepath.IsLocal(to) {
		return fmt.Errorf("leaves the checkout")
	}
	if _, err := os.Stat(filepath.Join(root, to)); err != nil {
		return fmt.Errorf("no such file")
	}
	if u.Fragment == "" {
		return nil
	}
	b, err := os.ReadFile(filepath.Join(root, to))
	if err != nil || !strings.HasSuffix(to, ".md") {
		return fmt.Errorf("%s is no page with headings", to)
	}
	if !anchors(string(b))[u.Fragment] {
		return fmt.Errorf("%s has no heading #%s", to, u.Fragment)
	}
	return nil
}

// TestLinks: every relative link in the pages of the repository leads somewhere.
func TestLinks(t *testing.T) {
	root := checkout.Of(t)
	var pages []string
	for _, pattern := range []string{"*.md", "docs/*.md", "docs/*/*.md", "notebooks/*.md", "data/*.md"} {
		files, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s (%v)", pattern, err)
		}
		pages = append(pages, files...)
	}
	for _, page := range pages {
		file := must.Get(filepath.Rel(root, page))(t)
		for _, bad := range brokenLinks(root, file) {
			t.Error(bad)
		}
	}
}

// TestBrokenLinksAreSeen: the check of links finds what is wrong, and nothing else.
func TestBrokenLinksAreSeen(t *testing.T) {
	root := t.TempDir()
	must.Do(t, os.Mkdir(filepath.Join(root, "docs"), 0o755))
	putFile(t, filepath.Join(root, "docs", "b.md"),
		"# One `two`, (three)_x\n## Same\n## Same\n```\n# no heading\n```\n<a id=\"here\"></a>\n")
	for link, ok := range map[string]bool{
		"[x](docs/b.md)":                       true,
		"[x](docs)":                            true,
		"[x](docs/b.md#one-two-three_x)":       true,
		"[x](docs/b.md#same-1) [y](#top)":      true,
		"[x](docs/b.md#here \"title\")":        true,
		"<img src=\"docs/b.md\">":              true,
		"[x](https://example.org/none)":        true,
		"`[x](none.md)`":                       true,
		"```\n[x](none.md)\n```":               true,
		"[x](none.md)":                         false,
		"![x](docs/none.png)":                  false,
		"[x](docs/b.md#same-2)":                false,
		"[x](docs/b.md#no-heading)":            false,
		"[x](#bottom)":                         false,
		"[x](../b.md)":                         false,
		"<a href=\"docs/c.md\">x</a>":          false,
		"[ok](docs/b.md) and [bad](docs/b.mb)": false,
	} {
		putFile(t, filepath.Join(root, "a.md"), "# Top\n\n"+link+"\n")
		if bad := brokenLinks(root, "a.md"); (len(bad) == 0) != ok {
			t.Errorf("%s: %q", link, bad)
		}
	}
}

// TestCitedPagesAreThere: every page of docs/, and every note of theory/, that a Go source cites is there. Certificates
// of learned structures keep the name that their page had when the first of their files was written.
func TestCitedPagesAreThere(t *testing.T) {
	root := checkout.Of(t)
	cited := regexp.MustCompile(`\b(docs|theory)/[a-z0-9_/]+\.md\b`)
	seen := 0
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && file != root && (d.Name()[0] == '.' || d.Name() == "build" || d.Name() == "testdata"):
			return filepath.SkipDir
		case filepath.Ext(file) != ".go" || strings.HasSuffix(file, "_test.go"):
			return nil
		}
		text, err := os.ReadFile(file)
		for _, page := range cited.FindAllString(string(text), -1) {
			seen++
			if strings.HasPrefix(page, "theory/") {
				page = "docs/" + page
			}
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(page))); err != nil && page != "docs/structure.md" {
				t.Errorf("%s cites %s, which is not there", file, page)
			}
		}
		return err
	})
	if err != nil || seen < 100 {
		t.Errorf("%d citations, %v", seen, err)
	}
}
