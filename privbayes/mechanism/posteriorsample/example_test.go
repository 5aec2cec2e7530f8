package posteriorsample_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
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
	// ε = 1, δ = 1e-6, replace-one, unit: "person", sampling: floating point
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
	// true ε = 5.85
}
