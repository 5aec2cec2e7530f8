//go:build unix

// Command sources is our side of bench/sources.sh: a large table of Adult, from CSV to counts.
//
//	sources write FILE ROWS     rows of Adult drawn with replacement, seeded, as CSV
//	sources counts FILE         the class × value tables, for the peers to agree with
//	sources time STEP FILE      one run: processor time and wall time in ns a row, and the peak of memory in MB
//
// The steps are tables (a source of files: one pass for n, one for the tables), pass (the tables alone), load (a
// frame), loadtables (a frame and its tables), predict and evaluate (on a loaded frame), and plan (in ns a plan).
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/access"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/source"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "sources:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 3 && args[0] == "write":
		rows, err := strconv.Atoi(args[2])
		if err != nil {
			return err
		}
		return write(args[1], rows)
	case len(args) == 2 && args[0] == "counts":
		return counts(args[1])
	case len(args) == 3 && args[0] == "time":
		return measure(args[1], args[2])
	}
	return errors.New("want: write FILE ROWS, counts FILE, or time STEP FILE")
}

// write draws rows of Adult.
func write(path string, rows int) error {
	r, _, err := data.OpenStudy("adult")
	if err != nil {
		return err
	}
	text, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	lines := bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	last := len(lines) - 1
	lines[last] = append(bytes.Clone(lines[last]), '\n')
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	w, rng := bufio.NewWriterSize(f, 1<<20), rand.New(rand.NewPCG(17, 1))
	_, _ = w.Write(lines[0])
	for range rows {
		_, _ = w.Write(lines[1+rng.IntN(last)])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

const class = "income"

func schema() (*frame.Schema, error) { return data.StudySchema("adult") }

// statistics are those of the files, after a pass that counts the rows.
func statistics(path string) (*model.Statistics, error) {
	s, err := schema()
	if err != nil {
		return nil, err
	}
	src, err := source.Files(s, path)
	if err != nil {
		return nil, err
	}
	size, err := src.Size(context.Background())
	if err != nil {
		return nil, err
	}
	sh, err := source.Shape(src, size, model.NaiveBayes(class))
	if err != nil {
		return nil, err
	}
	return src.Statistics(context.Background(), sh)
}

// counts prints, for every column, "value|class": count; values of numbers are bins, missing ones "?".
func counts(path string) error {
	st, err := statistics(path)
	if err != nil {
		return err
	}
	out := map[string]map[string]int64{}
	columns, tables := st.Shape().Columns(), st.Open(access.Mine())
	for k, c := range columns[1:] {
		of := map[string]int64{}
		for i, n := range tables[k] {
			code, y := i%c.Levels(), columns[0].Categories[i/c.Levels()]
			value := strconv.Itoa(code)
			if !c.Numeric() {
				if value = "?"; code < len(c.Categories) {
					value = c.Categories[code]
				}
			}
			if n > 0 {
				of[value+"|"+y] = n
			}
		}
		out[c.Name] = of
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

func measure(step, path string) error {
	s, err := schema()
	if err != nil {
		return err
	}
	var do func() (units int, err error)
	load := func() (*frame.Frame, error) { return frame.Load(context.Background(), path, s) }
	switch step {
	case "tables":
		do = func() (int, error) {
			st, err := statistics(path)
			if err != nil {
				return 0, err
			}
			return st.Rows(access.Mine()), nil
		}
	case "pass":
		src, err := source.Files(s, path)
		if err != nil {
			return err
		}
		size, err := src.Size(context.Background())
		if err != nil {
			return err
		}
		sh, err := source.Shape(src, size, model.NaiveBayes(class))
		if err != nil {
			return err
		}
		do = func() (int, error) {
			_, err := src.Statistics(context.Background(), sh)
			return size.N, err
		}
	case "load":
		do = func() (int, error) {
			f, err := load()
			if err != nil {
				return 0, err
			}
			return f.Len(), nil
		}
	case "loadtables":
		do = func() (int, error) {
			f, err := load()
			if err != nil {
				return 0, err
			}
			sh, err := model.NewShape(s, model.NaiveBayes(class), f.Len(), true, "")
			if err != nil {
				return 0, err
			}
			_, err = model.Count(sh, f)
			return f.Len(), err
		}
	case "predict", "evaluate", "plan":
		if do, err = released(step, path, s); err != nil {
			return err
		}
	default:
		return fmt.Errorf("no step %q", step)
	}
	runtime.GC()
	from, start := cpuTime(), time.Now()
	units, err := do()
	if err != nil {
		return err
	}
	return report(float64(units), cpuTime()-from, time.Since(start))
}

// report prints what so many rows took.
func report(n float64, cpu, wall time.Duration) error {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]float64{
		"cpu":  float64(cpu) / n,
		"wall": float64(wall) / n,
		"mb":   float64(u.Maxrss) / 1024,
		"rows": n,
	})
}

// released prepares what is done with a release; its second call is the one that counts.
func released(step, path string, s *frame.Schema) (func() (int, error), error) {
	f := privbayes.LoadFrame(path, s)
	p := f.Model(privbayes.NaiveBayes(class)).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	r, err := p.Release()
	if err != nil {
		return nil, err
	}
	n := f.Data().Len()
	do := map[string]func() (int, error){
		"predict":  func() (int, error) { _, _, err := r.Model().Probabilities(f.Data()); return n, err },
		"evaluate": func() (int, error) { _, err := p.Evaluate(f); return n, err },
		"plan": func() (int, error) {
			_, err := privbayes.Geometric().Plan(context.Background(), r.Plan().Shape(), privbayes.PureDP(1))
			return 1, err
		},
	}[step]
	_, err = do()
	return do, err
}

// cpuTime is the processor time of this process, garbage collection included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
