// Package jupyter is what stands between a notebook and the library: it finds the library ([Find]), gives it to a
// notebook's kernel ([Bind]), reads what completion will ask for ([Warm]), and opens a folder in Jupyter ([Server]).
package jupyter

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

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
