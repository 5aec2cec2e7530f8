package coverage_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/papers/study/coverage"
)

func ExampleRun() {
	r, err := coverage.Run(context.Background(),
		coverage.Options{Problems: coverage.Problems()[:1], Epsilons: []float64{0.1, 1}, Runs: 500, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range r.Curves[0].Points {
		fmt.Printf("ε = %-3g  naive %.2f, noise-aware %.2f\n", p.Epsilon, p.Naive, p.Aware)
	}
	// Output:
	// ε = 0.1  naive 0.48, noise-aware 0.95
	// ε = 1    naive 0.91, noise-aware 0.95
}

func ExampleCommitted() {
	r, err := coverage.Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	f := r.Figure()
	fmt.Println(f.Title, len(f.Panels), "panels")
	fmt.Println(strings.ReplaceAll(f.Caption, "; ", "\n"))
	// Output:
	// Coverage of 95 % credible intervals 5 panels
	// ε-DP, replace-one
	// parameters from the uniform prior, 4000 draws of parameters, data and noise a point, standard error 0.0034
	// simulated data, seed 2026
}

func ExampleResult_Only() {
	r, err := coverage.Committed()
	if err != nil {
		fmt.Println(err)
		return
	}
	one, err := r.Only("Beta, n = 50")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(one.Figure().Panels), "panel")
	_, err = r.Only("Beta")
	fmt.Println(strings.ReplaceAll(err.Error(), `", "`, "\",\n\""))
	// Output:
	// 1 panel
	// coverage: Only = Beta; want one of "Beta, n = 50",
	// "Beta, n = 1000",
	// "Dirichlet, d = 4, n = 200",
	// "naive Bayes, n = 100, class",
	// "naive Bayes, n = 100, feature given class"
}

func ExampleResult_Beside() {
	live, err := coverage.Run(context.Background(),
		coverage.Options{Problems: coverage.Problems()[:1], Epsilons: []float64{1}, Runs: 200, Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(live.Beside())
	// Output:
	// Coverage of 95 % credible intervals: live and committed
	// model         ε  run        draws  noise ignored  noise-aware  standard error
	// ------------  -  ---------  -----  -------------  -----------  --------------
	// Beta, n = 50  1  live         200           0.94        0.985         0.01541
	// Beta, n = 50  1  committed   4000          0.915       0.9515        0.003446
	// Regenerate: go test ./papers/study/coverage -run TestFull -write
	//  <nil>
}
