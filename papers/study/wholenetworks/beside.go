package wholenetworks

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// Way is a way to intervals from noisy counts.
type Way string

// The ways, in the order of the table.
const (
	Library   Way = "noise-aware, Markov chains"
	Messages  Way = "noise-aware, exact messages" // where the library has them: forests of two-level nodes
	Augmented Way = "data augmentation (Ju et al.)"
	Normal    Way = "normal counts (Bernstein and Sheldon)"
	Separate  Way = "each table by itself"
	PlugIns   Way = "naive plug-in"
)

// Ways lists them.
func Ways() []Way { return []Way{Library, Messages, Augmented, Normal, Separate, PlugIns} }

// Found is what one way found at a point.
type Found struct {
	Shares
	Replicates int `json:"replicates"` // that converged within the limit: shares are of these
	// Seconds are processor seconds of chains until the worst entry of a table has an effective sample size of 400, at
	// the rate that was reached; the mean over replicates. 0 where there is no chain, or none that came to agree.
	Seconds float64 `json:"cpu_seconds_to_400"`
	Each    float64 `json:"cpu_seconds_each"` // of a replicate that converged, as it was run
	SD      float64 `json:"sd"`               // of a replicate's share of entries held
}

// Row is a point of the comparison: the same releases by every way, geometric noise.
type Row struct {
	Network    string        `json:"network"`
	Records    int           `json:"records"`
	Epsilon    float64       `json:"epsilon"`
	Replicates int           `json:"replicates"`
	Limit      float64       `json:"limit"` // of processor seconds for the chains of a peer, per release
	Ways       map[Way]Found `json:"ways"`
}

