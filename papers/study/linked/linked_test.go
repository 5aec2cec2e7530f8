package linked

import (
	"context"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

const command = "go test ./papers/study/linked -run TestFull -write -timeout 4h"

// runs of a point: of many households one release says as much as several of few.
func runs(p Point) int {
	if p.Households > 10_000 {
		return 1
	}
	return 4
}

// TestFull makes results.json, about three minutes of one processor; it runs only when asked to.
func TestFull(t *testing.T) {
	all := &Result{}
	full.Run(t, "results.json", true, all, func(ctx context.Context, save func()) error {
		all.Library, all.Command, all.Seed = full.Library, command, 2026
		for _, p := range Points()[len(all.Cells):] {
			c, err := Run(ctx, p, runs(p), all.Seed)
			if err != nil {
				return err
			}
			all.Cells = append(all.Cells, c)
			save()
		}
		return nil
	})
}

// The committed cells: a wide row keeps what siblings have in common, and answers questions about households; two
// networks do not, though what is counted of them is too good.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(Points()) || r.Command != command {
		t.Fatal(len(r.Cells), r.Command, err)
	}
	for i, c := range r.Cells {
		if c.Point != Points()[i] || c.Runs != runs(c.Point) {
			t.Errorf("%+v", c)
		}
	}
	wide, apart := r.Cells[0].Mean, r.Cells[1].Mean
	if wide.Sibling > .040 || wide.Child > .022 || wide.Questions > .008 || apart.Sibling < .11 {
		t.Errorf("wide %+v, apart %+v", wide, apart)
	}
}

// A part of the run again, and with its numbers: what is committed of the small point is the mean of four releases, of
// which the first is made here. Other processors round differently, and choose other pairs.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("two releases of 4,000 households")
	}
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells[2:] {
		got, err := Run(t.Context(), c.Point, 1, r.Seed)
		if err != nil {
			t.Fatal(err)
		}
		if x := got.Mean.Sibling / c.Mean.Sibling; x < .5 || x > 2 {
			t.Errorf("%+v, committed %+v", got, c)
		}
	}
}

// The errors of another sample are those of sampling, and of the same households none. A text is read as it was
// written.
func TestErrorsOfSamples(t *testing.T) {
	c, err := Run(t.Context(), Point{500, 3, .15, "apart"}, 1, 1)
	if err != nil || c.Again.Sibling < .01 || c.Again.Sibling > .2 || c.Mean.Sibling < c.Again.Sibling/2 {
		t.Errorf("%+v, %v", c, err)
	}
	list := households(dp.Seeded(1), 500, 3)
	if e := Compared(list, list); e != (Errors{}) {
		t.Errorf("of itself: %+v", e)
	}
	e := Errors{.0123, .5, 0, 1, .25, .0001}
	text, err := e.MarshalText()
	var again Errors
	if err == nil {
		err = again.UnmarshalText(text)
	}
	if err != nil || !reflect.DeepEqual(again, e) {
		t.Errorf("%q: %+v, %v", text, again, err)
	}
}
