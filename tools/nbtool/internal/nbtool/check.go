package nbtool

import (
	"context"
	"fmt"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Problems lists the cells that failed, with the compiler's messages where a cell
// does not compile.
//
// GoNB marks a failed Go cell with an error output, but a failed shell line, a
// failed %%bash cell and an unknown magic only write to stderr: so any text on
// stderr counts, unless the cell has the tag "allow-stderr". A cell with the tag
// "raises-exception" must fail.
func (n *Notebook) Problems() []string {
	var ps []string
	for i, c := range n.Cells {
		if c.Type != "code" {
			continue
		}
		where := fmt.Sprintf("cell %d (%s)", i+1, c.ID)
		tags := c.Tags()
		failed := false
		for _, o := range c.Outputs {
			switch {
			case o.Type == "error":
				failed = true
				if !tags["raises-exception"] {
					lines := append([]string{where + ": error: " + o.Ename + ": " + strings.TrimSpace(o.Evalue)},
						compilerErrors(c)...)
					ps = append(ps, strings.Join(lines, "\n        "))
				}
			case o.Type == "stream" && o.Name == "stderr" && !tags["allow-stderr"] && !tags["raises-exception"]:
				ps = append(ps, where+": stderr: "+strings.TrimSpace(string(o.Text)))
			}
		}
		if tags["raises-exception"] && !failed {
			ps = append(ps, where+": should fail and did not")
		}
	}
	return ps
}

// Diff lists the differences between n and want, cell by cell: sources, and the
// outputs of code cells. Both must be normalised. The outputs of a cell tagged
// "nondeterministic" are not compared.
func (n *Notebook) Diff(want *Notebook) []string {
	if ds := n.DiffSources(want); len(ds) > 0 {
		return ds
	}
	var ds []string
	for i, c := range n.Cells {
		if c.Type != "code" || c.Tags()["nondeterministic"] {
			continue
		}
		now, was := flat(c.Outputs), flat(want.Cells[i].Outputs)
		if now != was {
			ds = append(ds, fmt.Sprintf("cell %d (%s): output differs: %s", i+1, c.ID, firstDiff(now, was)))
		}
	}
	return ds
}

// DiffSources lists the cells whose type, id, tags or source differ from want's.
func (n *Notebook) DiffSources(want *Notebook) []string {
	if len(n.Cells) != len(want.Cells) {
		return []string{fmt.Sprintf("%d cells, want %d", len(n.Cells), len(want.Cells))}
	}
	var ds []string
	for i, c := range n.Cells {
		w := want.Cells[i]
		where := fmt.Sprintf("cell %d (%s)", i+1, c.ID)
		switch {
		case c.Type != w.Type:
			ds = append(ds, fmt.Sprintf("%s: is %s, want %s", where, c.Type, w.Type))
		case c.ID != w.ID:
			ds = append(ds, fmt.Sprintf("%s: id differs, want %s", where, w.ID))
		case fmt.Sprint(c.Tags()) != fmt.Sprint(w.Tags()):
			ds = append(ds, fmt.Sprintf("%s: tags %v, want %v", where, c.Tags(), w.Tags()))
		case c.Source != w.Source:
			ds = append(ds, fmt.Sprintf("%s: source differs: %s", where, firstDiff(string(c.Source), string(w.Source))))
		}
	}
	return ds
}

// KeepOutputs copies the outputs of old to n when every code cell of n is the
// same as in old, so that an edit of the prose does not cost a new execution.
// It reports whether it did.
func (n *Notebook) KeepOutputs(old *Notebook) bool {
	var from []Cell
	for _, c := range old.Cells {
		if c.Type == "code" {
			from = append(from, c)
		}
	}
	var to []*Cell
	for i := range n.Cells {
		if n.Cells[i].Type == "code" {
			to = append(to, &n.Cells[i])
		}
	}
	if len(from) != len(to) {
		return false
	}
	for i, c := range to {
		if c.Source != from[i].Source {
			return false
		}
	}
	for i, c := range to {
		c.Outputs, c.Count = from[i].Outputs, from[i].Count
	}
	return true
}

func flat(os []Output) string {
	if len(os) == 0 {
		return "[]" // nil and empty are the same
	}
	b, err := marshal(os)
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// firstDiff shows both texts from shortly before the first difference.
func firstDiff(now, want string) string {
	i := 0
	for i < len(now) && i < len(want) && now[i] == want[i] {
		i++
	}
	lo := max(0, i-40)
	return fmt.Sprintf("now …%.120q, want …%.120q", now[lo:], want[lo:])
}

// gonbError finds in the page that GoNB shows for a failed compilation: the place in the notebook, such as "Cell[2]:
// Line 2", the compiler's message, and the line of code.
var gonbError = regexp.MustCompile(
	`(?s)<span class="gonb-cell-line-info">([^<]*)</span> <span class="gonb-err-location">[^<]*</span></span>(.*?)` +
		`<div class="gonb-err-context">.*?<div class="gonb-err-line">(.*?)</div>`,
)

// elsewhere finds the messages about files other than the notebook's: a checkout that does not build.
var elsewhere = regexp.MustCompile(`[\w./-]+\.go:\d+:\d+: [^<\n]+`)

// compilerErrors lists the messages of the Go compiler among a cell's outputs, a line each: place, message, line of
// code. GoNB shows them as HTML only, and the error itself says no more than "exit status 1". Cells are numbered there
// by execution, as in In [2].
func compilerErrors(c Cell) []string {
	var list []string
	for _, o := range c.Outputs {
		page := string(o.Data["text/html"])
		for _, m := range elsewhere.FindAllString(page, -1) {
			list = append(list, html.UnescapeString(m))
		}
		for _, m := range gonbError.FindAllStringSubmatch(page, -1) {
			message := strings.TrimSpace(html.UnescapeString(m[2]))
			if strings.HasPrefix(message, "+0x") {
				continue // a place in the trace of a panic, which stands on stderr
			}
			list = append(list, m[1]+": "+message+": "+strings.TrimSpace(html.UnescapeString(m[3])))
		}
	}
	return list
}

// The scripts a page loads, at nbconvert's own defaults. Distributions replace them
// by local files, with which the formulas of a published page stay unrendered.
const (
	mathjax = "https://cdnjs.cloudflare.com/ajax/libs/mathjax/2.7.7/latest.js?config=TeX-AMS_CHTML-full,Safe"
	require = "https://cdnjs.cloudflare.com/ajax/libs/require.js/2.1.10/require.min.js"
)

// WriteHTML converts an executed notebook to one HTML page at path. Figures are
// in the page; formulas need a network when the page is read.
func (n *Notebook) WriteHTML(ctx context.Context, path string) error {
	abs, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	dir := filepath.Dir(abs)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("nbtool: %w", err)
	}
	tmp, err := os.MkdirTemp("", "nbhtml-*")
	if err != nil {
		return fmt.Errorf("nbtool: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }()
	name := strings.TrimSuffix(filepath.Base(abs), ".html")
	in := filepath.Join(tmp, name+".ipynb") // the page's title is the file's name
	if err := n.Write(in); err != nil {
		return err
	}
	return nbconvert(ctx, Root(dir), tmp, path, "--to", "html", "--HTMLExporter.mathjax_url="+mathjax,
		"--HTMLExporter.require_js_url="+require, "--output-dir", dir, "--output", name+".html", in)
}

var headline = regexp.MustCompile(`(?m)^headline:[ \t]*(.*\S)[ \t]*$`)

// Headlines are the notebook's headline numbers: the rest of each line of text
// output that begins with "headline:", as in "headline: accuracy = 0.71".
func (n *Notebook) Headlines() []string {
	var hs []string
	for _, c := range n.Cells {
		for _, o := range c.Outputs {
			for _, m := range headline.FindAllStringSubmatch(string(o.Text)+"\n"+string(o.Data["text/plain"]), -1) {
				hs = append(hs, m[1])
			}
		}
	}
	return hs
}
