package noiseaware

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// clinic is a chain age → smoke → ill with a side branch, at n = 400 and ε = 1.
var clinic = sync.OnceValues(func() (*NetworkPosterior, error) {
	return OfNetwork(context.Background(), clinicRelease)
})

var clinicRelease *release.Release

func clinicNet(t testing.TB) *bayesnet.Net {
	t.Helper()
	two := []string{"no", "yes"}
	d, err := bayesnet.NewDAG([]bayesnet.Node{
		{Name: "age", States: []string{"young", "old", "older"}}, {Name: "smoke", States: two, Parents: []string{"age"}},
		{Name: "ill", States: two, Parents: []string{"smoke"}},
	})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.5, .3, .2}, {.7, .3, .5, .5, .8, .2}, {.8, .2, .5, .5}})
	must(t, err)
	return net
}

func theClinic(t testing.TB) *NetworkPosterior {
	t.Helper()
	if clinicRelease == nil {
		clinicRelease = drawn(t, counts.Geometric(), clinicNet(t), 400, dp.PureDP(1), false)
	}
	p, err := clinic()
	must(t, err)
	return p
}

// joint is the probability of records that meet f, by a sum over all of them.
func joint(net *bayesnet.Net, f func(x []int) bool) (sum float64) {
	x := make([]int, 3)
	for x[0] = range 3 {
		for x[1] = range 2 {
			for x[2] = range 2 {
				if l, _ := net.LogProb(x); f(x) {
					sum += math.Exp(l)
				}
			}
		}
	}
	return sum
}

// Every form of question, on every draw, is what a sum over all records says.
func TestQuestionsBySums(t *testing.T) {
	p := theClinic(t)
	ill, smoke, old := Event{"ill": "yes"}, Event{"smoke": "yes"}, Event{"age": "old"}
	given := func(of, given func(x []int) bool) func(*bayesnet.Net) float64 {
		return func(net *bayesnet.Net) float64 {
			return joint(net, func(x []int) bool { return of(x) && given(x) }) / joint(net, given)
		}
	}
	isIll, smokes := func(x []int) bool { return x[2] == 1 }, func(x []int) bool { return x[1] == 1 }
	isOld, all := func(x []int) bool { return x[0] == 1 }, func([]int) bool { return true }
	no := func(x []int) bool { return x[1] == 0 }
	a, b := Probability(ill, smoke), Probability(ill, Event{"smoke": "no"})
	fa, fb := given(isIll, smokes), given(isIll, no)
	for name, c := range map[string]struct {
		q    *Question
		want func(*bayesnet.Net) float64
	}{
		"margin":       {Probability(ill), given(isIll, all)},
		"conditional":  {a, fa},
		"against time": {Probability(old, ill), given(isOld, isIll)},
		"two given": {Probability(smoke, ill, old), given(smokes, func(x []int) bool {
			return isIll(x) && isOld(x)
		})},
		"joint": {Probability(Event{"ill": "yes", "smoke": "yes"}), given(func(x []int) bool {
			return isIll(x) && smokes(x)
		}, all)},
		"joint given": {Probability(Event{"ill": "yes", "smoke": "yes"}, old), given(func(x []int) bool {
			return isIll(x) && smokes(x)
		}, isOld)},
		"difference": {Difference(a, b), func(n *bayesnet.Net) float64 { return fa(n) - fb(n) }},
		"ratio":      {Ratio(a, b), func(n *bayesnet.Net) float64 { return fa(n) / fb(n) }},
		"odds ratio": {OddsRatio(a, b), func(n *bayesnet.Net) float64 {
			return fa(n) / (1 - fa(n)) / (fb(n) / (1 - fb(n)))
		}},
	} {
		answers, err := p.Answers(t.Context(), c.q)
		must(t, err)
		got := answers.List[0].Draws()
		each := p.Len() / p.Chains()
		if len(got) != p.Chains() || len(got[0]) != each {
			t.Skipf("%s: the chains were made longer", name)
		}
		for i := range p.Len() {
			if x, want := got[i/each][i%each], c.want(p.Draw(i).Net); math.Abs(x-want) > 1e-9*math.Abs(want) {
				t.Fatalf("%s: %v, want %v", name, x, want)
			}
		}
		if q := answers.List[0]; !(q.RHat < mostRHat && q.ESS >= leastESS) {
			t.Errorf("%s: R-hat %v, ESS %v", name, q.RHat, q.ESS)
		}
	}
}

