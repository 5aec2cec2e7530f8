package learnednetworks_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/learnednetworks"
)

// Effects of edges that are there by chance: the interval of the one that was chosen does not know that it was.
func ExampleCommitted() {
	r, err := learnednetworks.Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Points {
		if p.Learner == "tree" && p.Records == 10000 && p.Epsilon == 3 {
			fmt.Printf("%s: %.2f\n", p.Population, p.Of[learnednetworks.Differences].Aware)
		}
	}
	// Output:
	// strong: 0.94
	// weak: 0.95
	// independent: 0.65
	// three levels: 0.94
}
