package journal

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/safetext"
)

// A file's own Sync writes its bytes, but the name by which it is found stands in its folder, which is written when it
// pleases the system: what is made here is on disk with its folder.

// Write makes the file at path whole, on disk, or not at all: it writes another next to it, syncs, and gives it its
// name. A reader, also after a crash, sees the old file or the new one. On an error the old file is as it was.
func Write(files Files, path string, content []byte, perm fs.FileMode) error {
	return put(files, path, content, perm, func(temporary string) error { return files.Rename(temporary, path) })
}

// WriteNew is Write for a path at which there must be nothing (fs.ErrExist).
func WriteNew(files Files, path string, content []byte, perm fs.FileMode) error {
	return put(files, path, content, perm, func(temporary string) error { return name(files, temporary, path) })
}

// Replace is Write with the system's files, where a link stays and the file that it leads to is replaced.
func Replace(path string, content []byte, perm fs.FileMode) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	return Write(OS, path, content, perm)
}

// ReplaceOwn writes a new file, or one over an older document of its kind, which begins with one of the marks.
// Any other file, such as a release that would cost again, stays as it is: *domain.Error.
func ReplaceOwn(of, kind, path string, content []byte, perm fs.FileMode, marks ...string) error {
	old, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return WriteNew(OS, path, content, perm)
	}
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(marks, func(m string) bool { return bytes.HasPrefix(old, []byte(m)) }) {
		return domain.Refuse(of, "file", safetext.File(path),
			"a new file or an older "+kind+": other files are never overwritten")
	}
	return Replace(path, content, perm)
}

// WriteAllNew is WriteNew for files of one folder that belong together: all are whole and on disk under other names
// before the first gets its own. On an error none is there. A program that ends between two names leaves the others
// next to them, whole, as NAME.….tmp.
func WriteAllNew(files Files, paths []string, contents [][]byte, perm fs.FileMode) (err error) {
	var temporary, named []string
	defer func() {
		if err != nil {
			for _, path := range append(temporary, named...) {
				err = errors.Join(err, gone(files.Remove(path)))
			}
		}
	}()
	for i, path := range paths {
		t, err := prepare(files, path, contents[i], perm)
		if err != nil {
			return err
		}
		temporary = append(temporary, t)
	}
	for i, path := range paths {
		err := name(files, temporary[i], path)
		if !errors.Is(err, fs.ErrExist) {
			named = append(named, path)
		}
		if err != nil {
			return err
		}
	}
	return files.SyncDir(filepath.Dir(paths[0]))
}

func put(files Files, path string, content []byte, perm fs.FileMode, place func(temporary string) error) error {
	temporary, err := prepare(files, path, content, perm)
	if err != nil {
		return err
	}
	if err := place(temporary); err != nil {
		return errors.Join(err, gone(files.Remove(temporary)))
	}
	return files.SyncDir(filepath.Dir(path))
}

// prepare writes a file next to its place, on disk.
func prepare(files Files, path string, content []byte, perm fs.FileMode) (temporary string, err error) {
	temporary = path + "." + token()[:12] + ".tmp"
	f, err := files.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	err = writeAll(f, content, 0)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return "", errors.Join(err, gone(files.Remove(temporary)))
	}
	return temporary, nil
}

// name gives a file its name if nobody has it: by a hard link, which fails if there is one, and where the file system
// has no links by taking the name with an empty file and renaming over that.
func name(files Files, temporary, path string) error {
	switch err := files.Link(temporary, path); {
	case err == nil:
		return files.Remove(temporary)
	case errors.Is(err, fs.ErrExist):
		return err
	}
	f, err := files.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	if err = f.Close(); err == nil {
		err = files.Rename(temporary, path)
	}
	if err != nil {
		return errors.Join(err, files.Remove(path))
	}
	return nil
}

// Nameless reports whether path is the empty file with which name took it before the program ended.
func Nameless(files Files, path string) bool {
	info, err := files.Lstat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() == 0
}
