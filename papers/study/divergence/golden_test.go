package divergence

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/privbayes/privbayes-go/internal/num"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/dp"
)

func TestTailsGolden(t *testing.T) {
	for _, c := range load(t).Tails {
		p, d := shares(c.P), len(c.P)
		at := fmt.Sprintf("p = %v, β = %v, α = %v, η = %v: ", c.P, c.Beta, c.Alpha, c.Eta)
		bound, err := Theorem2(d, c.Beta, c.Alpha, c.Eta)
		var condition *ConditionError
		switch {
		case c.Theorem2 >= 0:
			near(t, at+"Theorem 2", must[float64](t)(bound, err), c.Theorem2, 1e-12)
		case !errors.As(err, &condition) || condition.Quantity != "beta" || !(condition.Least > c.Beta):
			t.Errorf("%serror %v, want a *ConditionError about beta", at, err)
		}
		near(t, at+"Theorem 2, exact W", must[float64](t)(Theorem2W(d, c.Beta, c.Alpha, c.Eta)), c.Theorem2W, 1e-11)
		near(t, at+"Theorem 2*", must[float64](t)(TheoremStar(d, c.Beta, c.Alpha, c.Eta)), c.Star, 1e-11)
		near(t, at+"Theorem 2*, simple", must[float64](t)(TheoremStarSimple(d, c.Beta, c.Alpha, c.Eta)), c.Simple,
			1e-11)
		near(t, at+"Chernoff", must[ChernoffBound](t)(Chernoff(p, c.Beta, c.Alpha, c.Eta)).Bound, c.Chernoff, 1e-9)
		tail := must[Tail](t)(ExactTail(p, c.Beta, c.Alpha, c.Eta))
		if c.Exact > 0 {
			near(t, at+"exact", tail.Probability, c.Exact, 1e-9)
		}
		if tail.RelativeError > 1e-8 {
			t.Errorf("%sstated error %g", at, tail.RelativeError)
		}
	}
}

// For two cells KL(p‖q) is a function of q₁ that falls up to q₁ = p₁ and rises from there: the tail is two beta
// probabilities.
func TestExactTailOfTwoCellsIsTheBetaLaw(t *testing.T) {
	for _, p := range []float64{0.22, 0.5, 0.9, 0.001} {
		for _, c := range []struct{ beta, alpha float64 }{{200, 1}, {2000, 40}, {10, .05}, {1, .5}, {1e5, 3}} {
			for _, eta := range []float64{1e-4, 1e-3, .01, .1, 1} {
				kl := func(q float64) float64 { return p*math.Log(p/q) + (1-p)*math.Log((1-p)/(1-q)) - eta }
				side := func(at func(float64) float64) float64 { // bisection in the logit of q
					lo, hi := 0.0, 740.0
					for range 200 {
						if mid := (lo + hi) / 2; kl(at(mid)) > 0 {
							hi = mid
						} else {
							lo = mid
						}
					}
					return at(hi)
				}
				logit := math.Log(p / (1 - p))
				below := side(func(x float64) float64 { q, _ := num.Logistic(logit - x); return q })
				above := 1 - side(func(x float64) float64 { q, _ := num.Logistic(logit + x); return q })
				a, b := c.beta*p+c.alpha, c.beta*(1-p)+c.alpha
				low, _ := num.BetaTails(a, b, below, 1-below)
				high, _ := num.BetaTails(b, a, above, 1-above)
				want := low + high
				if want < 1e-250 {
					continue
				}
				got := must[Tail](t)(ExactTail([]float64{p, 1 - p}, c.beta, c.alpha, eta))
				// the ends, being found in float64, know the tail to about 1e-15 of its logarithm's slope
				near(t, fmt.Sprintf("p = %v, %+v, η = %v", p, c, eta), got.Probability, want, 1e-9)
			}
		}
	}
}

func TestExactTailAtACornerIsOneHot(t *testing.T) {
	for _, d := range []int{2, 3, 10, 100} {
		for _, c := range []struct{ beta, alpha, eta float64 }{{500, 2, .05}, {5, .01, .2}, {50, 3, 2}, {1, 1, .5},
			{1e4, 20, .1}} {
			p := make([]float64, d)
			p[d-1] = 1
			want := must[float64](t)(OneHotTail(d, c.beta, c.alpha, c.eta))
			got := must[Tail](t)(ExactTail(p, c.beta, c.alpha, c.eta))
			if want > 1e-290 {
				near(t, fmt.Sprintf("d = %d, %+v", d, c), got.Probability, want, 1e-9)
			}
		}
	}
}

