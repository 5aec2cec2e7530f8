//go:build !browser

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// writeTables writes the two linked tables of wide rows to files of a folder that are named as the tables, and says
// their places.
func writeTables(out io.Writer, folder string, s *frame.Schema, wide *frame.Frame, asJSON bool) error {
	parents, children, err := frame.SplitTables(wide, s)
	if err != nil {
		return err
	}
	paths, texts := map[string]string{}, map[string][]byte{}
	for _, l := range s.Tables {
		name, f := l.Name+".csv", parents
		if l.Of != "" {
			f = children
		}
		if filepath.Base(name) != name || !filepath.IsLocal(name) {
			return wrongFlag("tables", l.Name, "tables with names that files may have")
		}
		var b bytes.Buffer
		if err := f.WriteCSV(&b); err != nil {
			return err
		}
		paths[l.Name], texts[l.Name] = filepath.Join(folder, name), b.Bytes()
		if _, err := os.Lstat(paths[l.Name]); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there, or cannot be looked at; want a folder without it: files are never overwritten",
				safetext.File(paths[l.Name]))
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	var made []string
	for _, l := range s.Tables {
		if err := writeText(io.Discard, paths[l.Name], texts[l.Name], 0o644); err != nil {
			for _, path := range made { // both files, or none
				_ = os.Remove(path)
			}
			return err
		}
		made = append(made, paths[l.Name])
	}
	if asJSON {
		return writeJSON(out, map[string]any{"tables": paths})
	}
	_, err = fmt.Fprintln(out, strings.Join(made, "\n"))
	return err
}
