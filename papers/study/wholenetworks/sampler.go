package wholenetworks

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/sample"
	"github.com/privbayes/privbayes-go/privbayes/bayesnet"
	"github.com/privbayes/privbayes-go/privbayes/mechanism/noise"
	"github.com/privbayes/privbayes-go/privbayes/noiseaware"
	"github.com/privbayes/privbayes-go/privbayes/release"
)

// noisy is what a peer sees: tables of a network's records with two-sided geometric noise, the number of records
// public.
type noisy struct {
	dag  *bayesnet.DAG
	n    int
	rate []float64 // P(Z = z) ∝ e^{−rate·|z|}, of each table
	y    [][]int64
	vars [][]int
}

func noisyOf(r *release.Release, d *bayesnet.DAG) *noisy {
	n, _ := r.Plan().Shape().N()
	laws, _ := r.Plan().Measured()
	out := &noisy{dag: d, n: n, y: r.Raw()}
	for t, table := range r.Plan().Shape().Tables() {
		var vars []int
		for _, c := range table.Columns {
			v, _ := d.Index(c)
			vars = append(vars, v)
		}
		out.vars, out.rate = append(out.vars, vars), append(out.rate, noise.FormOf(laws.Tables[t]).Rate)
	}
	return out
}

// cell is the place of a record in a table over vars, the last fastest.
func cell(d *bayesnet.DAG, vars []int, x []uint8) (i int) {
	for _, v := range vars {
		i = i*d.Arity(v) + int(x[v])
	}
	return i
}

// tables are the rows of all conditional tables, node by node, the last parent fastest.
type tables [][]float64

// dirichlets draws all rows given counts of the families, with hyperparameters 1.
func dirichlets(d *bayesnet.DAG, counts [][]float64, src rand.Source) tables {
	out := make(tables, d.Len())
	for v := range out {
		r := d.Arity(v)
		out[v] = make([]float64, d.FamilyCells(v))
		alpha := make([]float64, r)
		for lo := 0; lo < len(out[v]); lo += r {
			for l := range alpha {
				alpha[l] = 1 + counts[v][lo+l]
			}
			row := out[v][lo : lo+r]
			sample.LogDirichlet(src, alpha, row)
			sum := 0.0
			for l := range row {
				row[l] = math.Exp(row[l])
				sum += row[l]
			}
			for l := range row {
				row[l] /= sum
			}
		}
	}
	return out
}

// chain is a Markov chain of a peer: each sweep is a draw of all rows.
type chain interface{ sweep() tables }

// outcome is what draws of a method say.
type outcome struct {
	nets    []*bayesnet.Net // as many as the effective sample size of the worst, far apart; nil if not converged
	seconds float64         // of the processor, in all
	ess     float64         // of the worst free entry, bulk, in the draws of the kept half
	rhat    float64
	exact   bool // independent draws: all of them are in seconds
}

// converged tells whether intervals may be taken.
func (o *outcome) converged() bool { return o.nets != nil }

// per400 are the processor seconds in which the chains make 400 effective draws of the worst entry, at the rate of the
// kept half of their last level; of independent draws, those of all of them; +Inf where chains do not agree at all.
func (o *outcome) per400() float64 {
	if o.rhat > 1.2 {
		return math.Inf(1)
	}
	if o.exact {
		return o.seconds
	}
	return o.seconds / 2 * 400 / o.ess
}

// fewDraws is how many draws of a chain are looked at.
const fewDraws = 400

// draw runs four chains and doubles them until every free entry has converged, or the next level would pass a limit of
// processor seconds. The first level keeps c.Sweeps sweeps after as many of burn-in; later ones their second half.
func draw(ctx context.Context, d *bayesnet.DAG, start func(i int) chain, c mcmc.Contract, limit float64) (*outcome,
	error) {
	begin := clock()
	chains := make([]chain, 4)
	for i := range chains {
		chains[i] = start(i)
	}
	sweeps := 0
	for total := 2 * c.Sweeps; ; total *= 2 {
		kept := make([][]tables, len(chains))
		stride := max(total/2/fewDraws, 1)
		for i, ch := range chains {
			for s := sweeps; s < total; s++ {
				if s%64 == 0 && ctx.Err() != nil {
					return nil, ctx.Err()
				}
				if t := ch.sweep(); s >= total/2 && (s-total/2)%stride == 0 {
					kept[i] = append(kept[i], t)
				}
			}
		}
		sweeps = total
		out := &outcome{ess: math.Inf(1)}
		for v := range d.Len() {
			r := d.Arity(v)
			for k := range d.FamilyCells(v) {
				if r == 2 && k%2 == 1 {
					continue
				}
				x := make([][]float64, len(kept))
				for i := range kept {
					for _, t := range kept[i] {
						x[i] = append(x[i], t[v][k])
					}
				}
				f := mcmc.Diagnose(x)
				out.ess, out.rhat = min(out.ess, f.Bulk, f.Tail), math.Max(out.rhat, f.RHat)
			}
		}
		out.seconds = clock() - begin
		if out.rhat < c.RHat && out.ess >= c.ESS {
			var err error
			out.nets, err = networks(d, slices.Concat(kept...), out.ess)
			return out, err
		}
		if 2*out.seconds > limit {
			return out, nil
		}
	}
}

// networks are about as many of the draws as the effective sample size says, at most fewDraws, far apart.
func networks(d *bayesnet.DAG, all []tables, ess float64) (out []*bayesnet.Net, err error) {
	stride := max(int(math.Ceil(float64(len(all))/min(ess, fewDraws))), 1)
	for i := stride / 2; i < len(all); i += stride {
		net, err := bayesnet.NewNet(d, all[i])
		if err != nil {
			return nil, err
		}
		out = append(out, net)
	}
	return out, nil
}

// aware is the library's own posterior in the same form.
func aware(ctx context.Context, r *release.Release, options ...noiseaware.Option) (*outcome, error) {
	begin := clock()
	p, err := noiseaware.OfNetwork(ctx, r, options...)
	if err != nil {
		return nil, err
	}
	out := &outcome{seconds: clock() - begin, ess: math.Inf(1), rhat: 1, exact: p.Exact()}
	var all []tables
	for i := range p.Len() {
		net, t := p.Draw(i).Net, tables{}
		for v := range p.DAG().Len() {
			t = append(t, net.Table(v))
		}
		all = append(all, t)
	}
	for v := range p.DAG().Len() {
		for k := range p.DAG().FamilyCells(v) {
			x := make([][]float64, p.Chains())
			for i, t := range all {
				x[i*p.Chains()/len(all)] = append(x[i*p.Chains()/len(all)], t[v][k])
			}
			f := mcmc.Diagnose(x)
			out.ess = min(out.ess, f.Bulk, f.Tail)
		}
	}
	out.nets, err = networks(p.DAG(), all, out.ess)
	return out, err
}
