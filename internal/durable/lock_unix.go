//go:build unix

package durable

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes an exclusive advisory lock on an open file, or says that another has it; the system releases it when the file is closed or
// the process dies. The error is errors.ErrUnsupported where files of this kind have no locks.
func TryLock(f *os.File) (bool, error) {
	for {
		switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); {
		case err == nil:
			return true, nil
		case errors.Is(err, syscall.EINTR):
		case errors.Is(err, syscall.EWOULDBLOCK):
			return false, nil
		case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EOPNOTSUPP), errors.Is(err, syscall.EINVAL):
			return false, errors.ErrUnsupported
		default:
			return false, err
		}
	}
}
