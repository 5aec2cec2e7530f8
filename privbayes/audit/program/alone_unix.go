//go:build unix

package program

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// alone puts the program into a process group of its own, so that what it started ends with it.
func alone(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error {
		err := syscall.Kill(-c.Process.Pid, syscall.SIGKILL)
		if errors.Is(err, syscall.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
}
