package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/privbayes/privbayes-go/papers/study/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/table"
)

const studySynopsis = `study dirichlet [flags]

Repeats the experiments of the paper on the Dirichlet mechanism on the eight public data sets, which "privbayes data
fetch NAME" gets, with the baselines on equal terms, and shows who wins. With public bins every plan is private;
decile bins are the paper's, quantile bins those of its published code, and neither is private. The draws come from
seeds: the report is a diagnostic on public data, not a release.

With --out the report is written after every finished cell; an interrupted run goes on with --resume:

  privbayes-papers study dirichlet --data spam --seeds 2 --out study.json
  privbayes-papers study dirichlet --out study.json --resume`

func studyCommand(args []string, out, progress io.Writer) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	return study(ctx, args, out, progress)
}

// study is studyCommand under a context.
func study(ctx context.Context, args []string, out, progress io.Writer) error {
	f, asJSON := newFlags(studySynopsis)
	names := f.String("data", "", "data sets, separated by commas; all eight if empty")
	bins := f.String("bins", string(dirichlet.Public), "public; decile, the paper's, or quantile, its code's: not private")
	seeds := f.Int("seeds", 10, "splits of every data set, each with new noise")
	path := f.String("out", "", "file for the report, as JSON")
	resume := f.Bool("resume", false, "keep the finished cells of --out")
	methods := f.String("methods", "", "methods, separated by commas; all if empty")
	workers := f.Int("workers", 2, "cells at a time")
	rest, err := parse(f, args, out)
	if err != nil {
		return err
	}
	if len(rest) != 1 || rest[0] != "dirichlet" {
		return &usageError{"study: want dirichlet"}
	}
	if *seeds == 0 || *workers == 0 { // in Options these mean the default
		return &usageError{"study: --seeds and --workers are at least 1"}
	}
	o := dirichlet.Options{Data: words(*names), Bins: dirichlet.Bins(*bins), Methods: words(*methods), Seeds: *seeds,
		Workers: *workers}
	if *resume {
		if *path == "" {
			return &usageError{"study: --resume needs --out"}
		}
		if o.Resume, err = dirichlet.ReadFile(*path); errors.Is(err, fs.ErrNotExist) {
			o.Resume = nil
		} else if err != nil {
			return err
		}
	}
	if *path != "" {
		o.Save = func(r *dirichlet.Report) error { return r.Save(*path) }
	}
	start := time.Now()
	o.Progress = func(p dirichlet.Progress) {
		fmt.Fprintf(progress, "%d of %d, %s: %s\n", p.Done, p.Total, time.Since(start).Round(time.Second), p.Cell)
	}
	report, err := dirichlet.Run(ctx, o)
	if err != nil {
		if dirichlet.IsStopped(err) && *path != "" {
			return fmt.Errorf("stopped; go on with --resume: %w", err)
		}
		return err
	}
	if o.Save != nil { // also when every cell was there already
		if err := o.Save(report); err != nil {
			return err
		}
	}
	if *asJSON {
		return report.Write(out)
	}
	return showStudy(out, report)
}

// showStudy prints the tables that the report has.
func showStudy(out io.Writer, r *dirichlet.Report) error {
	tables := []*table.Table{r.Summary()}
	for _, m := range []dirichlet.Metric{dirichlet.KL, dirichlet.CrossEntropy, dirichlet.Accuracy,
		dirichlet.LogLikelihood} {
		t, err := r.Table(m)
		if err != nil {
			return err
		}
		if len(t.Rows) > 0 {
			tables = append(tables, t)
		}
	}
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(out)
		}
		if _, err := fmt.Fprintln(out, t); err != nil {
			return err
		}
	}
	return nil
}

// words splits at commas.
func words(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}
