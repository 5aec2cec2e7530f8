package nbtool

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// split is the comment line that ends one Markdown cell and begins the next.
const split = "<!-- cell -->"

// SourceError says where a Markdown source cannot become a notebook.
type SourceError struct {
	Line   int    // 1-based; 0 for the whole source
	Reason string // what is wrong
}

// Error names the line and the reason.
func (e *SourceError) Error() string {
	return fmt.Sprintf("nbtool: line %d: %s", e.Line, e.Reason)
}

// FromMarkdown makes a notebook without outputs.
//
// Each fence that opens with "```go" in the first column is a code cell; words
// after "go" are the cell's tags. Text between such fences is a Markdown cell,
// and a line "<!-- cell -->" splits it. Fences in any other language, "golang"
// included, stay in the text: that is how to show code without running it.
//
// A cell's id is the slug of the last heading above it and its number below that
// heading ("sensitivity-2"), so an insertion leaves the other sections' ids alone.
//
// The error is a [*SourceError].
func FromMarkdown(src string) (*Notebook, error) {
	if !utf8.ValidString(src) {
		return nil, &SourceError{Reason: "not UTF-8"}
	}
	src = strings.ReplaceAll(src, "\r\n", "\n")
	b := builder{n: &Notebook{Nbformat: 4, NbformatMinor: 5, Metadata: metadata()}}
	var fence string // the fence that is open, without its info string
	var opened int
	var code bool // whether it is a code cell
	for i, line := range strings.Split(src, "\n") {
		mark, info := fenceOf(line)
		switch {
		case fence == "" && mark != "":
			fence, opened = mark, i+1
			words := strings.Fields(info)
			if code = len(words) > 0 && words[0] == "go" && strings.HasPrefix(line, "```"); code {
				b.flush("markdown", nil)
				b.tags = words[1:]
				continue
			}
			b.lines = append(b.lines, line)
		case fence != "" && info == "" && strings.HasPrefix(mark, fence):
			fence = ""
			if code {
				b.flush("code", b.tags)
				code = false
				continue
			}
			b.lines = append(b.lines, line)
		case fence == "" && strings.TrimSpace(line) == split:
			b.flush("markdown", nil)
		default:
			if h := slug(line); fence == "" && h != "" {
				b.heading = h
			}
			b.lines = append(b.lines, line)
		}
	}
	if fence != "" {
		return nil, &SourceError{Line: opened, Reason: "fence is never closed"}
	}
	b.flush("markdown", nil)
	return b.n, nil
}

// builder collects lines and turns them into cells.
type builder struct {
	n       *Notebook
	lines   []string
	tags    []string
	heading string
	count   map[string]int
}

// flush makes a cell of the collected lines, unless they are blank.
func (b *builder) flush(kind string, tags []string) {
	s := strings.Trim(strings.Join(b.lines, "\n"), "\n")
	b.lines = nil
	if strings.TrimSpace(s) == "" {
		return
	}
	if b.count == nil {
		b.count = map[string]int{}
	}
	h := b.heading
	if h == "" {
		h = "cell"
	}
	b.count[h]++
	c := Cell{Type: kind, ID: fmt.Sprintf("%s-%d", h, b.count[h]), Source: Text(s), Metadata: map[string]any{}}
	if len(tags) > 0 {
		c.Metadata["tags"] = tags
	}
	b.n.Cells = append(b.n.Cells, c)
}

// fenceOf splits a fence line into its run of ``` or ~~~ and the info string;
// mark is empty when the line is no fence.
func fenceOf(line string) (mark, info string) {
	s := strings.TrimLeft(line, " ")
	if len(line)-len(s) > 3 || s == "" || (s[0] != '`' && s[0] != '~') {
		return "", ""
	}
	rest := strings.TrimLeft(s, s[:1])
	k := len(s) - len(rest)
	if k < 3 || (s[0] == '`' && strings.Contains(rest, "`")) { // ```x``` is inline code
		return "", ""
	}
	return s[:k], strings.TrimSpace(rest)
}

// slug reduces a Markdown heading to [a-z0-9-]{1,40}, or to "" when the line is
// no heading or has nothing to keep.
func slug(line string) string {
	text := strings.TrimLeft(line, "#")
	if k := len(line) - len(text); k == 0 || k > 6 || !strings.HasPrefix(text, " ") {
		return ""
	}
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case b.Len() >= 40:
		case 'a' <= r && r <= 'z' || '0' <= r && r <= '9':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	return strings.Trim(b.String(), "-")
}

// metadata names the kernel; the kernel's and Go's versions are left out because
// they change from machine to machine.
func metadata() map[string]any {
	return map[string]any{
		"kernelspec":    map[string]any{"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
		"language_info": map[string]any{"file_extension": ".go", "mimetype": "text/x-go", "name": "go"},
	}
}
