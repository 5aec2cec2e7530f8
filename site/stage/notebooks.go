package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/release"
)

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

// withLaunch puts the links below the title of a notebook.
func withLaunch(text, name string) string {
	title, rest, _ := strings.Cut(text, "\n")
	return title + "\n\n" + fmt.Sprintf(`<p class="pb-launch"><a href="%s">Open in Binder</a> `+
		`<a href="%s" download>Download the notebook</a> <a href="%s/blob/main/%s">On GitHub</a></p>`, binder+name,
		path.Base(name), repository, name) + "\n" + rest
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
