package posteriorsample_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/families"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/loss"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/posteriorsample"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func answers(n int) *model.Shape {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "no", "yes")}}
	sh, err := model.NewShape(s, model.Binary("answer"), n, true, "")
	if err != nil {
		panic(err)
	}
	return sh
}

func ExampleNew() {
	p, err := posteriorsample.New(10).Plan(context.Background(), answers(500), dp.ApproxDP(1, 1e-6))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Certified())
	fmt.Println(p.Setting("box"))
	fmt.Println(p.Setting("records that the posterior weighs"))
	// Output:
	// (1, 1e-06)-DP, replace-one, unit: "person", arithmetic: ideal
	// every probability ≥ 0.05
	// 122.1 of 500
}

func ExampleSample_ByDraws() {
	p, err := posteriorsample.New(1).ByDraws().Plan(context.Background(), answers(500), dp.ApproxDP(3, 1e-6))
	if err != nil {
		panic(err)
	}
	fmt.Println(p.Setting("draws N"))
	_, err = posteriorsample.New(1).ByDraws().Plan(context.Background(), answers(500), dp.PureDP(1))
	var unmet *mechanism.UnmetTarget
	fmt.Println(errors.As(err, &unmet), unmet.Certified)
	// Output:
	// 13, a list in the order drawn
	// true 5.85-DP
}

func ExamplePairOf() {
	f, err := families.NewTrimmedBeta(100, 1, 1, .05, .95)
	if err != nil {
		panic(err)
	}
	p, err := posteriorsample.PairOf("trimmed Beta–Bernoulli", f, 16)
	if err != nil {
		panic(err)
	}
	fmt.Printf("%s: pure ε = %.2f, ε = %.2f at δ = 1e-6\n", p, p.PureEpsilon(), loss.EpsilonFor(p, 1e-6))
	// Output:
	// 16 draws from trimmed Beta–Bernoulli: pure ε = 91.30, ε = 6.62 at δ = 1e-6
}
