package checkout

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
)

// The nearest workspace counts, not the nearest module; where there is none, that is said.
func TestRoot(t *testing.T) {
	dir := must.Get(filepath.EvalSymlinks(t.TempDir()))(t)
	deep := filepath.Join(dir, "tools", "nbtool")
	must.Do(t, os.MkdirAll(deep, 0o755))
	for _, name := range []string{filepath.Join(dir, "go.mod"), filepath.Join(deep, "go.mod")} {
		must.Do(t, os.WriteFile(name, nil, 0o600))
	}
	t.Chdir(deep)
	if root, err := Root(); !errors.Is(err, ErrNone) {
		t.Errorf("without a workspace: %q, %v", root, err)
	}
	must.Do(t, os.WriteFile(filepath.Join(dir, "go.work"), nil, 0o600))
	if root, err := Root(); err != nil || root != dir {
		t.Errorf("%q, %v; want %q", root, err, dir)
	}
}