// What was answered is not asked again, and an equal question is the same one; two functions of one name are not.
func TestAnswersAreRemembered(t *testing.T) {
	p := theClinic(t)
	var calls atomic.Int64
	f := Function("shares", func(net *bayesnet.Net) float64 { calls.Add(1); return net.Prob(0, 0)[0] })
	g := Function("shares", func(net *bayesnet.Net) float64 { return net.Prob(0, 0)[1] })
	first, err := p.Answers(t.Context(), f, g)
	must(t, err)
	before := calls.Load()
	again, err := p.Answers(t.Context(), f.Named("again"), g, f)
	must(t, err)
	if calls.Load() != before || before == 0 {
		t.Errorf("%d calls, then %d", before, calls.Load())
	}
	if a, b := first.List[0], again.List[0]; a.Quantity != b.Quantity || first.List[1].Mean() == a.Mean() {
		t.Error("the answers are mixed up")
	}
	if rows, _ := again.Rows(.9); rows[0].Of != "again" || rows[2].Of != "shares" {
		t.Error(rows)
	}
	a, err := p.Answers(t.Context(), Probability(Event{"ill": "yes"}, Event{"age": "old", "smoke": "no"}))
	must(t, err)
	b, err := p.Answers(t.Context(), Probability(Event{"ill": "yes"}, Event{"smoke": "no"}, Event{"age": "old"}))
	must(t, err)
	if a.List[0].Quantity != b.List[0].Quantity {
		t.Error("equal questions are asked twice")
	}
}

// The naive answer is the posterior of independent rows at the estimated counts: mean and standard deviation of an
// entry are those of its Beta law, within 6.5 standard errors of 1999 draws (false alarm below 1e-9).
func TestNaiveAnswers(t *testing.T) {
	p := theClinic(t)
	a, err := p.Answers(t.Context(), Probability(Event{"ill": "yes"}, Event{"smoke": "yes"}))
	must(t, err)
	counted := p.s.estimate[2]
	alpha, beta := 1+counted[3], 1+counted[2]
	mean := alpha / (alpha + beta)
	sd := math.Sqrt(mean * (1 - mean) / (alpha + beta + 1))
	q := a.List[0].Naive
	if math.Abs(q.Mean()-mean) > 6.5*sd/math.Sqrt(naiveDraws) || math.Abs(q.SD()/sd-1) > 6.5/math.Sqrt(2*naiveDraws) {
		t.Errorf("mean %v ± %v, want %v ± %v", q.Mean(), q.SD(), mean, sd)
	}
	if !(a.List[0].SD() > q.SD()) {
		t.Errorf("the noise widens nothing: %v, %v", a.List[0].SD(), q.SD())
	}
	// on request alone, and last
	for _, text := range []string{a.String(), a.NoiseIgnored().String(), a.Forest().String()} {
		if !strings.Contains(text, "P(ill = yes |") ||
			strings.Contains(text, "noise ignored") != (text != a.String()) {
			t.Error(text)
		}
	}
	columns := a.NoiseIgnored().Columns
	if columns[len(columns)-1] != "noise ignored: 95 %" || len(a.NoiseIgnored().Rows[0]) != len(columns) {
		t.Error(columns)
	}
}

