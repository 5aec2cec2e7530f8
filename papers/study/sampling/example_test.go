package sampling_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/sampling"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func ExampleSamples() {
	b, _ := sampling.Samples(.1, .05)
	fmt.Printf("printed %.1f, necessary %.1f, two points need %d\n", b.Paper, b.Necessary, b.TwoPoint)
	// Output: printed 22.5, necessary 664.6, two points need 1083
}

func ExamplePlay() {
	c, err := sampling.BetaContest(10, 5, 1, 1, .05, .95) // six or five ones of ten bits
	if err != nil {
		fmt.Println(err)
		return
	}
	rounds, _ := sampling.Play(context.Background(), c, dp.Seeded(1),
		sampling.PlayOptions{Samples: []int{1, 10}, Trials: 2000})
	for _, r := range rounds {
		fmt.Printf("N = %d: error %.2f, nobody below %.2f\n", r.Samples, r.Error.Value(), r.Floor.Floor)
	}
	// Output:
	// N = 1: error 0.40, nobody below 0.35
	// N = 10: error 0.16, nobody below 0.09
}

func ExampleContest_OptimalError() {
	c, _ := sampling.TwoPointContest(1)
	for _, n := range []int{1, 11} {
		fmt.Printf("N = %d: %.4f\n", n, c.OptimalError(n))
	}
	// Output:
	// N = 1: 0.2689
	// N = 11: 0.0481
}

func ExampleFigure1() {
	_, numbers, _ := sampling.Figure1(false, 5, 20)
	fmt.Print(numbers)
	// Output:
	// Figure 1, uniform prior
	//    Δ  levels  L uniform  paper's L      L0       c     E ℓ  least L0 + 1/c
	// ----  ------  ---------  ---------  ------  ------  ------  --------------
	//  0.2       2      1.386      1.609  0.4055  0.7067  0.8959           1.386
	// 0.05      10      2.944      2.996       0  0.2694   1.204            1.55
}
