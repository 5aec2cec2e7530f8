package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// head is what every page has: title, description and policy, its own by a word.
func head(word string) string {
	return `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'self' ; img-src 'self'">` +
		`<meta name="description" content="what is on the page that has the name of ` + word + `">` +
		`<title>` + word + `</title>`
}

// TestHeads: a page without a title, a description or a policy is seen, and so are two with the same.
func TestHeads(t *testing.T) {
	for change, ok := range map[[2]string]bool{
		{"x", "x"}: true,
		{"script-src 'self' ;", "script-src 'self' 'sha256-AA==';"}: true,
		{"<title>b</title>", ""}:                                    false,
		{"<title>b</title>", "<title>a</title>"}:                    false,
		{"the name of b", "the name of a"}:                          false,
		{"what is on the page that has the name of", "too"}:         false,
		{"http-equiv", "name"}:                                      false,
		{"script-src 'self'", "script-src 'unsafe-inline'"}:         false,
		{"script-src 'self'", "script-src 'self' @digests@"}:        false,
		{"default-src 'none'", "default-src *"}:                     false,
		{"<meta http-equiv", "<script></script><meta http-equiv"}:   false,
	} {
		root := t.TempDir()
		for name, text := range map[string]string{"a.html": head("a"),
			"b.html": strings.Replace(head("b"), change[0], change[1], 1)} {
			must.Do(t, os.WriteFile(filepath.Join(root, name), []byte(text), 0o644))
		}
		_, _, bad, err := check(root)
		if err != nil {
			t.Fatal(err)
		}
		if (len(bad) == 0) != ok {
			t.Errorf("%q: %q", change, bad)
		}
	}
}

// TestLinks: each kind of wrong link is seen, and right ones are not; so are templates.
func TestLinks(t *testing.T) {
	for body, ok := range map[string]bool{
		`<a href="b.html">x</a> <a href="sub/">x</a>`:            true,
		`<a href="b.html#here">x</a><a href='b.html#named'>`:     true,
		`<a href="#own" id="own">x</a><a href="#">x</a>`:         true,
		`<a href="https://example.org/x">x</a>`:                  true,
		`<img src="data:image/png;base64,AA==">`:                 true,
		`<script>var s = '<a href="none.html">'</script>`:        true,
		`<!-- <a href="none.html"> -->`:                          true,
		`<link rel="canonical" href="https://example.org/">`:     true,
		`<a class="x" href="b.html?highlight=a&amp;b=1#here">x`:  true,
		`<pre>{{.Name}}</pre> <code class="x">{{x}}</code>`:      true,
		`<h1>{{HEADING}}</h1>`:                                   false,
		`<h1>&#123;&#123;TITLE}}</h1>`:                           false,
		`<a href="b.html">{{ name }}</a>`:                        false,
		`<a href="none.html">x</a>`:                              false,
		`<a href="b.html#nowhere">x</a>`:                         false,
		`<a href="#nowhere">x</a>`:                               false,
		`<a href="../out.html">x</a>`:                            false,
		`<img src="none.png">`:                                   false,
		`<script src="https://cdn.example.org/x.js"></script>`:   false,
		`<link rel="stylesheet" href="//cdn.example.org/x.css">`: false,
		`<img src="https://example.org/badge.svg">`:              false,
	} {
		root := t.TempDir()
		for name, text := range map[string]string{"a.html": head("a") + body,
			"b.html": head("b") + `<p id="here"><a name="named">`, "sub/index.html": head("index") + "x"} {
			file := filepath.Join(root, name)
			must.Do(t, os.MkdirAll(filepath.Dir(file), 0o755))
			must.Do(t, os.WriteFile(file, []byte(text), 0o644))
		}
		pages, _, bad, err := check(root)
		if err != nil || pages != 3 {
			t.Fatalf("%d pages, %v", pages, err)
		}
		if (len(bad) == 0) != ok {
			t.Errorf("%s: %q", body, bad)
		}
	}
	if _, _, _, err := check(t.TempDir()); err == nil {
		t.Error("a site without a page passes")
	}
}
