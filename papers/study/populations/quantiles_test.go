package populations

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const quantilesCommand = "go test ./papers/study/populations -run TestQuantilesFull -write -timeout 4h"

// TestQuantilesFull makes quantiles.json, some minutes of one processor; it runs only when asked to.
func TestQuantilesFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "quantiles.json", false, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, quantilesCommand, 2026
		for _, q := range quantileProblems() {
			r, err := RunQuantiles(ctx, 1000, all.Seed, func(name string, p float64, n int) bool {
				return name == q.name && p == q.p && n == q.n
			})
			if err != nil {
				return err
			}
			all.Rows = append(all.Rows, r.Rows...)
			save()
		}
		return nil
	})
}

// The committed cells: by the mechanism, the mean over all and the least at 95 %.
func TestQuantilesCommitted(t *testing.T) {
	r := new(Result)
	must.Do(t, json.Unmarshal(must.Get(os.ReadFile("quantiles.json"))(t), r))
	if want := len(quantileProblems()) * len(quantileMechanisms); len(r.Rows) != want || r.Command != quantilesCommand {
		t.Errorf("%d rows by %q, want %d", len(r.Rows), r.Command, want)
	}
	for _, m := range quantileMechanisms {
		least, sum, n := 1., 0., 0.
		for _, row := range r.Rows {
			for _, c := range row.Cells {
				if row.Guarantee == m.name {
					least, sum, n = math.Min(least, c.Coverage), sum+c.Coverage, n+1
				}
			}
		}
		t.Logf("%s: mean %.4f, least %v", m.name, sum/n, least)
		if least < .93 || sum/n < .94 { // three standard errors of .007 below .95
			t.Errorf("%s: mean %.4f, least %v", m.name, sum/n, least)
		}
	}
}

// A part again, live: every interval holds as often as .94 allows (false alarm below 1e-9 a cell).
func TestQuantilesAreLive(t *testing.T) {
	if testing.Short() {
		t.Skip("certificates of joint quantiles take over a second")
	}
	const runs = 60
	r, err := RunQuantiles(t.Context(), runs, 7, func(name string, p float64, n int) bool {
		return name == "uniform" && p == .5 && n == 300
	})
	if err != nil || len(r.Rows) != len(quantileMechanisms) {
		t.Fatal(len(r.Rows), err)
	}
	for _, row := range r.Rows {
		for _, c := range row.Cells {
			if c.Coverage < full.Fewest(runs, .94, 1e-9) || !(c.Width > 0) {
				t.Errorf("%s, ε = %v: %+v", row.Guarantee, c.Epsilon, c)
			}
		}
	}
}
