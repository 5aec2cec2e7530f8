//go:build !unix

package durable

import (
	"errors"
	"os"
)

// TryLock says that this system has no file locks that the standard library knows: errors.ErrUnsupported.
func TryLock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
