package counts_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func ExampleGeometric() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no", "none")}}
	sh, _ := model.NewShape(s, model.Categorical("answer"), 1000, true, "")
	p, _ := counts.Geometric().Plan(context.Background(), sh, dp.PureDP(1))
	fmt.Println(p.Certified())
	e, _ := p.ExpectedError()
	fmt.Printf("expected error of a proportion: %.4f\n", e)
	// Output:
	// ε = 1, replace-one, unit: "person", sampling: exact
	// expected error of a proportion: 0.0019
}

// Noise that keeps the total has a smaller error than noise on every count, at the same guarantee.
func ExampleKNorm() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no", "none")}}
	sh, _ := model.NewShape(s, model.Categorical("answer"), 1000, true, "")
	for _, m := range []mechanism.Mechanism{counts.KNorm(), counts.Geometric(), counts.Laplace()} {
		p, _ := m.Plan(context.Background(), sh, dp.PureDP(1))
		e, _ := p.ExpectedError()
		fmt.Printf("%s: %.5f\n", p.Certified().Parameters, e)
	}
	// Output:
	// ε = 1: 0.00122
	// ε = 1: 0.00192
	// ε = 1: 0.00200
}

func ExampleLaplace() {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 1000, true, "")
	p, _ := counts.Laplace().Plan(context.Background(), sh, dp.AsPublished(0.5))
	fmt.Println(p.Setting("noise"))
	// Output: Laplace of scale 1/γ = 4 records, on a grid of 1/65536
}
