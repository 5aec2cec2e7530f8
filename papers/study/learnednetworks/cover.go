package learnednetworks

import (
	"context"
	"errors"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/structure"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Spec is one point of the study: pure ε-DP, replace-one, geometric noise.
type Spec struct {
	Population string  `json:"population"`
	Learner    string  `json:"learner"`
	Records    int     `json:"records"`
	Epsilon    float64 `json:"epsilon"`

	// Overstated computes posteriors as if the noise's rate had been this many times what it was [1]: a wrong
	// posterior, to show that coverage tells.
	Overstated float64 `json:"overstated,omitempty"`
}

// Coverage is the mean over replicates of the share of a release's intervals that hold the truth, and of their width.
// The intervals of a release are not independent: standard errors are those of the replicates' shares.
type Coverage struct {
	Releases   int     `json:"releases"` // with such an interval: not those in which no edge was learned
	Aware      float64 `json:"aware"`
	AwareSE    float64 `json:"aware_se"`
	AwareWidth float64 `json:"aware_width"`
	Naive      float64 `json:"naive"`
	NaiveSE    float64 `json:"naive_se"`
	NaiveWidth float64 `json:"naive_width"`
}

// Point is what was counted. Replicates that did not converge have no intervals, and are counted apart.
type Point struct {
	Spec
	Replicates   int                   `json:"replicates"`
	NotConverged int                   `json:"not_converged"`
	Edges        float64               `json:"edges"`      // learned, mean over replicates
	TrueEdges    float64               `json:"true_edges"` // of those, edges of the population
	Of           map[Quantity]Coverage `json:"of"`
}

// short is the contract of the chains: R-hat below 1.05 and 100 effective draws, each interval from that many draws.
var short = mcmc.Contract{Sweeps: 100, RHat: 1.05, ESS: 100, Naive: 399}

// Cover runs replicates of a point. Errors: *dp.ParameterError, those of planning, the context's.
func Cover(ctx context.Context, s Spec, replicates int, seed uint64) (*Point, error) {
	if replicates < 2 {
		return nil, domain.Refuse("learnednetworks", "replicates", replicates, "at least 2")
	}
	net, err := population(s.Population)
	if err != nil {
		return nil, err
	}
	m, err := learner(s.Learner)
	if err != nil {
		return nil, err
	}
	sh, err := model.NewShape(model.SchemaOf("simulated", net.DAG()), m, s.Records, true, "")
	if err != nil {
		return nil, err
	}
	plan, err := structure.Geometric().Plan(ctx, sh, dp.PureDP(s.Epsilon))
	if err != nil {
		return nil, err
	}
	out := &Point{Spec: s, Replicates: replicates, Of: map[Quantity]Coverage{}}
	sums := map[Quantity]*sums{}
	ctx = short.With(ctx)
	for i := range replicates {
		err := out.replicate(ctx, plan, net, streamOf(seed, s, i), sums)
		var slow *noiseaware.NotConvergedError
		if errors.As(err, &slow) {
			out.NotConverged++
		} else if err != nil {
			return nil, err
		}
	}
	k := float64(max(replicates-out.NotConverged, 1))
	out.Edges, out.TrueEdges = out.Edges/k, out.TrueEdges/k
	for q, x := range sums {
		out.Of[q] = Coverage{Releases: int(x.aware.n),
			Aware: x.aware.mean(), AwareSE: x.aware.se(), AwareWidth: x.awareWidth.mean(),
			Naive: x.naive.mean(), NaiveSE: x.naive.se(), NaiveWidth: x.naiveWidth.mean()}
	}
	return out, nil
}

// replicate adds one release.
func (p *Point) replicate(ctx context.Context, plan *mechanism.Plan, net *bayesnet.Net, src *dp.Stream,
	sums map[Quantity]*sums) error {
	f, err := model.Simulate("simulated", net, p.Records, src)
	if err != nil {
		return err
	}
	st, err := model.Count(plan.Shape(), f)
	if err != nil {
		return err
	}
	drawn, err := plan.Draw(ctx, st, "simulated", src)
	if err != nil {
		return err
	}
	r, err := release.New(ctx, plan, drawn)
	if err != nil {
		return err
	}
	post, err := noiseaware.OfNetwork(ctx, r, noiseaware.Sampled())
	if err == nil && p.Overstated > 0 {
		post, err = overstated(ctx, r, post.DAG(), int64(p.Records), p.Overstated)
	}
	if err != nil {
		return err
	}
	edges := r.Structure().Edges
	list := questionsOf(net.DAG(), edges)
	asked := make([]*noiseaware.Question, len(list))
	for i, q := range list {
		asked[i] = q.ask
	}
	a, err := post.Answers(ctx, asked...)
	if err != nil {
		return err
	}
	if err := count(a, list, net, sums); err != nil {
		return err
	}
	p.Edges += float64(len(edges))
	for _, e := range edges {
		if joined(net.DAG(), e[0], e[1]) || joined(net.DAG(), e[1], e[0]) {
			p.TrueEdges++
		}
	}
	return nil
}

// overstated is the posterior of the same numbers under noise of another rate.
func overstated(ctx context.Context, r *release.Release, d *bayesnet.DAG, n int64, times float64) (
	*noiseaware.NetworkPosterior, error) {
	var tables []noiseaware.NoisyTable
	for _, m := range r.Structure().Measured {
		t := noiseaware.NoisyTable{Columns: m.Columns, Counts: append([]int64(nil), m.Counts...),
			Noise: noiseaware.StatedGeometric(times * noise.FormOf(m.Noise).Rate)}
		cells := 1
		for _, c := range m.Columns {
			v, _ := d.Index(c)
			cells *= d.Arity(v)
		}
		if cells > len(t.Counts) { // the last one follows from n, and was not measured
			t.Measured = make([]bool, cells)
			for i := range t.Counts {
				t.Measured[i] = true
			}
			t.Counts = append(t.Counts, make([]int64, cells-len(t.Counts))...)
		}
		tables = append(tables, t)
	}
	return noiseaware.FromNoisyCounts(ctx, d, 1, tables, noiseaware.PublicN(n))
}

// joined tells whether there is an edge from one column to another.
func joined(d *bayesnet.DAG, from, to string) bool {
	v, _ := d.Index(to)
	for _, u := range d.Parents(v) {
		if d.Node(u).Name == from {
			return true
		}
	}
	return false
}

// sums are over replicates.
type sums struct{ aware, naive, awareWidth, naiveWidth moments }

// count adds the shares of one release's intervals that hold what the population says.
func count(a *noiseaware.Answers, list []question, net *bayesnet.Net, all map[Quantity]*sums) error {
	rows, err := a.Rows(level)
	if err != nil {
		return err
	}
	one := map[Quantity]*sums{}
	for i, r := range rows {
		truth, err := list[i].ask.Of(net)
		if err != nil {
			return err
		}
		s := one[list[i].of]
		if s == nil {
			s = &sums{}
			one[list[i].of] = s
		}
		lo, hi := interval(a.List[i].Quantity)
		s.aware.add(holds(lo, hi, truth))
		s.awareWidth.add(hi - lo)
		s.naive.add(holds(r.NaiveLower, r.NaiveUpper, truth))
		s.naiveWidth.add(r.NaiveUpper - r.NaiveLower)
	}
	for q, s := range one {
		if all[q] == nil {
			all[q] = &sums{}
		}
		all[q].aware.add(s.aware.mean())
		all[q].naive.add(s.naive.mean())
		all[q].awareWidth.add(s.awareWidth.mean())
		all[q].naiveWidth.add(s.naiveWidth.mean())
	}
	return nil
}

func holds(lo, hi, x float64) float64 {
	if lo <= x && x <= hi {
		return 1
	}
	return 0
}

// moments are sums of numbers and of their squares.
type moments struct{ n, sum, squares float64 }

func (m *moments) add(x float64) { m.n, m.sum, m.squares = m.n+1, m.sum+x, m.squares+x*x }

func (m moments) mean() float64 { return m.sum / m.n }

// se is the standard error of the mean.
func (m moments) se() float64 {
	return math.Sqrt(math.Max(m.squares/m.n-m.mean()*m.mean(), 0) / (m.n - 1))
}
