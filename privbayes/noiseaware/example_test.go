package noiseaware_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/frame"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// survey releases how many of 100 answered yes: 70 in truth.
func survey(m mechanism.Mechanism, epsilon float64) *release.Release {
	s := &frame.Schema{Dataset: "survey", Columns: []frame.Column{frame.Categorical("answer", "yes", "no")}}
	sh, _ := model.NewShape(s, model.Binary("answer"), 100, true, "")
	p, _ := m.Plan(context.Background(), sh, dp.PureDP(epsilon))
	st, _ := model.FromCounts(sh, [][]int64{{70, 30}})
	d, _ := p.Draw(context.Background(), st, "0123456789abcdef", dp.Seeded(4))
	r, _ := release.New(context.Background(), p, d)
	return r
}

// An interval that ignores the noise misses the truth, 0.7: NoiseIgnored shows it for comparison.
func ExampleOf() {
	p, err := noiseaware.Of(survey(counts.Geometric(), 0.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output:
	// Posterior given the noisy counts: binary posterior of "answer"
	// of      level  mean    sd         95 %
	// ------  -----  ----  ----  -----------
	// answer  yes    0.49  0.14  0.20 – 0.78
	// answer  no     0.51  0.14  0.22 – 0.80
	// The intervals include the noise of the release. Counts add up to the public n = 100. Tails of probability at most 2e-25 are left out.
	// Geometric noise on counts, ε = 0.1, replace-one, "survey", n = 100; seeded: not private
}

func ExamplePosterior_NoiseIgnored() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	fmt.Println(p.NoiseIgnored())
	// Output:
	// Posterior given the noisy counts: binary posterior of "answer"
	// of      level  mean    sd         95 %  noise ignored: mean  noise ignored: 95 %  width ratio
	// ------  -----  ----  ----  -----------  -------------------  -------------------  -----------
	// answer  yes    0.49  0.14  0.20 – 0.78                 0.49          0.39 – 0.59        3.046
	// answer  no     0.51  0.14  0.22 – 0.80                 0.51          0.41 – 0.61        3.046
	// The intervals include the noise of the release. Counts add up to the public n = 100. Tails of probability at most 2e-25 are left out.
	// noise ignored: the posterior as if the released estimates were the counts.
	// Geometric noise on counts, ε = 0.1, replace-one, "survey", n = 100; seeded: not private
}

func ExampleParameter_Law() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	yes, _ := p.Parameter("answer", "yes")
	law := yes.Law()
	fmt.Printf("mean %.4f, sd %.4f, P(θ > ½) = %.4f\n", law.Mean(), law.SD(), 1-law.CDF(0.5))
	l, u := law.CredibleInterval(0.9)
	fmt.Printf("90 %%: %.4f … %.4f\n", l, u)
	l, u = yes.Naive.CredibleInterval(0.9)
	fmt.Printf("noise ignored: %.4f … %.4f\n", l, u)
	// Output:
	// mean 0.4905, sd 0.1388, P(θ > ½) = 0.4652
	// 90 %: 0.2587 … 0.7231
	// noise ignored: 0.4095 … 0.5717
}

func ExampleParameter_Density() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	yes, _ := p.Parameter("answer", "yes")
	d := yes.Density(5)
	for i, x := range d.X {
		fmt.Printf("%.3f  %7.4f  %7.4f\n", x, d.Naive[i], d.Aware[i])
	}
	// Output:
	// 0.102   0.0000   0.1100
	// 0.301   0.0032   0.8523
	// 0.500   7.8995   3.5349
	// 0.699   0.0007   0.7019
	// 0.897   0.0000   0.0906
}

func ExamplePosterior_CSV() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	text, err := p.CSV(0.8)
	fmt.Print(text, err)
	// Output:
	// of,level,naive_mean,naive_lower,naive_upper,mean,sd,lower,upper
	// answer,yes,0.4905154330069969,0.4272220258837479,0.5538896109926654,0.4905154330069971,0.13877679686954145,0.3226467744389689,0.6584760529715581
	// answer,no,0.509484566993003,0.4461103890073345,0.572777974116252,0.509484566993003,0.13877679686954147,0.34152394702844197,0.6773532255610311
	// <nil>
}

