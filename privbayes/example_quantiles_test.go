package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func ExampleQuantiles() {
	wages := privbayes.ReadFrame(data.CPS1988())
	r, err := wages.Model(privbayes.Quantiles("wage", .1, .5, .9)).
		Privatize(privbayes.JointQuantiles(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	fmt.Println(r.Summary(), err)
	// Output:
	// Quantiles of wage
	//   p   wage
	// ---  -----
	// 0.1  180.7
	// 0.5  522.5
	// 0.9   1069
	// As released: how far a rank may be off stands among the plan's expected errors.
	//  <nil>
}

func ExampleQuantileEM() {
	wages := privbayes.ReadFrame(data.CPS1988())
	median := wages.Model(privbayes.Quantiles("wage", .5))
	p, err := median.Plan(privbayes.QuantileEM(), privbayes.PureDP(.1))
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(p.Certified())
	fmt.Printf("%s: %.2g\n", p.Expected()[0].Name, p.Expected()[0].Value)
	// Output:
	// 0.1-DP, replace-one, unit: "person", arithmetic: exact
	// rank error, share of n, 95 % bound: 0.008
}
