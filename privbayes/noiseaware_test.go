package privbayes_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/privbayes/privbayes-go/data"
	"github.com/privbayes/privbayes-go/internal/must"
	"github.com/privbayes/privbayes-go/privbayes"
	"github.com/privbayes/privbayes-go/privbayes/cert"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/eval"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
)

func ExamplePrivatized_NoiseAware() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(a)
	// Output:
	// Posterior given the noisy counts: binary posterior of "Class"
	// of     level        mean     sd           95 %
	// -----  ----------  -----  -----  -------------
	// Class  democrat    0.613  0.040  0.532 – 0.693
	// Class  republican  0.387  0.040  0.307 – 0.468
	// The intervals include the noise of the release. Counts add up to the public n = 435. Tails of probability at most 2e-25 are left out.
	// Geometric noise on counts, ε = 0.1, replace-one, "votes", n = 435; seeded: not private
}

func ExampleNoiseAware() {
	release, _ := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).Release()
	a, err := privbayes.NoiseAware(release)
	if err != nil {
		fmt.Println(err)
		return
	}
	list, err := a.Choose("V3 | Class = democrat")
	for _, r := range noiseaware.Summaries(list, 0.95) {
		fmt.Printf("%s: %.2f … %.2f, noise ignored %.2f … %.2f\n", r.Label, r.Lower, r.Upper, r.NaiveLower,
			r.NaiveUpper)
	}
	fmt.Println(err)
	// Output:
	// n: 0.01 … 0.36, noise ignored 0.10 … 0.19
	// y: 0.48 … 0.94, noise ignored 0.68 … 0.79
	// unrecorded: 0.01 … 0.33, noise ignored 0.08 … 0.16
	// <nil>
}

func ExampleNoiseAware_probabilities() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Print(a.Probabilities())
	// Output:
	// Posterior given the noisy counts: naive Bayes of "Class"
	// of                       level        mean     sd           95 %
	// -----------------------  ----------  -----  -----  -------------
	// Class                    democrat    0.559  0.083  0.395 – 0.720
	// Class                    republican  0.441  0.083  0.280 – 0.605
	// V3 | Class = democrat    n           0.099  0.063  0.006 – 0.244
	// V3 | Class = democrat    y           0.823  0.082  0.637 – 0.957
	// V3 | Class = democrat    unrecorded  0.078  0.055  0.004 – 0.213
	// V3 | Class = republican  n            0.75   0.12    0.48 – 0.94
	// V3 | Class = republican  y            0.17   0.10    0.01 – 0.40
	// V3 | Class = republican  unrecorded  0.080  0.065  0.004 – 0.245
	// The intervals include the noise of the release. Counts add up to the public n = 435. Tails of probability at most 2e-25 are left out. The class totals are latent too, and shared by all features.
	// Geometric noise on counts, ε = 0.1, replace-one, "votes", n = 435; seeded: not private
}

func ExampleNoiseAware_law() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(privbayes.KNorm(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	democrat, _ := a.Parameter("Class", "democrat")
	fmt.Printf("P(more democrats than republicans) = %.3f\n", 1-democrat.Law().CDF(0.5))
	// Output:
	// P(more democrats than republicans) = 0.994
}

func ExampleNoiseAware_choose() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = a.Choose("V3")
	fmt.Println(err)
	list, _ := a.Choose("V3 | Class = republican", "y", "n")
	for _, q := range list {
		fmt.Printf("%s: mean %.2f, sd %.2f\n", q.Label, q.Law().Mean(), q.Law().SD())
	}
	// Output:
	// noiseaware: distribution = "V3"; want one of "Class", "V3 | Class = democrat", "V3 | Class = republican", "V4 | Class = democrat", "V4 | Class = republican"
	// y: mean 0.34, sd 0.21
	// n: mean 0.44, sd 0.23
}

