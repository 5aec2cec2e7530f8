package slopes

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/slopes -run TestFull -write -timeout 4h"

// runs of a point of the full run; of ten slopes, and of tables of 30,000 rows, fewer.
func runs(p Point) int {
	switch {
	case p.Slopes == 10:
		return 40
	case p.Rows > 1000:
		return 60
	}
	return 100
}

// TestFull makes results.json, about an hour of one processor; it runs only when asked to.
func TestFull(t *testing.T) {
	full.Cells(t, "results.json", command, 2026, Points(), func(ctx context.Context, p Point, seed uint64) (Cell, error) {
		return Run(ctx, p, runs(p), seed, 1)
	})
}

// The committed cells: intervals hold the rows' own slopes in all, and β where hardly a response is clipped.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(Points()) || r.Command != command {
		t.Fatal(len(r.Cells), r.Command, err)
	}
	sum := 0.
	for i, c := range r.Cells {
		if c.Point != Points()[i] || c.Runs+c.NotConverged != runs(c.Point) {
			t.Errorf("%+v", c)
		}
		// three standard errors below .93 and, far, .90: the slopes of a release count as one
		limit := .93
		if c.Design == "far" {
			limit = .90
		}
		if c.OfRows < limit-3*math.Sqrt(limit*(1-limit)/float64(c.Runs)) ||
			float64(c.NotConverged) > .2*float64(runs(c.Point)) {
			t.Errorf("%+v", c)
		}
		sum += c.OfRows / float64(len(r.Cells))
	}
	if sum < .945 || sum > .985 {
		t.Errorf("mean over cells %.4f", sum)
	}
}

// A part of the run again, and with the noise taken as that of five times ε: the coverage of 60 releases is at least
// what one of .95 exceeds but for 1e-9, and that of the wrong posterior is not.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("120 releases")
	}
	const some = 60
	for _, c := range []struct {
		overstated float64
		holds      bool
	}{{1, true}, {5, false}} {
		got, err := Run(t.Context(), Point{"middle", 1, 1000, .3}, some, 2026, c.overstated)
		if err != nil || got.NotConverged > some/5 {
			t.Fatal(got, err)
		}
		if limit := full.Fewest(got.Runs, .95, 1e-9); (got.OfRows >= limit) != c.holds {
			t.Errorf("ε overstated %v times: %+v, limit %.3f", c.overstated, got, limit)
		}
	}
}

// A cell's text is read as it was written; what is no cell is refused.
func TestCellsAreText(t *testing.T) {
	c := Cell{Point{"far", 2, 1000, 1}, 98, 2, .95, .9, .96, 2.5, .06, .0125, .5, .25}
	text, err := c.MarshalText()
	var again Cell
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%q: %+v, %v", text, again, err)
	}
	for _, text := range []string{"", "far 2 1000 1 | 98", "far x 1000 1 | 98 2 | 1 1 1 | 1 1 | 1 1 1"} {
		if new(Cell).UnmarshalText([]byte(text)) == nil {
			t.Errorf("%q is read", text)
		}
	}
}
