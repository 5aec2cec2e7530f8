package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/frame"
)

// Which mechanism for the share of yes among 1000 answers, and how large an ε for an error of half a percent? No data is needed.
func ExampleAdvise() {
	s := &privbayes.Schema{Dataset: "survey", Columns: []privbayes.Column{frame.Categorical("answer", "yes", "no")}}
	sh, err := privbayes.NewShape(s, privbayes.Binary("answer"), 1000)
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := privbayes.Advise(sh, privbayes.PureDP(.1), privbayes.PureDP(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	best, _ := a.Best(1)
	fmt.Printf("%s (%s): %.2g by %s\n", best.Mechanism, best.Choice, best.Error, best.How)
	epsilon, ok := a.LevelFor(.005)
	fmt.Printf("error 0.005 near ε = %.1g: %v\n", epsilon, ok)
	// Output:
	// K-norm: sum-zero geometric noise on counts (project): 0.00085 by exact enumeration
	// error 0.005 near ε = 0.2: true
}
