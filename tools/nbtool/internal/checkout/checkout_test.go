package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// The nearest workspace counts, not the nearest module; where there is none, that is said.
func TestRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	deep := filepath.Join(dir, "tools", "nbtool")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join(dir, "go.mod"), filepath.Join(deep, "go.mod")} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Chdir(deep)
	if root, err := Root(); !errors.Is(err, ErrNone) {
		t.Errorf("without a workspace: %q, %v", root, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.work"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if root, err := Root(); err != nil || root != dir {
		t.Errorf("%q, %v; want %q", root, err, dir)
	}
}
