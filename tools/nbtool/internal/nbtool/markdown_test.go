package nbtool

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// cells shows a notebook as "type id: source" lines.
func cells(n *Notebook) []string {
	var s []string
	for _, c := range n.Cells {
		s = append(s, fmt.Sprintf("%s %s: %q", c.Type, c.ID, string(c.Source)))
	}
	return s
}

func TestFromMarkdown(t *testing.T) {
	for _, tc := range []struct {
		name, src string
		want      []string
	}{
		{"empty", "", nil},
		{"blank", "\n \n\n", nil},
		{"prose and code", "# Title\n\ntext\n\n```go\nx := 1\n\ny := 2\n```\nmore", []string{
			`markdown title-1: "# Title\n\ntext"`, `code title-2: "x := 1\n\ny := 2"`, `markdown title-3: "more"`}},
		{"no heading", "```go\nx\n```", []string{`code cell-1: "x"`}},
		{"empty code cell", "a\n```go\n```\nb", []string{`markdown cell-1: "a"`, `markdown cell-2: "b"`}},
		{"split", "a\n<!-- cell -->\nb", []string{`markdown cell-1: "a"`, `markdown cell-2: "b"`}},
		{"split inside a fence stays", "```text\n<!-- cell -->\n```",
			[]string{`markdown cell-1: "` + "```text\\n<!-- cell -->\\n```" + `"`}},
		{"other languages stay", "```golang\nx\n```", []string{`markdown cell-1: "` + "```golang\\nx\\n```" + `"`}},
		{"indented fence stays", "  ```go\n  x\n  ```", []string{`markdown cell-1: "` + "  ```go\\n  x\\n  ```" + `"`}},
		{"tildes stay", "~~~go\n```go\n~~~", []string{`markdown cell-1: "` + "~~~go\\n```go\\n~~~" + `"`}},
		{"long fence", "````go\n```\n````", []string{"code cell-1: \"```\""}},
		{"inline code", "```x``` and ```go", []string{"markdown cell-1: \"```x``` and ```go\""}},
		{"comment in code is no heading", "# A\n```go\n# B\n```", []string{`markdown a-1: "# A"`, `code a-2: "# B"`}},
		{"same heading twice", "# A\n```go\nx\n```\n# A",
			[]string{`markdown a-1: "# A"`, `code a-2: "x"`, `markdown a-3: "# A"`}},
		{"windows line ends", "# A\r\n```go\r\nx\r\n```\r\n", []string{`markdown a-1: "# A"`, `code a-2: "x"`}},
		{"heading without letters", "# …\nx", []string{`markdown cell-1: "# …\nx"`}},
		{"heading with signs", "## The δ(ε) curve: 2 laws!",
			[]string{`markdown the-curve-2-laws-1: "## The δ(ε) curve: 2 laws!"`}},
	} {
		n, err := FromMarkdown(tc.src)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if got, want := strings.Join(cells(n), "\n"), strings.Join(tc.want, "\n"); got != want {
			t.Errorf("%s:\n got %s\nwant %s", tc.name, got, want)
		}
	}
}

func TestFromMarkdownTags(t *testing.T) {
	n, err := FromMarkdown("```go allow-stderr nondeterministic\nx\n```\n\n```go\ny\n```")
	if err != nil {
		t.Fatal(err)
	}
	if tags := n.Cells[0].Tags(); len(tags) != 2 || !tags["allow-stderr"] || !tags["nondeterministic"] {
		t.Errorf("tags %v", tags)
	}
	if tags := n.Cells[1].Tags(); len(tags) != 0 {
		t.Errorf("tags of the second cell %v", tags)
	}
}

// TestStableIDs: an insertion in one section leaves the ids of the others alone.
func TestStableIDs(t *testing.T) {
	a, err := FromMarkdown("# A\n```go\n1\n```\n# B\n```go\n2\n```")
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromMarkdown("# A\n```go\n1\n```\nnew\n```go\n3\n```\n# B\n```go\n2\n```")
	if err != nil {
		t.Fatal(err)
	}
	last := func(n *Notebook) string { return n.Cells[len(n.Cells)-1].ID }
	if last(a) != last(b) {
		t.Errorf("id changed from %s to %s", last(a), last(b))
	}
}

func TestFromMarkdownErrors(t *testing.T) {
	for _, tc := range []struct {
		src  string
		line int
	}{
		{"a\n\n```go\nx := 1\n", 3},
		{"```text\n", 1},
		{"~~~\n```\n", 1},
		{"a\xff", 0},
	} {
		_, err := FromMarkdown(tc.src)
		var se *SourceError
		if !errors.As(err, &se) {
			t.Errorf("%q: error %v, want a *SourceError", tc.src, err)
		} else if se.Line != tc.line || se.Error() == "" {
			t.Errorf("%q: line %d, want %d", tc.src, se.Line, tc.line)
		}
	}
}

var validID = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) // as nbformat 4.5 demands

// FuzzFromMarkdown: any text gives either an error or a notebook whose cells are
// not blank, whose ids are valid and unique, that keeps every word of the source
// in order, and that survives writing and reading.
func FuzzFromMarkdown(f *testing.F) {
	for _, s := range []string{"", "# A\n\ntext\n```go\nx\n```\n<!-- cell -->\nb", "```go a b\n```", "~~~\n```go\n~~~",
		"````go\n```\n````", "# 1\n# 1-1\n<!-- cell -->\nx", "a\r\n```go\r\nb\r\n```", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, src string) {
		n, err := FromMarkdown(src)
		if err != nil {
			return
		}
		seen := map[string]bool{}
		rest := strings.ReplaceAll(src, "\r\n", "\n")
		for _, c := range n.Cells {
			if strings.TrimSpace(string(c.Source)) == "" {
				t.Fatalf("blank cell %s", c.ID)
			}
			if !validID.MatchString(c.ID) || seen[c.ID] {
				t.Fatalf("id %q is invalid or taken", c.ID)
			}
			seen[c.ID] = true
			i := strings.Index(rest, string(c.Source))
			if i < 0 {
				t.Fatalf("cell %s is not in the source, or out of order: %q", c.ID, c.Source)
			}
			rest = rest[i+len(c.Source):]
		}
		b, err := n.Bytes()
		if err != nil {
			t.Fatal(err)
		}
		back, err := Parse(b)
		if err != nil {
			t.Fatal(err)
		}
		if ds := back.DiffSources(n); len(ds) > 0 {
			t.Fatal(ds)
		}
	})
}
