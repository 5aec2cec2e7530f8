package noiseaware

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/safetext"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/release"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// NetworkPosterior is the joint posterior of all conditional probability tables of a network given noisy counts of its
// records: draws from it, and the answer to any question that is a function of the network ([NetworkPosterior.Ask]).
// The draws are made from the noisy numbers alone, with randomness that is a function of them: the same release gives
// the same draws. It costs no privacy. It is safe for concurrent use, and what it says never changes.
type NetworkPosterior struct {
	s     setting
	lay   *latent.Layout
	tree  *latent.Tree // nil: sampled
	base  *level       // at which all parameters had converged: kept[first]
	first int
	turn  chan struct{} // holds one token while chains run
	runs  []*run        // of whose turn it is
	mu    sync.Mutex    // of kept
	kept  []*level      // of ever longer chains; made longer by whose turn it is
	asked asked

	conflicts func() warning.List // of the prior with the noisy numbers
}

// setting is what the posterior is of.
type setting struct {
	dag      *bayesnet.DAG
	problem  latent.Problem
	margins  []margin    // of every node; nil of parities
	alpha    [][]float64 // the prior of the naive posterior's rows: that of the released probabilities
	shape    *model.Shape
	bins     []model.WithinBins // of a learned structure: where in bins values lie
	estimate [][]float64        // counts of every family that the naive posterior takes for the data
	naive    [][]float64        // CPTs that two of the chains start near, in the order of the problem's nodes
	seed     [32]byte
	title    string
	caption  string
	reason   string // why records drawn from the posterior are public
	id       string // of the release, if there is one
	learned  bool   // from the same rows
	sources  string // what the noise is known from
	limit    int    // moves of all chains
	contract mcmc.Contract
	sampled  bool // also where there is an exact way
	progress func(done, total int64)
}

// Draw is one draw of all conditional probability tables, with the number of records of the latent data set that it was
// drawn given: the public n, or a draw of the latent one.
type Draw struct {
	Net     *bayesnet.Net
	Records int64
}

// DAG is the graph.
func (p *NetworkPosterior) DAG() *bayesnet.DAG { return p.s.dag }

// Records is the public number of records; ok is false where it is latent, with the flat prior on 0, 1, 2, ….
func (p *NetworkPosterior) Records() (n int64, ok bool) { return p.s.problem.N, !p.s.problem.Latent }

// Exact reports whether there was no simulation but in the draws, which then are independent: see Route.
func (p *NetworkPosterior) Exact() bool { return p.tree != nil }

// Chains is the number of independent chains that the draws come from; independent draws are dealt to as many.
func (p *NetworkPosterior) Chains() int { return chains }

// Len is the number of draws.
func (p *NetworkPosterior) Len() int { return chains * p.base.draws }

// Draw is draw i, 0 ≤ i < Len(): chain by chain, in the order drawn, thinned where chains are long. It panics for
// another i, as slices do.
func (p *NetworkPosterior) Draw(i int) Draw {
	l := p.base
	return Draw{l.net(p, i/l.draws, i%l.draws), l.records[i/l.draws][i%l.draws]}
}

// Caption says what the posterior is of, and how it was found.
func (p *NetworkPosterior) Caption() string { return p.s.caption + ". " + p.Route() }

// Route says how the posterior was found.
func (p *NetworkPosterior) Route() string { return p.route() }

// level is what was kept of chains of one length: by chain, then draw by draw.
type level struct {
	draws   int
	sweeps  int // of each chain, in all
	theta   [][]float64
	counts  [][]int64 // of the families
	records [][]int64
	shares  [][]float64 // the prior of the rows of every node whose rows share a centre
	logs    [][]float64 // ln π
	nets    []sync.Once
	made    []*bayesnet.Net
}

// net is one draw as a network.
func (l *level) net(p *NetworkPosterior, chain, draw int) *bayesnet.Net {
	i := chain*l.draws + draw
	l.nets[i].Do(func() {
		at := l.theta[chain][draw*p.entries():]
		cpts := make([][]float64, p.s.dag.Len())
		for v := range cpts {
			k := p.s.dag.FamilyCells(v)
			cpts[v], at = at[:k], at[k:]
		}
		net, err := bayesnet.NewNet(p.s.dag, cpts)
		if err != nil { // rows are divided by their sums
			panic("noiseaware: a draw is no network: " + err.Error())
		}
		l.made[i] = net
	})
	return l.made[i]
}

