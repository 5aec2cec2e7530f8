package main

import (
	"cmp"
	"context"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

// bindCommand gives a notebook's kernel the library: the notebook's first cell runs it in the kernel's folder. It says
// nothing when all is well. When it fails, no later cell finds a library either.
func bindCommand(args []string, _, errs io.Writer) error {
	fs := plainFlags("bind", "bind    (in a notebook's first cell: !*privbayes bind)")
	warm := fs.Bool("warm", false, "only read ahead what completion will ask for")
	if _, err := parse(fs, args, 0); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	if *warm {
		return jupyter.Warm(ctx, dir)
	}
	lib, err := jupyter.Find(ctx, places(os.Getenv("GONB_DIR")))
	if err == nil {
		err = jupyter.Bind(ctx, dir, lib)
	}
	if err != nil {
		// In another folder than a kernel's there is nothing to undo, and that is the error to tell.
		return cmp.Or(jupyter.Unbind(ctx, dir), err)
	}
	if self, err := os.Executable(); err == nil && jupyter.Cold(lib) {
		ahead := exec.Command(self, "bind", "--warm") // no terminal, no pipes: the cell does not wait for it
		if ahead.Start() == nil {
			_ = ahead.Process.Release()
		}
	}
	return nil
}

// places is where this program looks for the library of a notebook.
func places(notebook string) jupyter.Places {
	p := jupyter.Places{Notebook: notebook, Variable: os.Getenv(jupyter.Variable)}
	if self, err := os.Executable(); err == nil {
		if self, err = filepath.EvalSymlinks(self); err == nil {
			p.Executable = self
		}
	}
	if b, ok := debug.ReadBuildInfo(); ok {
		p.Version = released(b)
	}
	return p
}

// released is the version of the library in a program that was built from downloaded modules, or "": of one that was
// built in a checkout.
func released(b *debug.BuildInfo) string {
	if b.Main.Sum == "" {
		return ""
	}
	for _, m := range b.Deps {
		if m.Path == jupyter.Module && m.Replace == nil {
			return m.Version
		}
	}
	return ""
}
