// Command nbtool builds, runs and checks the notebooks.
//
//	nbtool build notebooks/*.md      # write .ipynb; outputs stay when no code changed
//	nbtool run   notebooks/*.md      # build, execute, write with outputs
//	nbtool check notebooks/*.ipynb   # execute, compare with the committed outputs
//	nbtool html  notebooks/00_tour.ipynb   # execute, write build/tour.html
//	nbtool gallery [DIR]                   # write DIR/README.md and DIR/thumbnails
//
// Every verb but the last takes .md or .ipynb files. The gallery is made from the
// notebooks of the folder (default: notebooks) as they stand; nothing is executed.
// A notebook whose cells failed is left as it was, and what came out is written to
// build/NAME.failed.ipynb. The exit status is 1 when a notebook has a problem and 2 when the command line
// is wrong.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"time"
)

const usage = "usage: nbtool build|run|check|html FILE...\n       nbtool gallery [DIR]"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	code := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

// run does verb args[0] for every file in args[1:], two at a time: each notebook
// compiles and links its cells, so more gains nothing on a small machine.
func run(ctx context.Context, args []string, out, errs io.Writer) int {
	if len(args) > 0 && args[0] == "gallery" {
		return gallery(args[1:], out, errs)
	}
	if len(args) < 2 {
		_, _ = fmt.Fprintln(errs, usage)
		return 2
	}
	do, ok := verbs[args[0]]
	if !ok {
		_, _ = fmt.Fprintf(errs, "nbtool: unknown verb %q\n%s\n", args[0], usage)
		return 2
	}
	var (
		wg  sync.WaitGroup
		mu  sync.Mutex
		sem = make(chan struct{}, 2)
		bad int
	)
	for _, file := range args[1:] {
		wg.Go(func() {
			sem <- struct{}{}
			defer func() { <-sem }()
			start := time.Now()
			notes, problems := do(ctx, file)
			mu.Lock()
			defer mu.Unlock()
			verdict := "ok"
			if len(problems) > 0 {
				verdict = fmt.Sprintf("%d problem(s)", len(problems))
			}
			_, _ = fmt.Fprintf(out, "%-36s %6.1f s  %s\n", file, time.Since(start).Seconds(), verdict)
			for _, s := range notes {
				_, _ = fmt.Fprintln(out, s)
			}
			for _, s := range problems {
				_, _ = fmt.Fprintln(errs, "    "+s)
			}
			bad += len(problems)
		})
	}
	wg.Wait()
	if bad > 0 {
		return 1
	}
	return 0
}
