// Package nbtool builds GoNB notebooks from Markdown, executes them headless
// with Jupyter's nbconvert, and compares their outputs.
//
// The Markdown file NN_name.md is the source of truth. NN_name.ipynb is made
// from it ([FromMarkdown]), executed ([Execute]) and committed with its outputs,
// normalised ([Notebook.Normalize]) so that a second execution gives the same
// bytes. A notebook passes when no cell failed ([Notebook.Problems]) and its
// outputs equal the committed ones ([Notebook.Diff]). [NewGallery] makes the page
// that shows all notebooks of a folder.
package nbtool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"unicode/utf8"
)

// Notebook is a notebook in nbformat 4.5, the subset that GoNB writes.
type Notebook struct {
	Cells         []Cell         `json:"cells"`
	Metadata      map[string]any `json:"metadata"`
	Nbformat      int            `json:"nbformat"`
	NbformatMinor int            `json:"nbformat_minor"`
}

// Cell is a Markdown or code cell. Count and Outputs belong to code cells only.
type Cell struct {
	Type     string         `json:"cell_type"` // "markdown" or "code"
	Count    *int           `json:"execution_count"`
	ID       string         `json:"id"`
	Metadata map[string]any `json:"metadata"`
	Outputs  []Output       `json:"outputs"`
	Source   Text           `json:"source"`
}

// MarshalJSON gives code cells the fields nbformat requires of them and other
// cells none of those.
func (c Cell) MarshalJSON() ([]byte, error) {
	if c.Metadata == nil {
		c.Metadata = map[string]any{}
	}
	if c.Type != "code" {
		return marshal(struct {
			Type     string         `json:"cell_type"`
			ID       string         `json:"id"`
			Metadata map[string]any `json:"metadata"`
			Source   Text           `json:"source"`
		}{c.Type, c.ID, c.Metadata, c.Source})
	}
	if c.Outputs == nil {
		c.Outputs = []Output{}
	}
	type plain Cell
	return marshal(plain(c))
}

// Tags are the cell's tags: "allow-stderr", "nondeterministic" and
// "raises-exception" mean something to this package.
func (c Cell) Tags() map[string]bool {
	tags := map[string]bool{}
	switch l := c.Metadata["tags"].(type) {
	case []any: // as read from JSON
		for _, t := range l {
			if s, ok := t.(string); ok {
				tags[s] = true
			}
		}
	case []string: // as built from Markdown
		for _, s := range l {
			tags[s] = true
		}
	}
	return tags
}

// Output is one output of a code cell. Which fields are set depends on Type:
// "stream" (Name, Text), "display_data" and "execute_result" (Data, Metadata),
// "error" (Ename, Evalue, Traceback).
type Output struct {
	Type      string         `json:"output_type"`
	Count     *int           `json:"execution_count,omitempty"`
	Name      string         `json:"name,omitempty"`
	Text      Text           `json:"text,omitempty"`
	Data      Bundle         `json:"data,omitempty"`
	Metadata  map[string]any `json:"metadata,omitempty"`
	Ename     string         `json:"ename,omitempty"`
	Evalue    string         `json:"evalue,omitempty"`
	Traceback []string       `json:"traceback,omitempty"`
}

// MarshalJSON writes the metadata object that display_data must have.
func (o Output) MarshalJSON() ([]byte, error) {
	type plain Output
	if o.Type != "display_data" {
		return marshal(plain(o))
	}
	if o.Metadata == nil {
		o.Metadata = map[string]any{}
	}
	return marshal(struct {
		Data     Bundle         `json:"data"`
		Metadata map[string]any `json:"metadata"`
		Type     string         `json:"output_type"`
	}{o.Data, o.Metadata, o.Type})
}

// Bytes encodes the notebook as Jupyter does, with one space of indentation.
func (n *Notebook) Bytes() ([]byte, error) {
	raw, err := marshal(n)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		return nil, err
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// Parse decodes a notebook. It refuses formats other than nbformat 4.
func Parse(b []byte) (*Notebook, error) {
	var n Notebook
	if err := json.Unmarshal(b, &n); err != nil {
		return nil, fmt.Errorf("nbtool: not a notebook: %w", err)
	}
	if n.Nbformat != 4 {
		return nil, fmt.Errorf("nbtool: nbformat is %d, want 4", n.Nbformat)
	}
	if n.Metadata == nil {
		n.Metadata = map[string]any{}
	}
	return &n, nil
}

// Read loads the notebook at path.
func Read(path string) (*Notebook, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("nbtool: %w", err)
	}
	n, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return n, nil
}