// Compare runs every way on the same releases, all chains held to the same contract: R-hat below 1.05 and 100 effective
// draws, intervals from that many. A peer whose chains would pass the limit of processor seconds is given up for that
// release. After three releases given up and none done a peer is not tried again at the point. Errors:
// *dp.ParameterError, those of planning, the context's.
func Compare(ctx context.Context, network string, records int, epsilon float64, replicates int, limit float64,
	seed uint64) (*Row, error) {
	d, err := graph(network)
	if err != nil {
		return nil, err
	}
	set, err := plan(ctx, d, records, epsilon, "geometric", 1)
	if err != nil {
		return nil, err
	}
	row := &Row{network, records, epsilon, replicates, limit, map[Way]Found{}}
	at := fmt.Sprint("beside ", network, records, epsilon)
	sums := map[Way]*found{}
	for _, w := range Ways() {
		sums[w] = &found{}
	}
	ctx = simulate.Short.With(ctx)
	_, err = simulate.Replicates(ctx, replicates, 1, func(i int) error {
		src := simulate.Stream("wholenetworks", seed, at, i)
		net, err := fromPrior(d, src)
		if err != nil {
			return err
		}
		r, err := set.release(ctx, net, src)
		if err != nil {
			return err
		}
		for _, w := range Ways() {
			of := simulate.Stream("wholenetworks", seed, at+string(w), i)
			if err := sums[w].try(ctx, w, r, net, limit, of); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for w, f := range sums {
		row.Ways[w] = f.mean()
	}
	return row, nil
}

// found sums over releases.
type found struct {
	Shares
	held    simulate.Moments
	seconds float64
	each    float64
	timed   int
	failed  int
}

func (f *found) mean() (out Found) {
	out.Replicates = int(f.held.N)
	if f.held.N > 0 {
		out.Shares, out.SD, out.Each = f.Shares.times(1/f.held.N), f.held.SD(), f.each/f.held.N
	}
	if f.timed > 0 {
		out.Seconds = f.seconds / float64(f.timed)
	}
	return out
}

// try goes one way for one release.
func (f *found) try(ctx context.Context, w Way, r *release.Release, net *bayesnet.Net, limit float64,
	src rand.Source) error {
	if f.failed >= 3 && f.held.N == 0 {
		return nil
	}
	d := net.DAG()
	o, err := w.outcome(ctx, r, d, limit, src)
	var slow *noiseaware.NotConvergedError
	if errors.As(err, &slow) {
		f.failed++
		return nil
	}
	if err != nil {
		return err
	}
	if s := o.per400(); o.seconds > 0 && o.ess > 0 && !math.IsInf(s, 1) {
		f.seconds, f.timed = f.seconds+s, f.timed+1
	}
	if !o.converged() {
		f.failed++
		return nil
	}
	shares, err := coverage(o.nets, net)
	if err != nil {
		return err
	}
	f.Shares.add(shares)
	f.each += o.seconds
	f.held.Add(shares.Tables)
	return nil
}

func (w Way) outcome(ctx context.Context, r *release.Release, d *bayesnet.DAG, limit float64,
	src rand.Source) (*outcome, error) {
	s := noisyOf(r, d)
	start := func(i int) tables { // as the library's: two from the prior, two from the naive fit
		counts := make([][]float64, d.Len())
		for v := range counts {
			counts[v] = make([]float64, d.FamilyCells(v))
		}
		if i >= 2 {
			counts = estimates(r, d)
		}
		return dirichlets(d, counts, src)
	}
	switch w {
	case Library:
		return aware(ctx, r, noiseaware.Sampled())
	case Messages:
		o, err := aware(ctx, r)
		if err == nil && !o.exact {
			return &outcome{}, nil
		}
		return o, err
	case Augmented:
		return draw(ctx, d, func(i int) chain { return newAugment(s, start(i), src) }, simulate.Short, limit)
	case Normal:
		return draw(ctx, d, func(i int) chain { return newNormal(s, start(i), src) }, simulate.Short, limit)
	case Separate:
		return separate(ctx, s, int(simulate.Short.ESS))
	}
	out := &outcome{rhat: 1}
	for range simulate.Short.Naive {
		net, err := bayesnet.NewNet(d, dirichlets(d, estimates(r, d), src))
		if err != nil {
			return nil, err
		}
		out.nets = append(out.nets, net)
	}
	return out, nil
}

// estimates are the counts of every family by the release's own estimate, none below 0.
func estimates(r *release.Release, d *bayesnet.DAG) [][]float64 {
	s, out := noisyOf(r, d), make([][]float64, d.Len())
	e := r.Estimate().Tables
	x := make([]uint8, d.Len())
	for v := range out {
		out[v] = make([]float64, d.FamilyCells(v))
		t := slices.IndexFunc(s.vars, func(vars []int) bool { return holds(vars, d.Family(v)) })
		for i, c := range e[t] {
			rest := i
			for j := len(s.vars[t]) - 1; j >= 0; j-- {
				u := s.vars[t][j]
				x[u] = uint8(rest % d.Arity(u))
				rest /= d.Arity(u)
			}
			out[v][cell(d, d.Family(v), x)] += c
		}
		for i := range out[v] {
			out[v][i] = math.Max(out[v][i], 0)
		}
	}
	return out
}

// coverage is what 95 % intervals of draws hold of a network: of all entries and of the questions.
func coverage(nets []*bayesnet.Net, truth *bayesnet.Net) (s Shares, err error) {
	entries, questions := entriesOf(truth.DAG()), questionsOf(truth.DAG())
	for i, q := range append(slices.Clone(entries), questions...) {
		x := make([]float64, len(nets))
		for j, net := range nets {
			if x[j], err = q.Of(net); err != nil {
				return s, err
			}
		}
		is, err := q.Of(truth)
		if err != nil {
			return s, err
		}
		lo, hi := simulate.Ends(x)
		in := simulate.Held(lo, hi, is)
		if i < len(entries) {
			k := float64(len(entries))
			s.Tables, s.TablesWidth = s.Tables+in/k, s.TablesWidth+(hi-lo)/k
		} else {
			k := float64(len(questions))
			s.Questions, s.QuestionsWidth = s.Questions+in/k, s.QuestionsWidth+(hi-lo)/k
		}
	}
	return s, nil
}