func ExampleNoiseAware_unsupported() {
	m := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class"))
	_, err := m.Privatize(privbayes.Hellinger(), privbayes.PureDP(1), privbayes.Seeded(1)).NoiseAware()
	fmt.Println(err)
	_, err = m.Privatize(privbayes.Geometric(), privbayes.PureDP(-1)).NoiseAware()
	fmt.Println(err)
	// Output:
	// privbayes: NoiseAware: noiseaware: Hellinger exponential mechanism, reciprocal sensitivity (γ = 0.25), binary posterior of "Class": this mechanism is not supported; want integer noise on counts: Geometric(), DiscreteGaussian(), Laplace(), KNorm(), BySize() or Fourier()
	// privbayes: Privatize: dp: epsilon = -1; want a finite number > 0
}

func ExampleNoiseAware_intervals() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := a.Intervals()
	fmt.Println(f, err)
	// Output:
	// Class: means and 95 % intervals
	// quantity    series         probability    from      to
	// ----------  -------------  -----------  ------  ------
	// democrat    noise-aware         0.6133  0.5325   0.693
	// democrat    noise ignored       0.6133  0.5672  0.6584
	// republican  noise-aware         0.3867   0.307  0.4675
	// republican  noise ignored       0.3867  0.3416  0.4328
	// Geometric noise on counts, ε = 0.1, replace-one, "votes", n = 435; seeded: not private
	//  <nil>
}

func ExampleNoiseAware_densities() {
	a, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	f, err := a.Densities()
	for _, s := range f.Series {
		top := 0
		for i, y := range s.Y {
			if y > s.Y[top] {
				top = i
			}
		}
		fmt.Printf("%s: highest at %.2f, %.1f\n", s.Name, s.X[top], s.Y[top])
	}
	fmt.Println(f.XLabel, err)
	// Output:
	// noise-aware: highest at 0.61, 11.3
	// noise ignored: highest at 0.61, 17.1
	// share of democrat in Class <nil>
}

func ExampleNoiseAware_predict() {
	train, test := privbayes.ReadFrame(data.Votes()).Split(0.7, 1)
	p := train.Model(privbayes.NaiveBayes("Class")).Privatize(privbayes.Geometric(), privbayes.PureDP(0.3),
		privbayes.Seeded(1))
	release, _ := p.Release()
	labels, _ := release.Model().Labels(test.Data())
	naive, _ := release.Predict(test.Data())
	posterior, err := p.NoiseAware()
	if err != nil {
		fmt.Println(err)
		return
	}
	aware, err := posterior.Predict(test.Data())
	a, _ := eval.Score(naive, labels, release.Model().Target().Labels)
	b, _ := eval.Score(aware, labels, release.Model().Target().Labels)
	n := float64(len(labels))
	fmt.Printf("log-likelihood of the test classes: noise-aware %.2f, noise ignored %.2f %v\n", -n*b.CrossEntropy,
		-n*a.CrossEntropy, err)
	// Output:
	// log-likelihood of the test classes: noise-aware -31.61, noise ignored -32.55 <nil>
}

// Releases without a noise-aware posterior say so, with typed errors that name the step.
func TestNoiseAwareRefusals(t *testing.T) {
	votes := func() *privbayes.Frame { return privbayes.ReadFrame(data.Votes()) }
	for name, p := range map[string]*privbayes.Privatized{
		"Hellinger": votes().Model(privbayes.Binary("Class")).Privatize(privbayes.Hellinger(),
			privbayes.PureDP(1), privbayes.Seeded(1)),
		"Dirichlet": votes().Model(privbayes.Binary("Class")).Privatize(privbayes.Dirichlet(),
			privbayes.ApproxDP(1, 1e-6), privbayes.Seeded(1)),
		"synthetic records": votes().Model(privbayes.Binary("Class")).Privatize(privbayes.SyntheticRecords(50),
			privbayes.ApproxDP(1, 1e-6), privbayes.Seeded(1)),
	} {
		if err := p.Err(); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		a, err := p.NoiseAware()
		var u *noiseaware.UnsupportedError
		var s *privbayes.StepError
		if a != nil || !errors.As(err, &u) || !errors.As(err, &s) || s.Step != "NoiseAware" || u.Want == "" {
			t.Errorf("%s: %v", name, err)
		}
		if err != nil && !strings.Contains(err.Error(), "not supported") {
			t.Errorf("%s: says %q", name, err)
		}
	}
}