func TestRecordsGolden(t *testing.T) {
	rows := load(t).Records
	var cases []Case
	for _, c := range rows {
		cases = append(cases, Case{5, c.Epsilon, Goal{c.Cells, c.Eta, .05}, Calibration{"Algorithm 1", c.R, c.Alpha},
			Calibration{"best r", c.BestR, c.BestAlpha}})
	}
	got := must[*Comparison](t)(RecordsNeeded(cases))
	for i, c := range rows {
		n := got.Needs[i]
		for _, v := range []struct{ got, want, unit float64 }{ // the last digit given
			{n.Theorem2, c.Theorem2, 3e-5 * c.Theorem2}, {n.Star, c.Star, .1}, {n.OneHot, c.OneHot, .1},
			{n.BetterStar, c.Best, .1},
		} {
			near(t, fmt.Sprintf("d = %d, ε = %g, η = %g", c.Cells, c.Epsilon, c.Eta), v.got, v.want, v.unit/v.want)
		}
		if !(n.OneHot <= n.Star && n.Star <= n.Simple && n.Star <= n.Theorem2 && n.BetterStar <= n.Star) {
			t.Errorf("out of order: %+v", n)
		}
		// The goal is just met at the number of records, and just missed below it.
		for _, side := range []float64{-1e-6, 1e-6} {
			bound := must[float64](t)(TheoremStar(c.Cells, c.R*n.Star*(1+side), c.Alpha, c.Eta))
			if (bound <= .05) != (side > 0) {
				t.Errorf("Theorem 2* at %g of the records: %g", 1+side, bound)
			}
		}
	}
	if err := got.Figure.Validate(); err != nil {
		t.Error(err)
	}
	if twin := got.Figure.Table(); len(twin.Rows) != 4*len(rows) || len(got.Table.Rows) != len(rows) {
		t.Errorf("table of %d rows, twin of %d", len(got.Table.Rows), len(twin.Rows))
	}
}

func TestGainsGolden(t *testing.T) {
	for _, c := range load(t).Gains {
		g := must[*HistogramGains](t)(Gains("a histogram", c.Hist,
			[]Calibration{{"Algorithm 1", c.R, c.Alpha}, {"best", c.BestR, c.BestAlpha}}))
		near(t, "Algorithm 1", g.Gains[0].KL, c.EKL, 1e-11)
		near(t, "best", g.Gains[1].KL, c.BestEKL, 1e-7) // its parameters are given to eight digits
		near(t, "gain", g.Gains[1].Factor, c.EKL/c.BestEKL, 1e-7)
		records, entropy := 0.0, 0.0
		for i, p := range shares(c.Hist) {
			records += c.Hist[i]
			if p > 0 {
				entropy -= p * math.Log(p)
			}
		}
		near(t, "records", g.Records, records, 1e-15)
		near(t, "cross-entropy", g.Gains[0].LogLoss, g.Gains[0].KL+entropy, 1e-12)
		if !(g.Gains[0].Spread > 0 && g.Gains[0].Spread < 3*g.Gains[0].KL) {
			t.Errorf("spread %v of mean %v", g.Gains[0].Spread, g.Gains[0].KL)
		}
		if g.Gains[0].Factor != 1 || len(g.Table().Rows) != 2 {
			t.Errorf("%+v", g)
		}
	}
}

// counterexamples are cases below α = ½ where Theorem 2 as printed is false. p is uniform.
var counterexamples = []struct {
	d                 int
	beta, alpha, eta  float64
	printed, probably float64 // the bound, and a lower bound of the truth
}{
	{1000, 100, .01, 1, .092, .99},
	{2000, 200, .05, 1, .0085, .99},
	{50, 10, .01, 1, .788, .99},
	{100, 20, .001, 1, .621, .99},
}

// The printed bound is refuted by simulation at a false-alarm rate of 1e-9 each, and by the exact tail; the corrected
// theorems decline.
func TestTheorem2FailsBelowOneHalf(t *testing.T) {
	for i, c := range counterexamples {
		printed := must[float64](t)(PaperTheorem2(c.d, c.beta, c.alpha, c.eta))
		near(t, "printed bound", printed, c.printed, 1e-2)
		const draws = 400
		if k := exceed(uint64(100+i), draws, uniform(c.d), c.beta, c.alpha, c.eta); !refutes(k, draws, printed) {
			t.Errorf("%+v: %d of %d draws exceed η, which does not refute the bound %g", c, k, draws, printed)
		}
		if tail := must[Tail](t)(ExactTail(uniform(c.d), c.beta, c.alpha, c.eta)); tail.Probability < c.probably ||
			tail.RelativeError > 1e-6 {
			t.Errorf("%+v: exact tail %+v", c, tail)
		}
		for name, f := range map[string]func(int, float64, float64, float64) (float64, error){
			"Theorem2": Theorem2, "Theorem2W": Theorem2W, "TheoremStar": TheoremStar,
			"TheoremStarSimple": TheoremStarSimple,
		} {
			_, err := f(c.d, c.beta, c.alpha, c.eta)
			var condition *ConditionError
			if !errors.As(err, &condition) || condition.Quantity != "alpha" || condition.Value != c.alpha ||
				condition.Least != half {
				t.Errorf("%s: error %v, want a *ConditionError about alpha", name, err)
			}
		}
	}
}

