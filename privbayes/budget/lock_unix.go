//go:build unix

package budget

import (
	"os"
	"syscall"
)

// lockFile waits for an exclusive advisory lock; the system releases it when the process dies.
func lockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_EX) }

func unlockFile(f *os.File) error { return syscall.Flock(int(f.Fd()), syscall.LOCK_UN) }
