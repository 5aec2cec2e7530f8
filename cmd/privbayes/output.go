package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/table"
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
	err := guarded(func() error { return dispatch(args, o, e) })
	if o.err != nil && (err == nil || errors.Is(err, o.err)) {
		err = &unwrittenError{o.err}
	}
	if err == nil {
		if e.err != nil {
			return exitFailed
		}
		return exitDone
	}
	switch {
	case errors.Is(err, errNoCommand):
		fmt.Fprint(e, usage())
	case errors.Is(err, errUnverified), errors.Is(err, errUnfit):
	case asksJSON(args):
		line := json.NewEncoder(e)
		line.SetEscapeHTML(false)
		_ = line.Encode(map[string]*fault{"error": faultOf(err)}) // e keeps the error
	default:
		for i, line := range strings.Split(spoken(err.Error()), "\n") {
			if i == 0 {
				line = "privbayes: " + strings.TrimPrefix(line, "privbayes: ")
			}
			fmt.Fprintln(e, table.Escape(line))
		}
	}
	return code(err)
}

// unwrittenError is an output that did not arrive.
type unwrittenError struct{ err error }

func (e *unwrittenError) Error() string {
	return fmt.Sprintf("writing the output: %v; what the command does besides is done", e.err)
}

// terminal reports whether what is written to w is seen by a person at once: progress goes nowhere else, so that the
// standard error of a script or a job holds errors only.
func terminal(w io.Writer) bool {
	if t, ok := w.(interface{ Terminal() bool }); ok {
		return t.Terminal()
	}
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
}

// interruptible is a context that an interrupt ends, under which long work shows its progress on a terminal. end is to
// be called when the work is done.
func interruptible(errs io.Writer, what string) (ctx context.Context, end func()) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	line := &progressLine{out: errs, what: what, start: time.Now()}
	return cert.WithProgress(ctx, line.report), func() {
		line.end()
		stop()
	}
}

// progressLine is one line about work under way, from its first second on.
type progressLine struct {
	out   io.Writer
	what  string
	start time.Time
	shown bool
}

func (l *progressLine) report(done, total int64) {
	if time.Since(l.start) > time.Second && total > 0 && terminal(l.out) {
		fmt.Fprintf(l.out, "\r%3.0f %% %s, %v", 100*float64(done)/float64(total), l.what,
			time.Since(l.start).Round(time.Second))
		l.shown = true
	}
}

// end leaves the line.
func (l *progressLine) end() {
	if l.shown {
		fmt.Fprintln(l.out)
	}
}
