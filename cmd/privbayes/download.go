//go:build !browser

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"time"

	"github.com/privbayes/privbayes-go/cmd/privbayes/internal/fetch"
	"github.com/privbayes/privbayes-go/data"
)

// downloadData fetches one public set, with progress on errs; an interrupt stops it and leaves nothing behind.
func downloadData(out, errs io.Writer, name, dir, url string, asJSON bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	p := progress{out: errs, name: name}
	path, err := fetch.Table(ctx, name, fetch.Options{Dir: dir, URL: url, Progress: p.report})
	p.end()
	if err != nil {
		return err
	}
	files := map[string]string{"csv": path}
	if dir != "" { // outside the cache, the schema goes with the table
		s, err := data.StudySchema(name)
		if err != nil {
			return err
		}
		files["schema"] = filepath.Join(dir, name+".schema.json")
		if err := writeNew(files["schema"], append(s.JSON(), '\n')); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	return writeFiles(out, files, asJSON)
}

// progress writes one line that grows, ten times a second at most.
type progress struct {
	out   io.Writer
	name  string
	last  time.Time
	done  int64
	total int64
}

func (p *progress) report(done, total int64) {
	p.done, p.total = done, total
	if !onTerminal(p.out) {
		return
	}
	if now := time.Now(); now.Sub(p.last) >= 100*time.Millisecond {
		p.last = now
		p.print("\r")
	}
}

func (p *progress) print(before string) {
	if p.total > 0 {
		fmt.Fprintf(p.out, "%s%s: %d of %d KiB, %d %%", before, p.name, p.done>>10, p.total>>10, 100*p.done/p.total)
		return
	}
	fmt.Fprintf(p.out, "%s%s: %d KiB", before, p.name, p.done>>10)
}

func (p *progress) end() {
	if p.done > 0 && onTerminal(p.out) {
		p.print("\r")
		fmt.Fprintln(p.out)
	}
}
