package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
)

func ExampleTable() {
	workers := privbayes.ReadFrame(data.CPS1988())
	r, err := workers.Model(privbayes.Table("ethnicity", "region")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(r.Parts()[0]) // the layout; r.Summary() lists every cell
	// Output:
	// Shares of ethnicity × region
	// ethnicity  northeast            midwest              south                west                 total
	// ---------  -------------------  -------------------  -------------------  -------------------  -------------------
	// cauc       0.216 (0.211–0.221)  0.230 (0.225–0.235)  0.265 (0.260–0.271)  0.209 (0.205–0.214)  0.921 (0.918–0.924)
	// afam       0.013 (0.012–0.015)  0.013 (0.012–0.015)  0.046 (0.043–0.048)  0.007 (0.006–0.008)  0.079 (0.076–0.082)
	// total      0.229 (0.224–0.234)  0.244 (0.239–0.249)  0.311 (0.306–0.317)  0.216 (0.212–0.221)  1
	// In brackets: the 95 % interval of the population.
}
