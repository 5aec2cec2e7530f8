package utility_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study/utility"
)

// A naive Bayes network of 16 two-level features has 66 noisy counts; at ε = 1 their scale is b = 34.
func ExampleMaxNoiseBound() {
	p, err := utility.MaxNoiseBound(66, 34, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	half, _ := utility.HalfCellsBound(66, 34, 0.05)
	fails, _ := utility.ExceedProbability(66, 34, half)
	fmt.Printf("printed %.1f, exact %.1f records\n", p.Paper, p.Exact)
	fmt.Printf("with m in place of 2m: %.1f, exceeded with probability %.3f\n", half, fails)
	// Output:
	// printed 244.3, exact 243.4 records
	// with m in place of 2m: 220.7, exceeded with probability 0.095
}

func ExampleClampedMean() {
	right, _ := utility.ClampedMean(50, 50, 2)
	printed, _ := utility.PaperClampedMean(50, 50, 2)
	fmt.Printf("correct %.1f, printed %.1f, largest possible 50\n", right, printed)
	// Output: correct 49.0, printed 74.0, largest possible 50
}

func ExampleExpectedKL() {
	c := utility.Cell{Prior: utility.Prior{Alpha: 2, Beta: 2}, A: 0, B: 2}
	m, _ := utility.ExpectedKL(c, 2, 0.25)
	claim, _ := utility.PaperRefined(c.Prior, 2, 0.25)
	fmt.Printf("mean %.4f, printed bound %.4f\n", m.Mean, claim)
	// Output: mean 0.0187, printed bound 0.0011
}

func ExamplePosteriorLoss() {
	full := utility.Cell{Prior: utility.Prior{Alpha: 1, Beta: 1}, A: 20}
	empty := utility.Cell{Prior: utility.Prior{Alpha: 1, Beta: 1}}
	l, err := utility.PosteriorLoss([]utility.Cell{full, full, empty, full, empty}, 20, 6, 0.05)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(strings.ReplaceAll(l.String(), ". ", ".\n"))
	// Output:
	// Divergence of the released posterior (private: do not publish)
	// quantity                       nats
	// ----------------------------  -----
	// expected                      23.48
	// standard deviation            19.62
	// tail, McDiarmid               155.3
	// tail, Bernstein               147.9
	// tail, Cantelli                85.54
	// bound: expected + least tail    109
	// 5 cells, n = 20, b = 6, δ = 0.05.
	// These numbers depend on the exact counts: publishing them has no privacy guarantee at any ε.
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

func ExampleDirichletCornerMax() {
	c, _ := utility.DirichletCornerMax([]float64{1, 2, 0.5}, []float64{3, 0, 4}, 7)
	free, _ := utility.DirichletPublicRange([]float64{1, 2, 0.5}, 7)
	fmt.Printf("range %.2f; without data, at most %.2f\n", c, free)
	// Output:
	// range 13.30; without data, at most 40.92
}

func ExampleSmallestT() {
	t0, _ := utility.SmallestT(34)
	p, _ := utility.IncrementFailure(34, 0.5)
	fmt.Printf("t0 = %.4f; at t = 1/2 the increment is too small with probability %.3f\n", t0, p)
	// Output:
	// t0 = 0.4682; at t = 1/2 the increment is too small with probability 0.477
}

func ExampleIncrementQuantile() {
	printed, _ := utility.PaperIncrement(34, 1, 2.302585)
	tight, _ := utility.IncrementQuantile(34, 68, 0.1)
	fmt.Printf("printed %.0f, quantile %.0f records, for a joint table with probability 0.9\n", printed, tight)
	// Output:
	// printed 10647, quantile 2832 records, for a joint table with probability 0.9
}

func ExampleFourierTable() {
	e, _ := utility.FourierTable(34, 32, 2, 1, 0.05, 1)
	fmt.Printf("noise: printed %.0f, Parseval %.0f, exact sensitivity %.0f\n", e.PaperNoise, e.ParsevalNoise,
		e.ExactNoise)
	// Output:
	// noise: printed 1774, Parseval 596, exact sensitivity 561
}
