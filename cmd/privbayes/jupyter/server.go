package jupyter

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Options say how a folder is opened.
type Options struct {
	Root      string // the checkout whose programs, kernel and JupyterLab serve, or "": those on PATH
	Port      int    // of this machine; Jupyter takes the next one that is free
	NoBrowser bool   // only print the address
}

// ErrNoJupyter says that there is no Jupyter to open a folder with, and what to do.
var ErrNoJupyter = errors.New(`neither JupyterLab nor the classic notebook is here. One of these brings it:
  make lab DIR=FOLDER in a checkout of ` + Module + `, which installs JupyterLab below build/
  python3 -m pip install jupyterlab, in a virtual environment that is on PATH`)

// NotAFolder says that what was to be opened is not a folder.
type NotAFolder struct{ Path string }

// Error names it.
func (e *NotAFolder) Error() string {
	return fmt.Sprintf("%s is a file: want a folder to open", e.Path)
}

// Server is the command that opens the folder in a browser: in the checkout's own JupyterLab, else the one on PATH,
// else the classic notebook. A folder that does not exist is made. The kernel finds the library wherever the folder
// is.
func Server(dir string, o Options) (*exec.Cmd, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(dir); err == nil && !st.IsDir() {
		return nil, &NotAFolder{dir}
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	program := jupyter(o.Root, "jupyter-lab", "jupyter-notebook")
	if program == "" {
		return nil, ErrNoJupyter
	}
	args := []string{"--ip=127.0.0.1", "--port=" + strconv.Itoa(o.Port)}
	app := "NotebookApp.notebook_dir="
	if filepath.Base(program) == "jupyter-lab" {
		app = "ServerApp.root_dir="
	}
	args = append(args, "--"+app+dir)
	if os.Getuid() == 0 {
		args = append(args, "--allow-root")
	}
	if o.NoBrowser {
		args = append(args, "--no-browser")
	}
	if Inside(o.Root, dir) {
		for _, hidden := range sources {
			args = append(args, "--ContentsManager.hide_globs="+hidden)
		}
	}
	c := exec.Command(program, args...)
	c.Env = Environ(os.Environ(), o.Root)
	if o.Root != "" {
		c.Env = append(c.Env, Variable+"="+o.Root)
	}
	return c, nil
}

// sources are the names of the checkout's files that the list of a folder leaves out: a notebook's Markdown source, the
// tests, and what Python and editors leave.
var sources = []string{"*.md", "*.go", "__pycache__", "*.pyc", "*~", ".DS_Store"}

// Trust is the command that marks the checkout's own notebooks as trusted, so that their tables look as they were made,
// or nil when the folder is not the checkout's: what a stranger's notebook shows is for its reader to trust.
func Trust(dir string, o Options) *exec.Cmd {
	program := jupyter(o.Root, "jupyter-trust")
	files, err := filepath.Glob(filepath.Join(o.Root, "notebooks", "[0-9]*.ipynb"))
	if program == "" || err != nil || len(files) == 0 || !Inside(o.Root, dir) {
		return nil
	}
	c := exec.Command(program, files...)
	c.Env = Environ(os.Environ(), o.Root)
	return c
}

// Inside says whether dir is root or below it; nothing is inside "".
func Inside(root, dir string) bool {
	if root == "" {
		return false
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return false
	}
	way, err := filepath.Rel(root, dir)
	return err == nil && way != ".." && !strings.HasPrefix(way, ".."+string(os.PathSeparator))
}

// jupyter finds the first of these programs: each in the checkout's virtual environment, then on PATH. The system's own
// comes before another on PATH, which may be a version manager's shim of a Python without Jupyter.
func jupyter(root string, names ...string) string {
	for _, name := range names {
		if root != "" {
			if p := filepath.Join(root, "build", "lab", "bin", name); isProgram(p) {
				return p
			}
		}
		if p := filepath.Join("/usr/bin", name); isProgram(p) {
			return p
		}
		if p, err := exec.LookPath(name); err == nil {
			return p
		}
	}
	return ""
}

func isProgram(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular() && st.Mode().Perm()&0o111 != 0
}

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