// entries is the number of entries of all tables.
func (p *NetworkPosterior) entries() (n int) {
	for v := range p.s.dag.Len() {
		n += p.s.dag.FamilyCells(v)
	}
	return n
}

// newNetwork lays the tables out and finds their exact law where that can be done, or else runs the chains, and doubles
// them until every parameter has converged. Errors:
// *WorkError for cliques that are too wide, *EvidenceError, *NotConvergedError, the context's.
func newNetwork(ctx context.Context, s setting) (*NetworkPosterior, error) {
	lay, err := latent.NewLayout(ctx, &s.problem)
	if err != nil {
		return nil, tooWide(err, s.dag)
	}
	s.contract = mcmc.ContractOf(ctx, standard)
	p := &NetworkPosterior{s: s, lay: lay, turn: make(chan struct{}, 1)}
	p.conflicts = sync.OnceValue(p.findConflicts)
	if !s.sampled {
		if p.tree, err = latent.NewTree(ctx, lay, latent.TreeWork); err != nil {
			return nil, err
		}
	}
	if p.tree != nil {
		if p.base, _, err = p.level(ctx, 0); err != nil {
			return nil, err
		}
		return p, nil
	}
	p.start()
	err = p.until(ctx, func(l *level) (worst finding) { return p.parameters(l) })
	if err != nil {
		return nil, err
	}
	p.first = len(p.kept) - 1
	p.base = p.kept[p.first]
	return p, nil
}

// entriesOf copies one entry of all tables over the draws of every chain.
func (l *level) entriesOf(i, entries int) [][]float64 {
	out := make([][]float64, len(l.theta))
	for c, t := range l.theta {
		out[c] = make([]float64, l.draws)
		for d := range out[c] {
			out[c][d] = t[d*entries+i]
		}
	}
	return out
}

func clone(x [][]float64) [][]float64 {
	out := make([][]float64, len(x))
	for i := range x {
		out[i] = slices.Clone(x[i])
	}
	return out
}

// Option changes how a posterior is computed, and never what it is.
type Option func(*setting)

// WithProgress calls report with the sweeps made and to be made before the draws are looked at again, a few times a
// second, from another goroutine.
func WithProgress(report func(done, total int64)) Option {
	return func(s *setting) { s.progress = report }
}

// Sampled finds the posterior by Markov chains also where there is an exact way: to compare the two.
func Sampled() Option { return func(s *setting) { s.sampled = true } }

// OfNetwork is the joint posterior of a model's tables given the raw noisy integers of a release: of Network models,
// and of the others made of count tables as networks of one node, of a class and its features, or of all columns of a
// contingency table. All mechanisms that release noisy counts of them are read: Geometric, DiscreteGaussian, Laplace,
// KNorm, BySize and Fourier, with whatever post-processing, which plays no part.
//
// The prior of a Network is that of shared rows: of a node of L levels with R rows, one for each configuration of its
// parents,
//
//	R = 1:  θ ~ Dirichlet(2/L, …, 2/L),
//	R = 2:  rows ~ Dirichlet(1/L, …, 1/L), independent,
//	R ≥ 3:  m ~ Dirichlet(2/L, …, 2/L), rows | m ~ Dirichlet(a), a_l = 0.1/L + 0.9·m_l:
//
// a row weighs one record, a root or a centre two. With independent rows, as a model WithPrior has them, a node's
// marginal is known beforehand to be near 1/L where the node has many rows, and intervals at one fixed network need not
// cover (docs/theory/prior.md). Naive Bayes and single tables have the model's own prior.
//
// Where the network is a forest of two-level nodes, each with at most one parent, the noise is on tables of single
// nodes and of parents with their children, and n is public, the latent tables' law is found exactly, by messages over
// one count, for a bounded work; other networks' tables are drawn by Markov chains. Route says which it was.
//
// Errors: *UnsupportedError, *WorkError for cliques that are too wide, *EvidenceError, *NotConvergedError,
// *dp.ParameterError without a release, the context's.
func OfNetwork(ctx context.Context, r *release.Release, options ...Option) (*NetworkPosterior, error) {
	if r == nil || r.Plan() == nil {
		return nil, domain.Refuse("noiseaware", "release", nil, "one from Privatize or release.Load")
	}
	s, err := settingOf(ctx, r)
	if err != nil {
		return nil, err
	}
	for _, o := range options {
		o(&s)
	}
	return newNetwork(ctx, s)
}

