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

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// writeTables writes the two linked tables of wide rows to files of a folder that are named as the tables. It writes
// both or none, and says their places.
func writeTables(out io.Writer, folder string, s *frame.Schema, wide *frame.Frame, asJSON bool) error {
	parents, children, err := frame.SplitTables(wide, s)
	if err != nil {
		return err
	}
	of, paths, texts := map[string]string{}, []string{}, [][]byte{}
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
		of[l.Name] = filepath.Join(folder, name)
		paths, texts = append(paths, of[l.Name]), append(texts, b.Bytes())
		if _, err := os.Lstat(of[l.Name]); !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%s is there, or cannot be looked at; want a folder without it: files are never overwritten",
				safetext.File(of[l.Name]))
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	if err := journal.WriteAllNew(journal.OS, paths, texts, 0o644); err != nil {
		return fmt.Errorf("%w; want a new file: files are never overwritten", err)
	}
	if asJSON {
		return writeJSON(out, map[string]any{"tables": of})
	}
	_, err = fmt.Fprintln(out, strings.Join(paths, "\n"))
	return err
}
