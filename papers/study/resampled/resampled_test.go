package resampled

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/resampled -run TestFull -write -timeout 0"

// epsilons and the releases of each cell of the full run.
var epsilons = []float64{1, 3}

const fullRuns = 60

// TestFull makes results.json; it runs only when asked to.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		for k := len(all.Cells); k < len(epsilons)*len(Tables()); k++ {
			c, err := Run(ctx, Tables()[k/2], epsilons[k%2], fullRuns, all.Seed)
			if err != nil {
				return err
			}
			all.Cells = append(all.Cells, c)
			save()
		}
		return nil
	})
}

// The committed cells: intervals hold the rows' own fit.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(epsilons)*len(Tables()) || r.Command != command {
		t.Fatal(r, err)
	}
	for k, c := range r.Cells {
		if c.Table != Tables()[k/2].Name || c.Epsilon != epsilons[k%2] || c.Runs+c.Refused != fullRuns {
			t.Errorf("%+v", c)
		}
		// three standard errors below .90, and as many below .93 for the mean of the coefficients
		se := func(p float64) float64 { return math.Sqrt(p * (1 - p) / float64(c.Runs)) }
		if c.OfRows < .93-3*se(.93) || c.Least < .9-3*se(.9) {
			t.Errorf("%+v", c)
		}
	}
}

// A part of the run again: the coverage of 24 releases is at least what one of .95 exceeds but for 1e-9, and that of
// intervals of a tenth of the width is not.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("24 releases of 28,155 rows")
	}
	got, err := Run(t.Context(), Tables()[0], 3, 24, 2026)
	if err != nil || got.Refused > 6 {
		t.Fatal(got, err)
	}
	if limit := full.Fewest(got.Runs, .95, 1e-9); got.OfRows < limit || got.Narrow >= limit {
		t.Errorf("%+v, limit %.3f", got, limit)
	}
}

// Every table is found, or says that it is not on this machine.
func TestTablesOpen(t *testing.T) {
	for _, table := range Tables() {
		f, err := table.Open(t.Context())
		if !table.Embedded && (errors.As(err, new(*data.NotFoundError)) || errors.As(err, new(*data.NotFetchedError))) {
			t.Logf("%s: %v", table.Name, err)
			continue
		}
		if err != nil || f.Len() < 9000 && table.Rows < 9000 {
			t.Errorf("%s: %v, %v", table.Name, f, err)
		}
	}
}
