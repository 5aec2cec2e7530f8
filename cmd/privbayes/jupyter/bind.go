// Package jupyter is what stands between a notebook and the library: it finds the library ([Find]), gives it to a
// notebook's kernel ([Bind]), reads what completion will ask for ([Warm]), and opens a folder in Jupyter ([Server]).
package jupyter

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// nowhere stands in go.mod when a notebook could not be given the library: the folder does not exist, and its name is
// what the compiler then says of every cell that imports the library.
const nowhere = "./privbayes-was-not-bound-see-the-first-cell"

// unreleased is the version that a required module has when it is replaced by a folder.
const unreleased = "v0.0.0-00010101000000-000000000000"

// below are the folders of the modules that notebooks import besides the library, which stand in the library's
// checkout and have its version. Each requires those before it.
var below = []string{"papers", "bench"}

// Bind makes the module in dir, a kernel's, require the library and the modules [below] it: with every module they need
// and their checksums, so that cells compile without a network. It may be run again. env is added to the environment of
// the go command.
//
// A folder is named relative to dir. The kernel watches absolute ones and hands each of their files to the program that
// completes, which takes many seconds; what it does not watch, that program reads when asked.
func Bind(ctx context.Context, dir string, lib Library, env ...string) error {
	if err := ownModule(ctx, dir, env); err != nil {
		return err
	}
	if lib.Dir == "" {
		if _, err := goIn(ctx, dir, env, "get", Module+"@"+lib.Version); err != nil {
			return err
		}
		// go get would look for a package of that path, in the library's module too, and may refuse to find it there.
		edit, download := []string{"mod", "edit"}, []string{"mod", "download"}
		for _, m := range below {
			edit = append(edit, "-require="+Module+"/"+m+"@"+lib.Version)
			download = append(download, Module+"/"+m)
		}
		if _, err := goIn(ctx, dir, env, edit...); err != nil {
			return err
		}
		_, err := goIn(ctx, dir, env, download...)
		return err
	}
	if err := replace(ctx, dir, env, Module, lib.Dir); err != nil {
		return err
	}
	for _, m := range below {
		folder := filepath.Join(lib.Dir, m)
		if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
			continue // not a checkout: the library as it was downloaded
		}
		if err := replace(ctx, dir, env, Module+"/"+m, folder); err != nil {
			return err
		}
	}
	return nil
}

// replace makes the module in dir take another one from a folder, with what that one requires.
func replace(ctx context.Context, dir string, env []string, module, folder string) error {
	needs, err := requirements(ctx, folder)
	if err != nil {
		return err
	}
	to, err := relative(dir, folder)
	if err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-go=" + needs.Go, "-replace=" + module + "=" + to,
		"-require=" + module + "@" + unreleased}
	for _, r := range needs.Require {
		edit = append(edit, "-require="+r.Path+"@"+r.Version)
	}
	if _, err := goIn(ctx, dir, env, edit...); err != nil {
		return err
	}
	return mergeLines(filepath.Join(dir, "go.sum"), filepath.Join(folder, "go.sum"))
}

// Unbind makes every later cell that imports the library fail, with a message that points to the first cell: a kernel
// that could not be given the library must not find another one by itself.
func Unbind(ctx context.Context, dir string) error {
	if err := ownModule(ctx, dir, nil); err != nil {
		return err
	}
	edit := []string{"mod", "edit", "-replace=" + Module + "=" + nowhere, "-require=" + Module + "@" + unreleased}
	for _, m := range below {
		edit = append(edit, "-replace="+Module+"/"+m+"="+nowhere, "-require="+Module+"/"+m+"@"+unreleased)
	}
	_, err := goIn(ctx, dir, nil, edit...)
	return err
}

// NotAKernel says that a folder is not one that a kernel compiles its cells in.
type NotAKernel struct{ Dir string }

// Error names the folder and what was expected.
func (e *NotAKernel) Error() string {
	return fmt.Sprintf("%s is no folder of a Go kernel: run this in a notebook's cell, as !*privbayes bind", e.Dir)
}

// errWorkspace says that a workspace hides the kernel's own module.
var errWorkspace = errors.New("a go.work around the kernel's folder, or the environment variable GOWORK, names a " +
	"workspace, which would hide the notebook's own module: set GOWORK=off, then start Jupyter again")

// ownModule says whether dir is a kernel's: its module is named after it, and no workspace is around it.
func ownModule(ctx context.Context, dir string, env []string) error {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil || !strings.HasPrefix(string(text), "module gonb_") {
		return &NotAKernel{dir}
	}
	// Left by an earlier way of binding, in a notebook that did it before.
	if err := os.Remove(filepath.Join(dir, "go.work")); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	work, err := goIn(ctx, dir, env, "env", "GOWORK")
	if work = strings.TrimSpace(work); err == nil && work != "" && work != "off" {
		err = errWorkspace
	}
	return err
}

// needs is what is read of "go mod edit -json".
type needs struct {
	Go      string
	Require []struct{ Path, Version string }
}

func requirements(ctx context.Context, dir string) (needs, error) {
	var n needs
	out, err := goIn(ctx, dir, nil, "mod", "edit", "-json")
	if err == nil {
		err = json.Unmarshal([]byte(out), &n)
	}
	return n, err
}

// relative is the way from one folder to the other, as go.mod wants it.
func relative(from, to string) (string, error) {
	from, err := filepath.EvalSymlinks(from)
	if err != nil {
		return "", err
	}
	if to, err = filepath.Abs(to); err != nil {
		return "", err
	}
	if to, err = filepath.EvalSymlinks(to); err != nil {
		return "", err
	}
	way, err := filepath.Rel(from, to)
	if err != nil {
		return to, nil // on another volume
	}
	return "./" + filepath.ToSlash(way), nil
}

