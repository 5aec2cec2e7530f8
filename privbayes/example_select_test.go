package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/selection"
)

// Synthetic rows are published only if they are good enough: the first of five candidates that is.
func ExampleModel_Accept() {
	rules := selection.Rules{
		Criteria: selection.Criteria{}.CellsWithin(2, .1).MatchedShare(.5),
		Test:     selection.Test{Epsilon: .5, Wrong: .01},
		Stop:     selection.Stop{OneIn: 20, Most: 5},
	}
	votes := privbayes.ReadFrame(data.Votes()).Select("Class", "V3", "V4", "V12")
	plan, err := votes.Learn().Accept(rules).Plan(privbayes.Geometric(), privbayes.PureDP(3))
	if err != nil {
		fmt.Println(err)
		return
	}
	candidate := plan.Candidate().Certified()
	fmt.Printf("a candidate: ε = %.2f; the whole: ε = %.2f\n", candidate.Epsilon, plan.Certified().Epsilon)
	fmt.Printf("a candidate passes with a least slack of %d rows\n", plan.Limit())
	fmt.Printf("if each passes with .7, one is released with %.2f\n", plan.Rules().Stop.Chance(.7))
	out, err := votes.Learn().Accept(rules).Privatize(privbayes.Geometric(), privbayes.PureDP(3), privbayes.Seeded(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := out.Synthetic() // an error where none was accepted
	fmt.Println(rows.Len(), err)
	// Output:
	// a candidate: ε = 1.38; the whole: ε = 3.00
	// a candidate passes with a least slack of 9 rows
	// if each passes with .7, one is released with 0.91
	// 435 <nil>
}
