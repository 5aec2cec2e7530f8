package wholenetworks

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/papers/study/simulate/full"
)

const rareCommand = "go test ./papers/study/wholenetworks -run TestRareFull -write -timeout 0"

// rareSpecs are all points: those of a small network, and of the same with independent rows, whose intervals miss.
func rareSpecs() (out []Fixed) {
	for _, eps := range []float64{.3, .1, 1} {
		out = append(out, Fixed{"small", 800, eps, false})
	}
	for _, eps := range []float64{.3, .1, 1} {
		out = append(out, Fixed{"small", 800, eps, true})
	}
	return out
}

// TestRareFull adds points to rare.json one by one. It runs only when asked to.
func TestRareFull(t *testing.T) {
	r := &RareResult{}
	full.Run(t, "rare.json", true, r, func(ctx context.Context, save func()) error {
		r.Library, r.Command, r.Seed = full.Library, rareCommand, seed
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
		for _, s := range rareSpecs() {
			if slices.ContainsFunc(r.Points, func(p RarePoint) bool { return p.Fixed == s }) {
				continue
			}
			p, err := CoverRare(ctx, s, 40, seed)
			if err != nil {
				return err
			}
			r.Points = append(r.Points, *p)
			save()
			fmt.Printf("%+v\n", *p)
		}
		return nil
	})
}

// What docs/theory/prior.md says of the committed points, of which every question is counted once a release.
func TestCommittedRare(t *testing.T) {
	r, err := CommittedRare()
	if err != nil {
		t.Fatal(err)
	}
	var low, all [2]Split // of the default prior and of independent rows
	for _, p := range r.Points {
		if p.NotConverged > 0 || p.Low.Asked != float64(p.LowQuestions*p.Replicates) ||
			p.Low.Asked+p.Else.Asked != float64(p.Questions*p.Replicates) || p.Low.Held >= Low*max(p.Low.Asked, 1) ||
			p.Else.Held < Low*p.Else.Asked {
			t.Errorf("%+v", p)
		}
		of := 0
		if p.IndependentRows {
			of = 1
		}
		low[of].plus(p.Low)
		all[of].plus(p.Low)
		all[of].plus(p.Else)
	}
	if low[0].Warned > 0 || all[0].HeldWarned < all[0].Warned || low[1].Warned < 100 ||
		all[1].HeldWarned > .65*all[1].Warned {
		t.Errorf("below .9: %+v, all: %+v\n%s", low, all, r.Table())
	}
}

// Releases are made and read: two with little noise, which are not warned of, and two with much, some of whose answers
// are.
func TestCoverRare(t *testing.T) {
	if testing.Short() {
		t.Skip("simulated releases: some seconds")
	}
	for eps, warned := range map[float64]bool{40: false, .1: true} {
		p, err := CoverRare(t.Context(), Fixed{"small", 800, eps, false}, 2, 3)
		if err != nil {
			t.Fatal(err)
		}
		all := p.Low
		all.plus(p.Else)
		if p.Questions != 22 || all.Asked != 44 || (all.Warned > 0) != warned || all.Warned > 22 || all.Held < 22 {
			t.Errorf("ε = %v: %+v", eps, p)
		}
	}
}
