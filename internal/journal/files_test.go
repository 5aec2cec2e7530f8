package journal_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/privbayes/privbayes-go/internal/journal"
	"github.com/privbayes/privbayes-go/internal/must"
)

func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	must.Do(t, journal.WriteNew(journal.OS, path, []byte("one"), 0o600))
	if err := journal.WriteNew(journal.OS, path, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Error("a second file at one path:", err)
	}
	if got, err := os.ReadFile(path); string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if err := journal.WriteNew(journal.OS, filepath.Join(dir, "none", "a"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file in no folder:", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err == nil {
		if err := journal.WriteNew(journal.OS, link, nil, 0o600); !errors.Is(err, fs.ErrExist) {
			t.Error("a file through a link to nowhere:", err)
		}
	}
}

// failing fails one step, or all from it on, as where the program ends there: then nothing more changes.
type failing struct {
	journal.Files
	at, step int
	ends     bool
}

func (f *failing) fails() error {
	if f.step++; f.step == f.at || f.ends && f.step > f.at {
		return errors.New("no more")
	}
	return nil
}

func (f *failing) OpenFile(name string, flag int, perm fs.FileMode) (journal.File, error) {
	if err := f.fails(); err != nil {
		return nil, err
	}
	file, err := f.Files.OpenFile(name, flag, perm)
	return failingFile{file, f}, err
}

func (f *failing) Link(have, want string) error {
	return errors.Join(f.fails(), f.after(f.Files.Link, have, want))
}
func (f *failing) Rename(from, to string) error {
	return errors.Join(f.fails(), f.after(f.Files.Rename, from, to))
}
func (f *failing) SyncDir(dir string) error { return errors.Join(f.fails()) }

func (f *failing) Remove(name string) error {
	return errors.Join(f.fails(), f.after(func(a, _ string) error { return f.Files.Remove(a) }, name, ""))
}

// after does a step unless it has just failed.
func (f *failing) after(do func(a, b string) error, a, b string) error {
	if f.step == f.at || f.ends && f.step > f.at {
		return nil
	}
	return do(a, b)
}

type failingFile struct {
	journal.File
	of *failing
}

func (f failingFile) WriteAt(b []byte, at int64) (int, error) {
	if err := f.of.fails(); err != nil {
		n, _ := f.File.WriteAt(b[:len(b)/2], at)
		return n, err
	}
	return f.File.WriteAt(b, at)
}

func (f failingFile) Sync() error { return errors.Join(f.of.fails(), f.File.Sync()) }

// Two files that belong together are both there or neither, whichever step fails; where the program ends at one, no
// half of a file has its name, and once a first file has, the other is whole under another.
func TestWriteAllNew(t *testing.T) {
	contents := [][]byte{[]byte("parents"), []byte("children")}
	for _, ends := range []bool{false, true} {
		for at := 1; ; at++ {
			dir := t.TempDir()
			paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
			files := &failing{Files: journal.OS, at: at, ends: ends}
			err := journal.WriteAllNew(files, paths, contents, 0o600)
			if files.step < at {
				if err != nil || at < 8 {
					t.Errorf("%d steps, %v", files.step, err)
				}
				break
			}
			there := 0
			for i, path := range paths {
				got, missing := os.ReadFile(path)
				if missing == nil && string(got) != string(contents[i]) {
					t.Errorf("step %d, ends %v: half of a file", at, ends)
				}
				if missing == nil {
					there++
				} else if left := must.Get(filepath.Glob(path + ".*.tmp"))(t); there > 0 && (len(left) != 1 ||
					string(must.Get(os.ReadFile(left[0]))(t)) != string(contents[i])) {
					t.Errorf("step %d: the second file is lost", at)
				}
			}
			if err == nil && there < 2 || err != nil && !ends && there > 0 {
				t.Errorf("step %d, ends %v: %d files, %v", at, ends, there, err)
			}
		}
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	must.Do(t, os.WriteFile(paths[1], []byte("mine"), 0o600))
	if err := journal.WriteAllNew(journal.OS, paths, contents, 0o600); !errors.Is(err, fs.ErrExist) {
		t.Error("a file that is there:", err)
	}
	if list := must.Get(os.ReadDir(dir))(t); len(list) != 1 {
		t.Errorf("left: %v", list)
	}
}

// A file is replaced as a whole, by one with its own rights; a link to it stays, and when it cannot be the old bytes
// do.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "a"), filepath.Join(dir, "link")
	open := must.Get(os.Create(path))(t)
	defer open.Close()
	must.Get(open.WriteString("old and long"))(t)
	names := func() (out []string) {
		list := must.Get(os.ReadDir(dir))(t)
		for _, e := range list {
			out = append(out, e.Name())
		}
		return out
	}
	must.Do(t, journal.Replace(path, []byte("new"), 0o600))
	if got, err := os.ReadFile(path); string(got) != "new" || err != nil || len(names()) != 1 {
		t.Errorf("%q, %v, %q", got, err, names())
	}
	if runtime.GOOS == "windows" {
		return
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info.Mode(), err)
	}
	// Who has the old file open reads it to its end: nothing was written into it.
	if old, err := os.ReadFile("/proc/self/fd/" + fmt.Sprint(open.Fd())); err == nil && string(old) != "old and long" {
		t.Errorf("the old file now says %q", old)
	}
	must.Do(t, os.Symlink(path, link))
	must.Do(t, journal.Replace(link, []byte("newer"), 0o644))
	if got, err := os.ReadFile(path); string(got) != "newer" || err != nil || len(names()) != 2 {
		t.Errorf("%q, %v, %q", got, err, names())
	}
	if to, err := os.Readlink(link); to != path {
		t.Error("the link is gone:", err)
	}
	folder := filepath.Join(dir, "folder")
	must.Do(t, os.MkdirAll(filepath.Join(folder, "in"), 0o700))
	if err := journal.Replace(folder, nil, 0o600); err == nil || len(names()) != 3 {
		t.Error("a folder was replaced, or something left:", err, names())
	}
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := journal.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := journal.SyncDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder that is not there:", err)
	}
	file := filepath.Join(dir, "file")
	must.Do(t, os.WriteFile(file, nil, 0o600))
	if err := journal.SyncDir(file); err == nil {
		t.Error("a file passed for a folder")
	}
}

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	open := func() *os.File {
		return must.Get(os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600))(t)
	}
	a, b := open(), open()
	ok, err := journal.TryLock(a)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no locks here")
	}
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if ok, err := journal.TryLock(b); err != nil || ok {
		t.Error("two have the lock:", ok, err)
	}
	must.Do(t, a.Close())
	if err := journal.Lock(b); err != nil {
		t.Error("the lock did not end with its file:", err)
	}
	if err := journal.Unlock(b); err != nil {
		t.Error(err)
	}
	c := open()
	if ok, err := journal.TryLock(c); err != nil || !ok {
		t.Error("the lock was not given back:", ok, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	must.Do(t, b.Close())
}
