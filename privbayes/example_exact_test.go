package privbayes_test

import (
	"fmt"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

// A synthetic table whose counts are the released network's, rounded: no error of drawing comes on top.
func ExampleRelease_SynthesizeExact() {
	r, err := privbayes.ReadFrame(data.Votes()).
		Model(privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("V4", "Class"))).
		Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := r.Model().Network().Given("Class", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.SynthesizeExact(1000, dp.Seeded(1))
	if err != nil {
		fmt.Println(err)
		return
	}
	counts, err := f.Counts("Class")
	fmt.Printf("%.4f %v %v\n", p, counts, err)
	// Output: [0.6074 0.3926] [608 392] <nil>
}
