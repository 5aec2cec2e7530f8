package wholenetworks

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

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

// augment is data augmentation in the manner of Ju, Awan, Gong and Rao, "Data augmentation MCMC for Bayesian inference
// from privatized data" (2022), written for tables of counts: the latent records and the rows of the network are drawn
// in turn. Each record is proposed from the network as it stands and accepted with the ratio of the noise's
// probabilities, which only the cells that it leaves and enters change. A sweep is n such steps.
type augment struct {
	*noisy
	rng    *rand.Rand
	src    rand.Source
	theta  tables
	x      [][]uint8
	f      [][]int64 // counts of the measured tables
	family [][]float64
	order  []int
	parent [][]int
	levels []int
	next   []uint8
}

// newAugment starts at records of a network.
func newAugment(s *noisy, theta tables, src rand.Source) *augment {
	a := &augment{noisy: s, rng: rand.New(src), src: src, theta: theta, order: s.dag.Order(),
		next: make([]uint8, s.dag.Len())}
	for v := range s.dag.Len() {
		a.parent, a.levels = append(a.parent, s.dag.Parents(v)), append(a.levels, s.dag.Arity(v))
		a.family = append(a.family, make([]float64, s.dag.FamilyCells(v)))
	}
	for t := range s.y {
		a.f = append(a.f, make([]int64, len(s.y[t])))
	}
	for range s.n {
		a.propose()
		x := append([]uint8(nil), a.next...)
		a.x = append(a.x, x)
		for t, vars := range s.vars {
			a.f[t][cell(s.dag, vars, x)]++
		}
	}
	return a
}

// row is the place of a record's row of node v.
func (a *augment) row(v int, x []uint8) (i int) {
	for _, u := range a.parent[v] {
		i = i*a.levels[u] + int(x[u])
	}
	return i * a.levels[v]
}

// propose draws a record from the network.
func (a *augment) propose() {
	for _, v := range a.order {
		lo, l, u := a.row(v, a.next), 0, a.rng.Float64()
		for ; l < a.levels[v]-1; l++ {
			if u -= a.theta[v][lo+l]; u < 0 {
				break
			}
		}
		a.next[v] = uint8(l)
	}
}

func (a *augment) sweep() tables {
	for _, x := range a.x {
		a.propose()
		log := 0.0
		for t, vars := range a.vars {
			i, j := a.at(vars, x), a.at(vars, a.next)
			if i == j {
				continue
			}
			// |y − f| one record less at i, one more at j
			if a.y[t][i] >= a.f[t][i] {
				log -= a.rate[t]
			} else {
				log += a.rate[t]
			}
			if a.y[t][j] > a.f[t][j] {
				log += a.rate[t]
			} else {
				log -= a.rate[t]
			}
		}
		if log < 0 && a.rng.Float64() >= math.Exp(log) {
			continue
		}
		for t, vars := range a.vars {
			a.f[t][a.at(vars, x)]--
			a.f[t][a.at(vars, a.next)]++
		}
		copy(x, a.next)
	}
	for v := range a.family {
		clear(a.family[v])
		for _, x := range a.x {
			a.family[v][a.row(v, x)+int(x[v])]++
		}
	}
	a.theta = dirichlets(a.dag, a.family, a.src)
	return a.theta
}

func (a *augment) at(vars []int, x []uint8) (i int) {
	for _, v := range vars {
		i = i*a.levels[v] + int(x[v])
	}
	return i
}

// normal is Gibbs sampling with a normal law of the counts, in the manner of Bernstein and Sheldon, "Differentially
// private Bayesian inference for exponential families" (2018): given the network, the counts of all tables are normal
// with the multinomial's mean and covariance, continuous and possibly negative; the noise is Laplace, a scale mixture
// of normals, so given the scales the counts are normal; and given the counts the rows are Dirichlet, negative counts
// taken as 0. The cost does not depend on n. What it takes for normal is wrong where counts are small.
type normal struct {
	*noisy
	rng    *rand.Rand
	src    rand.Source
	theta  tables
	cells  [][]int   // of every configuration of all nodes: its cell of each table, all tables one after the other
	codes  [][]uint8 // and its levels
	y      []float64
	scale  []float64 // b of every cell
	spread []float64 // σ² of every cell's noise now
	place  []int     // of each family's cells: the table that holds it
	family [][]float64
}