// At α = ½ the same simulation finds nothing against any of the theorems: it does not refute everything.
func TestTheoremsStandAtOneHalf(t *testing.T) {
	for i, c := range []struct {
		p         []float64
		beta, eta float64
	}{{uniform(50), 60, 1}, {uniform(10), 30, .5}, {[]float64{1, 0, 0, 0}, 20, .25},
		{[]float64{.7, .3, 0, 0, 0}, 12, .6}} {
		const draws = 4000
		k := exceed(uint64(200+i), draws, c.p, c.beta, half, c.eta)
		for name, f := range map[string]func(int, float64, float64, float64) (float64, error){
			"Theorem2": Theorem2, "Theorem2W": Theorem2W, "TheoremStar": TheoremStar,
			"TheoremStarSimple": TheoremStarSimple,
		} {
			if bound := must[float64](t)(f(len(c.p), c.beta, half, c.eta)); refutes(k, draws, bound) {
				t.Errorf("%s: %d of %d draws against %g", name, k, draws, bound)
			}
		}
	}
	if !refutes(30, 30, .1) || refutes(5, 30, .1) {
		t.Error("the criterion has no power, or too much")
	}
}

func TestErrorsNameTheArgument(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	two := []float64{.5, .5}
	good := Calibration{"", 1, 5}
	one := func(_ any, err error) error { return err }
	for i, c := range []struct {
		err  error
		name string
	}{
		{one(Theorem2(1, 1, 1, 1)), "cells"},
		{one(Theorem2W(2, 0, 1, 1)), "beta"},
		{one(TheoremStar(2, 1, nan, 1)), "alpha"},
		{one(TheoremStarSimple(2, 1, 1, inf)), "eta"},
		{one(PaperTheorem2(2, -1, 1, 1)), "beta"},
		{one(OneHotTail(2, 1, 0, 1)), "alpha"},
		{one(Chernoff([]float64{.5, .6}, 1, 1, 1)), "p"},
		{one(Chernoff([]float64{1.5, -.5}, 1, 1, 1)), "p"},
		{one(ExactTail([]float64{1}, 1, 1, 1)), "p"},
		{one(ExactTail(two, inf, 1, 1)), "beta"},
		{one(ExactTail(two, 1, 1, 0)), "eta"},
		{one(RecordsTheorem2(Goal{2, .1, 1}, good)), "gamma"},
		{one(RecordsStar(Goal{1, .1, .1}, good)), "cells"},
		{one(RecordsSimple(Goal{2, 0, .1}, good)), "eta"},
		{one(RecordsOneHot(Goal{2, .1, .1}, Calibration{"", 0, 1})), "r"},
		{one(RecordsNeeded(nil)), "cases"},
		{one(RecordsNeeded([]Case{{Goal: Goal{2, .1, .1}, Paper: good, Better: Calibration{"", -1, 1}}})), "r"},
		{one(Gains("", []float64{1, -2}, []Calibration{good})), "counts[1]"},
		{one(Gains("", []float64{0, 0}, []Calibration{good})), "records"},
		{one(Gains("", []float64{1, 0}, nil)), "calibrations"},
		{one(Gains("", []float64{1, 0}, []Calibration{{"mine", 1, 0}})), "alpha of mine"},
	} {
		var p *ParameterError
		if !errors.As(c.err, &p) || p.Parameter != c.name || p.Error() == "" {
			t.Errorf("%d: error %v, want a *ParameterError about %s", i, c.err, c.name)
		}
	}
	for i, err := range []error{
		one(RecordsTheorem2(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsStar(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsSimple(Goal{2, .1, .1}, Calibration{"", 1, .4})),
		one(RecordsNeeded([]Case{{Goal: Goal{2, .1, .1}, Paper: Calibration{"", 1, .4}}})),
	} {
		var c *ConditionError
		if !errors.As(err, &c) || c.Quantity != "alpha" || c.Error() == "" {
			t.Errorf("%d: error %v, want a *ConditionError about alpha", i, err)
		}
	}
	if _, err := RecordsOneHot(Goal{2, .1, .1}, Calibration{"", 1, .4}); err != nil {
		t.Errorf("the one-hot need has no condition on alpha: %v", err)
	}
	if e := (&AccuracyError{.5, .1}).Error(); e == "" {
		t.Error("no message")
	}
}

// golden holds values of 30- and 45-digit arithmetic; −1 stands for a value that is not defined or not known.
type golden struct {
	Tails []struct {
		P                []float64
		Beta, Alpha, Eta float64
		Theorem2         float64 `json:"thm2"`
		Theorem2W        float64 `json:"thm2_w"`
		Star, Simple     float64
		Chernoff, Exact  float64
	}
	Records []struct {
		Cells                  int
		Epsilon, Eta, R, Alpha float64
		BestR                  float64 `json:"best_r"`
		BestAlpha              float64 `json:"best_alpha"`
		OneHot                 float64 `json:"one_hot"`
		Theorem2, Star, Best   float64
	}
	Gains []struct {
		Hist              []float64
		Epsilon, R, Alpha float64
		BestR             float64 `json:"best_r"`
		BestAlpha         float64 `json:"best_alpha"`
		EKL               float64 `json:"ekl"`
		BestEKL           float64 `json:"best_ekl"`
	}
}

func load(t testing.TB) (g golden) {
	t.Helper()
	raw, err := os.ReadFile("testdata/golden.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// must fails the test on an error; use as must[T](t)(f(x)).
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func near(t *testing.T, what string, got, want, tol float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tol*math.Abs(want)) {
		t.Errorf("%s = %.16g, want %.16g within %g", what, got, want, tol)
	}
}

// shares are the probabilities of a histogram.
func shares(hist []float64) []float64 {
	sum, p := 0.0, make([]float64, len(hist))
	for _, x := range hist {
		sum += x
	}
	for i, x := range hist {
		p[i] = x / sum
	}
	return p
}

func uniform(d int) []float64 {
	p := make([]float64, d)
	for i := range p {
		p[i] = 1 / float64(d)
	}
	return p
}

// exceed counts the draws of q ~ Dir(βp + α) with KL(p‖q) > η.
func exceed(seed uint64, draws int, p []float64, beta, alpha, eta float64) int {
	src := dp.Seeded(seed)
	u, logs := make([]float64, len(p)), make([]float64, len(p))
	for i, x := range p {
		u[i] = beta*x + alpha
	}
	over := 0
	for range draws {
		sample.LogDirichlet(src, u, logs)
		kl := 0.0
		for i, x := range p {
			if x > 0 {
				kl += x * (math.Log(x) - logs[i])
			}
		}
		if kl > eta {
			over++
		}
	}
	return over
}

// refutes reports whether k of n draws contradict Pr ≤ bound at a false-alarm rate of 1e-9: by Chernoff, if the bound
// holds, the probability of at least k is at most exp(−n·kl(k/n‖bound)).
func refutes(k, n int, bound float64) bool {
	share := float64(k) / float64(n)
	return share > bound && float64(n)*coins(share, 1-share, bound, 1-bound) > 9*math.Ln10
}

// sigmas is the allowed distance of a simulated share in standard errors: false alarms below 1e-9 per comparison.
const sigmas = 6.5

// The exact tail is that of simulated draws; of draws with β halved, which the same comparison must notice, it is not.
func TestExactTailAgreesWithSimulation(t *testing.T) {
	const draws = 60_000
	agrees := func(k int, p float64) bool {
		return math.Abs(float64(k)/draws-p) <= sigmas*math.Sqrt(p*(1-p)/draws)
	}
	for i, c := range []struct {
		p                []float64
		beta, alpha, eta float64
	}{
		{[]float64{.22, .78}, 200, 1, .01},
		{shares([]float64{11, 8, 65, 25, 38, 0}), 73.5, 3, .07},
		{shares([]float64{11, 8, 65, 25, 38, 0}), 30, .1, .15},
		{[]float64{1, 0, 0, 0, 0}, 50, 2, .15},
		{uniform(8), 5, .3, .8},
		{[]float64{.999, .001}, 20, .01, .05},
	} {
		tail := must[Tail](t)(ExactTail(c.p, c.beta, c.alpha, c.eta))
		if tail.Probability < .005 || tail.Probability > .995 {
			t.Errorf("%+v: tail %v: a simulation says little", c, tail)
		}
		if k := exceed(uint64(i), draws, c.p, c.beta, c.alpha, c.eta); !agrees(k, tail.Probability) {
			t.Errorf("%+v: exact %v, simulated %v", c, tail.Probability, float64(k)/draws)
		}
		if k := exceed(uint64(i+50), draws, c.p, c.beta/2, c.alpha, c.eta); agrees(k, tail.Probability) {
			t.Errorf("%+v: half of β goes unnoticed: exact %v, simulated %v", c, tail.Probability, float64(k)/draws)
		}
	}
}
