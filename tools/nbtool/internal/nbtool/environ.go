package nbtool

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
)

// Errors of [Ready]: what is missing, and how to get it.
var (
	ErrNoJupyter = errors.New("nbtool: Jupyter's nbconvert not found: install the packages jupyter-notebook and " +
		"jupyter-nbconvert, or run make tour")
	ErrNoGoimports = errors.New(
		"nbtool: goimports, which the kernel needs, is neither in build/bin nor on PATH: run make tour",
	)
	ErrNoKernel = errors.New("nbtool: the GoNB kernel is installed neither in build/jupyter nor for this user: " +
		"run make tour")
)

// Ready says whether notebooks under dir can be executed here: nil, or one of
// [ErrNoJupyter], [ErrNoGoimports], [ErrNoKernel]. It starts no program.
func Ready(dir string) error {
	if _, err := nbconvertPath(); err != nil {
		return err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	root := Root(abs)
	if _, err := exec.LookPath("goimports"); err != nil && !isFile(filepath.Join(root, "build", "bin", "goimports")) {
		return ErrNoGoimports
	}
	for _, d := range kernelDirs(root) {
		if isFile(filepath.Join(d, "kernels", "gonb", "kernel.json")) {
			return nil
		}
	}
	return ErrNoKernel
}

// Root is the nearest directory at or above dir with a go.mod, or "".
func Root(dir string) string {
	for {
		if isFile(filepath.Join(dir, "go.mod")) {
			return dir
		}
		up := filepath.Dir(dir)
		if up == dir {
			return ""
		}
		dir = up
	}
}

// nbconvertPath finds nbconvert. The system's own comes first: it is bound to
// the system's Python, whereas one on PATH may belong to a Python without Jupyter
// (a version manager's shim exists whether or not the program behind it does).
func nbconvertPath() (string, error) {
	const system = "/usr/bin/jupyter-nbconvert"
	if isFile(system) {
		return system, nil
	}
	if p, err := exec.LookPath("jupyter-nbconvert"); err == nil {
		return p, nil
	}
	return "", ErrNoJupyter
}

// kernelDirs are the places where Jupyter looks for kernels, ours first.
func kernelDirs(root string) []string {
	var ds []string
	if root != "" {
		ds = append(ds, filepath.Join(root, "build", "jupyter"))
	}
	ds = append(ds, filepath.SplitList(os.Getenv("JUPYTER_PATH"))...)
	if d := os.Getenv("JUPYTER_DATA_DIR"); d != "" {
		ds = append(ds, d)
	} else if home, err := os.UserHomeDir(); err == nil {
		ds = append(ds, filepath.Join(home, ".local", "share", "jupyter"), filepath.Join(home, "Library", "Jupyter"))
	}
	return append(ds, "/usr/local/share/jupyter", "/usr/share/jupyter")
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}
