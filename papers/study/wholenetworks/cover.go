// Package wholenetworks measures the posterior of whole networks given noisy counts: how often its intervals contain
// the true value, and how often tests on synthetic sets find what is not there.
//
// Probabilities are drawn from the model's prior, records from the network, noise by the mechanism. Then a 95 %
// credible interval of the right posterior contains the true value in 95 % of all cases, for every entry of every table
// and for every question ([Cover]). For synthetic sets the truth is a null effect, and the share of sets of sets that
// reject it at 5 % is counted ([TypeOne]). [Committed] are the points that were run; each says how many replicates it
// has.
package wholenetworks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/synthetic"
)

// Spec is one point of the study.
type Spec struct {
	Network string  `json:"network"`
	Records int     `json:"records"`
	Epsilon float64 `json:"epsilon"`
	Noise   string  `json:"noise"` // "geometric", or "Gaussian" with δ = 1e-6

	// Full counts what users get: chains held to the contract of package noiseaware, R-hat below 1.01 and an effective
	// sample size of 400, intervals of entries by Posterior.Summary, which are of mixtures of Beta laws, and those of
	// questions by Answers.Rows. Otherwise chains are held to R-hat below 1.05 and 100, entries are asked as questions,
	// and each interval is taken from that many draws, far apart: order statistics of N independent draws at p(N + 1)
	// cover as they say for every N.
	Full bool `json:"full_contract,omitempty"`

	// Overstated computes posteriors as if ε had been this many times what it was [1]: a wrong posterior, to show that
	// coverage tells.
	Overstated float64 `json:"overstated,omitempty"`
}

// Shares are coverages and mean widths, over the entries of all tables and over the questions: a marginal, a
// conditional against the arrows, a log odds ratio, a joint probability and a difference.
type Shares struct {
	Tables         float64 `json:"tables"`
	Questions      float64 `json:"questions"`
	TablesWidth    float64 `json:"tables_width"`
	QuestionsWidth float64 `json:"questions_width"`
}

func (s *Shares) add(o Shares) {
	s.Tables, s.Questions = s.Tables+o.Tables, s.Questions+o.Questions
	s.TablesWidth, s.QuestionsWidth = s.TablesWidth+o.TablesWidth, s.QuestionsWidth+o.QuestionsWidth
}

func (s Shares) times(x float64) Shares {
	return Shares{s.Tables * x, s.Questions * x, s.TablesWidth * x, s.QuestionsWidth * x}
}

// Point is what was counted. Replicates that did not converge have no intervals, and are counted apart.
type Point struct {
	Spec
	Replicates   int     `json:"replicates"`
	NotConverged int     `json:"not_converged"`
	Seconds      float64 `json:"cpu_seconds_each"` // of a posterior with its answers
	Aware        Shares  `json:"aware"`
	Naive        Shares  `json:"naive"`
	// SD is the standard deviation of a replicate's share of entries held: their errors are not independent, and the
	// standard error of Aware.Tables is SD/√Replicates. QuestionsSD is that of Aware.Questions.
	SD          float64 `json:"sd"`
	QuestionsSD float64 `json:"questions_sd"`
}

