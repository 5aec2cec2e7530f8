package numbers_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/numbers"
)

// Forty intervals of a Poisson mean from fifty counts at ε = 1.
func ExampleRun() {
	r, err := numbers.Run(context.Background(), numbers.Options{Problems: []string{"Poisson mean"}, Sizes: []int{50},
		Epsilons: []float64{1}, Runs: 40, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	c := r.Curves[0].Cells[0]
	fmt.Printf("%.3f of %d, standard error %.3f\n", c.Coverage(), c.Runs, c.SE())
	// Output:
	// 0.975 of 40, standard error 0.034
}

func ExampleCommitted() {
	r, err := numbers.Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(r.Curves), "parameters, not as they should be:", len(r.Wrong()))
	// Output:
	// 11 parameters, not as they should be: 0
}
