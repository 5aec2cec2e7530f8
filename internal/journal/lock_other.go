//go:build !unix && !windows && !(js && browser)

package journal

import (
	"errors"
	"os"
)

func lock(*os.File, bool) error { return errors.ErrUnsupported }

// Unlock gives the lock back.
func Unlock(*os.File) error { return nil }
