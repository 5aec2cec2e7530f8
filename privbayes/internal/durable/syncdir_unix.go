//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// SyncDir returns when what a folder lists (files made, renamed and removed in it) is on disk. It does nothing on a system, or a file
// system, that has no such call.
func SyncDir(dir string) error {
	f, err := os.OpenFile(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	err = f.Sync()
	if errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOTSUP) || errors.Is(err, syscall.ENOSYS) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
