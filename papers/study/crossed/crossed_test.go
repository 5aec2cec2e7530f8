package crossed

import (
	"context"
	"math"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/crossed -run TestFull -write -timeout 4h"

// runs of a point of the full run; where ε is small chains take longer, and there are fewer.
func runs(p Point) int {
	if p.Epsilon < 1 {
		return 30
	}
	return 60
}

// TestFull makes results.json, about a quarter of an hour of one processor; it runs only when asked to.
func TestFull(t *testing.T) {
	full.Cells(t, "results.json", command, 2026, Points(), func(ctx context.Context, p Point, seed uint64) (Cell, error) {
		return Run(ctx, p, runs(p), seed, 1)
	})
}

// The committed cells: three standard errors below .93 is what no cell falls under, the slopes of a release taken as
// one, and the mean over cells is near .95. Chains agree in nearly all.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(Points()) || r.Command != command {
		t.Fatal(len(r.Cells), r.Command, err)
	}
	sum := 0.
	for i, c := range r.Cells {
		if c.Point != Points()[i] || c.Runs+c.NotConverged != runs(c.Point) ||
			c.Slopes < .93-3*math.Sqrt(.93*.07/float64(c.Runs)) || c.NotConverged > runs(c.Point)/20 ||
			!(c.Width > c.RowsWidth) {
			t.Errorf("%+v", c)
		}
		sum += c.Slopes / float64(len(r.Cells))
	}
	if sum < .935 || sum > .975 {
		t.Errorf("mean over cells %.4f", sum)
	}
}

// A part of the run again, and with the noise taken as that of 20 times ε: the coverage of 40 releases is at least what
// one of .95 exceeds but for 1e-9, and that of the wrong posterior is not.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("80 releases")
	}
	const some = 40
	for _, c := range []struct {
		overstated float64
		holds      bool
	}{{1, true}, {20, false}} {
		got, err := Run(simulate.Short.With(t.Context()), Point{"2x3", 600, .05, true}, some, 2026, c.overstated)
		if err != nil || got.NotConverged > some/5 {
			t.Fatal(got, err)
		}
		if limit := full.Fewest(got.Runs, .95, 1e-9); (got.Slopes >= limit) != c.holds {
			t.Errorf("ε overstated %v times: %+v, limit %.3f", c.overstated, got, limit)
		}
	}
}

// A cell's text is read as it was written; what is no cell is refused.
func TestCellsAreText(t *testing.T) {
	c := Cell{Point{"3x4", 3600, .1, true}, 98, 2, .95, .9, 1.25, .5}
	text, err := c.MarshalText()
	var again Cell
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil || !reflect.DeepEqual(again, c) {
		t.Errorf("%q: %+v, %v", text, again, err)
	}
	if again.UnmarshalText([]byte("3x4 many")) == nil {
		t.Error("no cell is read")
	}
}
