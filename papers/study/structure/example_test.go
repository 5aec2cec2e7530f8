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

// One trial with constants of one's own: fits after every second round only.
func ExampleLoop() {
	ctx := context.Background()
	set, err := structure.Load(ctx, "votes")
	if err != nil {
		fmt.Println(err)
		return
	}
	judge, err := structure.NewJudge(set)
	if err != nil {
		fmt.Println(err)
		return
	}
	loop := structure.Default(false, false)
	loop.Batch = 2
	trial, err := loop.Try(ctx, set, judge, 1, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: distance of pairs below 0.1: %v\n", set.Name, trial.TV[1] < .1)
	// Output: votes: distance of pairs below 0.1: true
}
