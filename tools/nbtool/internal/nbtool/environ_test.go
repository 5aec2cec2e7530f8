package nbtool

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestRoot(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, "a", "b")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := Root(deep); got != dir {
		t.Errorf("Root = %q, want %q", got, dir)
	}
	if got := Root("/"); got != "" {
		t.Errorf("Root(/) = %q, want none", got)
	}
}

// TestReady: with nothing installed each missing thing has its own error.
func TestReady(t *testing.T) {
	if err := Ready("."); err != nil && !errors.Is(err, ErrNoJupyter) && !errors.Is(err, ErrNoGoimports) &&
		!errors.Is(err, ErrNoKernel) {
		t.Errorf("unexpected error %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	if err := Ready(t.TempDir()); !errors.Is(err, ErrNoGoimports) && !errors.Is(err, ErrNoJupyter) {
		t.Errorf("without goimports: %v", err)
	}
}

// TestExecuteErrors: what cannot run says so; no Jupyter is needed to find out.
func TestExecuteErrors(t *testing.T) {
	absent := filepath.Join(t.TempDir(), "absent.ipynb")
	if _, err := Execute(t.Context(), absent, Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an absent notebook: %v", err)
	}
	if _, err := nbconvertPath(); err != nil {
		t.Skip(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	n, err := FromMarkdown("# A")
	if err != nil {
		t.Fatal(err)
	}
	_, err = ExecuteNotebook(ctx, n, absent, Options{})
	var ee *ExecError
	if !errors.As(err, &ee) || !errors.Is(err, context.Canceled) || ee.Path != absent {
		t.Errorf("a cancelled run: %v", err)
	}
}
