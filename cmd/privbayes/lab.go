//go:build !browser

package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/debug"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

const labSynopsis = `lab [FOLDER] [flags]

Opens a folder, the current one if none is named, in Jupyter, with a kernel that finds the library there.`

// labCommand opens a folder in Jupyter, with a kernel that finds the library there, and returns when Jupyter ends.
func labCommand(args []string, out, errs io.Writer) error {
	fs := plainFlags("lab", labSynopsis)
	port := fs.Int("port", 8888, "port of this machine; the next free one is taken when it is not")
	quiet := fs.Bool("no-browser", false, "print the address and open no browser")
	dirs, err := parse(fs, args)
	if err != nil {
		return err
	}
	if *port < 1 || *port > 65535 {
		return wrongFlag("port", *port, "1 to 65535")
	}
	dir := "."
	if len(dirs) == 1 {
		dir = dirs[0]
	}
	p := places("")
	o := jupyter.Options{Root: jupyter.Checkout(p.Executable), Port: *port, NoBrowser: *quiet}
	if o.Root == "" {
		o.Root = p.Variable // the folder of a checkout, maybe with a build/
	}
	server, err := jupyter.Server(dir, o)
	if err != nil {
		return err
	}
	if trust := jupyter.Trust(dir, o); trust != nil {
		if text, err := trust.CombinedOutput(); err != nil {
			fmt.Fprintf(errs, "privbayes: the notebooks are not trusted: %v\n%s", err, text)
		}
	}
	fmt.Fprintf(out, "privbayes: %s opens %s\n", server.Path, dir)
	server.Stdin, server.Stdout, server.Stderr = os.Stdin, stream(out), stream(errs)
	// Ctrl-C is for Jupyter, which asks whether to stop.
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	defer signal.Stop(c)
	err = server.Run()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return fmt.Errorf("the server ended: %v", failed)
	}
	return err
}

const bindSynopsis = `bind

Connects a notebook to the library. It is for the first cell of a notebook with a kernel of Go, which runs it in the
kernel's folder: !*privbayes bind`

// bindCommand gives a notebook's kernel the library: the notebook's first cell runs it in the kernel's folder. It says
// nothing when all is well. When it fails, no later cell finds a library either.
func bindCommand(args []string, _, errs io.Writer) error {
	fs := plainFlags("bind", bindSynopsis)
	warm := fs.Bool("warm", false, "only read ahead what completion will ask for")
	if _, err := parse(fs, args); err != nil {
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
