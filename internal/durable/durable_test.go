package durable_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/privbayes/privbayes-go/internal/durable"
)

func TestWriteNew(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a")
	if err := durable.WriteNew(path, []byte("one"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.WriteNew(path, []byte("two"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Error("a second file at one path:", err)
	}
	if got, err := os.ReadFile(path); string(got) != "one" {
		t.Errorf("%q, %v", got, err)
	}
	if err := durable.WriteNew(filepath.Join(dir, "none", "a"), nil, 0o600); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a file in no folder:", err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), link); err == nil {
		if err := durable.WriteNew(link, nil, 0o600); !errors.Is(err, fs.ErrExist) {
			t.Error("a file through a link to nowhere:", err)
		}
	}
}

func TestSyncDir(t *testing.T) {
	dir := t.TempDir()
	if err := durable.SyncDir(dir); err != nil {
		t.Error(err)
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := durable.SyncDir(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a folder that is not there:", err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := durable.SyncDir(file); err == nil {
		t.Error("a file passed for a folder")
	}
}

func TestTryLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	a, b := open(), open()
	ok, err := durable.TryLock(a)
	if errors.Is(err, errors.ErrUnsupported) {
		t.Skip("no locks here")
	}
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if ok, err := durable.TryLock(b); err != nil || ok {
		t.Error("two have the lock:", ok, err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	if err := durable.Lock(b); err != nil {
		t.Error("the lock did not end with its file:", err)
	}
	if err := durable.Unlock(b); err != nil {
		t.Error(err)
	}
	c := open()
	if ok, err := durable.TryLock(c); err != nil || !ok {
		t.Error("the lock was not given back:", ok, err)
	}
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
}
