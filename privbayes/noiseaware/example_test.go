package noiseaware_test

import (
	"context"
	"fmt"
	"strings"

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

// The naive interval leaves the noise out and misses the truth, 0.7.
func ExampleOf() {
	p, err := noiseaware.Of(survey(counts.Geometric(), 0.1))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(p)
	// Output:
	// Posterior given the noisy counts: binary posterior of "answer"
	// of      level  naive mean  naive 95 %        mean      sd  95 %             width ratio
	// ------  -----  ----------  --------------  ------  ------  ---------------  -----------
	// answer  yes        0.4905  0.3944 … 0.587  0.4905  0.1388  0.1981 … 0.7849        3.046
	// answer  no         0.5095  0.413 … 0.6056  0.5095  0.1388  0.2151 … 0.8019        3.046
	// naive: the posterior as if the released estimates were the counts. Counts add up to the public n = 100. Tails of probability at most 2e-25 are left out.
	// Geometric noise on counts, 0.1-DP, replace-one, "survey", n = 100; seeded: not private
}

func ExampleParameter_Law() {
	p, _ := noiseaware.Of(survey(counts.Geometric(), 0.1))
	yes, _ := p.Parameter("answer", "yes")
	law := yes.Law()
	fmt.Printf("mean %.4f, sd %.4f, P(θ > ½) = %.4f\n", law.Mean(), law.SD(), 1-law.CDF(0.5))
	l, u := law.CredibleInterval(0.9)
	fmt.Printf("90 %%: %.4f … %.4f\n", l, u)
	l, u = yes.Naive.CredibleInterval(0.9)
	fmt.Printf("naive: %.4f … %.4f\n", l, u)
	// Output:
	// mean 0.4905, sd 0.1388, P(θ > ½) = 0.4652
	// 90 %: 0.2587 … 0.7231
	// naive: 0.4095 … 0.5717
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
		fmt.Printf("%-3s  naive %.3f … %.3f, noise-aware %.3f … %.3f\n", r.Label, r.NaiveLower, r.NaiveUpper, r.Lower,
			r.Upper)
	}
	_, err := p.Summary(95)
	fmt.Println(err)
	// Output:
	// yes  naive 0.427 … 0.554, noise-aware 0.323 … 0.658
	// no   naive 0.446 … 0.573, noise-aware 0.342 … 0.677
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
		fmt.Printf("town %-3s  P(left): naive %.2f, noise-aware %.2f\n", town, naive[i][0], aware[i][0])
	}
	fmt.Println(err)
	// Output:
	// town yes  P(left): naive 0.60, noise-aware 0.63
	// town no   P(left): naive 0.22, noise-aware 0.23
	// <nil>
}
