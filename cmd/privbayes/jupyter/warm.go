package jupyter

import (
	"context"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// warmFor is how long what was read for completion is taken to be still there: gopls drops what nobody asks for.
const warmFor = 24 * time.Hour

// warmed is a program that imports what a first cell imports. What its packages export is what gopls reads and keeps.
const warmed = `package main

import (
	"fmt"

	"` + Module + `/data"
	"` + Module + `/privbayes"
	"` + Module + `/privbayes/nb"
)

func main() { nb.Show(fmt.Sprint(privbayes.ReadFrame(data.Votes()))) }
`

// Cold says whether completion would have to read the library first, and has not begun to: gopls is there, and [Warm]
// has not run for this library lately. It notes the time, so that of several kernels only one warms.
func Cold(lib Library) bool {
	gopls, err := exec.LookPath("gopls")
	if err != nil {
		return false
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return false
	}
	key := sha256.Sum256([]byte(lib.String() + "\n" + gopls))
	stamp := filepath.Join(cache, "privbayes", fmt.Sprintf("completion-%x", key[:8]))
	if st, err := os.Stat(stamp); err == nil && time.Since(st.ModTime()) < warmFor {
		return false
	}
	if err := os.MkdirAll(filepath.Dir(stamp), 0o755); err != nil {
		return false
	}
	return os.WriteFile(stamp, nil, 0o644) == nil
}

// Warm has gopls read what the library's packages export into its cache on disk, from which a kernel's own gopls
// answers at once. It takes some seconds of a processor the first time; dir is a bound kernel's folder and stays as
// it is.
func Warm(ctx context.Context, dir string) error {
	// Beside the kernel's: go.mod names the library relative to it.
	beside, err := os.MkdirTemp(filepath.Dir(dir), "privbayes-warm-*")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(beside) }()
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(beside, name), text, 0o644); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(beside, "main.go"), []byte(warmed), 0o644); err != nil {
		return err
	}
	c := exec.CommandContext(ctx, "gopls", "check", "main.go")
	c.Dir = beside
	if out, err := c.CombinedOutput(); err != nil || len(out) > 0 {
		return fmt.Errorf("gopls check: %w\n%s", err, out)
	}
	return nil
}
