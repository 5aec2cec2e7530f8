package wholenetworks

import (
	"context"
	"errors"
	"fmt"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// nullSets is how many sets are combined.
const nullSets = 20

// Method names a way to test the log odds ratio of X and Y at 5 %.
type Method string

// The methods, in the order of the table.
const (
	OneSet     Method = "one set of n"
	OneLarge   Method = "one set of 5n"
	PlugIn     Method = "one set of n of the released network"
	ByTp       Method = "T_p, 20 sets of 5n"
	ByTs       Method = "T_s, 20 sets of 5n"
	ByTm       Method = "T_m, 20 sets of 5n"
	ByTfSmall  Method = "T_f, 20 sets of n"
	ByTf       Method = "T_f, 20 sets of 5n"
	OfInterval Method = "the posterior's interval"
)

// Methods lists them.
func Methods() []Method {
	return []Method{OneSet, OneLarge, PlugIn, ByTp, ByTs, ByTm, ByTfSmall, ByTf, OfInterval}
}

// Null is the study of one ε: how often each method finds an effect of X on Y where there is none, among Replicates.
type Null struct {
	Records    int            `json:"records"`
	Epsilon    float64        `json:"epsilon"`
	Replicates int            `json:"replicates"`
	LogOdds    float64        `json:"log_odds_ratio"` // the truth that is tested; a miss is an interval without it
	Missed     map[Method]int `json:"missed"`
	Empty      map[Method]int `json:"empty,omitempty"` // analyses with an empty cell, not counted as misses
}

// nullNet is X → Y → W with the given log odds ratio of X and Y.
func nullNet(odds float64) (*bayesnet.Net, error) {
	two := []string{"0", "1"}
	d, err := bayesnet.NewDAG([]bayesnet.Node{{Name: "X", States: two}, {Name: "Y", States: two, Parents: []string{"X"}},
		{Name: "W", States: two, Parents: []string{"Y"}}})
	if err != nil {
		return nil, err
	}
	p := .4 * odds / (1 - .4 + .4*odds)
	return bayesnet.NewNet(d, [][]float64{{.5, .5}, {.6, .4, 1 - p, p}, {.7, .3, .4, .6}})
}

// TypeOne tests a true log odds ratio in replicates of n records released with geometric noise at ε: data, noise and
// sets are drawn anew, the network is fixed. oddsRatio 1 is no effect. Errors: of planning and drawing, the context's.
func TypeOne(ctx context.Context, n int, eps, oddsRatio float64, replicates int, seed uint64, step func()) (*Null,
	error) {
	net, err := nullNet(oddsRatio)
	if err != nil {
		return nil, err
	}
	set, err := plan(ctx, net.DAG(), n, eps, "geometric", 1)
	if err != nil {
		return nil, err
	}
	y := noiseaware.Event{"Y": "1"}
	question := noiseaware.OddsRatio(noiseaware.Probability(y, noiseaware.Event{"X": "1"}),
		noiseaware.Probability(y, noiseaware.Event{"X": "0"})).Log()
	truth, err := question.Of(net)
	if err != nil {
		return nil, err
	}
	out := &Null{n, eps, replicates, truth, map[Method]int{}, map[Method]int{}}
	for i := range replicates {
		p, r, err := set.draw(ctx, net, simulate.Stream("wholenetworks", seed, out.name(), i))
		if err != nil {
			return nil, err
		}
		if err := out.bySets(ctx, p, r, simulate.Stream("wholenetworks", seed, out.name()+" plugged", i)); err != nil {
			return nil, err
		}
		a, err := p.Answers(ctx, question)
		if err != nil {
			return nil, err
		}
		lo, hi := a.List[0].CredibleInterval(simulate.Level)
		out.count(OfInterval, lo, hi)
		step()
	}
	return out, nil
}

// count is one interval of a method.
func (n *Null) count(m Method, lo, hi float64) {
	if n.LogOdds < lo || n.LogOdds > hi {
		n.Missed[m]++
	}
}

// bySets are the intervals of one release from synthetic sets.
func (n *Null) bySets(ctx context.Context, p *noiseaware.NetworkPosterior, r *release.Release, src *dp.Stream) error {
	analyse := synthetic.LogOddsRatio(synthetic.Level{Column: "Y", Level: "1"}, synthetic.Level{Column: "X", Level: "1"})
	large, err := p.SyntheticSets(nullSets, 5*n.Records)
	if err != nil {
		return err
	}
	small, err := p.SyntheticSets(nullSets, n.Records)
	if err != nil {
		return err
	}
	ofLarge, err := large.Estimates(ctx, analyse)
	if err != nil {
		return err
	}
	ofSmall, err := small.Estimates(ctx, analyse)
	if err != nil {
		return err
	}
	f, err := r.Synthesize(n.Records, src)
	if err != nil {
		return err
	}
	plugged, err := analyse(f)
	if err != nil {
		return err
	}
	for _, by := range []struct {
		m    Method
		r    synthetic.Rule
		d    synthetic.Design
		list []synthetic.Estimate
	}{
		{OneSet, synthetic.Naive, small.Design(), ofSmall[:1]}, {OneLarge, synthetic.Naive, large.Design(), ofLarge[:1]},
		{PlugIn, synthetic.Naive, small.Design(), []synthetic.Estimate{plugged}},
		{ByTp, synthetic.PartiallySynthetic, large.Design(), ofLarge},
		{ByTs, synthetic.SingleSource, large.Design(), ofLarge}, {ByTm, synthetic.Imputation, large.Design(), ofLarge},
		{ByTfSmall, synthetic.FullySynthetic, small.Design(), ofSmall},
		{ByTf, synthetic.FullySynthetic, large.Design(), ofLarge},
	} {
		c, err := synthetic.CombineBy(by.r, by.d, by.list...)
		var empty *synthetic.EstimateError
		if errors.As(err, &empty) {
			n.Empty[by.m]++
			continue
		}
		if err != nil {
			return err
		}
		lo, hi, err := c.Interval(simulate.Level)
		if err != nil {
			return err
		}
		n.count(by.m, lo, hi)
	}
	return nil
}

// name tells points apart.
func (n *Null) name() string { return fmt.Sprintf("null %d %g %g", n.Records, n.Epsilon, n.LogOdds) }
