package program_test

import (
	"context"
	"fmt"
	"os"

	"github.com/privbayes/privbayes-go/privbayes/audit"
	"github.com/privbayes/privbayes-go/privbayes/audit/program"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/dp/finite"
)

// A program that states the law of randomised response at ε = 1 is audited against a claim of ε = 0.5. What it said
// counts when it has ended as the protocol wants.
func Example() {
	_ = os.Setenv(variable, "good") // this test binary is the program here
	defer func() { _ = os.Unsetenv(variable) }()
	ctx, space := context.Background(), finite.Space{Cells: 2, N: 4}
	p, err := program.Start(ctx, []string{os.Args[0]}, program.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	law, err := p.Law(ctx, space)
	if err != nil {
		fmt.Println(err)
		return
	}
	v, err := audit.Run(ctx, audit.Subject{Name: "response", Mechanism: law, Space: space, Claim: dp.PureDP(0.5).Parameters})
	if err == nil {
		err = p.Close()
	}
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("exact ε = %.4g, claimed %v, holds: %v\n", v.Exact.Epsilon, v.Claim, v.Holds())
	// Output: exact ε = 1, claimed ε = 0.5, holds: false
}

// A mechanism in Go is a program to audit, too: this is all of its main function.
func ExampleServe() {
	law := audit.FromFunc(2, func(x []int) []float64 {
		if x[0] > 0 {
			return []float64{0.25, 0.75}
		}
		return []float64{0.5, 0.5}
	})
	if err := program.Serve(os.Stdin, os.Stdout, program.Speaker{Law: law}); err != nil {
		fmt.Println(err)
	}
	// Output: privbayes-audit 1 law 2
}