// Write stores the notebook at path.
func (n *Notebook) Write(path string) error {
	b, err := n.Bytes()
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

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

// volatile is text that differs between two runs of the same notebook.
var volatile = []struct {
	re *regexp.Regexp
	to string
}{
	{regexp.MustCompile(`(/[^\s"'<>:]*)?/gonb_[0-9a-f]{8}`), "/gonb"}, // the kernel's work directory
	{regexp.MustCompile(`(/[^\s"'<>:]*)?/nbrun-[0-9]+`), "."},         // ours, see Execute
	{regexp.MustCompile(`\x1b\[[0-9;]*m`), ""},                        // colours of compiler messages
}

// Normalize removes what differs from run to run: versions in the metadata,
// timings, temporary paths, cleared progress bars, and how the kernel happened
// to split a stream. Paths under root, the checkout, become relative to it (no
// replacement when root is empty). Normalising twice changes nothing.
func (n *Notebook) Normalize(root string) {
	clean := func(s string) string {
		for _, v := range volatile {
			s = v.re.ReplaceAllString(s, v.to)
		}
		if len(root) > 1 {
			s = strings.ReplaceAll(s, root+"/", "")
			s = strings.ReplaceAll(s, root, ".")
		}
		return s
	}
	n.Metadata = metadata()
	for i := range n.Cells {
		c := &n.Cells[i]
		delete(c.Metadata, "execution")
		if c.Type != "code" {
			continue
		}
		outs := []Output{}
		for _, o := range c.Outputs {
			if blank(o) {
				continue
			}
			o.Text = Text(clean(string(o.Text)))
			o.Evalue = clean(o.Evalue)
			for j := range o.Traceback {
				o.Traceback[j] = clean(o.Traceback[j])
			}
			for mime, t := range o.Data {
				if strings.HasPrefix(mime, "image/") && mime != "image/svg+xml" {
					o.Data[mime] = Text(strings.TrimSpace(string(t)))
				} else {
					o.Data[mime] = Text(clean(string(t)))
				}
			}
			// One write of the program may arrive as one message or as several.
			if k := len(outs) - 1; k >= 0 && o.Type == "stream" && outs[k].Type == "stream" && outs[k].Name == o.Name {
				outs[k].Text += o.Text
				continue
			}
			outs = append(outs, o)
		}
		c.Outputs = outs
	}
}

// blank tells an empty stream and a progress bar that was cleared at its end.
func blank(o Output) bool {
	switch o.Type {
	case "stream":
		return o.Text == ""
	case "display_data":
		for _, t := range o.Data {
			if t != "" {
				return false
			}
		}
		return true
	}
	return false
}

// Text is a Jupyter multi-line string: written as a JSON list of lines, read
// from a list or from one string.
type Text string

// MarshalJSON writes a list of lines, so that version control shows changes by line.
func (t Text) MarshalJSON() ([]byte, error) {
	lines := strings.SplitAfter(string(t), "\n")
	if lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	if len(lines) == 0 {
		lines = []string{}
	}
	return marshal(lines)
}

// UnmarshalJSON reads a list of lines or one string.
func (t *Text) UnmarshalJSON(b []byte) error {
	var l []string
	if json.Unmarshal(b, &l) == nil {
		*t = Text(strings.Join(l, ""))
		return nil
	}
	var s string
	if json.Unmarshal(b, &s) == nil {
		*t = Text(s)
		return nil
	}
	return errors.New("neither a string nor a list of strings")
}

// Bundle holds one output in several forms, by MIME type; images are in base64.
type Bundle map[string]Text

// MarshalJSON writes text forms as lists of lines and all others as one string,
// which is how Jupyter saves them: a notebook saved from the browser differs
// from ours in its outputs only.
func (d Bundle) MarshalJSON() ([]byte, error) {
	out := make(map[string]any, len(d))
	for mime, t := range d {
		if strings.HasPrefix(mime, "text/") || mime == "image/svg+xml" {
			out[mime] = t
		} else {
			out[mime] = string(t)
		}
	}
	return marshal(out)
}

// marshal is json.Marshal without the escaping of <, > and &: notebooks are
// full of HTML and are read by people in diffs.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
