package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

var (
	claimHead   = regexp.MustCompile("^### `([^`]+)` (.*)$")
	claimLine   = regexp.MustCompile(`^\* \*(Says|True)\.\* (.*)$`)
	escapedMark = regexp.MustCompile(`\\([\\_*|<>\[\]#])`)
)

// claim is a row of the table of claims.
type claim struct{ id, where, verdict, document, says, truth, anchor string }

// claimTable writes the claims of docs/explanation/claims.md as one table, which the page filters.
func (s *stage) claimTable() error {
	b, err := os.ReadFile(filepath.Join(s.root, "docs", "explanation", "claims.md"))
	if err != nil {
		return err
	}
	list, err := claimsOf(string(b))
	if err != nil {
		return err
	}
	s.claims = len(list)
	var documents, verdicts []string
	for _, c := range list {
		if !slices.Contains(documents, c.document) {
			documents = append(documents, c.document)
		}
		if !slices.Contains(verdicts, c.verdict) {
			verdicts = append(verdicts, c.verdict)
		}
	}
	var t strings.Builder
	t.WriteString("# Claims\n\nEvery numbered statement, figure and table of the papers behind the library, executed " +
		"on its own terms: what it says, and what is true. [The whole list](docs/explanation/claims.md) has the " +
		"assumptions, the counterexamples and the test that executes each; " +
		"[what the words mean](docs/explanation/claims.md#what-the-words-mean).\n\n" +
		"```{raw} html\n" + `<form class="pb-filter" id="claims-filter" role="search" aria-label="claims">` + "\n")
	t.WriteString(`<label>Text <input type="search" id="claims-text"></label> `)
	choose := func(id, label string, list []string) {
		fmt.Fprintf(&t, `<label>%s <select id="%s"><option value="">all</option>`, label, id)
		for _, v := range list {
			fmt.Fprintf(&t, `<option>%s</option>`, html.EscapeString(v))
		}
		t.WriteString("</select></label> ")
	}
	choose("claims-document", "Document", documents)
	choose("claims-verdict", "Verdict", verdicts)
	fmt.Fprintf(&t, "\n</form>\n<p id=\"claims-count\" role=\"status\" aria-live=\"polite\">%d claims</p>\n", len(list))
	t.WriteString(`<div class="pb-scroll" tabindex="0" role="region" aria-label="claims">` +
		`<table class="pb-table" id="claims-table"><thead><tr>` +
		`<th scope="col">claim</th><th scope="col">verdict</th><th scope="col">says</th>` +
		`<th scope="col">true</th></tr></thead><tbody>` + "\n")
	for _, c := range list {
		e := html.EscapeString
		fmt.Fprintf(&t, `<tr data-document="%s" data-verdict="%s"><th scope="row">`+
			`<a href="docs/explanation/claims.html#%s">%s</a><br>`+
			`<span class="pb-numbers">%s</span></th><td data-of="verdict">%s</td><td data-of="says">%s</td>`+
			`<td data-of="true">%s</td></tr>`+"\n", e(c.document), e(c.verdict),
			e(c.anchor), e(c.id), e(c.where), e(c.verdict), e(c.says), e(c.truth))
	}
	t.WriteString("</tbody></table></div>\n<script src=\"_static/claims.js\"></script>\n```\n")
	return write(s.to, "claims.md", []byte(t.String()))
}

// claimsOf reads the claims of the page that the command line writes.
func claimsOf(text string) (list []claim, err error) {
	document, anchors := "", map[string]int{}
	for _, line := range strings.Split(text, "\n") {
		if title, ok := strings.CutPrefix(line, "## "); ok {
			document = title
		}
		if m := claimHead.FindStringSubmatch(line); m != nil {
			k := strings.LastIndex(m[2], ": ")
			if k < 0 {
				return nil, fmt.Errorf("docs/explanation/claims.md: no verdict in %q", line)
			}
			c := claim{id: m[1], where: m[2][:k], verdict: m[2][k+2:], document: document, anchor: slug(m[1] + " " + m[2])}
			if n := anchors[c.anchor]; n > 0 {
				anchors[c.anchor]++
				c.anchor = fmt.Sprintf("%s-%d", c.anchor, n)
			} else {
				anchors[c.anchor]++
			}
			list = append(list, c)
			continue
		}
		if m := claimLine.FindStringSubmatch(line); m != nil && len(list) > 0 {
			c, said := &list[len(list)-1], escapedMark.ReplaceAllString(m[2], "$1")
			if m[1] == "Says" {
				c.says = said
			} else {
				c.truth = said
			}
		}
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("docs/explanation/claims.md: no claim found")
	}
	return list, nil
}

// slug is the anchor of a heading as GitHub writes it.
func slug(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-', r == '_', r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 127 && isWord(r):
			b.WriteRune(r)
		}
	}
	return b.String()
}

// binder opens a notebook of the released version, whose tag has its image, in the classic interface that the image
// has.
const binder = "https://mybinder.org/v2/gh/privbayes/privbayes-go/v" + release.Version + "?urlpath=tree/"

