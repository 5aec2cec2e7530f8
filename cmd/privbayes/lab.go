package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"

	"github.com/privbayes/privbayes-go/cmd/privbayes/jupyter"
)

// labCommand opens a folder in Jupyter, with a kernel that finds the library there, and returns when Jupyter ends.
func labCommand(args []string, out, errs io.Writer) error {
	fs := plainFlags("lab", "lab [FOLDER] [flags]")
	port := fs.Int("port", 8888, "port of this machine; the next free one is taken when it is not")
	quiet := fs.Bool("no-browser", false, "print the address and open no browser")
	dirs, err := parse(fs, args, 1)
	if err != nil {
		return err
	}
	if *port < 1 || *port > 65535 {
		return &usageError{fmt.Sprintf("lab: --port is %d: want 1 to 65535", *port)}
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
