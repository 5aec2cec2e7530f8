package main

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var (
	claimHead   = regexp.MustCompile("^### `([^`]+)` (.*)$")
	claimLine   = regexp.MustCompile(`^\* \*(Says|True)\.\* (.*)$`)
	escapedMark = regexp.MustCompile(`\\([\\_*|<>\[\]#])`)
)

// claim is a row of the table of claims.
type claim struct{ id, where, verdict, document, says, truth, anchor string }

// claimTable writes the claims of docs/claims.md as one table, which the page filters.
func (s *stage) claimTable() error {
	b, err := os.ReadFile(filepath.Join(s.root, "docs", "claims.md"))
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
		"on its own terms: what it says, and what is true. [The whole list](docs/claims.md) has the assumptions, the " +
		"counterexamples and the test that executes each; [what the words mean](docs/claims.md#what-the-words-mean).\n\n" +
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
	t.WriteString(`<div class="pb-scroll"><table class="pb-table" id="claims-table"><thead><tr>` +
		`<th scope="col">claim</th><th scope="col">verdict</th><th scope="col">says</th>` +
		`<th scope="col">true</th></tr></thead><tbody>` + "\n")
	for _, c := range list {
		e := html.EscapeString
		fmt.Fprintf(&t, `<tr data-document="%s" data-verdict="%s"><th scope="row"><a href="docs/claims.html#%s">%s</a><br>`+
			`<span class="pb-numbers">%s</span></th><td>%s</td><td>%s</td><td>%s</td></tr>`+"\n", e(c.document), e(c.verdict),
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
				return nil, fmt.Errorf("docs/claims.md: no verdict in %q", line)
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
		return nil, fmt.Errorf("docs/claims.md: no claim found")
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
