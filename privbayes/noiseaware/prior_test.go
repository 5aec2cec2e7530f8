package noiseaware

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// twelveRows is a node of three levels with twelve rows, mostly at the first level.
func twelveRows(t testing.TB) *bayesnet.Net {
	t.Helper()
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "disease", States: strings.Split("012345", "")},
		{Name: "sick", States: []string{"yes", "no"}, Parents: []string{"disease"}},
		{Name: "age", States: []string{"0", "1", "2"}, Parents: []string{"disease", "sick"}}})
	must(t, err)
	cpts := [][]float64{{.05, .33, .29, .23, .05, .05}, {.4, .6, .3, .7, .2, .8, .3, .7, .7, .3, .7, .3}, nil}
	for range 12 {
		cpts[2] = append(cpts[2], .85, .1, .05)
	}
	net, err := bayesnet.NewNet(d, cpts)
	must(t, err)
	return net
}

// The variance of a marginal under the prior, by whether two records agree, is that of networks drawn from the prior,
// with a centre and without: 20,000 draws, whose variance has a relative standard error below .015.
func TestVarianceUnderThePrior(t *testing.T) {
	net := twelveRows(t)
	for _, shared := range []bool{true, false} {
		p := &NetworkPosterior{s: setting{dag: net.DAG()}}
		for v := range net.DAG().Len() {
			p.s.problem.Levels = append(p.s.problem.Levels, net.DAG().Arity(v))
			p.s.problem.Parents = append(p.s.problem.Parents, net.DAG().Parents(v))
		}
		p.s.uniform(1)
		if shared {
			p.s.problem.ShareRows()
		}
		var err error
		p.lay, err = latent.NewLayout(t.Context(), &p.s.problem)
		must(t, err)
		variances, err := p.agreement()
		must(t, err)
		const draws = 20_000
		src, sums := rand.NewPCG(3, 4), make([][2]float64, 3)
		for range draws {
			drawn, err := bayesnet.NewNet(net.DAG(), p.lay.Prior(src))
			must(t, err)
			for v := range sums {
				m, err := drawn.Marginal(v)
				must(t, err)
				sums[v][0] += m[0] / draws
				sums[v][1] += m[0] * m[0] / draws
			}
		}
		for v, s := range sums {
			near(t, fmt.Sprint("node ", v, ", shared ", shared), s[1]-s[0]*s[0], variances[v], .015*6.5*variances[v])
		}
	}
}

// Under independent rows of α = 1 the marginal of a node with twelve rows is decided by the prior: the plan warns of it
// before anything is spent, the posterior after, and both name the column. Under shared rows neither does; nor does the
// plan where the noise is small.
func TestPriorWarnings(t *testing.T) {
	net := twelveRows(t)
	has := func(list warning.List, kind warning.Kind) bool {
		for _, w := range list {
			if w.Kind == kind {
				return strings.Contains(w.Text, "age") && !strings.Contains(w.Text, "sick")
			}
		}
		return false
	}
	m := model.NetworkOf("disease", net.DAG())
	for _, c := range []struct {
		name        string
		m           model.NetworkModel
		epsilon     float64
		plan, after bool
	}{{"independent rows", m.WithPrior(1), .3, true, true}, {"shared rows", m, .3, false, false},
		{"little noise", m, 40, false, false}} {
		r := drawnOf(t, counts.KNorm(), c.m, net, 800, dp.PureDP(c.epsilon))
		if got := has(r.Plan().Warnings(), warning.KindPriorDecides); got != c.plan {
			t.Errorf("%s: the plan warns: %v: %v", c.name, got, r.Plan().Warnings())
		}
		p, err := OfNetwork(t.Context(), r)
		must(t, err)
		if got := has(p.Warnings(), warning.KindPriorConflict); got != c.after {
			t.Errorf("%s: the posterior warns: %v: %v", c.name, got, p.Warnings())
		}
		a, err := p.Answers(t.Context(), Probability(Event{"age": "0"}), Probability(Event{"age": "0"}, Event{"sick": "yes"}))
		must(t, err)
		text := a.String()
		if strings.Contains(text, "disagree about age") != c.after || !strings.Contains(text, "score 95 %") ||
			!strings.Contains(text, p.Prior()) {
			t.Errorf("%s: %s", c.name, text)
		}
		rows, err := a.Rows(.95)
		must(t, err)
		if !(rows[0].ScoreLower < .85 && .85 < rows[0].ScoreUpper) || !math.IsNaN(rows[1].ScoreLower) {
			t.Errorf("%s: score intervals %+v", c.name, rows)
		}
		// α = 1: twelve rows of random weights; shared: near the centre's Beta(2/3, 4/3)
		if width := rows[0].PriorUpper - rows[0].PriorLower; (width > .7) != c.m.ShareRows() {
			t.Errorf("%s: the prior's interval is %.3f wide", c.name, width)
		}
	}
}