func newNormal(s *noisy, theta tables, src rand.Source) *normal {
	g := &normal{noisy: s, rng: rand.New(src), src: src, theta: theta}
	first := []int{}
	for t, y := range s.y {
		first = append(first, len(g.y))
		for _, c := range y {
			b := 1 / s.rate[t]
			g.y, g.scale, g.spread = append(g.y, float64(c)), append(g.scale, b), append(g.spread, 2*b*b)
		}
	}
	total := 1
	for v := range s.dag.Len() {
		total *= s.dag.Arity(v)
		g.family = append(g.family, make([]float64, s.dag.FamilyCells(v)))
		for t, vars := range s.vars {
			if holds(vars, s.dag.Family(v)) {
				g.place = append(g.place, t)
				break
			}
		}
	}
	for i := range total {
		x, rest := make([]uint8, s.dag.Len()), i
		for v := range x {
			x[v] = uint8(rest % s.dag.Arity(v))
			rest /= s.dag.Arity(v)
		}
		var at []int
		for t, vars := range s.vars {
			at = append(at, first[t]+cell(s.dag, vars, x))
		}
		g.cells, g.codes = append(g.cells, at), append(g.codes, x)
	}
	return g
}

func holds(vars, family []int) bool {
	in := map[int]bool{}
	for _, v := range vars {
		in[v] = true
	}
	for _, v := range family {
		if !in[v] {
			return false
		}
	}
	return true
}

func (g *normal) sweep() tables {
	k, n := len(g.y), float64(g.n)
	mean, free, total := make([]float64, k), make([]float64, k), 0.0
	cov := mat.NewSymDense(k, nil)
	draws, p := make([]float64, len(g.cells)), make([]float64, len(g.cells))
	for i, x := range g.codes {
		p[i] = 1
		for v := range g.theta {
			p[i] *= g.theta[v][cell(g.dag, g.dag.Family(v), x)]
		}
		draws[i] = math.Sqrt(n*p[i]) * g.rng.NormFloat64()
		total += draws[i]
		for _, c := range g.cells[i] {
			mean[c] += n * p[i]
			for _, e := range g.cells[i] {
				if e >= c {
					cov.SetSym(c, e, cov.At(c, e)+n*p[i])
				}
			}
		}
	}
	for i, at := range g.cells { // counts as if unmeasured: normal with the multinomial's covariance
		for _, c := range at {
			free[c] += n*p[i] + draws[i] - p[i]*total
		}
	}
	prior := mat.NewSymDense(k, nil)
	for c := range k {
		for e := c; e < k; e++ {
			prior.SetSym(c, e, cov.At(c, e)-mean[c]*mean[e]/n)
		}
	}
	sum := mat.NewSymDense(k, nil)
	sum.CopySym(prior)
	off := mat.NewVecDense(k, nil)
	for c := range k {
		sum.SetSym(c, c, sum.At(c, c)+g.spread[c])
		off.SetVec(c, g.y[c]-free[c]-math.Sqrt(g.spread[c])*g.rng.NormFloat64())
	}
	var root mat.Cholesky
	counts := free
	if root.Factorize(sum) {
		var w, by mat.VecDense
		if root.SolveVecTo(&w, off) == nil {
			by.MulVec(prior, &w)
			for c := range k {
				counts[c] += by.AtVec(c)
			}
		}
	}
	for c := range k { // 1/σ² is inverse Gaussian with mean 1/(b·|e|) and shape 1/b²
		e, b := math.Max(math.Abs(g.y[c]-counts[c]), 1e-9), g.scale[c]
		g.spread[c] = 1 / math.Max(inverseGaussian(g.rng, 1/(b*e), 1/(b*b)), 1e-12)
	}
	for v := range g.family {
		clear(g.family[v])
	}
	first := 0
	for t, vars := range g.vars {
		g.margins(t, vars, counts[first:first+len(g.noisy.y[t])])
		first += len(g.noisy.y[t])
	}
	for v := range g.family {
		for i := range g.family[v] {
			g.family[v][i] = math.Max(g.family[v][i], 0)
		}
	}
	g.theta = dirichlets(g.dag, g.family, g.src)
	return g.theta
}

// margins adds the cells of table t to the families that are read from it.
func (g *normal) margins(t int, vars []int, counts []float64) {
	x := make([]uint8, g.dag.Len())
	for i, c := range counts {
		rest := i
		for j := len(vars) - 1; j >= 0; j-- {
			x[vars[j]] = uint8(rest % g.dag.Arity(vars[j]))
			rest /= g.dag.Arity(vars[j])
		}
		for v, from := range g.place {
			if from == t {
				g.family[v][cell(g.dag, g.dag.Family(v), x)] += c
			}
		}
	}
}

// inverseGaussian draws by the transformation of Michael, Schucany and Haas (1976), in the form without cancellation.
func inverseGaussian(r *rand.Rand, mu, shape float64) float64 {
	z := r.NormFloat64()
	w := mu * z * z / (2 * shape) // x = µ·(1 + w − √(w² + 2w)) = µ/(1 + w + √(w² + 2w))
	x := mu / (1 + w + math.Sqrt(w*w+2*w))
	if r.Float64() <= mu/(mu+x) {
		return x
	}
	return mu * (mu / x)
}
