package noiseaware

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
)

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
