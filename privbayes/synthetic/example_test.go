package synthetic_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// Five sets of 5000 records for a table of 1000. Each gave an estimate and a squared standard error; they differ by
// more than sampling explains, which is the noise of the release.
func ExampleCombine() {
	c, err := synthetic.Combine(synthetic.Design{Records: 1000, Rows: 5000},
		synthetic.Estimate{Value: .42, Variance: .004}, synthetic.Estimate{Value: .17, Variance: .004},
		synthetic.Estimate{Value: .66, Variance: .004}, synthetic.Estimate{Value: .35, Variance: .004},
		synthetic.Estimate{Value: .51, Variance: .004})
	if err != nil {
		fmt.Println(err)
		return
	}
	low, high, err := c.Interval(.95)
	fmt.Printf("%.3f (%.3f to %.3f), p = %.3f %v\n", c.Value, low, high, c.P(0), err)
	_, err = synthetic.Combine(synthetic.Design{Records: 1000, Rows: 5000}, synthetic.Estimate{Value: .42, Variance: .004})
	fmt.Println(err)
	// Output:
	// 0.422 (-0.157 to 1.001), p = 0.106 <nil>
	// synthetic: the sets together: 1 set; want at least 2 for rule T_f: one set does not show how far its answer is from the private table's
}

// The older rules leave out what the sets differ by, or count their sampling twice. The naive interval of one set
// leaves out most.
func ExampleCombineBy() {
	d := synthetic.Design{Records: 1000, Rows: 5000}
	sets := []synthetic.Estimate{{Value: .42, Variance: .004}, {Value: .17, Variance: .004}, {Value: .66, Variance: .004}}
	for _, rule := range synthetic.Rules() {
		c, err := synthetic.CombineBy(rule, d, sets...)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%s: %.3f ± %.3f from b = %.4f, ū = %.4f\n", c.Rule, c.Value, c.SE(), c.Between, c.Within)
	}
	c, err := synthetic.CombineBy(synthetic.Naive, d, sets[0])
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%s: %.3f ± %.3f\n", c.Rule, c.Value, c.SE())
	// Output:
	// T_f: 0.417 ± 0.276 from b = 0.0600, ū = 0.0040
	// T_p: 0.417 ± 0.155 from b = 0.0600, ū = 0.0040
	// T_s: 0.417 ± 0.146 from b = 0.0600, ū = 0.0040
	// T_m: 0.417 ± 0.290 from b = 0.0600, ū = 0.0040
	// naive: 0.420 ± 0.063
}

// Sets of a posterior of one's own: of a share p of whom something was released. Here p given the release is a draw
// from a list; noiseaware.NetworkPosterior.SyntheticSets does all of this for a network.
func ExampleNew() {
	dag, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "answer", States: []string{"no", "yes"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	posterior := []float64{.28, .35, .31, .26, .33, .30}
	sets, err := synthetic.New(synthetic.Spec{Sets: len(posterior), Records: 200, Graph: dag, Title: "a share",
		Draw: func(set, rows int) (*frame.Frame, error) {
			net, err := bayesnet.NewNet(dag, [][]float64{{1 - posterior[set], posterior[set]}})
			if err != nil {
				return nil, err
			}
			return model.Simulate("answers", net, rows, dp.Seeded(uint64(set)))
		}})
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := sets.Estimates(context.Background(), synthetic.Share(synthetic.Level{Column: "answer", Level: "yes"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := synthetic.Combine(sets.Design(), list...)
	fmt.Printf("%d sets of %d: %.2f ± %.2f %v\n", sets.Len(), sets.Design().Rows, c.Value, math.Sqrt(c.Variance), err)

	folder, err := os.MkdirTemp("", "answers")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = os.RemoveAll(folder) }()
	fmt.Println(sets.Write(context.Background(), filepath.Join(folder, "sets")))
	// Output:
	// 6 sets of 1000: 0.31 ± 0.04 <nil>
	// <nil>
}
