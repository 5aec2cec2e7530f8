// Package full runs the whole of a study in a test, for the file of results that is committed with it.
//
//	go test ./papers/study/STUDY -run TestFull -write -timeout 0
package full

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"math"
	"os"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

var (
	write  = flag.Bool("write", false, "run the whole study, or what its file does not have yet, and write the file")
	budget = flag.Duration("budget", 24*time.Hour, "with -write: stop after this time; a point that is not done is not "+
		"written")
)

// Library is what committed results say of the version that made them.
const Library = "privbayes " + release.Version

// Skip skips a test that is run only when asked to.
func Skip(t *testing.T) {
	t.Helper()
	if !*write {
		t.Skip("without -write")
	}
}

// Run makes the results of a study and writes them to file; it is skipped without -write. points gets results as they
// are to be completed, after the file was read into them where resume, and calls save after what is done, so that a run
// may be cut short and taken up again. Past the budget the context ends, which is no failure.
func Run(t *testing.T, file string, resume bool, results any, points func(ctx context.Context, save func()) error) {
	t.Helper()
	Skip(t)
	if resume {
		b, err := os.ReadFile(file)
		if err == nil {
			err = json.Unmarshal(b, results)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	ctx, end := context.WithTimeout(t.Context(), *budget)
	defer end()
	save := func() {
		if err := Write(file, results); err != nil {
			t.Fatal(err)
		}
	}
	switch err := points(ctx, save); {
	case errors.Is(err, context.DeadlineExceeded):
		t.Log("stopped after", *budget)
	case err != nil:
		t.Fatal(err)
	}
}

// Cells makes the cells of a study that file does not have yet, one for each point.
func Cells[P, C any](
	t *testing.T, file, command string, seed uint64, points []P,
	run func(ctx context.Context, p P, seed uint64) (C, error),
) {
	t.Helper()
	all := &simulate.Results[C]{}
	Run(t, file, true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = Library, command, seed
		for _, p := range points[len(all.Cells):] {
			c, err := run(ctx, p, seed)
			if err = cmp.Or(err, ctx.Err()); err != nil {
				return err
			}
			all.Cells = append(all.Cells, c)
			save()
			t.Logf("%+v", c)
		}
		return nil
	})
}

// Write writes results to a file, whole or not at all. Errors: of the file.
func Write(file string, results any) error {
	b, err := json.MarshalIndent(results, "", " ")
	if err == nil {
		err = os.WriteFile(file+".part", append(b, '\n'), 0o644)
	}
	if err == nil {
		err = os.Rename(file+".part", file)
	}
	return err
}

// Fewest is the x with k·KL(x ‖ p) = −ln alarm below p: the mean of k independent shares in [0, 1] of expectation p or
// more is at most x with probability alarm at most (Hoeffding's bound).
func Fewest(k int, p, alarm float64) float64 {
	lo, hi := 0.0, p
	for range 60 {
		x := (lo + hi) / 2
		kl := (1 - x) * math.Log((1-x)/(1-p))
		if x > 0 {
			kl += x * math.Log(x/p)
		}
		if float64(k)*kl > -math.Log(alarm) {
			lo = x
		} else {
			hi = x
		}
	}
	return lo
}
