package learnednetworks

import (
	"context"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
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

// Cover runs replicates of a point. Errors: *dp.ParameterError, those of planning, the context's.
func Cover(ctx context.Context, s Spec, replicates int, seed uint64) (*Point, error) {
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
	ctx = simulate.Short.With(ctx)
	out.NotConverged, err = simulate.Replicates(ctx, replicates, 2, func(i int) error {
		return out.replicate(ctx, plan, net, simulate.Stream("learnednetworks", seed, s, i), sums)
	})
	if err != nil {
		return nil, err
	}
	k := float64(max(replicates-out.NotConverged, 1))
	out.Edges, out.TrueEdges = out.Edges/k, out.TrueEdges/k
	for q, x := range sums {
		out.Of[q] = Coverage{Releases: int(x.aware.N),
			Aware: x.aware.Mean(), AwareSE: x.aware.SE(), AwareWidth: x.awareWidth.Mean(),
			Naive: x.naive.Mean(), NaiveSE: x.naive.SE(), NaiveWidth: x.naiveWidth.Mean()}
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
	r, err := simulate.Release(ctx, plan, plan, st, src)
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
type sums struct{ aware, naive, awareWidth, naiveWidth simulate.Moments }

// count adds the shares of one release's intervals that hold what the population says.
func count(a *noiseaware.Answers, list []question, net *bayesnet.Net, all map[Quantity]*sums) error {
	rows, err := a.Rows(simulate.Level)
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
		lo, hi := simulate.Apart(a.List[i].Quantity)
		s.aware.Add(simulate.Held(lo, hi, truth))
		s.awareWidth.Add(hi - lo)
		s.naive.Add(simulate.Held(r.NaiveLower, r.NaiveUpper, truth))
		s.naiveWidth.Add(r.NaiveUpper - r.NaiveLower)
	}
	for q, s := range one {
		if all[q] == nil {
			all[q] = &sums{}
		}
		all[q].aware.Add(s.aware.Mean())
		all[q].naive.Add(s.naive.Mean())
		all[q].awareWidth.Add(s.awareWidth.Mean())
		all[q].naiveWidth.Add(s.naiveWidth.Mean())
	}
	return nil
}
