package nbtool

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestDockerfiles: the image of the repository and the one Binder builds are the
// same file.
func TestDockerfiles(t *testing.T) {
	a, err := os.ReadFile(filepath.Join("..", "..", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(filepath.Join("..", "..", "binder", "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(a, b) {
		t.Error("Dockerfile and binder/Dockerfile differ: cp Dockerfile binder/Dockerfile")
	}
}
