package jupyter

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/internal/must"
)

func putProgram(t *testing.T, file, text string) {
	t.Helper()
	put(t, file, text)
	must.Do(t, os.Chmod(file, 0o755))
}

// A folder opens in the checkout's own JupyterLab, which finds the kernel and the library; Markdown sources are
// hidden and notebooks trusted in the checkout only.
func TestServer(t *testing.T) {
	root, mine := t.TempDir(), filepath.Join(t.TempDir(), "new", "mine")
	putProgram(t, filepath.Join(root, "build", "lab", "bin", "jupyter-lab"), "#!/bin/sh\n")
	putProgram(t, filepath.Join(root, "build", "lab", "bin", "jupyter-trust"), "#!/bin/sh\n")
	put(t, filepath.Join(root, "notebooks", "00_tour.ipynb"), "{}")
	o := Options{Root: root, Port: 9000, NoBrowser: true}
	c, err := Server(mine, o)
	if err != nil {
		t.Fatal(err)
	}
	if c.Path != filepath.Join(root, "build", "lab", "bin", "jupyter-lab") {
		t.Errorf("opens with %s", c.Path)
	}
	for _, want := range []string{"--port=9000", "--no-browser", "--ip=127.0.0.1", "--ServerApp.root_dir=" + mine} {
		if !slices.Contains(c.Args, want) {
			t.Errorf("%q has no %s", c.Args, want)
		}
	}
	for _, want := range []string{Variable + "=" + root, "PATH=" + filepath.Join(root, "build", "bin")} {
		if !slices.ContainsFunc(c.Env, func(kv string) bool { return strings.HasPrefix(kv, want) }) {
			t.Errorf("the environment has no %s", want)
		}
	}
	if st, err := os.Stat(mine); err != nil || !st.IsDir() {
		t.Errorf("the folder was not made: %v", err)
	}
	hides := func(c *exec.Cmd) bool { return slices.Contains(c.Args, "--ContentsManager.hide_globs=*.md") }
	if hides(c) || Trust(mine, o) != nil {
		t.Error("files of a folder outside are hidden or trusted")
	}
	inside := filepath.Join(root, "notebooks")
	if c, err = Server(inside, o); err != nil || !hides(c) {
		t.Errorf("sources are not hidden: %v", err)
	}
	if c := Trust(inside, o); c == nil || !slices.Contains(c.Args, filepath.Join(inside, "00_tour.ipynb")) {
		t.Errorf("the notebooks are not trusted: %v", c)
	}
	var not *NotAFolder
	if _, err := Server(filepath.Join(inside, "00_tour.ipynb"), o); !errors.As(err, &not) {
		t.Errorf("a file: %v", err)
	}
}

// The server that a kernel starts for completion ends by itself once its kernel is gone; other calls pass unchanged.
func TestGoplsEndsByItself(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a shell script")
	}
	dir := t.TempDir()
	script := must.Get(os.ReadFile(filepath.Join("..", "..", "..", "tools", "gopls", "gopls.sh")))(t)
	putProgram(t, filepath.Join(dir, "bin", "gopls"), string(script))
	putProgram(t, filepath.Join(dir, "gopls", "gopls"), "#!/bin/sh\necho \"$*\"\n")
	for args, want := range map[string]string{
		"-listen unix;/tmp/x": "-listen.timeout=2m -listen unix;/tmp/x",
		"check main.go":       "check main.go",
	} {
		gopls := filepath.Join(dir, "bin", "gopls")
		out, err := exec.CommandContext(t.Context(), gopls, strings.Fields(args)...).Output()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("%s: %s (%v), want %s", args, out, err, want)
		}
	}
}

// What completion will ask for is read once a day for a library, and not where nothing completes.
func TestCold(t *testing.T) {
	bin, cache := t.TempDir(), t.TempDir()
	t.Setenv("PATH", bin)
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", cache)
	lib := Library{Dir: "/somewhere"}
	if Cold(lib) {
		t.Error("cold without gopls")
	}
	putProgram(t, filepath.Join(bin, "gopls"), "#!/bin/sh\n")
	if !Cold(lib) || Cold(lib) || !Cold(Library{Dir: "/elsewhere"}) {
		t.Error("want cold, warm, and another library cold")
	}
	stamps, err := filepath.Glob(filepath.Join(cache, "*", "completion-*"))
	if deeper, _ := filepath.Glob(filepath.Join(cache, "*", "*", "completion-*")); len(stamps) == 0 {
		stamps = deeper // macOS: Library/Caches
	}
	if err != nil || len(stamps) != 2 {
		t.Fatalf("%v (%v)", stamps, err)
	}
	for _, s := range stamps {
		must.Do(t, os.Chtimes(s, time.Time{}, time.Now().Add(-2*warmFor)))
	}
	if !Cold(lib) {
		t.Error("warm for ever")
	}
}