func TestQuestionsThatCannotBeAsked(t *testing.T) {
	p := theClinic(t)
	ill := Event{"ill": "yes"}
	good := Probability(ill)
	var e *bayesnet.Error
	var d *dp.ParameterError
	for name, c := range map[string]struct {
		q    *Question
		want any
	}{
		"no column":       {Probability(Event{"sick": "yes"}), &e},
		"no level":        {Probability(Event{"ill": "maybe"}), &e},
		"no level given":  {Probability(ill, Event{"age": "oldest"}), &e},
		"no column in":    {OddsRatio(good, Probability(Event{"sick": "yes"})), &e},
		"empty":           {Probability(nil, ill), &d},
		"looked at twice": {Probability(ill, Event{"ill": "no"}), &d},
		"given twice":     {Probability(ill, Event{"age": "old"}, Event{"age": "young"}), &d},
		"nothing":         {nil, &d},
		"half":            {Difference(good, nil), &d},
		"no function":     {Function("x", nil), &d},
		"not a number":    {Function("NaN", func(*bayesnet.Net) float64 { return math.NaN() }), &d},
	} {
		if a, err := p.Answers(t.Context(), good, c.q); a != nil || !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := p.Answers(t.Context()); !errors.As(err, &d) {
		t.Error(err)
	}
	a, err := p.Answers(t.Context(), good)
	must(t, err)
	for _, level := range []float64{0, 1, math.NaN()} {
		if _, err := a.Rows(level); !errors.As(err, &d) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Answers(ctx, Function("late", func(*bayesnet.Net) float64 { return 1 })); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// Sets are the same each time, of draws far apart, and their shares scatter as the posterior does.
func TestSyntheticSets(t *testing.T) {
	p := theClinic(t)
	s, err := p.SyntheticSets(0, 0)
	must(t, err)
	if s.Len() != 20 || s.Design().Rows != 2000 || s.Design().Records != 400 || s.Warnings() != nil {
		t.Fatal(s.Len(), s.Design())
	}
	again, err := p.SyntheticSets(0, 0)
	must(t, err)
	a, err := s.Frame(7)
	must(t, err)
	b, err := again.Frame(7)
	must(t, err)
	x, err := a.Records()
	must(t, err)
	y, err := b.Records()
	must(t, err)
	for i := range x {
		if strings.Join(x[i], "|") != strings.Join(y[i], "|") {
			t.Fatal("set 7 differs from itself")
		}
	}
	// Each set follows its own draw: shares of 2000 records within 6.5 standard errors.
	for i := range s.Len() {
		f, err := s.Frame(i)
		must(t, err)
		c, err := f.Counts("smoke")
		must(t, err)
		m, err := p.Draw((2*i + 1) * p.Len() / 40).Net.Marginal(1)
		must(t, err)
		if math.Abs(float64(c[1])/2000-m[1]) > 6.5*math.Sqrt(m[1]*(1-m[1])/2000) {
			t.Errorf("set %d: %d of 2000, its network says %v", i, c[1], m[1])
		}
	}
	one, err := p.SyntheticSets(1, 100)
	must(t, err)
	if w := one.Warnings(); len(w) != 1 || w[0].Kind != warning.KindSingleSet {
		t.Error(w)
	}
	var d *dp.ParameterError
	for _, c := range [][2]int{{-1, 0}, {mostSets + 1, 0}, {20, -1}, {20, 1 << 40}} {
		if _, err := p.SyntheticSets(c[0], c[1]); !errors.As(err, &d) {
			t.Error(c, err)
		}
	}
}

// The dependence of an edge is what enumeration says, and 0 where there is none.
func TestDependence(t *testing.T) {
	net := clinicNet(t)
	at := func(a, va, b, vb int) float64 {
		return joint(net, func(x []int) bool { return x[a] == va && (b < 0 || x[b] == vb) })
	}
	want := 0.0
	for i := range 2 {
		for j := range 2 {
			want += at(1, i, 2, j) * math.Log2(at(1, i, 2, j)/(at(1, i, -1, 0)*at(2, j, -1, 0)))
		}
	}
	got, err := dependence(net, 1, 2)
	must(t, err)
	if math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
	// One of two parents does nothing.
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"0", "1"}}, {Name: "b", States: []string{"0", "1"}},
		{Name: "c", States: []string{"0", "1"}, Parents: []string{"a", "b"}}})
	must(t, err)
	two, err := bayesnet.NewNet(d, [][]float64{{.4, .6}, {.3, .7}, {.2, .8, .9, .1, .2, .8, .9, .1}})
	must(t, err)
	idle, err := dependence(two, 0, 2)
	must(t, err)
	busy, err := dependence(two, 1, 2)
	must(t, err)
	if idle > 1e-12 || busy < .2 {
		t.Error(idle, busy)
	}
	p := theClinic(t)
	g, err := p.Edges(t.Context())
	must(t, err)
	if _, err := g.SVG(); err != nil || len(g.Vertices[1].Weights) != 1 || len(g.Vertices[0].Weights) != 0 {
		t.Error(err, g.Vertices)
	}
	var e *dp.ParameterError
	if _, err := p.Answers(t.Context(), Dependence("age", "ill")); !errors.As(err, &e) {
		t.Error(err)
	}
}

