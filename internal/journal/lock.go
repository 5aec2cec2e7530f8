package journal

import (
	"errors"
	"os"
)

// errLocked says that another has the lock.
var errLocked = errors.New("another has the lock")

// Lock waits for an exclusive advisory lock on an open file; the system releases it when the file is closed or the
// process dies. The error is errors.ErrUnsupported where files of this kind, or this system, have no locks.
func Lock(f *os.File) error { return lock(f, true) }

// TryLock is Lock without waiting: it says whether the lock was taken, or another has it.
func TryLock(f *os.File) (bool, error) {
	err := lock(f, false)
	if errors.Is(err, errLocked) {
		return false, nil
	}
	return err == nil, err
}
