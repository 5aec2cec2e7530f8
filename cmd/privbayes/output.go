package main

import (
	"errors"
	"fmt"
	"io"
)

// output is a stream of the program. The first error of writing to it sticks and ends the writing: commands need not
// look at every write, and run says that what was to be read did not arrive.
type output struct {
	to  io.Writer
	err error
}

// Write writes, unless an earlier write failed.
func (o *output) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.to.Write(b)
	if err == nil && n < len(b) {
		err = io.ErrShortWrite
	}
	o.err = err
	return n, err
}

// Terminal reports whether the stream is a terminal.
func (o *output) Terminal() bool { return terminal(o.to) }

// lost reports whether an error is that of writing to the stream.
func (o *output) lost(err error) bool { return o.err != nil && errors.Is(err, o.err) }

// stream is where a program that is started writes: not through this one.
func stream(w io.Writer) io.Writer {
	if o, ok := w.(*output); ok {
		return o.to
	}
	return w
}

// run is the program without the process around it. A command whose output was not written has failed, whatever else it
// did.
func run(args []string, out, errs io.Writer) int {
	o, e := &output{to: out}, &output{to: errs}
	code := dispatch(args, o, e)
	if o.err != nil {
		fmt.Fprintf(e, "privbayes: writing the output: %v; what the command does besides is done\n", o.err)
	}
	if code == exitDone && (o.err != nil || e.err != nil) {
		return exitFailed
	}
	return code
}
