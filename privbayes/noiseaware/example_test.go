package noiseaware_test

import (
	"context"
	"fmt"

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
	r, _ := release.New(p, d)
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
	// Posterior given the noisy counts: binary posterior of answer
	// of      level  naive mean  naive 95 %        mean      sd  95 %             width ratio
	// ------  -----  ----------  --------------  ------  ------  ---------------  -----------
	// answer  yes        0.4905  0.3944 … 0.587  0.4905  0.1388  0.1981 … 0.7849        3.046
	// answer  no         0.5095  0.413 … 0.6056  0.5095  0.1388  0.2151 … 0.8019        3.046
	// naive: the posterior as if the released estimates were the counts. Counts add up to the public n = 100. Tails of probability at most 2e-25 are left out.
	// Geometric noise on counts, 0.1-DP, replace-one, survey, n = 100; seeded: not private
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
