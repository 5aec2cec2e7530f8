package populations

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/populations -run TestFull -write -timeout 0"

// TestFull adds what results.json does not have yet, problem by problem: some hours of one processor for all. It runs
// only when asked to.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		list, err := problems()
		if err != nil {
			return err
		}
		for _, p := range list {
			if slices.ContainsFunc(all.Rows, func(r Row) bool { return r.Of == p.of && r.Law == p.law && r.N == p.n }) {
				continue
			}
			rows, err := p.run(ctx, 4000, all.Seed)
			if err != nil {
				return err
			}
			all.Rows = append(all.Rows, rows...)
			save()
		}
		return nil
	})
}

// The committed cells: the mean over all, and the least of each kind. What the limits allow is said in docs/theory.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string]struct{ rows, least, mean, most float64 }{
		"mean": {105, .91, .94, .965}, "share": {60, .92, .94, .965}, "group": {60, .92, .95, .985}}
	for of, want := range limits {
		rows, least, sum, n := 0., 1., 0., 0.
		for _, row := range r.Rows {
			if row.Of != of {
				continue
			}
			rows++
			for _, c := range row.Cells {
				least, sum, n = math.Min(least, c.Coverage), sum+c.Coverage, n+1
			}
		}
		if rows != want.rows || least < want.least || sum/n < want.mean || sum/n > want.most {
			t.Errorf("%s: %v rows, least %v, mean %.4f; want %+v", of, rows, least, sum/n, want)
		}
	}
	if r.Command != command {
		t.Error(r.Command)
	}
}

// A part of the run again: the same seed gives the first replicates of the committed cells, whose coverage lies within
// what 200 of them can be off by (false alarm below 1e-9 a cell), and the same width to within a tenth.
func TestAPartIsLive(t *testing.T) {
	committed, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	const runs = 200
	r, err := Run(t.Context(), runs, committed.Seed, func(of, law string, n int) bool {
		return of == "mean" && law == "gamma, shape 2" && n == 200 || of == "share" && law == "0.1" && n == 200 ||
			of == "group" && law == "gamma, shape 2" && n == 0
	})
	if err != nil || len(r.Rows) != 9 {
		t.Fatal(len(r.Rows), err)
	}
	for _, row := range r.Rows {
		for _, c := range committed.Rows {
			if c.Of != row.Of || c.Law != row.Law || c.N != row.N || c.Guarantee != row.Guarantee {
				continue
			}
			for i, cell := range row.Cells {
				if cell.Coverage < full.Fewest(runs, c.Cells[i].Coverage-.02, 1e-9) ||
					math.Abs(cell.Width/c.Cells[i].Width-1) > .1 {
					t.Errorf("%s %s %s %d, ε = %v: %+v, committed %+v", row.Of, row.Law, row.Guarantee, row.N, cell.Epsilon, cell,
						c.Cells[i])
				}
			}
		}
	}
}

// A row's text is read as it was written; what is no row is refused.
func TestRowsAreText(t *testing.T) {
	for _, row := range []Row{{"mean", "normal, cut at its bound", "pure", 50, 4000, []Cell{{.1, .9475, .123}, {3, 1, 0}}},
		{"share", "0.02", "zCDP", 0, 1, []Cell{}}} {
		text, err := row.MarshalText()
		var again Row
		if err == nil {
			err = again.UnmarshalText(text)
		}
		if err != nil || !reflect.DeepEqual(again, row) {
			t.Errorf("%q: %+v, %v", text, again, err)
		}
	}
	for _, text := range []string{"", "mean | normal | pure | 50", "mean | normal | pure | x | 1", "mean | a | b | 1 | 1 | .1 x 2"} {
		if new(Row).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read", text)
		}
	}
}