// Releases whose tables share columns, or whose tables are read from parities or with several laws of noise, have
// posteriors from draws, and say so.
func TestNoiseAwareOfDraws(t *testing.T) {
	votes := func() *privbayes.Frame { return privbayes.ReadFrame(data.Votes()) }
	two := privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("V3", "Class"), privbayes.Node("V4", "V3"))
	for name, p := range map[string]*privbayes.Privatized{
		"Fourier": votes().Model(privbayes.NaiveBayes("Class", "V3")).Privatize(privbayes.Fourier(),
			privbayes.PureDP(1), privbayes.Seeded(1)),
		"by size": votes().Model(two).Privatize(privbayes.BySize(), privbayes.PureDP(1), privbayes.Seeded(1)),
		"network": votes().Model(two).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1)),
		"network, projected": votes().Model(two).Privatize(privbayes.Consistent(), privbayes.PureDP(1),
			privbayes.Seeded(1)),
	} {
		a, err := p.NoiseAware()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		rows, err := a.Summary(.95)
		if err != nil || !strings.Contains(a.String(), "Markov chains") {
			t.Errorf("%s: %v\n%s", name, err, a)
		}
		naive, aware := map[string]float64{}, map[string]float64{}
		for _, r := range rows {
			naive[r.Of], aware[r.Of] = naive[r.Of]+r.NaiveMean, aware[r.Of]+r.Mean
			if !(r.Lower < r.Mean && r.Mean < r.Upper) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		for of, sum := range aware {
			if math.Abs(sum-1) > 1e-9 || math.Abs(naive[of]-1) > 1e-9 {
				t.Errorf("%s: %s adds up to %g, naive %g", name, of, sum, naive[of])
			}
		}
		probs, err := a.Predict(votes().Data())
		if err != nil || len(probs) != 435 || math.Abs(probs[7][0]+probs[7][1]-1) > 1e-9 {
			t.Errorf("%s: %v", name, err)
		}
		net, err := a.Network(t.Context())
		if err != nil || net.Len() != 2000 && net.Len() != 4000 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The first error of a chain reaches the posterior.
func TestNoiseAwareCarriesErrors(t *testing.T) {
	var none *privbayes.Privatized
	for i, of := range []func(...privbayes.Option) (*noiseaware.Posterior, error){
		none.NoiseAware, new(privbayes.Privatized).NoiseAware,
		func(...privbayes.Option) (*noiseaware.Posterior, error) { return privbayes.NoiseAware(nil) },
	} {
		var s *privbayes.StepError
		if a, err := of(); a != nil || !errors.As(err, &s) {
			t.Errorf("call %d: %v", i, err)
		}
	}
	a := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).Privatize(privbayes.Geometric(),
		privbayes.PureDP(1), privbayes.Seeded(1)).NoiseAware())(t)
	var p *dp.ParameterError
	if _, err := a.Choose("V1"); !errors.As(err, &p) {
		t.Errorf("V1: %v", err)
	}
}

// The posterior reads the raw integers, so what the release made of them does not matter: also least squares on naive
// Bayes.
func TestNoiseAwareIgnoresPostProcessing(t *testing.T) {
	m := privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4"))
	of := func(mech privbayes.Mechanism) []noiseaware.Parameter {
		a := must.Get(m.Privatize(mech, privbayes.PureDP(0.5), privbayes.Seeded(3)).NoiseAware())(t)
		return must.Get(a.Choose(""))(t)
	}
	want, got := of(privbayes.Geometric()), of(privbayes.Consistent())
	if a, b := got[0].Law().Mean(), want[0].Law().Mean(); math.Abs(a-b) > 1e-11 {
		t.Errorf("mean %v after least squares, %v before", a, b)
	}
	if a, b := got[0].Naive.Mean(), want[0].Naive.Mean(); math.Abs(a-b) < 1e-3 {
		t.Errorf("the naive means agree, %v: the case shows nothing", a)
	}
}

