package wholenetworks

import (
	"context"
	"fmt"
	"slices"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/counts"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/posterior"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Networks are the structures by name: a chain of three, naive Bayes with five features, a tree of five nodes of four
// levels, the graph of asia, and that of sachs.
func Networks() []string { return []string{"chain", "naive Bayes", "tree", "asia", "sachs"} }

// graph is the structure of a name: *dp.ParameterError.
func graph(name string) (*bayesnet.DAG, error) {
	two, four := []string{"0", "1"}, []string{"0", "1", "2", "3"}
	node := func(n string, states []string, parents ...string) bayesnet.Node {
		return bayesnet.Node{Name: n, States: states, Parents: parents}
	}
	switch name {
	case "chain":
		return bayesnet.NewDAG([]bayesnet.Node{node("a", two), node("b", two, "a"), node("c", two, "b")})
	case "naive Bayes":
		nodes := []bayesnet.Node{node("y", two)}
		for i := range 5 {
			nodes = append(nodes, node(fmt.Sprint("x", i+1), two, "y"))
		}
		return bayesnet.NewDAG(nodes)
	case "tree":
		return bayesnet.NewDAG([]bayesnet.Node{node("a", four), node("b", four, "a"), node("c", four, "a"),
			node("d", four, "b"), node("e", four, "b")})
	case "asia":
		return bayesnet.Asia().DAG(), nil
	case "sachs":
		return bayesnet.Sachs(), nil
	}
	return nil, domain.Refuse("wholenetworks", "Network", fmt.Sprintf("%q", name), fmt.Sprintf("one of %q", Networks()))
}

// noises are the mechanisms by name; the discrete Gaussian is (ε, 1e-6).
var noises = map[string]struct {
	mechanism mechanism.Mechanism
	at        func(eps float64) dp.Request
}{
	"geometric": {counts.Geometric(), func(eps float64) dp.Request { return dp.PureDP(eps) }},
	"K-norm":    {counts.KNorm(), func(eps float64) dp.Request { return dp.PureDP(eps) }},
	"Gaussian":  {counts.DiscreteGaussian(), func(eps float64) dp.Request { return dp.ApproxDP(eps, 1e-6) }},
}

// fromPrior draws every row of every table from the uniform Dirichlet law.
func fromPrior(d *bayesnet.DAG, src *dp.Stream) (*bayesnet.Net, error) {
	cpts := make([][]float64, d.Len())
	for v := range cpts {
		law, err := posterior.NewDirichlet(slices.Repeat([]float64{1}, d.Arity(v)))
		if err != nil {
			return nil, err
		}
		for len(cpts[v]) < d.FamilyCells(v) {
			cpts[v] = append(cpts[v], law.Sample(src)...)
		}
	}
	return bayesnet.NewNet(d, cpts)
}

// fromDefault draws every table from the default prior of a Network.
func fromDefault(d *bayesnet.DAG, src *dp.Stream) (*bayesnet.Net, error) {
	p := &latent.Problem{N: 1}
	for v := range d.Len() {
		p.Levels, p.Parents = append(p.Levels, d.Arity(v)), append(p.Parents, d.Parents(v))
	}
	p.ShareRows()
	l, err := latent.NewLayout(context.Background(), p)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(d, l.Prior(src))
}

// setting is a planned release of a network's records.
type setting struct {
	n            int // records
	shape        *model.Shape
	plan, stated *mechanism.Plan // as drawn, and as the posterior takes it
}

// plan prepares a release of n records at ε, with the prior of fromPrior; overstated ≠ 1 makes the posterior take the
// noise for that of another ε.
func plan(ctx context.Context, d *bayesnet.DAG, n int, eps float64, noise string, overstated float64) (*setting,
	error) {
	return planOf(ctx, d, model.NetworkOf(d.Node(0).Name, d).WithPrior(1), n, true, eps, noise, overstated)
}

// planOf is plan under a model's own prior, with a public n or a private one.
func planOf(ctx context.Context, d *bayesnet.DAG, m model.NetworkModel, n int, public bool, eps float64, noise string,
	overstated float64) (*setting, error) {
	z, ok := noises[noise]
	if !ok {
		return nil, domain.Refuse("wholenetworks", "Noise", fmt.Sprintf("%q", noise), `"geometric" or "Gaussian"`)
	}
	sh, err := model.NewShape(model.SchemaOf("simulated", d), m, n, public, "")
	if err != nil {
		return nil, err
	}
	at := z.at
	if !public {
		at = func(eps float64) dp.Request { return z.at(eps).Under(dp.AddRemove) }
	}
	s := &setting{shape: sh, n: n}
	s.plan, s.stated, err = simulate.Plans(ctx, z.mechanism, sh, at, eps, overstated)
	return s, err
}

// draw releases records of a network, and is the posterior given the release, by Markov chains also where there is an
// exact way: what is studied is the chains.
func (s *setting) draw(ctx context.Context, net *bayesnet.Net, src *dp.Stream) (*noiseaware.NetworkPosterior,
	*release.Release, error) {
	r, err := s.release(ctx, net, src)
	if err != nil {
		return nil, nil, err
	}
	p, err := noiseaware.OfNetwork(ctx, r, noiseaware.Sampled())
	return p, r, err
}

// posterior is draw with the posterior as users get it, of which joint is that of draw.
func (s *setting) posterior(ctx context.Context, net *bayesnet.Net, src *dp.Stream) (p *noiseaware.Posterior,
	joint *noiseaware.NetworkPosterior, err error) {
	r, err := s.release(ctx, net, src)
	if err != nil {
		return nil, nil, err
	}
	if p, err = noiseaware.OfContext(ctx, r, noiseaware.Sampled()); err != nil {
		return nil, nil, err
	}
	joint, err = p.Network(ctx, noiseaware.Sampled())
	return p, joint, err
}

// release is one of records of a network.
func (s *setting) release(ctx context.Context, net *bayesnet.Net, src *dp.Stream) (*release.Release, error) {
	f, err := model.Simulate("simulated", net, s.n, src)
	if err != nil {
		return nil, err
	}
	st, err := model.Count(s.shape, f)
	if err != nil {
		return nil, err
	}
	return simulate.Release(ctx, s.plan, s.stated, st, src)
}
