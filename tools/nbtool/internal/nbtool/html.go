package nbtool

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

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
