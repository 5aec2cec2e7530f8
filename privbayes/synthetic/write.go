package synthetic

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/durable"
	"github.com/privbayes/privbayes-go/internal/label"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// format marks a folder of sets, in its file sets.json.
const format = "privbayes-synthetic-sets-1"

// list is the file's name.
const list = "sets.json"

// folder is sets.json: what a program needs to combine, and which files are ours.
type folder struct {
	Format    string   `json:"format"`
	Records   float64  `json:"records"` // of the private table
	Rows      int      `json:"rows"`    // of each set
	Rule      Rule     `json:"rule"`
	DrawnFrom string   `json:"drawn_from"`
	Release   string   `json:"release"`
	Edges     []string `json:"edges"`
	Files     []string `json:"files"`
}

// FolderError is a folder that sets are not written to: nothing was changed.
type FolderError struct{ Path, Got, Want string }

func (e *FolderError) Error() string {
	return fmt.Sprintf("synthetic: folder %s: %s; want %s", label.File(e.Path), e.Got, e.Want)
}

var (
	//go:embed text/combine.py
	combinePython string
	//go:embed text/combine.R
	combineR string
	//go:embed text/README.md
	readme string
)

// Write puts the sets into a folder, set_01.csv and so on, with sets.json, the rule as combine.py and combine.R, and a
// README that shows how to use them. The folder appears whole or not at all: it is written beside its place under
// another name. A folder of sets that Write made is replaced; any other that is there and not empty, and one to which
// something was added, is a *FolderError. Errors also: of drawing, of the file system, the context's.
func (s *Sets) Write(ctx context.Context, path string) error {
	path = filepath.Clean(path)
	if err := mayReplace(path); err != nil {
		return err
	}
	work, err := os.MkdirTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	if err := errors.Join(s.fill(ctx, work), os.Chmod(work, 0o755)); err != nil {
		return errors.Join(err, os.RemoveAll(work))
	}
	return replace(work, path)
}

func (s *Sets) fill(ctx context.Context, dir string) error {
	about := folder{Format: format, Records: s.spec.Records, Rows: s.spec.Rows, Rule: FullySynthetic,
		DrawnFrom: s.spec.Title, Release: s.spec.Public, Edges: s.edges()}
	put := func(name string, content []byte) error {
		about.Files = append(about.Files, name)
		return durable.WriteNew(filepath.Join(dir, name), content, 0o644)
	}
	var first *frame.Frame
	for i := range s.spec.Sets {
		if err := ctx.Err(); err != nil {
			return err
		}
		f, err := s.Frame(i)
		if err != nil {
			return err
		}
		if first == nil {
			first = f
		}
		var b bytes.Buffer
		if err := f.WriteCSV(&b); err != nil {
			return err
		}
		if err := put(s.file(i), b.Bytes()); err != nil {
			return err
		}
	}
	text := s.readme(first)
	if err := errors.Join(put("README.md", []byte(text)), put("combine.py", []byte(combinePython)),
		put("combine.R", []byte(combineR))); err != nil {
		return err
	}
	slices.Sort(about.Files)
	b, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	return durable.WriteNew(filepath.Join(dir, list), append(b, '\n'), 0o644)
}

// file is the name of set i, so that names sort as numbers do.
func (s *Sets) file(i int) string {
	return fmt.Sprintf("set_%0*d.csv", max(2, len(fmt.Sprint(s.spec.Sets))), i+1)
}

func (s *Sets) edges() []string {
	out := []string{}
	for i := range s.spec.Graph.Len() {
		n := s.spec.Graph.Node(i)
		for _, p := range n.Parents {
			out = append(out, p+" → "+n.Name)
		}
	}
	return out
}