// At α = 1 an odds ratio one of whose cells may be empty has no mean: the draws' average is what the few
// farthest of them make it, and is not shown. Medians are, and means of what has one.
func TestRatiosShowMedians(t *testing.T) {
	if testing.Short() {
		t.Skip("long chains")
	}
	p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), bayesnet.Asia(), 2000, dp.PureDP(.25), false))
	must(t, err)
	tub := Event{"tub": "yes"}
	x, y := Probability(tub, Event{"asia": "yes"}), Probability(tub, Event{"asia": "no"})
	odds, risk := OddsRatio(x, y), Ratio(x, y)
	ratios, err := p.Answers(t.Context(), odds, risk)
	must(t, err)
	rows, err := ratios.Rows(.95)
	must(t, err)
	for i, r := range rows {
		if q := ratios.List[i]; !r.Median || r.SD != 0 || r.Mean != q.Quantile(.5) || r.NaiveMean != q.Naive.Quantile(.5) ||
			!(r.Lower < r.Mean && r.Mean < r.Upper) {
			t.Errorf("%+v", r)
		}
	}
	if q := ratios.List[0]; q.Mean() < 20*rows[0].Mean {
		t.Errorf("this odds ratio would show its mean, %v, with no harm: the test tells nothing", q.Mean())
	}
	f := ratios.Forest()
	head := strings.SplitN(ratios.String(), "\n", 3)[1]
	if strings.Contains(head, "mean") || strings.Contains(head, " sd ") ||
		!strings.Contains(head, "prior 95 %") || !strings.HasPrefix(f.Title, "Medians") || !f.LogX {
		t.Error(head, f.Title)
	}
	mixed, err := p.Answers(t.Context(), x, odds, odds.Log(), Difference(odds, risk), Ratio(odds.Log(), x),
		Difference(x, y))
	must(t, err)
	rows, err = mixed.Rows(.95)
	must(t, err)
	for i, want := range []bool{false, true, false, true, true, false} {
		if rows[i].Median != want || want == (rows[i].SD > 0) {
			t.Errorf("%+v, want a median: %v", rows[i], want)
		}
	}
	if text := mixed.String(); !strings.Contains(text, "mean or median") || strings.Count(text, "(median)") != 3 {
		t.Error(text)
	}
	if f := mixed.Forest(); f.LogX || !strings.Contains(f.Title, "of ratios medians") {
		t.Error(f.Title)
	}
}

// Whatever is asked, rows and tables have numbers and the forest is drawn.
func TestForestIsAlwaysDrawn(t *testing.T) {
	p := theClinic(t)
	at := func(of func(x float64) float64) *Question {
		return Function("f", func(net *bayesnet.Net) float64 { return of(net.Prob(0, 0)[0]) })
	}
	middle := .5
	ill := Probability(Event{"ill": "yes"})
	for name, q := range map[string]*Question{
		"infinite":       at(func(float64) float64 { return math.Inf(1) }),
		"below all":      at(func(float64) float64 { return math.Inf(-1) }),
		"sometimes":      at(func(x float64) float64 { return 1 / math.Max(x-middle, 0) }),
		"either way":     at(func(x float64) float64 { return math.Copysign(math.Inf(1), x-middle) }),
		"huge":           at(func(x float64) float64 { return 1e308 * x }),
		"tiny":           at(func(x float64) float64 { return 1e-300 * x }),
		"a constant":     at(func(x float64) float64 { return 1 + 1e-15*math.Round(5*x) }),
		"zero":           at(func(float64) float64 { return 0 }),
		"ratio of zero":  Ratio(at(func(float64) float64 { return 0 }), ill),
		"ratio to zero":  Ratio(ill, at(func(float64) float64 { return 0 })),
		"negative ratio": Ratio(Difference(ill, Probability(Event{"ill": "no"})), ill),
		"odds of 1":      OddsRatio(at(func(float64) float64 { return 1 }), ill),
		"ln of zero":     at(func(float64) float64 { return 0 }).Log(),
	} {
		a, err := p.Answers(t.Context(), q)
		must(t, err)
		rows, err := a.Rows(.95)
		must(t, err)
		r := rows[0]
		for _, x := range []float64{r.NaiveMean, r.NaiveLower, r.NaiveUpper, r.Mean, r.SD, r.Lower, r.Upper} {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				t.Errorf("%s: %+v", name, r)
			}
		}
		if b, err := a.Forest().SVG(); err != nil || len(b) == 0 {
			t.Errorf("%s: %v", name, err)
		}
		if text := a.String(); strings.Contains(text, "NaN") || strings.Contains(text, "Inf") {
			t.Errorf("%s: %s", name, text)
		}
	}
}