// notebook stages an executed notebook: with links to open and to download it below its title, with texts in place of
// its figures for those who do not see them, and with links like any page.
func (s *stage) notebook(name string) error {
	b, err := os.ReadFile(filepath.Join(s.root, filepath.FromSlash(name)))
	if err != nil {
		return err
	}
	if err := write(s.extra, name, b); err != nil { // to download, as it is
		return err
	}
	var n map[string]any
	if err := json.Unmarshal(b, &n); err != nil {
		return err
	}
	cells, ok := n["cells"].([]any)
	if !ok || len(cells) == 0 {
		return fmt.Errorf("no cells")
	}
	for i, c := range cells {
		cell, ok := c.(map[string]any)
		if !ok {
			return fmt.Errorf("cell %d is no object", i)
		}
		if cell["cell_type"] == "markdown" {
			text, err := s.linked(name, joined(cell["source"]))
			if err != nil {
				return err
			}
			if i == 0 {
				text = withLaunch(text, name)
			}
			cell["source"] = text
			continue
		}
		describe(cell)
	}
	s.notebooks++
	out, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return write(s.to, name, out)
}

// withLaunch puts the links below the title of a notebook. Binder runs those of Go, in notebooks/.
func withLaunch(text, name string) string {
	title, rest, _ := strings.Cut(text, "\n")
	launch := ""
	if strings.HasPrefix(name, "notebooks/") {
		launch = fmt.Sprintf(`<a href="%s">Open in Binder</a> `, binder+name)
	}
	return title + "\n\n" + fmt.Sprintf(`<p class="pb-launch">%s<a href="%s" download>Download the notebook</a> `+
		`<a href="%s/blob/main/%s">On GitHub</a></p>`, launch, path.Base(name), repository, name) + "\n" + rest
}

// describe gives the figures of a cell the first line of their text twin.
func describe(cell map[string]any) {
	outputs, _ := cell["outputs"].([]any)
	for _, o := range outputs {
		output, _ := o.(map[string]any)
		data, _ := output["data"].(map[string]any)
		if data["image/png"] == nil && data["image/svg+xml"] == nil {
			continue
		}
		alt, _, _ := strings.Cut(strings.TrimSpace(joined(data["text/plain"])), "\n")
		if alt == "" {
			alt = "figure"
		}
		metadata, _ := cell["metadata"].(map[string]any)
		if metadata == nil {
			metadata = map[string]any{}
			cell["metadata"] = metadata
		}
		metadata["mystnb"] = map[string]any{"image": map[string]any{"alt": alt}}
		return
	}
}

// joined is a text of a notebook, which may be in lines.
func joined(v any) string {
	switch t := v.(type) {
	case string:
		return t
	case []any:
		var b strings.Builder
		for _, line := range t {
			s, _ := line.(string)
			b.WriteString(s)
		}
		return b.String()
	}
	return ""
}

func isWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsNumber(r) }

// preset is a table that the page "plan" begins with: public facts, no rows.
type preset struct {
	Name    string          `json:"name"`
	Title   string          `json:"title"`
	Rows    int             `json:"rows,omitempty"`
	Schema  json.RawMessage `json:"schema,omitempty"`
	Network string          `json:"network,omitempty"`
	Target  string          `json:"target,omitempty"`
	Model   string          `json:"model"`
}

// own stages the pages of the site itself.
func (s *stage) own() error {
	pages, err := filepath.Glob(filepath.Join(s.root, "site", "pages", "*.md"))
	if err != nil {
		return err
	}
	list, err := presets()
	if err != nil {
		return err
	}
	inline, err := json.Marshal(list) // escapes "<", so that it may stand in a script element
	if err != nil {
		return err
	}
	for _, p := range pages {
		b, err := os.ReadFile(p)
		if err != nil {
			return err
		}
		b = bytes.ReplaceAll(b, []byte("@presets@"), inline)
		if err := write(s.to, filepath.Base(p), b); err != nil {
			return err
		}
	}
	return nil
}

// presets are the embedded tables and networks; of a table the class is the last column unless it is known better.
func presets() (list []preset, err error) {
	for _, name := range data.Names() {
		info, err := data.Info(name)
		if err != nil {
			return nil, err
		}
		_, schema, err := data.Open(name)
		if err != nil {
			return nil, err
		}
		p := preset{Name: name, Title: name + ": " + info.Title, Rows: info.Rows, Schema: schema.JSON(), Model: "naive-bayes"}
		for _, c := range schema.Columns { // the first column of categories
			if c.Kind == "categorical" {
				p.Target = c.Name
				break
			}
		}
		list = append(list, p)
	}
	for i, p := range list { // the tour's table comes first
		if p.Name == "votes" {
			list[0], list[i] = list[i], list[0]
		}
	}
	for _, name := range data.NetworkNames() {
		r, err := data.Network(name)
		if err != nil {
			return nil, err
		}
		text, err := io.ReadAll(r)
		if err != nil {
			return nil, err
		}
		g, _, err := bayesnet.ReadBIF(bytes.NewReader(text))
		if err != nil {
			return nil, err
		}
		list = append(list, preset{Name: name, Title: name + ": a Bayesian network", Rows: 5000, Network: string(text),
			Target: g.Node(0).Name, Model: "network"})
	}
	return list, nil
}