// Questions about records that the noisy counts hardly know the number of are warned of, by column, whatever is made of
// the question; those about a common level, about all records, and those where the noise is small are not. The share
// that is warned of is the answer to the question about it.
func TestRareEvidence(t *testing.T) {
	net := twelveRows(t)
	var noisy, quiet *NetworkPosterior
	for eps, p := range map[float64]**NetworkPosterior{.2: &noisy, 40: &quiet} {
		var err error
		*p, err = OfNetwork(t.Context(), drawnOf(t, counts.KNorm(), model.NetworkOf("disease", net.DAG()), net, 800,
			dp.PureDP(eps)))
		must(t, err)
	}
	rare := Probability(Event{"disease": "1"}, Event{"age": "2"})
	both := Probability(Event{"disease": "1"}, Event{"age": "2"}, Event{"sick": "yes"})
	common := Probability(Event{"disease": "1"}, Event{"age": "0"})
	all := Probability(Event{"age": "2"})
	for _, c := range []struct {
		name    string
		ask     *Question
		columns string // where the noise is large
	}{
		{"rare", rare, "given of age ("}, {"two columns", both, "given of age, sick ("}, {"common", common, ""},
		{"all records", all, ""}, {"function", Function("f", func(*bayesnet.Net) float64 { return .5 }), ""},
		{"difference", Difference(common, rare), "given of age ("}, {"ratio", Ratio(rare, all), "given of age ("},
		{"logarithm", OddsRatio(rare, common).Log().Named("x"), "given of age ("},
	} {
		for _, p := range []*NetworkPosterior{noisy, quiet} {
			a, err := p.Answers(t.Context(), c.ask)
			must(t, err)
			want := c.columns
			if p == quiet {
				want = ""
			}
			found := ""
			for _, w := range a.Warnings() {
				if w.Kind == warning.KindRareEvidence {
					found = w.Text
				}
			}
			if (found != "") != (want != "") || !strings.Contains(found, want) ||
				!strings.Contains(a.String(), found) {
				t.Errorf("%s, quiet %v: %q, want %q\n%s", c.name, p == quiet, found, want, a)
			}
		}
	}
	a, err := noisy.Answers(t.Context(), rare, all)
	must(t, err)
	w := a.Warnings()
	if share := a.List[1]; len(w) != 1 || w[0] != warning.RareEvidence([]string{"age"}, share.Mean(), share.SD()) {
		t.Errorf("%v, share %v ± %v", w, share.Mean(), share.SD())
	}
	c, err := noisy.Classify(t.Context(), "disease", Event{"age": "2"})
	must(t, err)
	if !strings.Contains(c.String(), "given of age (") {
		t.Error(c)
	}
}

// The prior's interval of a root of two levels is that of the uniform distribution, whatever was released. Of 1999
// draws an end has a standard error of .0035.
func TestPriorIntervals(t *testing.T) {
	for _, n := range []int{50, 300} {
		p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), n, dp.PureDP(1), false))
		must(t, err)
		a, err := p.Answers(t.Context(), Probability(Event{"a": "yes"}))
		must(t, err)
		rows, err := a.Rows(.95)
		must(t, err)
		near(t, "lower end", rows[0].PriorLower, .025, 6.5*.0035)
		near(t, "upper end", rows[0].PriorUpper, .975, 6.5*.0035)
	}
}
