// Package durable makes files that are still there after a crash: a file's own Sync writes its bytes, but the name by
// which it is found stands in its folder, and the folder is written when it pleases the system, unless it is synced
// too. And locks on open files, with which two processes keep out of each other's way.
//
// Place: on the ground floor; ledgers and kept releases are written with it.
package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// WriteNew makes a file at path, which must not exist (fs.ErrExist), with the given bytes, and returns when file and
// folder are on disk. The bytes are not there all at once: who looks while it runs may see some of them, so give it a
// name that nobody reads and rename the file afterwards where that matters. On an error no file is left, unless
// removing it fails, too, which the error then says.
func WriteNew(path string, content []byte, perm fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = SyncDir(filepath.Dir(path))
	}
	if err != nil {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}
