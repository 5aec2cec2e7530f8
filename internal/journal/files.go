package journal

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// Files is what keeping needs of a file system, and no more, so that a test can fail, or end the program, at each
// single step.
type Files interface {
	OpenFile(name string, flag int, perm fs.FileMode) (File, error)
	ReadFile(name string) ([]byte, error)
	Lstat(name string) (fs.FileInfo, error)
	SameFile(a, b fs.FileInfo) bool
	Link(have, want string) error
	Rename(from, to string) error
	Remove(name string) error
	SyncDir(dir string) error
}

// File is an open file.
type File interface {
	io.ReaderAt
	io.WriterAt
	Truncate(size int64) error
	Sync() error
	Stat() (fs.FileInfo, error)
	// TryLock takes an exclusive lock that ends with the file or the process: see TryLock.
	TryLock() (bool, error)
	Close() error
}

// OS is the file system of the operating system.
var OS Files = system{}

type system struct{}

type file struct{ *os.File }

func (f file) TryLock() (bool, error) { return TryLock(f.File) }

func (system) OpenFile(name string, flag int, perm fs.FileMode) (File, error) {
	f, err := os.OpenFile(name, flag, perm)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (system) ReadFile(name string) ([]byte, error)   { return os.ReadFile(name) }
func (system) Lstat(name string) (fs.FileInfo, error) { return os.Lstat(name) }
func (system) SameFile(a, b fs.FileInfo) bool         { return os.SameFile(a, b) }
func (system) Link(have, want string) error           { return os.Link(have, want) }
func (system) Rename(from, to string) error           { return os.Rename(from, to) }
func (system) Remove(name string) error               { return os.Remove(name) }
func (system) SyncDir(dir string) error               { return SyncDir(dir) }

// chunk is how much is written at a time.
const chunk = 1 << 20

// writeAll writes b at the offset, by pieces.
func writeAll(f File, b []byte, at int64) error {
	for len(b) > 0 {
		n := min(len(b), chunk)
		if _, err := f.WriteAt(b[:n], at); err != nil {
			return err
		}
		b, at = b[n:], at+int64(n)
	}
	return nil
}

// gone is err, but for a file that is not there.
func gone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// What tests put in the place of the operating system and of the charge travels on the context, so that no caller
// between them and a draft has to know of it.
type (
	filesKey  struct{}
	chargeKey struct{}
)

// WithFiles keeps drafts in other files.
func WithFiles(ctx context.Context, files Files) context.Context {
	return context.WithValue(ctx, filesKey{}, files)
}

// FilesOf are the files of a context: the operating system's, but in tests.
func FilesOf(ctx context.Context) Files {
	if f, ok := ctx.Value(filesKey{}).(Files); ok {
		return f
	}
	return OS
}

// WithCharging swaps the charge of a draw: charge is given what makes the true one.
func WithCharging(ctx context.Context, charge func(charge func() error) error) context.Context {
	return context.WithValue(ctx, chargeKey{}, charge)
}

// Charging makes a charge, or leaves it to what the context has in its place.
func Charging(ctx context.Context, charge func() error) error {
	if f, ok := ctx.Value(chargeKey{}).(func(func() error) error); ok {
		return f(charge)
	}
	return charge()
}
