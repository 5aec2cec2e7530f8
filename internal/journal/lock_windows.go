package journal

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// beyond is where the lock lies: a byte after every byte of the file, since Windows keeps others from reading what is
// locked.
func beyond() *windows.Overlapped {
	return &windows.Overlapped{Offset: 0xFFFFFFFF, OffsetHigh: 0x7FFFFFFE}
}

// lock waits, or not, for the lock.
func lock(f *os.File, wait bool) error {
	flags := uint32(windows.LOCKFILE_EXCLUSIVE_LOCK)
	if !wait {
		flags |= windows.LOCKFILE_FAIL_IMMEDIATELY
	}
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags, 0, 1, 0, beyond())
	switch {
	case errors.Is(err, windows.ERROR_LOCK_VIOLATION), errors.Is(err, windows.ERROR_IO_PENDING):
		return errLocked
	case errors.Is(err, windows.ERROR_NOT_SUPPORTED), errors.Is(err, windows.ERROR_INVALID_FUNCTION):
		return errors.ErrUnsupported
	}
	return err
}

// Unlock gives the lock back.
func Unlock(f *os.File) error { return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, beyond()) }
