// Package checkout finds the checkout that the tools of this module and their tests read.
package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// ErrNone says that no folder at or above the working directory has a go.work.
var ErrNone = errors.New("checkout: no go.work in this folder or above it")

// Root is the nearest folder at or above the working directory that has a go.work: the root of the checkout.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for {
		if st, err := os.Stat(filepath.Join(dir, "go.work")); err == nil && st.Mode().IsRegular() {
			return dir, nil
		}
		up := filepath.Dir(dir)
		if up == dir {
			return "", ErrNone
		}
		dir = up
	}
}

// Of is [Root] for a test.
func Of(t testing.TB) string {
	t.Helper()
	root, err := Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}
