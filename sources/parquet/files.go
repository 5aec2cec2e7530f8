package parquet

import (
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// pinned is one file of a table, as it was when the source was made: a later reading must find it so.
type pinned struct {
	path  string
	shown string            // its public name
	parts map[string]string // column values from the folders' names
	size  int64
	time  time.Time
	meta  *footer
}

// nullFolder is how Hive writes a missing value into a folder's name.
const nullFolder = "__HIVE_DEFAULT_PARTITION__"

// find lists the files of paths, folders and patterns, each once.
func find(paths []string) ([]*pinned, error) {
	if len(paths) == 0 {
		return nil, domain.Refuse("parquet.Open", "paths", "none", "at least one file, folder or pattern")
	}
	var out []*pinned
	for _, path := range paths {
		files, err := expand(path)
		if err != nil {
			return nil, err
		}
		if len(files) == 0 {
			return nil, &FileError{File: path,
				Want: "a file, a folder with files *.parquet, or a pattern such as dir/*.parquet"}
		}
		for i, f := range files {
			shown := path
			if len(files) > 1 || f.path != path {
				shown = fmt.Sprintf("%s, file %d of %d", path, i+1, len(files))
			}
			f.shown = shown
			if err := f.pin(); err != nil {
				return nil, err
			}
			out = append(out, f)
		}
	}
	return out, eachOnce(out)
}

// eachOnce refuses a file that is listed twice, by another path or by a link.
func eachOnce(files []*pinned) error {
	bySize := map[int64][]*pinned{}
	for _, f := range files {
		info, err := os.Stat(f.path)
		if err != nil {
			return f.changed()
		}
		for _, o := range bySize[f.size] {
			if other, err := os.Stat(o.path); err == nil && os.SameFile(info, other) {
				return domain.Refuse("parquet.Open", "paths", safetext.Short(f.shown)+" twice",
					"each file once, so that no row counts twice")
			}
		}
		bySize[f.size] = append(bySize[f.size], f)
	}
	return nil
}

func (f *pinned) pin() error {
	info, err := os.Stat(f.path)
	if err != nil || !info.Mode().IsRegular() {
		return &FileError{File: f.shown, Want: "a readable file"}
	}
	f.size, f.time = info.Size(), info.ModTime()
	return nil
}

// same reports whether a file is still as it was pinned.
func (f *pinned) same(info fs.FileInfo) bool {
	return info.Size() == f.size && info.ModTime().Equal(f.time)
}

func (f *pinned) changed() error {
	return &FileError{File: f.shown, What: "it changed since the source was made", Want: "files that stay as they are"}
}

// expand lists what a path stands for: itself, the files below a folder, or what a pattern matches.
func expand(path string) ([]*pinned, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && !info.IsDir():
		return []*pinned{{path: path}}, nil
	case err == nil:
		return below(path)
	case !strings.ContainsAny(path, "*?["):
		return nil, &FileError{File: path, Want: "a file, a folder or a pattern; there is none of that name"}
	}
	matches, err := filepath.Glob(path)
	if err != nil {
		return nil, domain.Refuse("parquet.Open", "paths", safetext.Short(path), "a pattern such as dir/*/*.parquet")
	}
	slices.Sort(matches)
	root := path[:strings.LastIndexByte(path[:strings.IndexAny(path, "*?[")], filepath.Separator)+1]
	var out []*pinned
	for _, m := range matches {
		if name := filepath.Base(m); name[0] == '_' || name[0] == '.' {
			continue
		}
		info, err := os.Stat(m)
		if err != nil {
			return nil, &FileError{File: path, Want: "readable files"}
		}
		if !info.IsDir() {
			values, ok := partitions(strings.TrimPrefix(m, root))
			if !ok {
				return nil, noPartition(path)
			}
			out = append(out, &pinned{path: m, parts: values})
			continue
		}
		files, err := below(m)
		if err != nil {
			return nil, err
		}
		values, ok := partitions(strings.TrimPrefix(m, root) + "/.")
		if !ok {
			return nil, noPartition(path)
		}
		for _, f := range files {
			for k, v := range values {
				f.parts[k] = v
			}
		}
		out = append(out, files...)
	}
	return out, nil
}

// below lists the files *.parquet below a folder; names that begin with _ or . are the writers' own.
func below(root string) ([]*pinned, error) {
	var out []*pinned
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return &FileError{File: root, Want: "a folder that can be read, with all below it"}
		}
		if name := d.Name(); path != root && (name[0] == '_' || name[0] == '.') {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if d.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return nil
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return &FileError{File: root, Want: "a folder that can be read"}
		}
		values, ok := partitions(filepath.ToSlash(rel))
		if !ok {
			return noPartition(root)
		}
		out = append(out, &pinned{path: path, parts: values})
		return nil
	})
	return out, err
}

// noPartition says that a folder's name cannot be read, without the name, which may hold a value.
func noPartition(path string) error {
	return &FileError{File: path, What: "a folder's name is no column=value", Want: "names as Hive writes them"}
}

// partitions reads the column values in the folders' names of a path, as Hive writes them: column=value/…/file. Folders
// without = are ignored. ok is false for a name that is wrongly escaped, or a column that stands there twice.
func partitions(path string) (values map[string]string, ok bool) {
	folders := strings.Split(path, "/")
	values = map[string]string{}
	for _, folder := range folders[:len(folders)-1] {
		name, value, found := strings.Cut(folder, "=")
		if !found {
			continue
		}
		name, err := url.PathUnescape(name)
		if err != nil {
			return nil, false
		}
		if value, err = url.PathUnescape(value); err != nil {
			return nil, false
		}
		if _, twice := values[name]; twice || name == "" {
			return nil, false
		}
		values[name] = value
	}
	return values, true
}
