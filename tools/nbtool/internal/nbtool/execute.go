package nbtool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

// Options say how to execute a notebook.
type Options struct {
	// CellTimeout ends the run when one cell takes longer; 0 means two minutes.
	CellTimeout time.Duration
	// Dir is the directory the kernel works in, and where cells leave files. Empty
	// means a fresh directory inside the checkout, removed afterwards, so that
	// files of an earlier run (a kept release) cannot change the outputs.
	Dir string
}

// ExecError says that nbconvert itself failed; failed cells are [Notebook.Problems].
type ExecError struct {
	Path string // the notebook
	Log  string // the end of nbconvert's log
	Err  error
}

// Error names the notebook, the cause and the end of the log.
func (e *ExecError) Error() string {
	return fmt.Sprintf("nbtool: nbconvert %s: %v\n%s", e.Path, e.Err, e.Log)
}

// Unwrap gives the cause.
func (e *ExecError) Unwrap() error { return e.Err }

// Execute runs the notebook at path through the GoNB kernel and returns it with
// outputs, normalised. The notebook must lie in a checkout or Dir must: the
// kernel's directory decides which checkout the notebook's first cell binds to.
// When the checkout has its own kernel (build/jupyter, build/bin), that one runs.
// The file itself is not changed.
func Execute(ctx context.Context, path string, opt Options) (*Notebook, error) {
	n, err := Read(path)
	if err != nil {
		return nil, err
	}
	return ExecuteNotebook(ctx, n, path, opt)
}

// ExecuteNotebook is [Execute] for a notebook in memory; path is where it would
// stand and need not exist.
func ExecuteNotebook(ctx context.Context, n *Notebook, path string, opt Options) (*Notebook, error) {
	w, err := prepare(ctx, path, opt)
	if err != nil {
		return nil, err
	}
	defer w.close()
	abs, root, dir := w.path, w.root, w.dir
	// nbconvert starts the kernel in the input's directory.
	in := filepath.Join(dir, "."+filepath.Base(abs)+".in.ipynb")
	out := filepath.Join(dir, "."+filepath.Base(abs)+".out.ipynb")
	defer func() { _ = os.Remove(in); _ = os.Remove(out) }()
	if err := n.Write(in); err != nil {
		return nil, err
	}
	err = nbconvert(ctx, root, dir, abs, "--to", "notebook", "--execute", "--allow-errors",
		"--ExecutePreprocessor.kernel_name=gonb", "--ExecutePreprocessor.record_timing=False",
		"--ExecutePreprocessor.startup_timeout=120", "--ExecutePreprocessor.iopub_timeout=30",
		fmt.Sprintf("--ExecutePreprocessor.timeout=%d", int(w.limit.Seconds())),
		"--output-dir", dir, "--output", filepath.Base(out), in)
	if err != nil {
		return nil, err
	}
	done, err := Read(out)
	if err != nil {
		return nil, err
	}
	done.Normalize(root)
	return done, nil
}

// workplace is where a notebook runs.
type workplace struct {
	path, root, dir string        // the notebook, its checkout, and where the program works
	limit           time.Duration // of a cell
	close           func()
}

// prepare finds the checkout of the notebook at path, builds the command that binds it, and makes the directory.
func prepare(ctx context.Context, path string, opt Options) (w workplace, err error) {
	if w.path, err = filepath.Abs(path); err != nil {
		return w, err
	}
	w.root, w.dir, w.limit, w.close = Root(filepath.Dir(w.path)), opt.Dir, opt.CellTimeout, func() {}
	if err := Command(ctx, w.root); err != nil {
		return w, err
	}
	if w.limit <= 0 {
		w.limit = 2 * time.Minute
	}
	if w.dir == "" {
		if w.dir, err = scratch(w.root, filepath.Dir(w.path)); err != nil {
			return w, err
		}
		own := w.dir
		w.close = func() { _ = os.RemoveAll(own) }
	}
	w.dir, err = filepath.Abs(w.dir)
	return w, err
}

// scratch makes a directory for one run: in the checkout's build directory when
// there is a checkout, beside the notebook otherwise.
func scratch(root, beside string) (string, error) {
	parent := beside
	if root != "" {
		parent = filepath.Join(root, "build")
		if err := os.MkdirAll(parent, 0o755); err != nil {
			return "", fmt.Errorf("nbtool: %w", err)
		}
	}
	return os.MkdirTemp(parent, "nbrun-*")
}

// nbconvert runs nbconvert in dir with the checkout's kernel first in its path.
func nbconvert(ctx context.Context, root, dir, what string, args ...string) error {
	bin, err := nbconvertPath()
	if err != nil {
		return &ExecError{Path: what, Err: err}
	}
	cmd := exec.CommandContext(ctx, bin, args...)
	cmd.Dir = dir
	cmd.Env = jupyter.Environ(os.Environ(), root)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // lets nbconvert stop the kernel
	cmd.WaitDelay = 20 * time.Second
	log, err := cmd.CombinedOutput()
	if err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return &ExecError{Path: what, Log: string(log[max(0, len(log)-4000):]), Err: err}
	}
	return nil
}
