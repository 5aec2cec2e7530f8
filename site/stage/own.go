package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"unicode"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
)

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
