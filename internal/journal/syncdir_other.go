//go:build !unix

package journal

// SyncDir does nothing: this system writes the folder with the file, or has no call for it.
func SyncDir(string) error { return nil }