func ExamplePosterior_Summary() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	rows, _ := p.Summary(0.8)
	for _, r := range rows {
		fmt.Printf("%-3s  %.3f … %.3f, noise ignored %.3f … %.3f\n", r.Label, r.Lower, r.Upper, r.NaiveLower,
			r.NaiveUpper)
	}
	_, err := p.Summary(95)
	fmt.Println(err)
	// Output:
	// yes  0.323 … 0.658, noise ignored 0.427 … 0.554
	// no   0.342 … 0.677, noise ignored 0.446 … 0.573
	// noiseaware: level = 95; want a level of intervals above 0 and below 1
}

func ExamplePosterior_Choose() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	list, _ := p.Choose("answer", "no")
	for _, r := range noiseaware.Summaries(list, 0.8) {
		fmt.Printf("%s: %.3f … %.3f\n", r.Label, r.Lower, r.Upper)
	}
	_, err := p.Choose("answer", "perhaps")
	fmt.Println(err)
	// Output:
	// no: 0.342 … 0.677
	// noiseaware: level of answer = "perhaps"; want one of "yes", "no"
}

func ExamplePosterior_Predict() {
	s := &frame.Schema{Dataset: "survey",
		Columns: []frame.Column{frame.Categorical("vote", "left", "right"), frame.Categorical("town", "yes", "no")}}
	sh, _ := model.NewShape(s, model.NaiveBayes("vote"), 60, true, "")
	plan, _ := counts.Geometric().Plan(context.Background(), sh, dp.PureDP(0.2))
	st, _ := model.FromCounts(sh, [][]int64{{24, 6, 9, 21}})
	drawn, _ := plan.Draw(context.Background(), st, "0123456789abcdef", dp.Seeded(1))
	r, _ := release.New(context.Background(), plan, drawn)
	x, _ := frame.Read(context.Background(), strings.NewReader("vote,town\nleft,yes\nleft,no\n"), "new records", s)
	p, err := noiseaware.Of(r)
	if err != nil {
		fmt.Println(err)
		return
	}
	naive, _ := r.Predict(x)
	aware, err := p.Predict(x)
	for i, town := range []string{"yes", "no"} {
		fmt.Printf("town %-3s  P(left): noise-aware %.2f, noise ignored %.2f\n", town, aware[i][0], naive[i][0])
	}
	fmt.Println(err)
	// Output:
	// town yes  P(left): noise-aware 0.63, noise ignored 0.60
	// town no   P(left): noise-aware 0.23, noise ignored 0.22
	// <nil>
}

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
	// interval       contain the truth  share  standard error  mean width
	// -------------  -----------------  -----  --------------  ----------
	// noise-aware                   99   0.99         0.00995      0.5302
	// noise ignored                 64   0.64           0.048      0.1739
	// The truth is 0.7.
	// Geometric noise on counts, ε = 0.1, replace-one, "survey", n = 100; seeded: not private
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
	// Width of the noise-aware 95 % interval over that with the noise ignored, for the target's first level.
	// Geometric noise on counts, replace-one; seeded: not private
}

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

// Any number that a network has can be asked for. With the noise ignored the noisy counts are taken for the data. Of the ratio
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
		fmt.Printf("%s %.2g (noise ignored %.1g wide, noise-aware %.1g wide)\n", center, r.Mean, r.NaiveUpper-r.NaiveLower,
			r.Upper-r.Lower)
	}
	fmt.Println(err)
	// Output:
	// mean 0.43 (noise ignored 0.2 wide, noise-aware 0.3 wide)
	// mean 0.24 (noise ignored 0.3 wide, noise-aware 0.3 wide)
	// median 2.3 (noise ignored 2 wide, noise-aware 3 wide)
	// mean 1.2 (noise ignored 1 wide, noise-aware 2 wide)
	// mean 1.6e+02 (noise ignored 1e+02 wide, noise-aware 1e+02 wide)
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
