package maxent_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/maxent"
)

// Two noisy tables share the second variable; between the first and the third nothing was measured, and given the
// second they are independent.
func Example() {
	m, err := maxent.New([]int{2, 2, 2}, 100)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Add([]int{0, 1}, []float64{32, 9, 19, 41}, 4); err != nil {
		fmt.Println(err)
		return
	}
	if err := m.Add([]int{1, 2}, []float64{10, 40, 35, 13}, 4); err != nil {
		fmt.Println(err)
		return
	}
	if _, err := m.Fit(context.Background(), 300); err != nil {
		fmt.Println(err)
		return
	}
	pair, err := m.Pair(0, 2)
	fmt.Printf("%.3f %v\n", pair, err)
	// Output: [0.128 0.277 0.332 0.263] <nil>
}
