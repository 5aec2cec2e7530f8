package gridmap_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/gridmap"
	"github.com/privbayes/privbayes-go/privbayes/model"
)

func ExampleNew() {
	s := &frame.Schema{Dataset: "coins", Columns: []frame.Column{frame.Categorical("side", "heads", "tails")}}
	sh, _ := model.NewShape(s, model.Binary("side"), 50, true, "")
	p, err := gridmap.New().Plan(context.Background(), sh, dp.PureDP(1))
	fmt.Println(p.Certified(), err)
	fmt.Println(p.Setting("grid"))
	// Output:
	// ε = 1, replace-one, unit: "person", sampling: exact <nil>
	// multiples of 1/20, at least 1 of them per level; up to 19 candidates
}
