package synthetic

import (
	"bytes"
	"context"
	"embed"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// format marks a folder of sets, in its file sets.json.
const format = "privbayes-synthetic-sets-1"

// list is the file's name, and maxList the most bytes that are read of it.
const (
	list    = "sets.json"
	maxList = 1 << 20
)

// Folder is sets.json: what a program needs to combine, and which files are ours.
type Folder struct {
	Format    string   `json:"format"`
	Records   float64  `json:"records"`        // of the private table
	Rows      int      `json:"rows"`           // of each set
	Rule      Rule     `json:"rule,omitempty"` // there is none for one set
	DrawnFrom string   `json:"drawn_from"`
	Release   string   `json:"release"`              // in words
	ReleaseID string   `json:"release_id,omitempty"` // not in folders written before it
	Edges     []string `json:"edges"`

	Measured [][2]string `json:"measured,omitempty"` // of a learned structure: of other pairs the sets tell nothing

	Files []string `json:"files"`
}

// FolderError is a folder that sets are not written to: nothing was changed.
type FolderError struct{ Path, Got, Want string }

func (e *FolderError) Error() string {
	return fmt.Sprintf("synthetic: folder %s: %s; want %s", safetext.File(e.Path), e.Got, e.Want)
}

var (
	//go:embed text/combine.py
	combinePython string
	//go:embed text/combine.R
	combineR string
)

// Write puts the sets into a folder, set_01.csv and so on, with sets.json, the rule as combine.py and combine.R, and a
// README that shows how to use them, in code that runs on these sets: its example is an edge and levels of which no set
// has an empty cell, or else a share or a mean. Of one set there is no rule, and the README says what it can do. The
// folder appears whole or not at all: it is written beside its place under another name. A folder of sets that Write
// made is replaced; any other that is there and not empty, and one to which something was added, is a *FolderError.
// Errors also: of drawing, of the file system, the context's.
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
	about := Folder{Format: format, Records: s.spec.Records, Rows: s.spec.Rows, Rule: FullySynthetic,
		DrawnFrom: s.spec.Title, Release: s.spec.Public, ReleaseID: s.spec.ID, Edges: s.edges()}
	if s.spec.Sets == 1 {
		about.Rule = ""
	}
	example := newExample(s.spec.Graph, s.spec.Learned)
	if s.spec.Learned != nil {
		about.Measured = s.spec.Learned.Pairs
	}
	put := func(name string, content []byte) error {
		about.Files = append(about.Files, name)
		return journal.WriteNew(journal.OS, filepath.Join(dir, name), content, 0o644)
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
		if err := example.see(ctx, f); err != nil {
			return err
		}
		var b bytes.Buffer
		if err := f.WriteCSV(&b); err != nil {
			return err
		}
		if err := put(s.file(i), b.Bytes()); err != nil {
			return err
		}
	}
	text, err := s.readme(first, example)
	if err != nil {
		return err
	}
	if err := put("README.md", []byte(text)); err != nil {
		return err
	}
	if s.spec.Sets > 1 {
		err := errors.Join(put("combine.py", []byte(combinePython)), put("combine.R", []byte(combineR)))
		if err != nil {
			return err
		}
	}
	slices.Sort(about.Files)
	b, err := json.MarshalIndent(about, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteNew(journal.OS, filepath.Join(dir, list), append(b, '\n'), 0o644)
}

// Sets is the number of sets.
func (f Folder) Sets() (n int) {
	for _, name := range f.Files {
		if strings.HasSuffix(name, ".csv") {
			n++
		}
	}
	return n
}

// Describe reads what a folder that Write made says of its sets: *FolderError for a folder without a list that this
// version can read. It reads the list alone, not the sets.
func Describe(path string) (about Folder, err error) {
	b, err := os.ReadFile(filepath.Join(path, list))
	if err != nil || len(b) > maxList || json.Unmarshal(b, &about) != nil || about.Format != format {
		return about, &FolderError{path, "it has no " + list + " of this version", "a folder of synthetic sets"}
	}
	return about, nil
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
	var about Folder
	b, err := os.ReadFile(filepath.Join(path, list))
	if err != nil || json.Unmarshal(b, &about) != nil || about.Format != format {
		return &FolderError{path, "it holds other files", "a new folder, an empty one, or one of synthetic sets"}
	}
	for _, e := range entries {
		if e.Name() != list && (!slices.Contains(about.Files, e.Name()) || e.IsDir()) {
			return &FolderError{path, "it holds " + safetext.Short(e.Name()) + ", which is not of the sets",
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
	return errors.Join(err, journal.SyncDir(filepath.Dir(path)))
}

//go:embed text
var texts embed.FS

// page is a piece of the README. Other pieces and values stand in it as {{NAME}}, and as "<<NAME>>" where they are
// string literals of Python and R.
func page(name string) (string, error) {
	b, err := texts.ReadFile("text/" + name)
	return strings.TrimSuffix(string(b), "\n"), err
}

// readme fills in the page: the numbers of the design, the columns, and the example.
func (s *Sets) readme(f *frame.Frame, e *example) (string, error) {
	var columns strings.Builder
	for _, c := range f.Schema().Columns {
		fmt.Fprintf(&columns, "* %s: %s\n", safetext.Markdown(c.Name), safetext.Markdown(strings.Join(c.Labels(), ", ")))
	}
	edges := "none: all columns are independent"
	if e := s.edges(); len(e) > 0 {
		edges = safetext.Markdown(strings.Join(e, ", "))
	}
	how, heading := "combine.md", fmt.Sprintf("%d synthetic sets of %d records", s.spec.Sets, s.spec.Rows)
	if s.spec.Sets == 1 {
		how, heading = "one.md", fmt.Sprintf("One synthetic set of %d records", s.spec.Rows)
	}
	kind, outcome, exposure, missing, err := e.chosen(f)
	if err != nil {
		return "", err
	}
	list := s.Warnings()
	evenly := slices.DeleteFunc(f.Schema().Binned(), func(c string) bool { return slices.Contains(s.spec.WithinBins, c) })
	if len(evenly) > 0 {
		list = append(list, warning.BinnedNumbers(evenly))
	}
	warnings := list.Markdown()
	pieces, out, expresses := map[string]string{}, "{{PAGE}}\n", "network.md"
	if s.spec.Learned != nil {
		expresses = "learned.md"
	}
	for place, name := range map[string]string{"PAGE": "README.md", "HOW": how, "PYTHON": kind + ".py", "R": kind + ".R",
		"EXPRESSES": expresses} {
		if pieces[place], err = page(name); err != nil {
			return "", err
		}
	}
	for range 3 { // pieces stand three deep: README.md, combine.md, odds.py
		out = fill(out, pieces)
	}
	differ, pairs, chosen := s.spec.Learned.inWords()
	return fill(out, map[string]string{"DIFFER": differ, "PAIRS": pairs, "CHOSEN": chosen, "HEADING": heading,
		"DISTANCES": s.spec.Learned.compared(),
		"ROWS":      fmt.Sprint(s.spec.Rows), "RECORDS": fmt.Sprintf("%.12g", s.spec.Records),
		"TITLE":   safetext.Markdown(s.spec.Title),
		"RELEASE": safetext.Markdown(s.spec.Public), "COLUMNS": columns.String(), "EDGES": edges, "WARNINGS": warnings,
		"OUTCOME": outcome.Column, "OUTCOME_LEVEL": outcome.Level, "EXPOSURE": exposure.Column,
		"EXPOSURE_LEVEL": exposure.Level, "MISSING": missing, "FIRST": s.file(0)}), nil
}

// inWords says in what sets differ, and what was measured of pairs of columns.
func (l *Learned) inWords() (differ, pairs, chosen string) {
	if l == nil {
		return "Each set was drawn from another network, and these\nnetworks differ as much as the released noisy counts " +
			"leave open.", "", ""
	}
	var list []string
	for _, p := range l.Pairs {
		list = append(list, p[0]+" × "+p[1])
	}
	if pairs = safetext.Markdown(strings.Join(list, ", ")); len(list) == 0 {
		pairs = "none"
	}
	if l.Chosen {
		chosen = " Pairs were chosen by what\nthe private rows looked like. So an association of a chosen pair may be " +
			"larger here than in the population. `--test` has a p\nthat is adjusted for the choice."
	}
	return "For each set the release was\nrepeated on records of its own fit: drawn, measured with fresh noise, and " +
		"fitted again. The sets differ by sampling and by noise.", pairs, chosen
}

// compared says how far the model is from the rows, where that was measured.
func (l *Learned) compared() string {
	if l == nil || l.Distances == "" {
		return ""
	}
	return " The\n  released model was compared with the rows, pair by pair. " + l.Distances
}

// fill puts values into a text in one pass, so that what looks like a place in a value stays as it is.
func fill(text string, values map[string]string) string {
	var pairs []string
	for k, v := range values {
		pairs = append(pairs, "{{"+k+"}}", v, `"<<`+k+`>>"`, quoted(v))
	}
	return strings.NewReplacer(pairs...).Replace(text)
}

// quoted is a string literal of Python and of R.
func quoted(s string) string { b, _ := json.Marshal(s); return string(b) } // a string always marshals