// mayReplace says whether a folder may be written at path: *FolderError.
func mayReplace(path string) error {
	entries, err := os.ReadDir(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		if info, e := os.Lstat(path); e == nil && !info.IsDir() {
			return &FolderError{path, "it is a file", "a new folder"}
		}
		return err
	case len(entries) == 0:
		return nil
	}
	if info, err := os.Lstat(path); err != nil || !info.IsDir() {
		return &FolderError{path, "it is a link", "a new folder"}
	}
	var about folder
	b, err := os.ReadFile(filepath.Join(path, list))
	if err != nil || json.Unmarshal(b, &about) != nil || about.Format != format {
		return &FolderError{path, "it holds other files", "a new folder, an empty one, or one of synthetic sets"}
	}
	for _, e := range entries {
		if e.Name() != list && (!slices.Contains(about.Files, e.Name()) || e.IsDir()) {
			return &FolderError{path, "it holds " + label.Short(e.Name()) + ", which is not of the sets",
				"a new folder, an empty one, or one of synthetic sets and nothing else"}
		}
	}
	return nil
}

// replace puts the folder work in the place of the one at path. If the last step fails the old one is put back.
func replace(work, path string) error {
	old := work + ".old"
	err := os.Rename(path, old)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = "", nil
	}
	if err == nil {
		if err = os.Rename(work, path); err != nil && old != "" {
			err = errors.Join(err, os.Rename(old, path))
			old = ""
		}
	}
	if err != nil {
		return errors.Join(err, os.RemoveAll(work))
	}
	if old != "" {
		err = os.RemoveAll(old)
	}
	return errors.Join(err, durable.SyncDir(filepath.Dir(path)))
}

// readme fills in the page: the numbers of the design, the columns, and an example on the first edge.
func (s *Sets) readme(f *frame.Frame) string {
	var columns strings.Builder
	for _, c := range f.Schema().Columns {
		fmt.Fprintf(&columns, "* %s: %s\n", label.Markdown(c.Name), label.Markdown(strings.Join(c.Labels(), ", ")))
	}
	edges := "none: all columns are independent"
	if e := s.edges(); len(e) > 0 {
		edges = label.Markdown(strings.Join(e, ", "))
	}
	outcome, exposure := s.example(f)
	warnings := ""
	if w := s.Warnings(); len(w) > 0 {
		warnings = w.Markdown()
	}
	values := map[string]string{"SETS": fmt.Sprint(s.spec.Sets), "ROWS": fmt.Sprint(s.spec.Rows),
		"RECORDS": fmt.Sprintf("%.12g", s.spec.Records), "TITLE": label.Markdown(s.spec.Title),
		"RELEASE": label.Markdown(s.spec.Public), "COLUMNS": columns.String(), "EDGES": edges, "WARNINGS": warnings,
		"OUTCOME": outcome.Column, "OUTCOME_LEVEL": outcome.Level, "EXPOSURE": exposure.Column,
		"EXPOSURE_LEVEL": exposure.Level, "FIRST": s.file(0)}
	var pairs []string
	for k, v := range values {
		pairs = append(pairs, "{{"+k+"}}", v, `"<<`+k+`>>"`, quoted(v))
	}
	return strings.NewReplacer(pairs...).Replace(readme)
}

// quoted is a string literal of Python and of R.
func quoted(s string) string { b, _ := json.Marshal(s); return string(b) } // a string always marshals

// example is the last state of the first node with a parent and the last of that parent; else of the first two columns.
func (s *Sets) example(f *frame.Frame) (outcome, exposure Level) {
	g := s.spec.Graph
	a, b := 0, min(1, g.Len()-1)
	for i := range g.Len() {
		if p := g.Parents(i); len(p) > 0 {
			a, b = i, p[0]
			break
		}
	}
	last := func(i int) Level {
		for _, c := range f.Schema().Columns {
			if c.Name == g.Node(i).Name && c.Kind == frame.KindCategorical {
				return Level{c.Name, c.Categories[len(c.Categories)-1]}
			}
		}
		states := g.Node(i).States
		return Level{g.Node(i).Name, states[len(states)-1]}
	}
	return last(a), last(b)
}
