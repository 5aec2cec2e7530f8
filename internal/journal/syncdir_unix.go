//go:build unix

package journal

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// SyncDir returns when what a folder lists (files made, renamed and removed in it) is on disk. It does nothing on a
// system, or a file system, that has no such call.
func SyncDir(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	switch info, statErr := f.Stat(); {
	case statErr != nil:
		err = statErr
	case !info.IsDir():
		err = &fs.PathError{Op: "sync", Path: dir, Err: syscall.ENOTDIR}
	default:
		err = f.Sync()
	}
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
