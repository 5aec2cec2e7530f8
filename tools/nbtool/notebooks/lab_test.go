//go:build unix

package notebooks_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/tools/nbtool/internal/nbtool"
)

// TestLabOpensFolders: "privbayes lab" serves JupyterLab 4 in a folder anywhere, with the Go kernel, and lists the
// checkout's notebooks without their sources. It needs build/lab, 240 MB that "make check" installs:
// elsewhere the test is skipped without it, and what the command asks Jupyter for is tested in package jupyter.
func TestLabOpensFolders(t *testing.T) {
	if testing.Short() {
		t.Skip("starts servers: not with -short")
	}
	if _, err := os.Stat("../build/lab/.stamp"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skip("no JupyterLab in build/lab: scripts/setup.sh lab kernel complete")
	}
	t.Parallel()
	must.Do(t, nbtool.Command(t.Context(), ".."))
	mine := filepath.Join(t.TempDir(), "mine")
	for _, folder := range []string{mine, "."} {
		get := labServer(t, folder)
		var status struct{ Version string }
		var specs struct{ Kernelspecs map[string]any }
		var list struct{ Content []struct{ Name string } }
		for path, to := range map[string]any{"api": &status, "api/kernelspecs": &specs, "api/contents": &list} {
			must.Do(t, json.Unmarshal(get(path), to))
		}
		if page := string(get("lab")); specs.Kernelspecs["gonb"] == nil || !strings.Contains(page, "JupyterLab") {
			t.Errorf("%s: kernels %v, page %.200s", folder, specs.Kernelspecs, page)
		}
		names := map[string]bool{}
		for _, e := range list.Content {
			names[e.Name] = true
		}
		if folder == mine && len(names) > 0 ||
			folder == "." && (!names["00_tour.ipynb"] || names["00_tour.md"]) {
			t.Errorf("%s lists %v", folder, names)
		}
	}
}

// labServer starts the command on a free port, and reads pages of it.
func labServer(t *testing.T, folder string) func(path string) []byte {
	t.Helper()
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	port := l.Addr().(*net.TCPAddr).Port
	_ = l.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	c := exec.CommandContext(ctx, "../build/bin/privbayes", "lab", folder, "--no-browser", "--port", fmt.Sprint(port))
	c.Env = append(os.Environ(), "JUPYTER_TOKEN=t")
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the server is a child of the command
	must.Do(t, c.Start())
	t.Cleanup(func() {
		_ = syscall.Kill(-c.Process.Pid, syscall.SIGTERM)
		_ = c.Wait()
		cancel()
	})
	return func(path string) []byte {
		for ctx.Err() == nil {
			r, err := http.Get(fmt.Sprintf("http://127.0.0.1:%d/%s?token=t", port, path))
			if err != nil {
				time.Sleep(300 * time.Millisecond) // not up yet
				continue
			}
			b, err := io.ReadAll(r.Body)
			_ = r.Body.Close()
			if err != nil || r.StatusCode != http.StatusOK {
				t.Fatalf("%s: %s %v", path, r.Status, err)
			}
			return b
		}
		t.Fatalf("%s: %v", path, ctx.Err())
		return nil
	}
}
