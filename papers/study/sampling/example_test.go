package sampling_test

import (
	"context"
	"fmt"
	"math"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study/sampling"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func ExampleFamily_Robustness() {
	f, err := sampling.NewGrid(5, false, 1) // θ in {.2, .4, .6, .8}, one bit
	if err != nil {
		fmt.Println(err)
		return
	}
	r, _ := f.Robustness(0, 1, f.Uniform())
	fmt.Print(r.Table())
	// Output:
	// Robustness of the posterior, Theorems 7 and 8
	// quantity           exact  paper   tight
	// ----------------  ------  -----  ------
	// KL, Assumption 1  0.4564  2.773  0.8731
	// KL, Assumption 2  0.4564  6.036   1.433
	// KL + reverse KL   0.9129  12.07   1.433
	// TV, Assumption 1     0.4  1.177     0.6
	// TV, Assumption 2     0.4  1.737  0.5627
	// log-ratio          1.386  2.773   2.773
	// Data sets at distance 1. Tight: κ(2Lρ), tanh(Lρ/2), C·E[ℓ]·ρ. The paper states Assumption 2 for c > 1.
}

func ExampleFamily_Randomised() {
	f, _ := sampling.NewGrid(20, true, 1)
	r, _ := f.Randomised(1.2, 0, 1)
	fmt.Printf("printed: 2L-private with probability at least %.2f; it is %v\n", r.PaperRate, r.Event)
	fmt.Printf("corrected: (%.3f, %.4f); exact δ %.4f\n", r.Epsilon, r.Delta, r.Exact)
	// Output:
	// printed: 2L-private with probability at least 0.56; it is 0
	// corrected: (2.400, 0.1523); exact δ 0.0054
}

func ExampleFixedBar() {
	fixed, _ := sampling.FixedBar(2, 100, .05)
	adaptive, _ := sampling.AdaptiveBar(2, 1000, 100, .05)
	fmt.Printf("one query %.3f, any of 1000 queries %.3f\n", fixed, adaptive)
	// Output: one query 0.245, any of 1000 queries 0.445
}

func ExampleSamples() {
	b, _ := sampling.Samples(.1, .05)
	fmt.Printf("printed %.1f, necessary %.1f, two points need %d\n", b.Paper, b.Necessary, b.TwoPoint)
	// Output: printed 22.5, necessary 664.6, two points need 1083
}

func ExampleKLFloor() {
	perSample := sampling.Kappa(2 * 0.5)
	e, _ := sampling.KLFloor(10 * perSample)
	fmt.Printf("10 samples: nobody errs less than %.3f\n", e)
	// Output: 10 samples: nobody errs less than 0.148
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
		e, _ := c.OptimalError(n)
		floor, _ := sampling.ErrorFloor(1, n)
		fmt.Printf("N = %d: %.4f, floor %.4f\n", n, e, floor.Floor)
	}
	// Output:
	// N = 1: 0.2689, floor 0.2689
	// N = 11: 0.0481, floor 0.0181
}

func ExampleRegret() {
	regret, bound, printed, _ := sampling.Regret([]float64{.5, .5}, []float64{.9, .1}, sampling.Utility{{1, 0}, {0, 1}})
	fmt.Printf("regret %.1f, bound %.1f, printed %.1f\n", regret, bound, printed)
	// Output: regret 0.8, bound 0.8, printed 1.6
}

func ExamplePriorShift() {
	s, _ := sampling.PriorShift(.5)
	fmt.Printf("E KL %.4f for %.1f printed; L1 %.4f\n", s.ExpectedKL, s.Paper, s.L1)
	// Output: E KL 0.1225 for 1.0 printed; L1 0.4898
}

func ExampleFamily_Minimax() {
	f, _ := sampling.NewGrid(5, false, 3)
	r, _ := f.Minimax(context.Background(), 1e-4)
	bound, _, _, _ := f.LeCam(1)
	fmt.Printf("Le Cam %.2f, minimax risk %.3f, without a coin %.2f\n", bound, (r.Lo+r.Hi)/2, r.Deterministic)
	// Output: Le Cam 0.41, minimax risk 0.619, without a coin 0.72
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

func ExampleFamily_Costs() {
	f, _ := sampling.NewGrid(5, false, 10)
	u := make(sampling.Utility, 4) // guess θ, scored 1 − |θ − guess|
	for i := range u {
		for r := range u {
			u[i] = append(u[i], 1-math.Abs(float64(i-r))/5)
		}
	}
	costs, err := f.Costs(context.Background(), u, []float64{math.Log(1.5), math.Log(4)}, []int{16, 64}, .05, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, numbers, _ := sampling.CostFigure(costs)
	fmt.Print(strings.ReplaceAll(numbers.String(), ". ", ".\n"))
	// Output:
	// Regret against L and N, Theorem 17
	//      L   N  ε exact    2LN  1 − ξ*(Θ_L)    regret   bound  with 1 − δ  printed
	// ------  --  -------  -----  -----------  --------  ------  ----------  -------
	// 0.4055  16    12.64  12.97          0.5   0.05177  0.7503      0.9846    2.679
	// 0.4055  64    50.55   51.9          0.5   0.04984  0.6251      0.9652     2.34
	//  1.386  16    42.93  44.36            0  0.004488  0.5005      0.7154   0.6791
	//  1.386  64    171.7  177.4            0  0.001102  0.2503      0.3577   0.3395
	// ε: N times the exact ε of one sample, data sets within distance 1.
	// Regret and bound: average over data and samples.
	// Printed: false per data set.
}

func ExampleGroupDelta() {
	d, _ := sampling.GroupDelta(math.Ln2, .1, 2)
	fmt.Printf("two edges: %.1f, not 0.2\n", d)
	// Output: two edges: 0.3, not 0.2
}

func ExampleEmpiricalRadius() {
	radius, _ := sampling.EmpiricalRadius(12, 1./16)
	tail, p, _ := sampling.WorstBinomialTail(12, radius)
	fmt.Printf("radius %.3f: exceeded with probability at most %.4f (p = %.4f), not 0.0625\n", radius, tail, p)
	// Output: radius 0.833: exceeded with probability at most 0.0063 (p = 0.4996), not 0.0625
}