// mergeLines adds the lines of another file, if there is one, to a file.
func mergeLines(file, other string) error {
	lines := map[string]bool{}
	for _, f := range []string{file, other} {
		text, err := os.ReadFile(f)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
		for line := range strings.Lines(string(text)) {
			lines[strings.TrimRight(line, "\r\n")] = true
		}
	}
	return os.WriteFile(file, []byte(strings.Join(slices.Sorted(maps.Keys(lines)), "\n")+"\n"), 0o644)
}

// goIn runs the go command in dir with an environment that env is added to; its error is what the command said.
func goIn(ctx context.Context, dir string, env []string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, "go", args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	var said bytes.Buffer
	c.Stderr = &said
	out, err := c.Output()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args[:min(2, len(args))], " "), err,
			strings.TrimSpace(said.String()))
	}
	return string(out), err
}

// Environ is the environment of a Jupyter that serves a checkout (root may be "": none): base, with the checkout's
// programs and kernel first; without a workspace and PYTHONPATH, which would hide a notebook's own module and Jupyter's
// own Python, and without -mod; and with linking made faster by leaving out symbol tables.
func Environ(base []string, root string) []string {
	get := map[string]string{}
	var env []string
	for _, kv := range base {
		k, v, _ := strings.Cut(kv, "=")
		switch k {
		case "PATH", "JUPYTER_PATH", "GOFLAGS":
			get[k] = v
		case "GOWORK", "PYTHONHOME", "PYTHONPATH":
		default:
			env = append(env, kv)
		}
	}
	var flags []string
	for _, f := range strings.Fields(get["GOFLAGS"]) {
		if !strings.HasPrefix(f, "-mod=") && !strings.HasPrefix(f, "-ldflags=") && !strings.HasPrefix(f, "-buildvcs") {
			flags = append(flags, f)
		}
	}
	flags = append(flags, "-buildvcs=false", "-ldflags=-s")
	path, jup := get["PATH"], get["JUPYTER_PATH"]
	if root != "" {
		path = join(filepath.Join(root, "build", "bin"), path)
		jup = join(filepath.Join(root, "build", "jupyter"), jup)
	}
	return append(env, "PATH="+path, "JUPYTER_PATH="+jup, "GOFLAGS="+strings.Join(flags, " "), "GOWORK=off",
		"PYDEVD_DISABLE_FILE_VALIDATION=1")
}

// join puts dir before a path list.
func join(dir, list string) string {
	if list == "" {
		return dir
	}
	return dir + string(os.PathListSeparator) + list
}

// Module is the library's module path.
const Module = "github.com/privbayes/privbayes-go"

// Variable names the environment variable that says where the library is: the folder of a checkout.
const Variable = "PRIVBAYES"

// Library is where the library was found: in the folder Dir, or else as the released Version.
type Library struct{ Dir, Version string }

// String says which library it is.
func (l Library) String() string {
	if l.Dir != "" {
		return l.Dir
	}
	return Module + " " + l.Version
}

// ErrNoLibrary says that there is no library for this notebook, and what to do.
var ErrNoLibrary = errors.New(`no library for this notebook. One of these gives it one:
  open the notebook by "make lab DIR=FOLDER" in a checkout of ` + Module + `
  set ` + Variable + ` to the folder of a checkout, then start Jupyter
  go install ` + Module + `/cmd/privbayes@VERSION, with a version that was released
then restart the kernel and run this cell again`)

// NotALibrary says that the folder which the environment variable names holds no checkout.
type NotALibrary struct{ Dir string }

// Error names the variable, the folder and what was expected.
func (e *NotALibrary) Error() string {
	return fmt.Sprintf("%s is %q: want the folder of a checkout, which has a go.mod of module %s", Variable, e.Dir,
		Module)
}

// Places is where [Find] looks.
type Places struct {
	Notebook   string // the folder of the notebook: its module may be, or require, the library
	Variable   string // the value of the environment variable, or ""
	Executable string // the running program: build/bin/privbayes lies in a checkout
	Version    string // the version the running program was released with, or ""
}

// Find looks for the library where the notebook stands (a checkout, or a module that requires it), where the
// environment variable says, around the running program, and takes the running program's own release otherwise.
func Find(ctx context.Context, p Places) (Library, error) {
	if p.Notebook != "" {
		c := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", Module)
		c.Dir, c.Env = p.Notebook, append(os.Environ(), "GOWORK=") // a workspace that stands around the notebook counts
		if out, err := c.Output(); err == nil {
			if dir := strings.TrimSpace(string(out)); dir != "" {
				return Library{Dir: dir}, nil
			}
		}
	}
	if p.Variable != "" {
		if !isLibrary(p.Variable) {
			return Library{}, &NotALibrary{p.Variable}
		}
		return Library{Dir: p.Variable}, nil
	}
	if dir := Checkout(p.Executable); dir != "" {
		return Library{Dir: dir}, nil
	}
	if strings.HasPrefix(p.Version, "v") {
		return Library{Version: p.Version}, nil
	}
	return Library{}, ErrNoLibrary
}

// Checkout is the checkout in whose build/bin the program is, or "".
func Checkout(program string) string {
	if program == "" {
		return ""
	}
	bin := filepath.Dir(program)
	root := filepath.Dir(filepath.Dir(bin))
	if filepath.Base(bin) == "bin" && filepath.Base(filepath.Dir(bin)) == "build" && isLibrary(root) {
		return root
	}
	return ""
}

// isLibrary says whether the library's go.mod is in dir.
func isLibrary(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "module" {
			return f[1] == Module
		}
	}
	return false
}
