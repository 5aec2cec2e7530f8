package truncatednet_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/internal/truncatednet"
)

// Sixteen binary features, 50 records, one draw at ε = 5: the floor that holds for any n, what it costs when n is
// known, and what the paper's floor would really cost.
func ExampleNaive_Epsilon() {
	states := make([]int, 17)
	for i := range states {
		states[i] = 2
	}
	m := truncatednet.Naive{Features: 16, Records: 50, Alpha: 1}
	any, _ := truncatednet.Floors(5, states, 1)
	known, _ := m.Epsilon(any[0], 1)
	paper, _ := truncatednet.Nominal(5, 2)
	truth, _ := m.Epsilon(paper, 1)
	fmt.Printf("any n %.4f with true ε %.2f, paper %.4f with true ε %.2f\n", any[0], known, paper, truth)
	// Output:
	// any n 0.4633 with true ε 4.03, paper 0.0821 with true ε 73.77
}

func ExampleNominal() {
	_, err := truncatednet.Nominal(1, 2)
	fmt.Println(err)
	// Output:
	// truncatednet: floor 0.6065306597126334 leaves no probabilities for 2 states; want 0 < floor < 0.5
}
