package structure_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/structure"
)

// What the full study says of one setting.
func ExampleCommitted() {
	r, err := structure.Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	adult := r.Find(structure.Setting{Set: "adult", Epsilon: 1})
	fmt.Printf("Adult, (1, 1e-9): distance of pairs %.3f of %d rows\n", adult.TV[1].Mean, adult.Rows)
	// Output: Adult, (1, 1e-9): distance of pairs 0.027 of 32561 rows
}

// One release of a setting of one's own, judged.
func ExampleReleases() {
	ctx := context.Background()
	set, err := structure.Load(ctx, "votes")
	if err != nil {
		fmt.Println(err)
		return
	}
	scorer, err := structure.NewScorer(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	setting := structure.Setting{Set: "votes", ZCDP: true, ReplaceOne: true, Epsilon: 1}
	releases, err := structure.NewReleases(ctx, set, scorer, setting.Model().MaxCells(2000).Always(), setting.Target())
	if err != nil {
		fmt.Println(err)
		return
	}
	trial, err := releases.Try(ctx, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s, %s: distance of pairs below 0.1: %v\n", set.Name, setting.Guarantee(), trial.TV[1] < .1)
	// Output: votes, ρ = 1, replace-one: distance of pairs below 0.1: true
}