// Cover runs replicates of a point. Errors: *dp.ParameterError, those of planning, the context's.
func Cover(ctx context.Context, s Spec, replicates int, seed uint64, step func()) (*Point, error) {
	if s.Overstated == 0 {
		s.Overstated = 1
	}
	d, err := graph(s.Network)
	if err != nil {
		return nil, err
	}
	set, err := plan(ctx, d, s.Records, s.Epsilon, s.Noise, s.Overstated)
	if err != nil {
		return nil, err
	}
	entries, questions := entriesOf(d), questionsOf(d)
	asks := append(append([]*noiseaware.Question(nil), entries...), questions...)
	if s.Full {
		asks = questions
	}
	out := &Point{Spec: s, Replicates: replicates}
	if s.Overstated == 1 {
		out.Overstated = 0
	}
	if !s.Full {
		ctx = simulate.Short.With(ctx)
	}
	tables, answers := simulate.Moments{}, simulate.Moments{}
	out.NotConverged, err = simulate.Replicates(ctx, replicates, 1, func(i int) error {
		defer step()
		src := simulate.Stream("wholenetworks", seed, s, i)
		net, err := fromPrior(d, src)
		if err != nil {
			return err
		}
		of, seconds, err := intervals(ctx, set, net, src, asks, s.Full)
		if err != nil {
			return err
		}
		out.Seconds += seconds
		aware, naive := held(of[:len(entries)], of[len(entries):])
		out.Aware.add(aware)
		out.Naive.add(naive)
		tables.Add(aware.Tables)
		answers.Add(aware.Questions)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if tables.N > 0 {
		k := 1 / tables.N
		out.Aware, out.Naive, out.Seconds = out.Aware.times(k), out.Naive.times(k), out.Seconds*k
		out.SD, out.QuestionsSD = tables.SD(), answers.SD()
	}
	return out, nil
}

// intervals are those of one release, of entries first, with the processor seconds of its posterior and answers.
func intervals(ctx context.Context, set *setting, net *bayesnet.Net, src *dp.Stream, asks []*noiseaware.Question,
	full bool) (of []interval, seconds float64, err error) {
	begin := clock()
	p, joint, err := set.posterior(ctx, net, src)
	if err != nil {
		return nil, 0, err
	}
	a, err := joint.Answers(ctx, asks...)
	if err == nil && full {
		of, err = ofSummary(p, net.DAG(), net)
	}
	if err != nil {
		return nil, 0, err
	}
	seconds = clock() - begin
	asked, err := ofAnswers(a, asks, net, full)
	return append(of, asked...), seconds, err
}

// interval is that of a number, noise-aware and naive, with what the true network says.
type interval struct{ truth, lower, upper, naiveLower, naiveUpper float64 }

// ofAnswers are those of questions: as Rows has them under the full contract, else of few draws.
func ofAnswers(a *noiseaware.Answers, asks []*noiseaware.Question, net *bayesnet.Net, full bool) (out []interval,
	err error) {
	rows, err := a.Rows(simulate.Level)
	if err != nil {
		return nil, err
	}
	for i, r := range rows {
		truth, err := asks[i].Of(net)
		if err != nil {
			return nil, err
		}
		if !full {
			r.Lower, r.Upper = simulate.Apart(a.List[i].Quantity)
		}
		out = append(out, interval{truth, r.Lower, r.Upper, r.NaiveLower, r.NaiveUpper})
	}
	return out, nil
}

// ofSummary are those of the entries of all tables, as Summary has them.
func ofSummary(p *noiseaware.Posterior, d *bayesnet.DAG, net *bayesnet.Net) (out []interval, err error) {
	rows, err := p.Summary(simulate.Level)
	if err != nil {
		return nil, err
	}
	at := 0 // the target is the first node, so that parameters come in the order of nodes, rows and levels
	for v := range d.Len() {
		for row := range d.FamilyCells(v) / d.Arity(v) {
			for l := range d.Arity(v) {
				if at == len(rows) || rows[at].Label != d.Node(v).States[l] || !strings.HasPrefix(rows[at].Of, d.Node(v).Name) {
					return nil, domain.Refuse("wholenetworks", "parameters", len(rows), "those of all tables, in their order")
				}
				if r := rows[at]; free(d, v, l) {
					out = append(out, interval{net.Prob(v, row)[l], r.Lower, r.Upper, r.NaiveLower, r.NaiveUpper})
				}
				at++
			}
		}
	}
	return out, nil
}

// held is the share of intervals that hold what the true network says, of one replicate.
func held(entries, questions []interval) (aware, naive Shares) {
	of := func(list []interval) (aware, width, naive, naiveWidth float64) {
		for _, x := range list {
			k := 1 / float64(len(list))
			aware += k * simulate.Held(x.lower, x.upper, x.truth)
			naive += k * simulate.Held(x.naiveLower, x.naiveUpper, x.truth)
			width, naiveWidth = width+k*(x.upper-x.lower), naiveWidth+k*(x.naiveUpper-x.naiveLower)
		}
		return aware, width, naive, naiveWidth
	}
	aware.Tables, aware.TablesWidth, naive.Tables, naive.TablesWidth = of(entries)
	aware.Questions, aware.QuestionsWidth, naive.Questions, naive.QuestionsWidth = of(questions)
	return aware, naive
}

// free says whether an entry of a row is counted: of a row of two levels the first, of a longer one all.
func free(d *bayesnet.DAG, v, l int) bool { return d.Arity(v) != 2 || l == 0 }

// entriesOf are the free entries of all tables.
func entriesOf(d *bayesnet.DAG) (out []*noiseaware.Question) {
	for v := range d.Len() {
		r := d.Arity(v)
		for row := range d.FamilyCells(v) / r {
			for l := range r {
				if !free(d, v, l) {
					continue
				}
				out = append(out, noiseaware.Function("entry", func(n *bayesnet.Net) float64 { return n.Prob(v, row)[l] }))
			}
		}
	}
	return out
}

// questionsOf asks the last node and the first one that has a child.
func questionsOf(d *bayesnet.DAG) []*noiseaware.Question {
	first, last := 0, d.Len()-1
	for len(d.Children(first)) == 0 {
		first++
	}
	at := func(v, l int) noiseaware.Event {
		return noiseaware.Event{d.Node(v).Name: d.Node(v).States[l]}
	}
	x, y := at(first, 0), at(last, 0)
	both := noiseaware.Event{d.Node(first).Name: x[d.Node(first).Name], d.Node(last).Name: y[d.Node(last).Name]}
	a, b := noiseaware.Probability(y, x), noiseaware.Probability(y, at(first, 1))
	return []*noiseaware.Question{noiseaware.Probability(y), noiseaware.Probability(x, y),
		noiseaware.OddsRatio(a, b).Log(),
		noiseaware.Probability(both), noiseaware.Difference(a, b)}
}

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
