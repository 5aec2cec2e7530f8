package counts_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
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
	// 1-DP, replace-one, unit: person, arithmetic: exact
	// expected error of a proportion: 0.0019
}