// settingOf reads a release.
func settingOf(ctx context.Context, r *release.Release) (s setting, err error) {
	sh := r.Plan().Shape()
	if sh.Learning() != nil {
		return learnedSetting(ctx, r)
	}
	measured, ok := r.Plan().Measured()
	if !ok || sh.Lattice() != nil {
		_, err := noiseOf(r.Plan())
		return s, err
	}
	if s.shape, err = networkShape(sh); err != nil {
		return s, err
	}
	s.begin(r)
	s.prior(sh)
	if m, ok := sh.Model().(model.NetworkModel); ok && m.ShareRows() {
		s.problem.ShareRows()
	}
	if measured.Parities != nil {
		err = s.parities(ctx, r, measured.Parities)
	} else {
		err = s.tables(ctx, r, measured.Tables)
	}
	if err != nil {
		return s, err
	}
	s.estimate = s.familyCounts(sh, r.Estimate().Tables)
	s.naive = s.means(s.estimate)
	return s, nil
}

// captionOf is that of a release and, where units have several rows, of what the model takes them for.
func captionOf(r *release.Release) string {
	if _, k := r.Plan().Shape().Unit(); k > 1 {
		return fmt.Sprintf("%s. The %d rows of a unit are taken as independent: where they are alike, intervals are up to "+
			"√%d times too narrow", r.Caption(), k, k)
	}
	return r.Caption()
}

// begin sets what the graph and the plan say.
func (s *setting) begin(r *release.Release) {
	sh := r.Plan().Shape()
	s.dag = s.shape.Graph()
	s.title = "Posterior given the noisy counts: " + sh.Model().String()
	s.id, s.caption, s.seed, s.limit = r.ID(), captionOf(r), seedOf(r), moveLimit
	s.sources, s.reason = r.Terms(), r.SyntheticReason()
	n, public := sh.N()
	public = public && r.Plan().Target().Adjacency.PublicN()
	s.problem.Latent = !public
	if public {
		s.problem.N = int64(n)
	}
	for v := range s.dag.Len() {
		s.problem.Levels = append(s.problem.Levels, s.dag.Arity(v))
		s.problem.Parents = append(s.problem.Parents, s.dag.Parents(v))
	}
}

// row names a row of a node's table: "lung | smoke = yes".
func (s *setting) row(node, row int) string {
	parents := s.dag.Parents(node)
	words := make([]string, len(parents))
	for k := len(parents) - 1; k >= 0; k-- {
		p := s.dag.Node(parents[k])
		words[k] = safetext.Short(p.Name) + " = " + safetext.Short(p.States[row%len(p.States)])
		row /= len(p.States)
	}
	name := safetext.Short(s.dag.Node(node).Name)
	if len(words) > 0 {
		name += " | " + strings.Join(words, ", ")
	}
	return name
}

// parameter names an entry of a table.
func (s *setting) parameter(node, row, state int) string {
	return fmt.Sprintf("P(%s) of %s", safetext.Short(s.dag.Node(node).States[state]), s.row(node, row))
}

// networkShape is the shape of a model as a network.
func networkShape(sh *model.Shape) (*model.Shape, error) {
	if sh.Graph() != nil {
		return sh, nil
	}
	if sh.Joint() && len(sh.Model().Prior()) > 1 {
		return nil, &UnsupportedError{sh.Model().String(), "a prior that differs from cell to cell", "one hyperparameter"}
	}
	d, err := graphOf(sh)
	if err != nil {
		return nil, err
	}
	n, public := sh.N()
	return model.NewShape(sh.Schema(), model.NetworkOf(d.Node(0).Name, d), n, public, "")
}

// graphOf is the network of a shape without a graph: of a class and its features, one node, or, of a contingency table,
// the complete one, in which every column has all before it as parents.
func graphOf(sh *model.Shape) (*bayesnet.DAG, error) {
	var nodes []bayesnet.Node
	for i, c := range sh.Columns() {
		node := bayesnet.Node{Name: c.Name, States: c.Labels()}
		for _, earlier := range sh.Columns()[:i] {
			if node.Parents == nil || sh.Joint() {
				node.Parents = append(node.Parents, earlier.Name)
			}
		}
		nodes = append(nodes, node)
	}
	return bayesnet.NewDAG(nodes)
}

