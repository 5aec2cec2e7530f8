//go:build !unix

package durable

// SyncDir does nothing: this system writes the folder with the file, or has no call for it.
func SyncDir(string) error { return nil }
