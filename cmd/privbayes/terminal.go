package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/privbayes/privbayes-go/privbayes/cert"
)

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
