//go:build unix

// Command naivebayes is our side of bench/naivebayes.sh: a naive Bayes model of Adult from encoded columns.
//
//	naivebayes write DIR        the encoded matrix and the counts, for the peer
//	naivebayes time SECONDS     processor times of each step: its name, and nanoseconds, a number for every run
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/dirichlet"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "naivebayes:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("arguments %q; want: write DIR, or time SECONDS", args)
	}
	f, err := adult()
	if err != nil {
		return err
	}
	if args[0] == "write" {
		return f.write(args[1])
	}
	seconds, err := strconv.ParseFloat(args[1], 64)
	if err != nil {
		return err
	}
	return f.time(time.Duration(seconds * float64(time.Second)))
}

// table is the data with their naive Bayes model.
type table struct {
	*frame.Frame
	shape    *model.Shape
	class    string
	features []string
}

func adult() (*table, error) {
	r, schema, err := data.OpenStudy("adult")
	if err != nil {
		return nil, err
	}
	f, err := frame.Read(context.Background(), r, "adult", schema)
	if err != nil {
		return nil, err
	}
	t := &table{Frame: f, class: "income"}
	if t.shape, err = model.NewShape(f.Schema(), model.NaiveBayes(t.class), f.Len(), true, ""); err != nil {
		return nil, err
	}
	for _, c := range t.shape.Columns()[1:] {
		t.features = append(t.features, c.Name)
	}
	return t, nil
}

// write makes codes.u8, row by row, the class last, and counts.json, the tables class × value of each feature.
func (t *table) write(dir string) error {
	var counts struct {
		Rows     int
		Features []string
		Levels   []int
		Tables   [][]int64
	}
	counts.Rows, counts.Features = t.Len(), t.features
	width := len(t.features) + 1
	codes := make([]byte, t.Len()*width)
	for k, name := range append(append([]string(nil), t.features...), t.class) {
		c, err := t.Codes(name)
		if err != nil {
			return err
		}
		if c.U8 == nil {
			return fmt.Errorf("column %q has %d levels; want at most 256", name, c.Levels)
		}
		counts.Levels = append(counts.Levels, c.Levels)
		for i, v := range c.U8 {
			codes[i*width+k] = v
		}
	}
	var err error
	if counts.Tables, err = t.TablesPrivate(t.sets()); err != nil {
		return err
	}
	b, err := json.Marshal(counts)
	if err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(dir, "codes.u8"), codes, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "counts.json"), b, 0o644)
}

// sets are the class with every feature.
func (t *table) sets() (sets [][]string) {
	for _, f := range t.features {
		sets = append(sets, []string{t.class, f})
	}
	return sets
}

// private draws a release of the plan and fits the model to it, from a secure stream.
func (t *table) private(p *mechanism.Plan) (*model.Fitted, error) {
	st, err := model.Count(t.shape, t.Frame)
	if err != nil {
		return nil, err
	}
	src, err := dp.Secure()
	if err != nil {
		return nil, err
	}
	drawn, err := p.Draw(context.Background(), st, "bench", src)
	if err != nil {
		return nil, err
	}
	estimate, err := p.Estimate(context.Background(), drawn)
	if err != nil {
		return nil, err
	}
	return model.Fit(t.shape, estimate)
}

func (t *table) time(total time.Duration) error {
	plan := func(m dirichlet.Dirichlet) (*mechanism.Plan, error) {
		return m.Plan(context.Background(), t.shape, dp.ApproxDP(1, 1e-6))
	}
	made, err := plan(dirichlet.New())
	if err != nil {
		return err
	}
	raw, err := plan(dirichlet.New().Raw())
	if err != nil {
		return err
	}
	fitted, err := t.private(made)
	if err != nil {
		return err
	}
	for _, step := range []struct {
		name string
		do   func() error
	}{
		{"counts", func() error { _, err := t.TablesPrivate(t.sets()); return err }},
		{"private-fit", func() error { _, err := t.private(made); return err }},
		{"private-fit-raw", func() error { _, err := t.private(raw); return err }},
		{"private-fit-with-plan", func() error {
			p, err := plan(dirichlet.New())
			if err == nil {
				_, err = t.private(p)
			}
			return err
		}},
		{"predict", func() error { _, err := fitted.Predict(t.Frame); return err }},
	} {
		fmt.Print(step.name)
		start := time.Now()
		for runs := 0; time.Since(start) < total || runs < 5; runs++ {
			from := cpuTime()
			if err := step.do(); err != nil {
				return err
			}
			fmt.Print(" ", (cpuTime() - from).Nanoseconds())
		}
		fmt.Println()
	}
	return nil
}

// cpuTime is the processor time of this process, garbage collection included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
