package duckdb

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// elsewhere reports whether a path is not one of this machine's files.
func elsewhere(path string) bool { return strings.Contains(path, "://") }

// find lists the files of patterns in order. DuckDB would look for them at every reading, and so find others.
func find(patterns []string) ([]string, error) {
	var out []string
	for _, p := range patterns {
		if elsewhere(p) {
			out = append(out, p)
			continue
		}
		found, err := glob(p)
		if err != nil || len(found) == 0 {
			return nil, &frame.FileError{File: p, Want: "a file, or a pattern that some file has"}
		}
		out = append(out, found...)
	}
	seen := map[string]bool{}
	for _, p := range out {
		whole := p
		if real, err := filepath.EvalSymlinks(p); err == nil {
			if whole, err = filepath.Abs(real); err != nil {
				whole = real
			}
		}
		if seen[whole] {
			return nil, &frame.FileError{File: p, Found: "a file that is named twice", Want: "every file once"}
		}
		seen[whole] = true
	}
	return out, nil
}

// glob is filepath.Glob, with ** for any depth of folders. A name that is a file stands for itself, whatever marks it
// has.
func glob(pattern string) ([]string, error) {
	if info, err := os.Stat(pattern); err == nil && info.Mode().IsRegular() {
		return []string{pattern}, nil
	}
	root, rest, deep := strings.Cut(pattern, "**"+string(filepath.Separator))
	if !deep {
		return filepath.Glob(pattern)
	}
	var out []string
	err := filepath.WalkDir(filepath.Clean(root+"."), func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.IsDir() {
			return err
		}
		found, err := filepath.Glob(filepath.Join(path, rest))
		out = append(out, found...)
		return err
	})
	slices.Sort(out)
	return slices.Compact(out), err
}

// pins are files as they were.
type pins []pinned

type pinned struct {
	path string
	size int64
	time time.Time
}

// pin notes size and time of the files of this machine.
func pin(paths []string) (pins, error) {
	var out pins
	for _, p := range paths {
		if elsewhere(p) {
			continue
		}
		info, err := os.Stat(p)
		if err != nil || !info.Mode().IsRegular() {
			return nil, &frame.FileError{File: p, Want: "a file that can be read"}
		}
		out = append(out, pinned{p, info.Size(), info.ModTime()})
	}
	return out, nil
}

// check refuses files that have changed.
func (p pins) check(context.Context) error {
	for _, was := range p {
		if is, err := os.Stat(was.path); err != nil || is.Size() != was.size || !is.ModTime().Equal(was.time) {
			return &frame.FileError{File: was.path, Found: "another file than when the source was made",
				Want: "files that do not change while they are read"}
		}
	}
	return nil
}
