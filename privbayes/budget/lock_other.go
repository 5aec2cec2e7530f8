//go:build !unix

package budget

import (
	"errors"
	"os"
)

// lockFile refuses: a ledger without a lock could let two processes spend the same budget.
func lockFile(*os.File) error { return errors.New("file locks are not available on this system") }

func unlockFile(*os.File) error { return nil }
