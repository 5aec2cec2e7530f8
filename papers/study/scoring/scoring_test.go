package scoring

import (
	"context"
	"math"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const command = "go test ./papers/study/scoring -run TestFull -write -timeout 0"

// fullRuns are the releases of a point of the full run. The first design has more, since two of its points had .87 and
// .88 of 60.
func fullRuns(p Point) int {
	if p.Design == Designs()[0].Name {
		return 200
	}
	return 60
}

// TestFull makes results.json; it runs only when asked to.
func TestFull(t *testing.T) {
	full.Cells(t, "results.json", command, 2026, Points(), func(ctx context.Context, p Point, seed uint64) (Cell, error) {
		return Run(ctx, p, fullRuns(p), seed)
	})
}

// The committed cells: intervals that are printed hold the slopes in all, at most 2 of 1000 releases are far off, and
// few are refused but for two designs. One is a number near its bound, whose releases cannot be told from those of a
// rare group: theory/glm.md. Of a rare group apart from the rest most are refused; what is printed does not hold. Of
// 1,000 rows up to a third is refused. A joint test of columns that say nothing rejects at .05 as often, or less.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(Points()) || r.Command != command {
		t.Fatal(r, err)
	}
	covered, printed, far := 0., 0., 0
	for i, c := range r.Cells {
		all := fullRuns(c.Point)
		if c.Point != Points()[i] || c.Runs+c.Refused != all || c.Apart > c.Refused {
			t.Errorf("%+v", c)
		}
		if c.Design == "group apart" {
			if c.Refused < all*3/4 {
				t.Errorf("%+v", c)
			}
			continue
		}
		// three standard errors below .95; the slopes of a release count as one
		if c.Covered < .95-3*math.Sqrt(.95*.05/float64(c.Runs)) {
			t.Errorf("%+v", c)
		}
		most := all / 5
		if c.Rows == 1000 {
			most = all / 3
		}
		if c.Refused > most && c.Design != "exponential" && c.Design != "interaction" {
			t.Errorf("%+v", c)
		}
		if c.Design == noEffect {
			if tests, share := float64(c.Runs), .05; float64(c.Rejected) > tests*share+3*math.Sqrt(tests*share*(1-share)) {
				t.Errorf("type I: %+v", c)
			}
		}
		covered, printed, far = covered+c.Covered*float64(c.Runs), printed+float64(c.Runs), far+c.Far
	}
	if mean := covered / printed; math.Abs(mean-.95) > 3*math.Sqrt(.95*.05/printed) || float64(far) > .002*printed {
		t.Errorf("%.4f of %v releases, %d far off", mean, printed, far)
	}
}

// A part of the run again: the coverage of 24 releases is at least what one of .95 exceeds but for 1e-9, and that of
// intervals of a tenth of the width is not.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("24 releases of 10,000 rows")
	}
	got, err := Run(t.Context(), Points()[0], 24, 2026)
	if err != nil || got.Refused > 6 {
		t.Fatal(got, err)
	}
	if limit := full.Fewest(got.Runs, .95, 1e-9); got.Covered < limit || got.Narrow >= limit {
		t.Errorf("%+v, limit %.3f", got, limit)
	}
}
