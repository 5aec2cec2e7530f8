// Command check follows every internal link of the built site: to a file, and to a place in it. It also refuses what
// would be fetched from elsewhere when a page is opened: the site works without any other server. A page with "{{"
// outside code is a template that nobody filled in, and refused. Every page has a content policy, and a title and a
// description that no other page has.
//
//	go run ./site/check build/site/html
package main

import (
	"fmt"
	"html"
	"io/fs"
	"log"
	"maps"
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
	if len(os.Args) != 2 {
		log.Fatal("usage: check HTML-FOLDER")
	}
	pages, links, bad, err := check(os.Args[1])
	if err != nil {
		log.Fatal("check: ", err)
	}
	for _, b := range bad {
		log.Print(b)
	}
	if len(bad) > 0 {
		log.Fatalf("check: %d broken of %d links on %d pages", len(bad), links, pages)
	}
	fmt.Printf("%d internal links on %d pages lead somewhere\n", links, pages)
}

var (
	hidden  = regexp.MustCompile(`(?s)<!--.*?-->|<script\b[^>]*>.*?</script>`)
	element = regexp.MustCompile(`<([a-zA-Z0-9]+)((?:\s+[^\s"'>/=]+(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'>]+))?)*)\s*/?>`)
	pair    = regexp.MustCompile(`([^\s"'>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))`)
)

// heads are what every page says in its head; what it has of its own, no other page has.
var heads = [3]struct {
	name    string
	own     bool
	pattern *regexp.Regexp
}{
	{"title", true, regexp.MustCompile(`(?s)<title>(.*?)</title>`)},
	{"description", true, regexp.MustCompile(`<meta name="description" content="([^"]{40,})"`)},
	// The policy stands before every script, has no inline script but those it names, and no place left to fill in.
	{"content policy that holds", false, regexp.MustCompile(`^(?:[^<]|<[^s]|<s[^c])*` +
		`<meta http-equiv="Content-Security-Policy" content="(default-src 'none'; script-src 'self' ` +
		`(?:blob: 'wasm-unsafe-eval' )?(?:'sha256-[A-Za-z0-9+/=]+' ?)*;[^"@]*)"`)},
}

// page is what one HTML file links to and offers.
type page struct {
	places   map[string]bool
	links    []link
	template string // what begins a place to fill in, outside code
	head     [3]string
}

// code is what shows text as it is: there braces may stand twice.
var code = regexp.MustCompile(`(?s)<pre\b.*?</pre>|<code\b.*?</code>`)

// unfilled finds the first place of a template that nobody filled in.
func unfilled(text string) string {
	text = html.UnescapeString(code.ReplaceAllString(text, ""))
	i := strings.Index(text, "{{")
	if i < 0 {
		return ""
	}
	return strings.ToValidUTF8(text[i:min(len(text), i+40)], "")
}

// link is an address with the element it stands in.
type link struct{ element, rel, to string }

// read collects the links and the places of a page. Of scripts only the tag counts.
func read(text string) page {
	p := page{places: map[string]bool{"": true, "top": true}}
	plain := hidden.ReplaceAllStringFunc(text, func(s string) string {
		if strings.HasPrefix(s, "<!--") {
			return ""
		}
		return s[:strings.Index(s, ">")+1]
	})
	p.template = unfilled(plain)
	for i, part := range heads {
		if m := part.pattern.FindStringSubmatch(text); m != nil {
			p.head[i] = strings.TrimSpace(m[1])
		}
	}
	for _, m := range element.FindAllStringSubmatch(plain, -1) {
		name, attributes := strings.ToLower(m[1]), map[string]string{}
		for _, a := range pair.FindAllStringSubmatch(m[2], -1) {
			attributes[strings.ToLower(a[1])] = html.UnescapeString(a[2] + a[3] + a[4])
		}
		for _, key := range []string{"id", "name"} {
			if v, ok := attributes[key]; ok {
				p.places[v] = true
			}
		}
		for _, key := range []string{"href", "src"} {
			if v, ok := attributes[key]; ok {
				p.links = append(p.links, link{name, attributes["rel"], v})
			}
		}
	}
	return p
}

// check reads every page below a folder and follows its links.
func check(root string) (pages, links int, bad []string, err error) {
	all := map[string]page{}
	err = filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(file) != ".html" || strings.Contains(filepath.ToSlash(file), "/_static/") {
			return err
		}
		b, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, file)
		all[filepath.ToSlash(rel)] = read(string(b))
		return err
	})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: no page", root)
	}
	shown := map[string]string{} // a title or a description: the page that has it
	names := slices.Sorted(maps.Keys(all))
	for _, name := range names {
		for i, part := range heads {
			switch text := all[name].head[i]; {
			case text == "":
				bad = append(bad, fmt.Sprintf("%s: no %s", name, part.name))
			case part.own && shown[text] != "":
				bad = append(bad, fmt.Sprintf("%s: its %s %q is also that of %s", name, part.name, text, shown[text]))
			case part.own:
				shown[text] = name
			}
		}
	}
	for _, name := range names {
		p := all[name]
		if p.template != "" {
			bad = append(bad, fmt.Sprintf("%s: %q: a template that nobody filled in", name, p.template))
		}
		for _, l := range p.links {
			u, err := url.Parse(l.to)
			if err != nil {
				bad = append(bad, fmt.Sprintf("%s: %s: %v", name, l.to, err))
				continue
			}
			if u.IsAbs() || u.Host != "" {
				if l.fetched() && u.Scheme != "data" {
					bad = append(bad, fmt.Sprintf("%s: %s is fetched from elsewhere", name, l.to))
				}
				continue
			}
			links++
			if why := follow(root, all, name, u); why != "" {
				bad = append(bad, fmt.Sprintf("%s: %s: %s", name, l.to, why))
			}
		}
	}
	slices.Sort(bad)
	return len(all), links, bad, err
}

// fetched reports whether a browser fetches the address when the page is opened.
func (l link) fetched() bool {
	return l.element != "a" && !(l.element == "link" && (l.rel == "canonical" || l.rel == "author" || l.rel == "license"))
}

// follow says why a link leads nowhere.
func follow(root string, all map[string]page, name string, u *url.URL) string {
	to := name
	if u.Path != "" {
		to = path.Join(path.Dir(name), u.Path)
		if strings.HasSuffix(u.Path, "/") {
			to = path.Join(to, "index.html")
		}
	}
	if !filepath.IsLocal(filepath.FromSlash(to)) {
		return "leaves the site"
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(to))); err != nil {
		return "no such file"
	}
	if target, ok := all[to]; ok && !target.places[u.Fragment] {
		return "no such place on the page"
	}
	return ""
}
