package noiseaware_test

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

// ward is a network of smoking and illness, and a publisher's noisy counts of it: two-sided geometric noise of scale 4.
func ward() (*noiseaware.NetworkPosterior, error) {
	two := []string{"no", "yes"}
	dag, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "smoke", States: two}, {Name: "ill", States: two,
		Parents: []string{"smoke"}}})
	if err != nil {
		return nil, err
	}
	counts := noiseaware.NoisyTable{Columns: []string{"smoke", "ill"}, Counts: []int64{103, 22, 41, 30},
		Noise: noiseaware.StatedGeometric(.25)}
	return noiseaware.FromNoisyCounts(context.Background(), dag, 1, []noiseaware.NoisyTable{counts}, noiseaware.PublicN(200))
}

// Any number that a network has can be asked for. The naive interval takes the noisy counts for the data. Of the ratio
// the row has the median: its mean need not exist.
func ExampleNetworkPosterior_Answers() {
	p, err := ward()
	if err != nil {
		fmt.Println(err)
		return
	}
	ill := noiseaware.Event{"ill": "yes"}
	a := noiseaware.Probability(ill, noiseaware.Event{"smoke": "yes"})
	b := noiseaware.Probability(ill, noiseaware.Event{"smoke": "no"})
	answers, err := p.Answers(context.Background(), a, noiseaware.Difference(a, b), noiseaware.Ratio(a, b),
		noiseaware.OddsRatio(a, b).Log().Named("log odds ratio"),
		noiseaware.Function("ill smokers of 1000", func(net *bayesnet.Net) float64 { return 1000 * net.Prob(0, 0)[1] * net.Prob(1, 1)[1] }))
	if err != nil {
		fmt.Println(err)
		return
	}
	rows, err := answers.Rows(.95)
	for _, r := range rows {
		center := "mean"
		if r.Median {
			center = "median"
		}
		fmt.Printf("%s %.2g (naive %.1g wide, noise-aware %.1g wide)\n", center, r.Mean, r.NaiveUpper-r.NaiveLower,
			r.Upper-r.Lower)
	}
	fmt.Println(err)
	// Output:
	// mean 0.43 (naive 0.2 wide, noise-aware 0.3 wide)
	// mean 0.24 (naive 0.3 wide, noise-aware 0.3 wide)
	// median 2.3 (naive 2 wide, noise-aware 3 wide)
	// mean 1.2 (naive 1 wide, noise-aware 2 wide)
	// mean 1.6e+02 (naive 1e+02 wide, noise-aware 1e+02 wide)
	// <nil>
}

// The class of one record: how probable each level is, and how well that is known.
func ExampleNetworkPosterior_Classify() {
	p, err := ward()
	if err != nil {
		fmt.Println(err)
		return
	}
	c, err := p.Classify(context.Background(), "smoke", noiseaware.Event{"ill": "yes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	low, high := c.Answers.List[1].CredibleInterval(.95)
	fmt.Printf("%s: %.2f; the network's share lies between %.1f and %.1f\n", c.Best(), c.Predictive[1], low, high)
	_, err = p.Classify(context.Background(), "smoke", noiseaware.Event{"ill": "maybe"})
	fmt.Println(err)
	// Output:
	// yes: 0.57; the network's share lies between 0.4 and 0.7
	// bayesnet: node "ill": level: maybe; want one of "no", "yes"
}

// A question also has a number for one network, such as the truth of a simulation.
func ExampleQuestion_Of() {
	q := noiseaware.Probability(noiseaware.Event{"lung": "yes"}, noiseaware.Event{"xray": "yes"}, noiseaware.Event{"smoke": "no"})
	p, err := q.Of(bayesnet.Asia())
	fmt.Printf("%s = %.3f %v\n", q, p, err)
	// Output: P(lung = yes | smoke = no, xray = yes) = 0.142 <nil>
}

// Edges shows how much is known of every edge; Dependence asks for one of them.
func ExampleNetworkPosterior_Edges() {
	p, err := ward()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := p.Answers(context.Background(), noiseaware.Dependence("smoke", "ill"))
	if err != nil {
		fmt.Println(err)
		return
	}
	low, high := a.List[0].CredibleInterval(.95)
	graph, err := p.Edges(context.Background())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f to %.1f bits; drawn as %q\n", low, high, graph.Weight)
	// Output: 0.004 to 0.1 bits; drawn as "dependence in bits (95 %)"
}

// Counts in the style of a census's noisy measurements: discrete Gaussian noise, one variance a table, a total that is
// exact. In the second table one cell was not asked for; the third is of another publisher, who adds Laplace noise,
// rounds, and shows nothing below 0.
func ExampleFromNoisyCounts() {
	dag, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "age", States: []string{"0-17", "18-64", "65+"}},
		{Name: "owner", States: []string{"no", "yes"}, Parents: []string{"age"}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := noiseaware.FromNoisyCounts(context.Background(), dag, 1, []noiseaware.NoisyTable{
		{Columns: []string{"age"}, Counts: []int64{61, 148, 52}, Noise: noiseaware.StatedGaussian(9.5)},
		{Columns: []string{"age", "owner"}, Counts: []int64{66, -3, 71, 80, 15, 33}, Noise: noiseaware.StatedGaussian(40),
			Measured: []bool{true, false, true, true, true, true}},
		{Columns: []string{"owner"}, Counts: []int64{155, 108}, Noise: noiseaware.StatedLaplace(5),
			Clamp: &noiseaware.Clamp{Low: 0, High: noiseaware.Unbounded}},
	}, noiseaware.PublicN(260))
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := p.Answers(context.Background(), noiseaware.Probability(noiseaware.Event{"owner": "yes"}, noiseaware.Event{"age": "65+"}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f ± %.1f\n", a.List[0].Mean(), a.List[0].SD())
	_, err = noiseaware.FromNoisyCounts(context.Background(), dag, 1, []noiseaware.NoisyTable{
		{Columns: []string{"owner"}, Counts: []int64{155, 9000}, Noise: noiseaware.StatedGeometric(.5)}}, noiseaware.PublicN(260))
	fmt.Println(err)
	// Output:
	// 0.6 ± 0.1
	// noiseaware: "owner": a noisy count of 9000 records of "owner" = "yes"; want numbers within the noise's reach of 0 to n = 260, probability at least 1e-30
}

// Twenty sets of five times the records, each of another draw, analysed one by one and combined.
func ExampleNetworkPosterior_SyntheticSets() {
	p, err := ward()
	if err != nil {
		fmt.Println(err)
		return
	}
	sets, err := p.SyntheticSets(0, 0)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sets.Len(), sets.Design())
	// Output: 20 {200 1000}
}