// prior is the model's, for every row, of the naive posterior and, so far, of both; of one column it may differ from
// level to level. Dirichlet(α, …, α) over the cells of a contingency table is Dirichlet(αm, …, αm) for every row of its
// complete network, m the cells that one entry of the row stands for.
func (s *setting) prior(sh *model.Shape) {
	for v, r := range s.problem.Levels {
		alpha, cells := make([]float64, r), 1
		for u := v + 1; u < len(s.problem.Levels) && sh.Joint(); u++ {
			cells *= s.problem.Levels[u]
		}
		for l := range alpha {
			if alpha[l] = sh.Model().Prior().At(0) * float64(cells); v == 0 && s.dag.Len() == 1 && sh.Graph() == nil {
				alpha[l] = sh.Model().Prior().At(l)
			}
		}
		s.alpha = append(s.alpha, alpha)
	}
	s.problem.Alpha = s.alpha
}

// seedOf is a function of the noisy numbers and of the plan that they are of.
func seedOf(r *release.Release) [32]byte {
	h := sha256.New()
	fmt.Fprintf(h, "noiseaware\n%s\n%s\n%s\n", r.Plan().Mechanism(), r.Plan().Params(), r.Plan().Shape().Model())
	for _, t := range r.Raw() {
		binary.Write(h, binary.LittleEndian, int64(len(t)))
		binary.Write(h, binary.LittleEndian, t)
	}
	return [32]byte(h.Sum(nil))
}

// tables are the noisy cells of every table.
func (s *setting) tables(ctx context.Context, r *release.Release, laws []noise.Distribution) error {
	raw, err := measuredOf(r)
	if err != nil {
		return err
	}
	var list []noisyTable
	for t, table := range r.Plan().Shape().Tables() {
		list = append(list, noisyTable{table.Name, raw[t], len(raw[t]) == table.Cells(), laws[t], table.Columns, nil})
	}
	return s.noisyTables(ctx, r, list)
}

// noisyTables makes terms of noisy tables, and asks whether they can be.
func (s *setting) noisyTables(ctx context.Context, r *release.Release, list []noisyTable) error {
	defer func() { s.marginsOf(list) }()
	total, whole := 0.0, 0
	for _, t := range list {
		m, term, unit := latent.Table{}, termsOf(t.law), float64(t.law.Unit())
		m.Spread = noise.SD(t.law) / unit
		cells := 1
		for _, c := range t.columns {
			v, ok := s.dag.Index(c)
			if !ok {
				return &UnsupportedError{name(r.Plan()), fmt.Sprintf("a table of %q", c), "tables of the network's nodes"}
			}
			m.Vars = append(m.Vars, v)
			cells *= s.dag.Arity(v)
		}
		if len(t.y) > cells {
			return &UnsupportedError{name(r.Plan()), fmt.Sprintf("a list of %d integers for %d cells", len(t.y), cells),
				"at most one a cell"}
		}
		sum := 0.0
		for _, y := range t.y {
			m.Cells = append(m.Cells, term(y))
			sum += float64(y) / unit
		}
		if t.all {
			total, whole = total+sum, whole+1
		}
		s.problem.Tables = append(s.problem.Tables, m)
	}
	if s.problem.Latent {
		if whole == 0 {
			return &UnsupportedError{name(r.Plan()), "a private n without a table that is measured whole",
				"noisy counts of every cell"}
		}
		s.problem.N = int64(math.Round(min(max(total/float64(whole), 0), maxRecords)))
		return explained(ctx, s.dag, -1, list)
	}
	return explained(ctx, s.dag, s.problem.N, list)
}

// maxRecords is the largest number of records that is inferred.
const maxRecords = 1 << 45

// termsOf makes terms of noisy counts.
func termsOf(z noise.Probabilities) func(y int64) latent.Term {
	form, law := noise.FormOf(z), z.LogProb
	if form == (noise.Form{}) {
		law = noise.Remembered(z)
	}
	return func(y int64) latent.Term { return latent.Noise(y, z.Unit(), form.Rate, form.Sigma2, law) }
}

// familyCounts are the estimated counts of every family, none below 0: margins of the release's own estimate.
func (s *setting) familyCounts(sh *model.Shape, tables [][]float64) [][]float64 {
	vars := make([][]int, len(sh.Tables()))
	for t, table := range sh.Tables() {
		for _, c := range table.Columns {
			u, _ := s.dag.Index(c)
			vars[t] = append(vars[t], u)
		}
		if t < len(tables) && len(tables[t]) != table.Cells() {
			vars[t] = nil
		}
	}
	return s.familyMargins(vars[:min(len(vars), len(tables))], tables)
}

