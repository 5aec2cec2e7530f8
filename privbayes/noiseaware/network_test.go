package noiseaware

import (
	"reflect"
	"slices"
	"testing"

	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// drawn is a release of n records of a network whose tables are known.
func drawn(t testing.TB, m mechanism.Mechanism, net *bayesnet.Net, n int, target dp.Request, everyFamily bool) *release.Release {
	t.Helper()
	f, err := model.Simulate("simulated", net, n, dp.Seeded(3))
	must(t, err)
	mod := model.NetworkOf(net.DAG().Node(0).Name, net.DAG())
	if everyFamily {
		mod = mod.WithEveryFamily()
	}
	_, public := n, target.Adjacency.PublicN()
	sh, err := model.NewShape(f.Schema(), mod, n, public, "")
	must(t, err)
	st, err := model.Count(sh, f)
	must(t, err)
	p, err := m.Plan(background, sh, target)
	must(t, err)
	d, err := p.Draw(background, st, "0123456789abcdef", dp.Seeded(5))
	must(t, err)
	r, err := release.New(background, p, d)
	must(t, err)
	return r
}

// threeNodes is a chain a → b → c.
func threeNodes(t testing.TB) *bayesnet.Net {
	t.Helper()
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "a", States: []string{"no", "yes"}},
		{Name: "b", States: []string{"no", "yes"}, Parents: []string{"a"}},
		{Name: "c", States: []string{"no", "yes"}, Parents: []string{"b"}}})
	must(t, err)
	net, err := bayesnet.NewNet(d, [][]float64{{.3, .7}, {.8, .2, .25, .75}, {.6, .4, .1, .9}})
	must(t, err)
	return net
}

// The same release gives the same draws and answers, whatever was asked before; another one gives others.
func TestDrawsAreOfTheRelease(t *testing.T) {
	ask := func(p *NetworkPosterior, v int) *Quantity {
		q, err := p.Ask(t.Context(), "a margin", func(net *bayesnet.Net) (float64, error) {
			m, err := net.Marginal(v)
			return m[1], err
		})
		must(t, err)
		return q
	}
	of := func(n int) *NetworkPosterior {
		p, err := OfNetwork(t.Context(), drawn(t, counts.Geometric(), threeNodes(t), n, dp.PureDP(2), false))
		must(t, err)
		return p
	}
	p, q := of(200), of(200)
	first := ask(p, 2)
	ask(q, 1)
	if again := ask(q, 2); !reflect.DeepEqual(first, again) {
		t.Error("the same release gives other draws")
	}
	if d, e := p.Draw(p.Len()-1), q.Draw(q.Len()-1); !slices.Equal(d.Net.Table(1), e.Net.Table(1)) || d.Records != 200 {
		t.Error("the same release gives another network")
	}
	if other := ask(of(201), 2); other.Mean() == first.Mean() {
		t.Error("another release gives the same draws")
	}
	if lo, hi := first.CredibleInterval(.95); !(first.RHat < 1.01 && first.ESS >= 400 && lo < first.Mean() && first.Mean() < hi) {
		t.Errorf("%+v", first)
	}
}
