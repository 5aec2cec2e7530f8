//go:build unix

package terminal

import (
	"os"

	"golang.org/x/sys/unix"
)

// sizeOf is the width of a terminal in characters, 0 of anything else.
func sizeOf(f *os.File) int {
	size, err := unix.IoctlGetWinsize(int(f.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	return int(size.Col)
}
