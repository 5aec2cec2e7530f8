// Package learnednetworks measures the posterior of learned networks given noisy counts: how often its intervals
// contain the true value when the structure was chosen from the same rows, by noisy scores, and the intervals take it
// for given.
//
// Nothing promises their coverage, so it is counted: populations are fixed and known, records are drawn from them, a
// plan that always learns releases each table, and 95 % intervals are asked only of what was chosen: cells, conditional
// probabilities and risk differences of learned edges, and all columns ([Cover]). The hardest populations are those
// whose edges are weak or none: what is chosen there is what looks strong by chance. [Committed] are the points that
// were run.
package learnednetworks

import (
	"context"
	"fmt"

	"github.com/privbayes/privbayes-go/internal/domain"
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

// released draws records of a network, and a release of them.
func released(ctx context.Context, plan *mechanism.Plan, net *bayesnet.Net, records int, src *dp.Stream) (
	*release.Release, error) {
	f, err := model.Simulate("simulated", net, records, src)
	if err != nil {
		return nil, err
	}
	st, err := model.Count(plan.Shape(), f)
	if err != nil {
		return nil, err
	}
	return simulate.Release(ctx, plan, plan, st, src)
}

// replicate adds one release.
func (p *Point) replicate(ctx context.Context, plan *mechanism.Plan, net *bayesnet.Net, src *dp.Stream,
	sums map[Quantity]*sums) error {
	r, err := released(ctx, plan, net, p.Records, src)
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
	return noiseaware.FromNoisyCounts(ctx, d, 0, tables, noiseaware.PublicN(n))
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

// Populations are the laws of records by name. Their probabilities are fixed, and not drawn from a prior.
//
//   - strong: five two-level columns in a tree, the difference that a parent makes between .45 and .7
//   - weak: the same tree with differences of .06, two standard errors of a thousand records
//   - independent: the same columns without any edge, so that every edge that is learned is there by chance
//   - three levels: four three-level columns in a tree
func Populations() []string { return []string{"strong", "weak", "independent", "three levels"} }

// population is the network of a name: *dp.ParameterError.
func population(name string) (*bayesnet.Net, error) {
	two, three := []string{"0", "1"}, []string{"0", "1", "2"}
	node := func(n string, states []string, parents ...string) bayesnet.Node {
		return bayesnet.Node{Name: n, States: states, Parents: parents}
	}
	tree := []bayesnet.Node{node("a", two), node("b", two, "a"), node("c", two, "b"), node("d", two, "b"),
		node("e", two, "d")}
	var tables [][]float64
	switch name {
	case "strong":
		tables = [][]float64{{.6, .4}, {.85, .15, .25, .75}, {.7, .3, .2, .8}, {.9, .1, .2, .8}, {.65, .35, .2, .8}}
	case "weak":
		tables = [][]float64{{.6, .4}, {.68, .32, .62, .38}, {.53, .47, .47, .53}, {.73, .27, .67, .33},
			{.58, .42, .52, .48}}
	case "independent":
		tree = []bayesnet.Node{node("a", two), node("b", two), node("c", two), node("d", two), node("e", two)}
		tables = [][]float64{{.6, .4}, {.65, .35}, {.5, .5}, {.7, .3}, {.55, .45}}
	case "three levels":
		tree = []bayesnet.Node{node("a", three), node("b", three, "a"), node("c", three, "b"), node("d", three, "b")}
		tables = [][]float64{{.3, .3, .4}, {.6, .25, .15, .25, .5, .25, .15, .25, .6},
			{.7, .2, .1, .3, .4, .3, .2, .2, .6}, {.5, .3, .2, .3, .4, .3, .1, .2, .7}}
	default:
		return nil, domain.Refuse("learnednetworks", "Population", fmt.Sprintf("%q", name),
			fmt.Sprintf("one of %q", Populations()))
	}
	d, err := bayesnet.NewDAG(tree)
	if err != nil {
		return nil, err
	}
	return bayesnet.NewNet(d, tables)
}

// Learners are the ways to learn by name.
func Learners() []string { return []string{"tree", "maximum entropy"} }

// learner is a model that always learns: *dp.ParameterError.
func learner(name string) (m model.LearnedModel, err error) {
	switch name {
	case "tree":
		return model.Tree().Always(), nil
	case "maximum entropy":
		return model.MaxEntropy().Always(), nil
	}
	return m, domain.Refuse("learnednetworks", "Learner", fmt.Sprintf("%q", name), fmt.Sprintf("one of %q", Learners()))
}

// Quantity is what intervals are of.
type Quantity string

// The quantities, in the order of the table. Of edges, only those that were learned are asked.
const (
	Margins      Quantity = "columns"      // probabilities of the levels of every column
	Pairs        Quantity = "cells"        // probabilities of all cells of an edge
	Conditionals Quantity = "conditionals" // of the levels of an edge's second column given those of its first
	Differences  Quantity = "differences"  // of a conditional given the last and given the first level: 0 is no effect
)

// Quantities lists them.
func Quantities() []Quantity { return []Quantity{Margins, Pairs, Conditionals, Differences} }

// question is one of a replicate.
type question struct {
	of  Quantity
	ask *noiseaware.Question
}

// questionsOf are those of a population of which the edges were learned. Of two levels one is asked, since the other
// has the same interval.
func questionsOf(d *bayesnet.DAG, edges [][2]string) (out []question) {
	states := func(column string) []string {
		v, _ := d.Index(column)
		return d.Node(v).States
	}
	free := func(column string) []string {
		if s := states(column); len(s) > 2 {
			return s
		}
		return states(column)[1:]
	}
	for v := range d.Len() {
		name := d.Node(v).Name
		for _, l := range free(name) {
			out = append(out, question{Margins, noiseaware.Probability(noiseaware.Event{name: l})})
		}
	}
	for _, e := range edges {
		x, y := e[0], e[1]
		for _, k := range states(x) {
			for _, l := range states(y) {
				out = append(out, question{Pairs, noiseaware.Probability(noiseaware.Event{x: k, y: l})})
			}
			for _, l := range free(y) {
				out = append(out, question{Conditionals, given(y, l, x, k)})
			}
		}
		s := states(x)
		for _, l := range free(y) {
			last, first := given(y, l, x, s[len(s)-1]), given(y, l, x, s[0])
			out = append(out, question{Differences, noiseaware.Difference(last, first)})
		}
	}
	return out
}

func given(y, l, x, k string) *noiseaware.Question {
	return noiseaware.Probability(noiseaware.Event{y: l}, noiseaware.Event{x: k})
}