// familyMargins takes each family's counts from the first table over vars that holds it; 0 where there is none.
func (s *setting) familyMargins(vars [][]int, tables [][]float64) [][]float64 {
	out := make([][]float64, s.dag.Len())
	for v := range out {
		family := s.dag.Family(v)
		out[v] = make([]float64, s.dag.FamilyCells(v))
		for t := range vars {
			if slices.ContainsFunc(family, func(u int) bool { return !slices.Contains(vars[t], u) }) {
				continue
			}
			s.margin(out[v], family, vars[t], tables[t])
			break
		}
		for c := range out[v] {
			out[v][c] = max(out[v][c], 0)
		}
	}
	return out
}

// means is the mean of every row given counts: what two of the chains start near.
func (s *setting) means(counts [][]float64) [][]float64 {
	out := clone(counts)
	for v, table := range out {
		for r, lo := s.dag.Arity(v), 0; lo < len(table); lo += r {
			row, sum := table[lo:lo+r], 0.0
			for l := range row {
				row[l] += s.alpha[v][l]
				sum += row[l]
			}
			for l := range row {
				row[l] /= sum
			}
		}
	}
	return out
}

// margin adds a table over vars to one over family.
func (s *setting) margin(out []float64, family, vars []int, table []float64) {
	x := make([]int, s.dag.Len())
	for c, value := range table {
		for i, rest := len(vars)-1, c; i >= 0; i-- {
			x[vars[i]] = rest % s.dag.Arity(vars[i])
			rest /= s.dag.Arity(vars[i])
		}
		at := 0
		for _, u := range family {
			at = at*s.dag.Arity(u) + x[u]
		}
		out[at] += value
	}
}

// learnedSetting reads a release that learned its structure. The network is the one that was fitted (of MaxEntropy and
// Cliques its triangulation), the noisy tables all that were measured: of the columns, of what was chosen, and once
// more of a column where nothing was.
func learnedSetting(ctx context.Context, r *release.Release) (s setting, err error) {
	sh, st := r.Plan().Shape(), r.Structure()
	if st == nil {
		return s, &UnsupportedError{name(r.Plan()), "a release without its learned structure", "the release as drawn"}
	}
	if sh.Learning().Algorithm == model.Greedy { // its structure has no list of noisy tables
		return s, &UnsupportedError{name(r.Plan()), "PrivBayes, as published", "MaxEntropy(), Tree() or Cliques()"}
	}
	if len(st.Zeros) > 0 || len(sh.Learning().Ordered) > 0 {
		return s, &UnsupportedError{name(r.Plan()), "a model with structural zeros or an order", "one without"}
	}
	n, public := sh.N()
	families := r.Estimate().Families
	s.shape, err = model.NewShape(sh.Schema(), model.Network(sh.Columns()[0].Name, families...), n, public, "")
	if err != nil {
		return s, err
	}
	s.begin(r)
	if slices.ContainsFunc(st.Rounds, func(t model.Round) bool { return !t.Given }) {
		s.learned = true
		s.caption += ". " + strings.TrimSuffix(warning.LearnedRows().Text, ".") // as captions: without a full stop
	}
	s.uniform(1) // the fit has no prior
	s.problem.ShareRows()
	h := sha256.New()
	h.Write(s.seed[:])
	var list []noisyTable
	for _, m := range st.Measured {
		cells := 1
		for _, c := range m.Columns {
			if v, ok := s.dag.Index(c); ok {
				cells *= s.dag.Arity(v)
			}
		}
		list = append(list, noisyTable{fmt.Sprint(m.Columns), m.Counts, len(m.Counts) == cells, m.Noise, m.Columns, nil})
		binary.Write(h, binary.LittleEndian, m.Counts)
	}
	s.seed, s.bins = [32]byte(h.Sum(nil)), r.Estimate().Within
	if err = s.noisyTables(ctx, r, list); err != nil {
		return s, err
	}
	s.estimate = clone(r.Estimate().Conditionals)
	for _, t := range s.estimate {
		for c := range t {
			t[c] = math.Max(t[c], 0)
		}
	}
	s.naive = s.means(s.estimate)
	return s, nil
}

// uniform sets the prior of independent rows with alpha in every cell.
func (s *setting) uniform(alpha float64) {
	s.alpha = nil
	for _, levels := range s.problem.Levels {
		s.alpha = append(s.alpha, slices.Repeat([]float64{alpha}, levels))
	}
	s.problem.Alpha = s.alpha
}
