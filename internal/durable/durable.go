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

// Replace puts the given bytes in the place of the file at path, or makes it, and returns when file and folder are on
// disk. They are written beside it under another name, and then take its name: who looks, also after a crash, sees the
// old bytes or the new ones, all of them. A link stays, and the file that it leads to is replaced. On an error the old
// file is as it was.
func Replace(path string, content []byte, perm fs.FileMode) error {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	dir, name := filepath.Split(path)
	f, err := os.CreateTemp(filepath.Clean(dir), "."+name+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err == nil {
		err = f.Chmod(perm)
	}
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return SyncDir(filepath.Clean(dir))
}

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
