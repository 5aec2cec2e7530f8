package nbtool

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// executed is a notebook as nbconvert leaves it, with everything in it that
// differs from run to run.
const executed = `{
 "cells": [
  {"cell_type": "markdown", "id": "a-1", "metadata": {}, "source": "# A\n$x < y$"},
  {"cell_type": "code", "execution_count": 1, "id": "a-2",
   "metadata": {"execution": {"iopub.execute_input": "2025-01-01T00:00:00Z"}, "tags": ["allow-stderr"]},
   "outputs": [
    {"name": "stdout", "output_type": "stream", "text": ["one\n"]},
    {"name": "stdout", "output_type": "stream", "text": "two /tmp/gonb_0123abcd/gonb_0123abcd\n"},
    {"name": "stderr", "output_type": "stream", "text": ["note: /home/u/repo/privbayes/x.go\n"]},
    {"name": "stdout", "output_type": "stream", "text": []}
   ], "source": ["f()\n", "g()"]},
  {"cell_type": "code", "execution_count": 2, "id": "a-3", "metadata": {},
   "outputs": [
    {"data": {"text/html": ""}, "metadata": {}, "output_type": "display_data"},
    {"data": {"image/png": "aGVsbG8=\n", "text/plain": ["figure: \u001b[31mX\u001b[0m"]},
     "metadata": {}, "output_type": "display_data"}
   ], "source": "h()"}
 ],
 "metadata": {"kernelspec": {"name": "gonb"}, "language_info": {"version": "go1.26.8"}, "widgets": {}},
 "nbformat": 4, "nbformat_minor": 5
}`

func parsed(t *testing.T) *Notebook {
	t.Helper()
	return must.Get(Parse([]byte(executed)))(t)
}

func TestNormalize(t *testing.T) {
	n := parsed(t)
	n.Normalize("/home/u/repo")
	b := must.Get(n.Bytes())(t)
	for _, gone := range []string{"iopub", "/tmp", "/home", "0123abcd", "go1.26", "widgets", `\u001b`, "aGVsbG8=\\n",
		`\u003c`} {
		if strings.Contains(string(b), gone) {
			t.Errorf("%q is left in\n%s", gone, b)
		}
	}
	if got := n.Cells[1].Outputs; len(got) != 2 || got[0].Text != "one\ntwo /gonb\n" ||
		got[1].Text != "note: privbayes/x.go\n" {
		t.Errorf("streams %+v", got)
	}
	if got := n.Cells[2].Outputs; len(got) != 1 || got[0].Data["text/plain"] != "figure: X" ||
		got[0].Data["image/png"] != "aGVsbG8=" {
		t.Errorf("displays %+v", got)
	}
	n.Normalize("/home/u/repo")
	again := must.Get(n.Bytes())(t)
	if !bytes.Equal(b, again) {
		t.Error("normalising twice changes the notebook")
	}
}

// TestBytes: writing and reading gives the same notebook; code cells have the
// fields nbformat requires and Markdown cells have none of them.
func TestBytes(t *testing.T) {
	n := parsed(t)
	path := filepath.Join(t.TempDir(), "n.ipynb")
	must.Do(t, n.Write(path))
	back := must.Get(Read(path))(t)
	if ds := back.Diff(n); len(ds) > 0 {
		t.Error(ds)
	}
	b := must.Get(os.ReadFile(path))(t)
	for field, want := range map[string]int{`"outputs"`: 2, `"execution_count"`: 2, `"source"`: 3, `"metadata"`: 6,
		`"image/png": "`: 1} {
		if got := strings.Count(string(b), field); got != want {
			t.Errorf("%s stands %d times, want %d", field, got, want)
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, s := range []string{"", "[]", `{"nbformat": 3}`, `{"nbformat": 4, "cells": [{"source": 7}]}`} {
		if _, err := Parse([]byte(s)); err == nil {
			t.Errorf("%q: no error", s)
		}
	}
	if _, err := Read(filepath.Join(t.TempDir(), "absent.ipynb")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("reading an absent file: %v", err)
	}
}

func TestHeadlines(t *testing.T) {
	n := &Notebook{Cells: []Cell{
		{Type: "code", Outputs: []Output{{Type: "stream", Text: "x\nheadline: accuracy = 0.71  \nheadline:epsilon = " +
			"1\n not a headline: y\n"}}},
		{Type: "code", Outputs: []Output{{Type: "display_data",
			Data: Bundle{"text/plain": "headline: delta = 1e-6", "text/html": "headline: no"}}}},
	}}
	if got, want := strings.Join(n.Headlines(), "|"), "accuracy = 0.71|epsilon = 1|delta = 1e-6"; got != want {
		t.Errorf("headlines %q, want %q", got, want)
	}
}

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
	n := must.Get(FromMarkdown("```go allow-stderr nondeterministic\nx\n```\n\n```go\ny\n```"))(t)
	if tags := n.Cells[0].Tags(); len(tags) != 2 || !tags["allow-stderr"] || !tags["nondeterministic"] {
		t.Errorf("tags %v", tags)
	}
	if tags := n.Cells[1].Tags(); len(tags) != 0 {
		t.Errorf("tags of the second cell %v", tags)
	}
}

// TestStableIDs: an insertion in one section leaves the ids of the others alone.
func TestStableIDs(t *testing.T) {
	a := must.Get(FromMarkdown("# A\n```go\n1\n```\n# B\n```go\n2\n```"))(t)
	b := must.Get(FromMarkdown("# A\n```go\n1\n```\nnew\n```go\n3\n```\n# B\n```go\n2\n```"))(t)
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
		b := must.Get(n.Bytes())(t)
		back := must.Get(Parse(b))(t)
		if ds := back.DiffSources(n); len(ds) > 0 {
			t.Fatal(ds)
		}
	})
}

// FuzzParse reads any bytes as a notebook: an error, or a notebook that is written, read and written again to the same
// bytes, equals itself, and is checked, normalised and shown without a panic.
func FuzzParse(f *testing.F) {
	n := must.Get(FromMarkdown("# A\n\ntext\n```go\nx\n```\n<!-- cell -->\nb"))(f)
	b := must.Get(n.Bytes())(f)
	f.Add(b)
	f.Add([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","source":["a\n","b"],"outputs":[` +
		`{"output_type":"stream","name":"stderr","text":"x"},{"output_type":"error","ename":"E"}]}]}`))
	f.Add([]byte(`{"nbformat":4,"cells":[{"cell_type":"code","metadata":{"tags":["allow-stderr",3]},"outputs":[` +
		`{"output_type":"display_data","data":{"text/html":["<h1>","b"],"image/png":"iVBO"}}]}]}`))
	f.Add([]byte(`null`))
	f.Fuzz(func(t *testing.T, b []byte) {
		n, err := Parse(b)
		if err != nil {
			return
		}
		first := must.Get(n.Bytes())(t)
		again, err := Parse(first)
		if err != nil {
			t.Fatalf("%s: %v", first, err)
		}
		second, err := again.Bytes()
		if err != nil || !bytes.Equal(first, second) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		if d := n.Diff(again); len(d) > 0 {
			t.Fatalf("a notebook differs from itself: %v", d)
		}
		n.Normalize("/work")
		_, _, _ = n.Problems(), n.Headlines(), n.FirstCode()
		_ = n.DiffSources(again)
		n.KeepOutputs(again)
	})
}
