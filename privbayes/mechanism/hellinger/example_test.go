package hellinger_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/hellinger"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

// coin is the public shape of n answers under the prior Beta(7, 4).
func coin(n int) *model.Shape {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer").WithPrior(7, 4), n, true, "")
	return sh
}

// The default mode at a target: κ is calibrated by enumeration, which beats the theorem.
func ExampleNew() {
	exact, _ := hellinger.New().Plan(context.Background(), coin(500), dp.PureDP(0.5))
	theorem, _ := hellinger.New().ByTheorem().Plan(context.Background(), coin(500), dp.PureDP(0.5))
	fmt.Println(exact.Certified().Parameters, exact.Setting("rate"))
	fmt.Println(theorem.Certified().Parameters, theorem.Setting("rate"))
	// Output:
	// ε = 0.4999 κ = 0.4568454 in exp(−κ·H/S)
	// ε = 0.5 κ = 0.24264069 in exp(−κ·H/S)
}

// The notes call the local mode non-private. For this prior it is private, and at their ε = 0.5 it spends less than
// that.
func ExampleExponential_Local() {
	p, _ := hellinger.New().Local().Plan(context.Background(), coin(500), dp.AsPublished(0.5))
	fmt.Println(p.StandardFormula().Level)
	fmt.Println(p.Certified())
	// Output:
	// not private: so the notes label it
	// ε = 0.376, replace-one, unit: "person", sampling: exact
}

func ExampleExponential_Smooth() {
	p, _ := hellinger.New().Smooth(hellinger.SizeNPlusOne).Plan(context.Background(), coin(500), dp.ApproxDP(0.5, 1e-5))
	fmt.Println(p.Certified().Parameters, "by", p.Setting("calibration"))
	// Output: ε = 0.5, δ = 1e-5 by Theorem C (κ = ε/3)
}

func ExampleExponential_PermuteAndFlip() {
	p, _ := hellinger.New().PermuteAndFlip().Plan(context.Background(), coin(100), dp.PureDP(1))
	fmt.Println(p.Title())
	fmt.Println(p.Certified().Satisfies(dp.PureDP(1).Parameters))
	// Output:
	// Hellinger permute-and-flip, reciprocal sensitivity (γ = 0.25)
	// true
}
