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
	// No interval was asked for: WithIntervals() draws its ends, too.
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
	// ε = 0.1, replace-one, unit: "person", sampling: exact
	// rank error, share of n, 95 % bound: 0.008
}

// The counts are chosen by n and ε before anything is drawn: few intervals where both are small, a tree where not.
func ExampleHistogramQuantiles() {
	wages := privbayes.ReadFrame(data.CPS1988())
	quartiles := wages.Model(privbayes.Quantiles("wage", .25, .5, .75))
	for _, epsilon := range []float64{.01, 1} {
		p, err := quartiles.Plan(privbayes.HistogramQuantiles(), privbayes.PureDP(epsilon))
		if err != nil {
			fmt.Println(err)
		}
		e := p.Expected()[0]
		fmt.Printf("ε = %v: %s\n%s: %.2g\n", epsilon, p.Setting("counts"), e.Name, e.Value)
	}
	r, err := quartiles.Privatize(privbayes.HistogramQuantiles(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	fmt.Println(r.Summary(), err)
	// Output:
	// ε = 0.01: a histogram of 33 intervals
	// rank error, share of n, root mean square: 0.028
	// ε = 1: a tree of 2049 intervals, 3 levels, 13 children a node
	// rank error, share of n, root mean square: 0.00076
	// Estimates of the 3 quantiles of "wage"
	//       estimate  population: 95 %     rows: 95 %
	// ----  --------  ----------------  -------------
	// 0.25     307.6     300.3 – 310.1  300.3 – 310.1
	//  0.5     517.6     515.1 – 524.9  515.1 – 524.9
	// 0.75     786.1     778.8 – 798.3  778.8 – 788.6
	// The intervals include the noise of the release: the quantiles whose ranks the noisy counts do not reject.
	// Of the population: the rows are taken as an independent sample of it.
	//  <nil>
}

func ExampleQuantileInterval() {
	wages := privbayes.ReadFrame(data.CPS1988())
	median, err := wages.Model(privbayes.Quantiles("wage", .5)).Shape()
	if err != nil {
		fmt.Println(err)
	}
	const epsilon = .1
	low, high, err := privbayes.QuantileInterval(median, .5, epsilon, .05)
	fmt.Println(low, high, err)
	r, err := wages.Model(privbayes.Quantiles("wage", low, high)).
		Privatize(privbayes.QuantileEM(), privbayes.PureDP(epsilon), privbayes.Seeded(1)).Release()
	ends := r.Draws().Mean()
	fmt.Printf("the median lies between %.0f and %.0f (%v)\n", ends[0], ends[1], err)
	// Output:
	// 0.482 0.518 <nil>
	// the median lies between 503 and 537 (<nil>)
}