// Means and predictive probabilities of a record's class are sums over all records of every draw, whatever the record
// tells; the predictive one is not the mean.
func TestClassifyBySums(t *testing.T) {
	p := theClinic(t)
	apart := 0.0
	for name, c := range map[string]struct {
		record Event
		is     func(x []int) bool
	}{
		"whole":   {Event{"age": "old", "ill": "yes"}, func(x []int) bool { return x[0] == 1 && x[2] == 1 }},
		"part":    {Event{"ill": "no"}, func(x []int) bool { return x[2] == 0 }},
		"nothing": {nil, func([]int) bool { return true }},
	} {
		got, err := p.Classify(t.Context(), "smoke", c.record)
		must(t, err)
		var mean, weighed, weights float64
		for i := range p.Len() {
			net := p.Draw(i).Net
			all := joint(net, c.is)
			hit := joint(net, func(x []int) bool { return c.is(x) && x[1] == 1 })
			mean, weighed, weights = mean+hit/all/float64(p.Len()), weighed+hit, weights+all
		}
		q := got.Answers.List[1]
		if lo, hi := q.CredibleInterval(.95); math.Abs(got.Predictive[1]-weighed/weights) > 1e-9 ||
			math.Abs(got.Predictive[0]+got.Predictive[1]-1) > 1e-9 || !(lo < q.Mean() && q.Mean() < hi) {
			t.Errorf("%s: %v, want %v; %v to %v", name, got.Predictive, weighed/weights, lo, hi)
		}
		if n := len(q.Draws()[0]) * p.Chains(); n == p.Len() && math.Abs(q.Mean()-mean) > 1e-9 {
			t.Errorf("%s: mean %v, want %v", name, q.Mean(), mean)
		}
		apart = max(apart, math.Abs(got.Predictive[1]-mean))
		if best := got.Best(); best != got.Levels[map[bool]int{true: 1, false: 0}[got.Predictive[1] > .5]] {
			t.Error(name, best)
		}
		if text := got.String() + got.Forest().String(); !strings.Contains(text, "smoke = yes") ||
			c.record != nil && !strings.Contains(text, "smoke given ") {
			t.Error(text)
		}
	}
	if apart < 1e-5 {
		t.Error("the record is no datum")
	}
}

// Under naive Bayes the predictive probability is Predict's, which is exact: 2000 draws and more leave 0.02.
func TestClassifyUnderNaiveBayes(t *testing.T) {
	sh := bayes(t, 60, 2, 2, 3)
	p := posteriorOf(t, raws(t, plan(t, counts.Geometric(), sh, dp.PureDP(1)), []int64{25, 9, 6, 17},
		[]int64{12, 18, 2, 4, 5, 21}))
	for _, x := range [][]string{{"v0", "v1"}, {"v1", "v2"}, {"v1", "v0"}} {
		exact, err := p.Predict(records(t, sh, "v0,"+strings.Join(x, ",")+"\n"))
		must(t, err)
		got, err := p.Classify(t.Context(), Event{"x0": x[0], "x1": x[1]})
		must(t, err)
		for l, want := range exact[0] {
			if math.Abs(got.Predictive[l]-want) > .02 {
				t.Errorf("%v, %s: %v, exactly %v", x, got.Levels[l], got.Predictive[l], want)
			}
		}
	}
}

func TestRecordsThatCannotBeClassified(t *testing.T) {
	p, err := OfContext(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), 100, dp.PureDP(2), false))
	must(t, err)
	var e *bayesnet.Error
	var d *dp.ParameterError
	for name, c := range map[string]struct {
		record Event
		want   any
	}{
		"no column": {Event{"d": "no"}, &e}, "no level": {Event{"b": "maybe"}, &e}, "the class": {Event{"a": "no", "b": "no"}, &d},
	} {
		if _, err := p.Classify(t.Context(), c.record); !errors.As(err, c.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	n, err := p.Network(t.Context())
	must(t, err)
	if _, err := n.Classify(t.Context(), "z", nil); !errors.As(err, &e) || !strings.Contains(err.Error(), `"a"`) {
		t.Error(err)
	}
}
