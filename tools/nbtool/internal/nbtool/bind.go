package nbtool

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

// Module is what a notebook outside a checkout downloads.
const Module = jupyter.Module

// Bind is the first code cell of every notebook. It gives the kernel the library of the checkout the notebook stands
// in, or of the one that opened it, or else the released module: see package jupyter. It may be run again. The
// remark is for who has a kernel and not the command: the shell's complaint then stands below it.
const Bind = "!*privbayes bind # not found? in a checkout: go install ./cmd/privbayes"

// FirstCode is the source of the first code cell, or "".
func (n *Notebook) FirstCode() string {
	for _, c := range n.Cells {
		if c.Type == "code" {
			return string(c.Source)
		}
	}
	return ""
}

var commands struct {
	sync.Mutex
	built map[string]error
}

// Command builds the command that the first cell runs into the checkout's build/bin, once a process and only when its
// sources changed, so that a notebook is bound by the code that stands beside it.
func Command(ctx context.Context, root string) error {
	if _, err := os.Stat(filepath.Join(root, "cmd", "privbayes")); root == "" || err != nil {
		return nil // no checkout of the library: the command on PATH serves
	}
	commands.Lock()
	defer commands.Unlock()
	if err, done := commands.built[root]; done {
		return err
	}
	c := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", filepath.Join("build", "bin", "privbayes"),
		"./cmd/privbayes")
	c.Dir, c.Env = root, append(os.Environ(), "GOWORK=") // the checkout's own workspace
	out, err := c.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("nbtool: the command that binds notebooks: %w\n%s", err, out)
	}
	if ctx.Err() == nil {
		if commands.built == nil {
			commands.built = map[string]error{}
		}
		commands.built[root] = err
	}
	return err
}
