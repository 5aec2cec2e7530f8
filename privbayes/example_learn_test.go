package privbayes_test

import (
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A table without a graph: the plan says before anything is drawn whether learning pays.
func ExampleFrame_Learn() {
	votes := privbayes.ReadFrame(data.Votes())
	for _, epsilon := range []float64{1, 10} {
		plan, err := votes.Learn(privbayes.Tree().Classifying("Class")).Plan(privbayes.Geometric(), privbayes.PureDP(epsilon))
		if err != nil {
			fmt.Println(err)
			return
		}
		helps, _, _ := strings.Cut(plan.Setting("decision"), ".")
		fmt.Printf("%s: %s\n", plan.Target().Parameters, helps)
	}
	r, err := votes.Learn(privbayes.Tree().Classifying("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(10), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	s := r.Structure()
	fmt.Println(len(s.Edges), "edges of", len(s.Columns), "columns,", s.Stops(), "stops")
	p, err := r.Model().Network().Given("Class", map[string]string{"V4": "n"})
	fmt.Printf("P(Class | V4 = n) = %.1f, %v\n", p, err)
	// Output:
	// ε = 1: No
	// ε = 10: Yes
	// 16 edges of 17 columns, 0 stops
	// P(Class | V4 = n) = [1.0 0.0], <nil>
}

// A public star in place of a learned structure; or triples of columns; or a public size to decide by, where the number
// of records is private.
func ExampleCliques() {
	votes := privbayes.ReadFrame(data.Votes())
	for _, m := range []privbayes.ModelSpec{
		privbayes.Tree().Star("Class").MaxCells(100),
		privbayes.Cliques(3).Of("Class", "V3", "V4", "V5").Always(),
		privbayes.MaxEntropy().Size(400),
	} {
		plan, err := votes.Model(m).Plan(privbayes.DiscreteGaussian(), privbayes.ZCDP(.5).Under(dp.AddRemove))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(m)
		fmt.Println(" ", plan.Setting("rounds 1"))
	}
	// Output:
	// public star about "Class"
	//   16 tables, discrete Gaussian, σ² = 20/1
	// learned cliques of up to 3 columns
	//   3 tables, discrete Gaussian, σ² = 6.429; each chosen by the exponential mechanism at x = 0.1974
	// maximum entropy over learned pairs
	//   34 tables, discrete Gaussian, σ² = 48.3; each chosen by the exponential mechanism at x = 0.05314
}
