package wholenetworks

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/papers/study/simulate"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/figure"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/table"
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

// Comparison is what was run of Compare. Committed results say what wrote them.
type Comparison struct {
	Library string `json:"library,omitempty"`
	Command string `json:"command,omitempty"`
	Seed    uint64 `json:"seed"`
	Rows    []Row  `json:"rows"`
}

//go:embed beside.json
var compared []byte

// CommittedComparison reads the points that were run.
func CommittedComparison() (*Comparison, error) { return simulate.Committed[Comparison](compared) }

// sorted are the rows by network, records and ε.
func (c *Comparison) sorted() []Row {
	out := slices.Clone(c.Rows)
	slices.SortStableFunc(out, func(a, b Row) int {
		if i, j := slices.Index(Networks(), a.Network), slices.Index(Networks(), b.Network); i != j {
			return i - j
		}
		if a.Records != b.Records {
			return a.Records - b.Records
		}
		return int(math.Copysign(1, a.Epsilon-b.Epsilon))
	})
	return out
}

// Table has a row for every way at every point.
func (c *Comparison) Table() *table.Table {
	t := table.New("Ways to intervals from noisy counts, on the same releases", "network", "n", "ε", "way", "converged",
		"tables", "s.e.", "questions", "width of tables", "width of questions", "CPU s to ESS 400")
	for _, r := range c.sorted() {
		for _, w := range Ways() {
			f := r.Ways[w]
			seconds := "-"
			if f.Seconds > 0 {
				seconds = fmt.Sprintf("%.3g", f.Seconds)
			}
			row := []any{r.Network, r.Records, r.Epsilon, string(w), fmt.Sprintf("%d of %d", f.Replicates, r.Replicates)}
			if f.Replicates == 0 {
				t.Add(append(row, "-", "-", "-", "-", "-", seconds)...)
				continue
			}
			t.Add(append(row, fixed(f.Tables), fixed(f.SD/math.Sqrt(float64(f.Replicates))), fixed(f.Questions),
				fixed(f.TablesWidth), fixed(f.QuestionsWidth), seconds)...)
		}
	}
	return t.Note("Coverage and mean width of 95 % intervals: tables are all entries of all conditional tables, " +
		"questions as in the study of coverage. Pure ε-DP, replace-one, geometric noise; probabilities from the uniform " +
		"prior, simulated records.").
		Note(fmt.Sprintf("converged: R-hat below %v and %v effective draws of every entry, within %v processor seconds for "+
			"the chains of a peer; after three releases given up and none done a peer is left out at that point, and "+
			"coverage is of releases that converged. CPU s: of one thread, until the worst entry has an effective sample "+
			"size of 400, at the rate reached.", simulate.Short.RHat, simulate.Short.ESS, c.limit())).
		Note("Regenerate: " + c.Command)
}

func (c *Comparison) limit() float64 {
	if len(c.Rows) == 0 {
		return 0
	}
	return c.Rows[0].Limit
}

// Figure is the processor time to an effective sample size of 400 against n at one ε, a line for each way and network.
// Points where chains did not come to agree, and ways without chains, are not drawn.
func (c *Comparison) Figure(epsilon float64) *figure.Figure {
	f := &figure.Figure{Title: fmt.Sprintf("Processor seconds to 400 effective draws, ε = %g", epsilon), XLabel: "records",
		LogX: true, LogY: true, YLabel: "CPU seconds", Caption: "Pure ε-DP, replace-one, geometric noise; one thread; the " +
			"worst entry of all tables; mean over releases. What did not come to agree within the limit is not drawn."}
	short := map[Way]string{Library: "library's chains", Augmented: "data augmentation", Normal: "normal counts"}
	for _, w := range []Way{Library, Augmented, Normal} {
		for _, r := range c.sorted() {
			if r.Epsilon != epsilon || r.Ways[w].Seconds == 0 {
				continue
			}
			name := r.Network + ", " + short[w]
			i := slices.IndexFunc(f.Series, func(s figure.Series) bool { return s.Name == name })
			if i < 0 {
				i = len(f.Series)
				f.Series = append(f.Series, figure.Series{Name: name, Dashed: w != Library})
			}
			s := &f.Series[i]
			s.X, s.Y = append(s.X, float64(r.Records)), append(s.Y, r.Ways[w].Seconds)
		}
	}
	return f
}

// separate takes each noisy table for itself: every conditional table has the posterior given one measured table that
// holds its family, with the library's own posterior for that table, and the conditional tables are taken as
// independent.
func separate(ctx context.Context, s *noisy, draws int) (*outcome, error) {
	begin := clock()
	all := make([]tables, draws)
	out := &outcome{ess: math.Inf(1), rhat: 1}
	for v := range s.dag.Len() {
		p, err := s.alone(ctx, v)
		if err != nil {
			return nil, err
		}
		node, _ := p.DAG().Index("node")
		for i := range all {
			net := p.Draw((2*i + 1) * p.Len() / (2 * draws)).Net
			all[i] = append(all[i], net.Table(node))
		}
	}
	out.seconds = clock() - begin
	var err error
	out.nets, err = networks(s.dag, all, float64(draws))
	return out, err
}

// alone is the posterior of the conditional table of node v given one table: a network of the combined parents, the
// node, and what else is in the table, without any independence.
func (s *noisy) alone(ctx context.Context, v int) (*noiseaware.NetworkPosterior, error) {
	family := s.dag.Family(v)
	t := 0
	for !holds(s.vars[t], family) {
		t++
	}
	var rest []int
	for _, u := range s.vars[t] {
		if !holds(family, []int{u}) {
			rest = append(rest, u)
		}
	}
	groups := []struct {
		name string
		vars []int
	}{{"parents", family[:len(family)-1]}, {"node", []int{v}}, {"rest", rest}}
	var nodes []bayesnet.Node
	var columns []string
	sizes := make([]int, len(groups))
	for i, g := range groups {
		sizes[i] = 1
		for _, u := range g.vars {
			sizes[i] *= s.dag.Arity(u)
		}
		if len(g.vars) == 0 {
			continue
		}
		n := bayesnet.Node{Name: g.name, Parents: columns[:len(columns):len(columns)]}
		for l := range sizes[i] {
			n.States = append(n.States, fmt.Sprint(l))
		}
		nodes, columns = append(nodes, n), append(columns, g.name)
	}
	d, err := bayesnet.NewDAG(nodes)
	if err != nil {
		return nil, err
	}
	counts := make([]int64, len(s.y[t]))
	x := make([]uint8, s.dag.Len())
	for i, y := range s.y[t] {
		at := i
		for j := len(s.vars[t]) - 1; j >= 0; j-- {
			u := s.vars[t][j]
			x[u] = uint8(at % s.dag.Arity(u))
			at /= s.dag.Arity(u)
		}
		place := 0
		for k, g := range groups {
			place = place*sizes[k] + cell(s.dag, g.vars, x)
		}
		counts[place] = y
	}
	return noiseaware.FromNoisyCounts(ctx, d, 1, []noiseaware.NoisyTable{{Columns: columns, Counts: counts,
		Noise: noiseaware.StatedGeometric(s.rate[t])}}, noiseaware.PublicN(int64(s.n)))
}
