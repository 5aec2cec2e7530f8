package bugs_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/bugs"
)

func ExampleFind() {
	b, err := bugs.Find("class-sum")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(b.Symptom)
	f, err := b.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(f.Table())
	// Output:
	// sensitivity upper − lower under add-remove: a record that comes or goes changes the sum by its whole value
	// Claimed and true privacy loss
	// version    claims  has    the checker says
	// ---------  ------  -----  ----------------
	// defective  ε = 1   ε = 5  REJECTED
	// right      ε = 1   ε = 1  holds
	// counterexample: counts [0 0 0] and [0 0 1], output 0
}

func ExampleAll() {
	for _, b := range bugs.All() {
		fmt.Println(b.ID)
	}
	// Output:
	// without-exp
	// bits-and-nats
	// permute-and-flip
	// dirichlet-shape
	// class-counts
	// class-sum
	// shrunk-noise
	// conditional-floor
	// normalised-score
	// one-direction
	// zero-sensitivity
	// free-edges
	// kept-refusal
	// until-positive
	// one-seed
	// spent-twice
	// redrawn
}

func ExampleRun() {
	_, figure, err := bugs.Run(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, row := range figure.Series[1].X {
		fmt.Printf("%s: not private at all, drawn at %g\n", figure.XTicks[int(row)], figure.Series[1].Y[i])
	}
	for i, row := range figure.Series[0].X {
		fmt.Printf("%s: %.4g times its claim\n", figure.XTicks[int(row)], figure.Series[0].Y[i])
	}
	// Output:
	// without-exp: not private at all, drawn at 3000
	// zero-sensitivity: not private at all, drawn at 3000
	// free-edges: not private at all, drawn at 3000
	// kept-refusal: not private at all, drawn at 3000
	// one-seed: not private at all, drawn at 3000
	// class-counts: 161.3 times its claim
	// redrawn: 5 times its claim
	// class-sum: 5 times its claim
	// dirichlet-shape: 3.329 times its claim
	// permute-and-flip: 2.71 times its claim
	// normalised-score: 2.008 times its claim
	// spent-twice: 2 times its claim
	// one-direction: 1.891 times its claim
	// bits-and-nats: 1.365 times its claim
	// until-positive: 1.209 times its claim
	// shrunk-noise: 1.115 times its claim
	// conditional-floor: 1.09 times its claim
}

func ExampleTable() {
	t := bugs.Table()
	fmt.Println(len(t.Rows), t.Columns)
	// Output:
	// 17 [bug mechanism symptom right version how it is caught]
}
