package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

// PrivBayes as published, to compare with: the paper's formulas at ε = 3 and what they spend.
func ExamplePrivBayes() {
	votes := privbayes.ReadFrame(data.Votes())
	m := privbayes.PrivBayes().Degree(1).Scored(privbayes.ByDistance).Of("Class", "V3", "V4", "V5", "V12")
	r, err := votes.Learn(m).Privatize(privbayes.Laplace(), privbayes.AsPublished(3), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Plan().Certified().Parameters, "for a nominal", r.Plan().Target().Parameters)
	fmt.Println(r.Plan().Setting("choices"))
	for _, e := range r.Structure().Edges {
		fmt.Println(e[0], "→", e[1])
	}
	// Output:
	// ε = 3 for a nominal ε = 3
	// 4 by the exponential mechanism, score R, 0.225 each of ε
	// Class → V4
	// V4 → V5
	// Class → V12
	// V4 → V3
}
