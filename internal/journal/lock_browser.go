//go:build js && browser

package journal

import "os"

// lock takes no lock: the page's worker has all files alone, no other tab can open them, and it runs one program at a
// time.
func lock(*os.File, bool) error { return nil }

// Unlock gives nothing back.
func Unlock(*os.File) error { return nil }
