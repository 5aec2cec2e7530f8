package utility_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/utility"
)

func ExampleClampedMean() {
	right, _ := utility.ClampedMean(50, 50, 2)
	fmt.Printf("mean %.1f, largest possible 50\n", right)
	// Output: mean 49.0, largest possible 50
}

func ExampleExpectedKL() {
	c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: 0, B: 2}
	m, _ := utility.ExpectedKL(c, 2, 0.25)
	claim, _ := utility.PaperRefined(c.Prior, 2, 0.25)
	fmt.Printf("mean %.4f, printed bound %.4f\n", m.Mean, claim)
	// Output: mean 0.0187, printed bound 0.0011
}

func ExamplePublicTail() {
	tail, _ := utility.PublicTail([]utility.Prior{{Alpha: 1, Beta: 1}, {Alpha: 1, Beta: 1}}, 20, 0.05)
	fmt.Printf("%.1f nats above the mean, for every data set\n", tail)
	// Output:
	// 124.5 nats above the mean, for every data set
}

func ExamplePublicRange() {
	p := utility.Prior{Alpha: 0.1, Beta: 0.1}
	c, _ := utility.PublicRange(p, 1)
	printed, _ := utility.PaperRange(utility.ProofForm, p, 1)
	fmt.Printf("range %.2f, printed %.2f\n", c, printed)
	// Output: range 10.00, printed 4.45
}