// Figures can be drawn, hold the summary's numbers, and name what their parameters share.
func TestNoiseAwareFigures(t *testing.T) {
	a := must.Get(privbayes.ReadFrame(data.Votes()).Model(privbayes.NaiveBayes("Class", "V3", "V4")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.5), privbayes.Seeded(3)).NoiseAware())(t)
	rows := must.Get(a.Summary(0.95))(t)
	all := a.Parameters()
	if tb := a.Probabilities(); len(tb.Rows) != len(all) {
		t.Errorf("table of %d parameters: %v", len(all), tb)
	}
	f := must.Get(a.Intervals(all...))(t)
	for i, r := range rows {
		if m := f.Rows[i].Marks; m[0] != (figure.Mark{At: r.Mean, From: r.Lower, To: r.Upper}) ||
			m[1].From != r.NaiveLower {
			t.Errorf("row %d: %v is not %v", i, f.Rows[i], r)
		}
	}
	others := must.Get(a.ByFeature("republican", all[2].Label))(t)
	elsewhere := others[len(others)-1]
	for _, c := range []struct {
		params []noiseaware.Parameter
		label  string
		tick   string
	}{{all[:2], "Class", all[0].Label}, {[]noiseaware.Parameter{all[2], all[5]}, "P(V3 = n), given", "democrat"},
		{[]noiseaware.Parameter{all[2], elsewhere}, "P(" + all[2].Label + ")", all[2].Name}, {all[1:3], "distribution and level", all[1].Name + ": " + all[1].Label}} {
		f, err := a.Intervals(c.params...)
		if err != nil || !strings.HasPrefix(f.Title, c.label+":") || f.Rows[0].Name != c.tick {
			t.Errorf("%q, %v, %v", f.Title, f.Rows, err)
		}
	}
	if f, err := a.Densities(all[1:3]...); err != nil || len(f.Series) != 4 || !f.Series[1].Dashed || f.Private {
		t.Errorf("%d series, %v", len(f.Series), err)
	}
}

// A posterior takes as long as its context allows, tells of its chains, and refuses options of a draw.
func TestNoiseAwareUnderAContext(t *testing.T) {
	two := privbayes.Network("Class", privbayes.Node("Class"), privbayes.Node("V3", "Class"), privbayes.Node("V4", "Class"))
	p := privbayes.ReadFrame(data.Votes()).Model(two).Privatize(privbayes.Geometric(), privbayes.PureDP(1), privbayes.Seeded(1))
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	var s *privbayes.StepError
	if a, err := p.NoiseAware(privbayes.WithContext(ended)); a != nil || !errors.Is(err, context.Canceled) ||
		!errors.As(err, &s) || s.Step != "NoiseAware" {
		t.Errorf("ended: %v", err)
	}
	told := 0
	a, err := p.NoiseAware(privbayes.WithContext(cert.WithProgress(context.Background(), func(done, total int64) {
		if told++; done < 0 || done > total {
			t.Errorf("%d of %d", done, total)
		}
	})))
	if err != nil || told == 0 || a == nil {
		t.Errorf("told %d times: %v", told, err)
	}
	var d *dp.ParameterError
	for _, o := range []privbayes.Option{privbayes.Seeded(1), privbayes.KeepIn("x.json")} {
		if a, err := p.NoiseAware(o); a != nil || !errors.As(err, &d) {
			t.Errorf("an option of a draw: %v", err)
		}
	}
}

func ExampleNoiseAware_context() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	r, err := privbayes.ReadFrame(data.Votes()).Model(privbayes.Binary("Class")).
		Privatize(privbayes.Geometric(), privbayes.PureDP(0.1), privbayes.Seeded(1)).Release()
	if err != nil {
		fmt.Println(err)
		return
	}
	a, err := privbayes.NoiseAware(r, privbayes.WithContext(ctx))
	if err != nil {
		fmt.Println(err)
		return
	}
	lower, upper := a.Parameters()[0].Law().CredibleInterval(.95)
	fmt.Printf("%s: %.2f … %.2f\n", a.Parameters()[0].Label, lower, upper)
	// Output:
	// democrat: 0.53 … 0.69
}
