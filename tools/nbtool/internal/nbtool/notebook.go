// Package nbtool builds GoNB notebooks from Markdown, executes them headless
// with Jupyter's nbconvert, and compares their outputs.
//
// The Markdown file NN_name.md is the source of truth. NN_name.ipynb is made
// from it ([FromMarkdown]), executed ([Execute]) and committed with its outputs,
// normalised ([Notebook.Normalize]) so that a second execution gives the same
// bytes. A notebook passes when no cell failed ([Notebook.Problems]) and its
// outputs equal the committed ones ([Notebook.Diff]). [NewGallery] makes the page
// that shows all notebooks of a folder.
//
// Place: apart from the library; the command nbtool and the tests of the notebooks
// import it. Its own tests also check the links and the outputs of the pages in docs.
package nbtool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
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
