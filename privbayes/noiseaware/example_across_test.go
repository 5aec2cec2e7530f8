package noiseaware_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// towns releases how many of 60 live in a town, by vote.
func towns() *noiseaware.Posterior {
	s := &frame.Schema{Dataset: "survey",
		Columns: []frame.Column{frame.Categorical("vote", "left", "right"), frame.Categorical("town", "yes", "no")}}
	sh, _ := model.NewShape(s, model.NaiveBayes("vote"), 60, true, "")
	plan, _ := counts.Geometric().Plan(context.Background(), sh, dp.PureDP(1))
	st, _ := model.FromCounts(sh, [][]int64{{24, 6, 9, 21}})
	drawn, _ := plan.Draw(context.Background(), st, "0123456789abcdef", dp.Seeded(1))
	r, _ := release.New(context.Background(), plan, drawn)
	p, _ := noiseaware.Of(r)
	return p
}

func ExamplePosterior_ByClass() {
	list, err := towns().ByClass("town", "yes")
	for _, q := range list {
		fmt.Printf("P(%s) of %s: %.2f\n", q.Label, q.Name, q.Law().Mean())
	}
	fmt.Println(err)
	// Output:
	// P(yes) of town | vote = left: 0.82
	// P(yes) of town | vote = right: 0.31
	// <nil>
}

func ExamplePosterior_ByFeature() {
	list, err := towns().ByFeature("left", "yes")
	for _, q := range list {
		fmt.Printf("P(%s) of %s: %.2f\n", q.Label, q.Name, q.Law().Mean())
	}
	fmt.Println(err)
	// Output:
	// P(yes) of town | vote = left: 0.82
	// <nil>
}

// ask releases how many of n answered yes, seven in ten of them.
func ask(n int, epsilon float64, seed uint64) (*noiseaware.Posterior, error) {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, err := model.NewShape(s, model.Binary("answer"), n, true, "")
	if err != nil {
		return nil, err
	}
	p, err := counts.Geometric().Plan(context.Background(), sh, dp.PureDP(epsilon))
	if err != nil {
		return nil, err
	}
	yes := int64(n) * 7 / 10
	st, err := model.FromCounts(sh, [][]int64{{yes, int64(n) - yes}})
	if err != nil {
		return nil, err
	}
	d, err := p.Draw(context.Background(), st, "0123456789abcdef", dp.Seeded(seed))
	if err != nil {
		return nil, err
	}
	r, err := release.New(context.Background(), p, d)
	if err != nil {
		return nil, err
	}
	return noiseaware.Of(r)
}

func ExampleRepeat() {
	truth := noiseaware.Truth{Name: "all who were asked", Level: "yes", Value: 0.7}
	r, err := noiseaware.SimulateCoverage(100, truth, func(seed uint64) (*noiseaware.Posterior, error) {
		return ask(100, 0.1, seed)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r)
	// Output:
	// 95 % credible intervals of 100 releases
	// interval     hold the truth  share  standard error  mean width
	// -----------  --------------  -----  --------------  ----------
	// naive                    64   0.64           0.048      0.1739
	// noise-aware              99   0.99         0.00995      0.5302
	// The truth is 0.7.
	// Geometric noise on counts, 0.1-DP, replace-one, "survey", n = 100; seeded: not private
}

func ExampleCompareWidths() {
	n := map[string]int{"100 people": 100, "10 000 people": 10000}
	w, err := noiseaware.CompareWidths([]string{"100 people", "10 000 people"}, []float64{0.1, 1},
		func(name string, epsilon float64) (*noiseaware.Posterior, error) { return ask(n[name], epsilon, 1) })
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(w)
	// Output:
	// How many times as wide the interval should be
	// release            n  ε = 0.1  ε = 1
	// -------------  -----  -------  -----
	// 100 people       100    3.034  1.044
	// 10 000 people  10000    1.047      1
	// Width of the noise-aware 95 % interval over that of the naive one, for the target's first level.
	// Geometric noise on counts, replace-one; seeded: not private
}
