package linked

import (
	"context"
	"math"
	"os"
	"reflect"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

const command = "go test ./papers/study/linked -run TestFull -write -timeout 4h"

// TestFull makes results.json, about an hour of one processor; it runs only when asked to, with the file that eusilc.R
// writes.
func TestFull(t *testing.T) {
	full.Cells(t, "results.json", command, 2026, Points(), func(_ context.Context, p Point, seed uint64) (Cell, error) {
		return Run(p, seed)
	})
}

// means are the mean errors of the committed runs of a point, and their standard errors.
func means(r *Result, p Point) (mean, se Errors) {
	var squares Errors
	runs := 0.
	for _, c := range r.Cells {
		if c.Run = 0; c.Point == p {
			runs++
		}
	}
	of := func(e *Errors) []*float64 {
		return []*float64{&e.Parent, &e.Child, &e.Across, &e.Sibling, &e.Number, &e.Questions}
	}
	for _, c := range r.Cells {
		if c.Run = 0; c.Point == p {
			for i, x := range of(&c.Errors) {
				*of(&mean)[i] += *x / runs
				*of(&squares)[i] += *x * *x / runs
			}
		}
	}
	for i, x := range of(&se) {
		*x = math.Sqrt(math.Max(0, *of(&squares)[i]-math.Pow(*of(&mean)[i], 2)) / math.Max(runs-1, 1))
	}
	return mean, se
}

// The committed cells. A wide row keeps what siblings have in common, and answers questions about households; two
// networks do not, though what is counted of them is too good. Where the plan declines a wide row with all places, one
// with four places is ahead in what siblings have in common; with all children counted it also has their number.
func TestCommitted(t *testing.T) {
	r, err := Committed()
	if err != nil || len(r.Cells) != len(Points()) || r.Command != command {
		t.Fatal(len(r.Cells), r.Command, err)
	}
	for i, c := range r.Cells {
		if c.Point != Points()[i] {
			t.Errorf("%+v", c)
		}
	}
	of := func(p Point, recipe string, places int) (Errors, Errors) {
		p.Recipe, p.Places = recipe, places
		return means(r, p)
	}
	many, few := Point{Households: 40_000, Most: 6, Rho: .015}, Point{Households: 10_000, Most: 8, Pure: 1}
	wide, _ := of(many, "wide", 0)
	apart, _ := of(many, "apart", 0)
	if wide.Sibling > .040 || wide.Child > .022 || wide.Questions > .008 || apart.Sibling < .11 {
		t.Errorf("wide %+v, apart %+v", wide, apart)
	}
	for _, at := range []Point{{Households: 10_000, Most: 8, Rho: .015}, few} {
		wide, e := of(at, "wide", 0)
		at.Counted = true
		four, f := of(at, "wide", 4)
		if 1.3*four.Sibling+2*math.Hypot(e.Sibling, f.Sibling) > wide.Sibling || four.Child > wide.Child ||
			four.Number > .03 {
			t.Errorf("%+v: four places %+v ± %+v, all %+v ± %+v", at, four, f, wide, e)
		}
	}
	four, _ := of(Point{Households: 6000, Most: 6, Rho: .12, Survey: true, Counted: true}, "wide", 4)
	if four.Sibling > .055 || four.Number > .03 {
		t.Errorf("EU-SILC, four places: %+v", four)
	}
}

// A part of the run again, with its numbers. Other processors round differently, and choose other pairs.
func TestAPartIsLive(t *testing.T) {
	if testing.Short() {
		t.Skip("two releases of 4,000 households")
	}
	r, err := Committed()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Cells {
		if c.Households != 4000 || c.Run > 0 {
			continue
		}
		got, err := Run(c.Point, r.Seed)
		if err != nil {
			t.Fatal(err)
		}
		if x := got.Errors.Sibling / c.Errors.Sibling; x < .5 || x > 2 {
			t.Errorf("%+v, committed %+v", got, c)
		}
	}
}

// The errors of another sample are those of sampling, and of the same households none. A text is read as it was
// written.
func TestErrorsOfSamples(t *testing.T) {
	c, err := Run(Point{Households: 500, Most: 3, Rho: .15, Recipe: "apart"}, 1)
	if err != nil || c.Again.Sibling < .01 || c.Again.Sibling > .2 || c.Errors.Sibling < c.Again.Sibling/2 {
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

// Children without a place are drawn: there are as many as were counted.
func TestCounted(t *testing.T) {
	p := Point{Households: 3000, Most: 5, Rho: .5, Recipe: "wide", Places: 2, Counted: true}
	list := households(dp.Seeded(2), p.Households, p.Most)
	made, err := p.wide(list, 3)
	if err != nil {
		t.Fatal(err)
	}
	if e := Compared(list, made); e.Number > .05 || e.Child > .1 {
		t.Errorf("%+v", e)
	}
}

// Households of a survey are read with their persons, and a text that is no code is refused.
func TestSurveyed(t *testing.T) {
	file := t.TempDir() + "/eusilc.csv"
	t.Setenv(surveyFile, file)
	head := "hid,region,income,allowance,capital,age,sex,status,citizen\n"
	for _, c := range []struct {
		text string
		want int
	}{{"1,5,2,1,1,5,0,2,1\n1,5,2,1,1,0,1,0,0\n2,0,3,1,1,5,0,7,1\n", 2}, {"1,5,2,1,1,5,?,2,1\n", 0}} {
		if err := os.WriteFile(file, []byte(head+c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		list, again, err := surveyed(dp.Seeded(1), 6)
		if len(list) != c.want && err == nil || (err == nil) != (c.want > 0) || err == nil && len(again) != c.want {
			t.Errorf("%q: %v, %v", c.text, list, err)
		}
	}
	// The last text, which is no code, is still in the file.
	if _, err := Run(Point{Survey: true, Most: 6, Rho: 1}, 1); err == nil {
		t.Error("no refusal")
	}
}
