package noiseaware

import (
	"context"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/latent"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/model"
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
}

// setting is what the posterior is of.
type setting struct {
	dag      *bayesnet.DAG
	problem  latent.Problem
	shape    *model.Shape
	estimate [][]float64 // counts of every family that the naive posterior takes for the data
	naive    [][]float64 // CPTs that two of the chains start near, in the order of the problem's nodes
	seed     [32]byte
	title    string
	caption  string
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
