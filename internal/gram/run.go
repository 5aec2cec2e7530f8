package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// The contract of draws: chains from scattered starts, doubled until they agree.
const (
	Chains    = 4 // of a posterior
	warmUp    = 400
	kept      = 1500 // draws of a chain, at most; longer chains are thinned
	mostLong  = 24000
	looseRHat = 1.05 // of the moments S₀ⱼ and C_jj
)

var standard = mcmc.Contract{Sweeps: kept, RHat: 1.01, ESS: 400}

// Limits of what is sampled: a sweep costs entries × columns² operations.
const (
	MostColumns = 60
	MostEntries = 2000
)

// Draws are those of all chains, chain by chain, equally many of each.
type Draws struct {
	Weights [][]float64
	Sigma   []float64
	Outside float64 // the lower decile of the probability that a response lies outside [−1, 1], x normal with S's moments
	Sweeps  int     // of a chain

	Predicted []Prediction // of the entries, s̃ and, but for a step, t̃
}

// NotConvergedError says that the chains did not come to agree within the work limit. Column is the weight furthest
// from agreement; len(weights) stands for σ, −1 for a moment.
type NotConvergedError struct {
	Column    int
	RHat, ESS float64
	Sweeps    int
}

func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("gram: after %d sweeps of %d chains column %d has R-hat %.4g and effective sample size %.4g; "+
		"want below %v and at least %v", e.Sweeps, Chains, e.Column, e.RHat, e.ESS, standard.RHat, standard.ESS)
}

// trace is what is kept of a chain.
type trace struct {
	c       *chain
	weights [][]float64 // a list a column
	sigma   []float64
	moments [][]float64 // S₀ⱼ/S₀₀ and C_jj of every number
	outside []float64
	misses  misses
}

func (t *trace) keep() {
	c := t.c
	for j, v := range c.w {
		t.weights[j] = append(t.weights[j], v)
	}
	t.sigma = append(t.sigma, math.Exp(c.logSigma))
	t.misses.add(c)
	z := c.p.corner(c.f)
	for i, n := range c.p.Numbers {
		mean := c.f[n.First] / z
		t.moments[2*i] = append(t.moments[2*i], mean)
		t.moments[2*i+1] = append(t.moments[2*i+1], c.f[n.Second]/z-mean*mean)
	}
	if c.curved != nil || c.p.Fixed == 0 && c.p.Count < 0 {
		return
	}
	sw := c.c[:c.p.Dim]
	times(c.s, c.w, sw, c.p.Dim)
	n := c.p.rows(c.f)
	mean := sw[0] * math.Sqrt(c.p.D) / n
	sd := math.Sqrt(math.Max(dot(c.w, sw)/n-mean*mean, 0) + math.Exp(2*c.logSigma))
	t.outside = append(t.outside, (math.Erfc((1-mean)/sd/math.Sqrt2)+math.Erfc((1+mean)/sd/math.Sqrt2))/2)
}

// forget drops what was kept.
func (t *trace) forget() {
	t.sigma, t.outside, t.misses = t.sigma[:0], t.outside[:0], misses{}
	for _, list := range [][][]float64{t.weights, t.moments} {
		for i := range list {
			list[i] = list[i][:0]
		}
	}
}

// Sample draws from the posterior: four chains from scattered starts, doubled until split R̂ < 1.01 and the effective
// sample size is at least 400 for every weight and σ, and R̂ < 1.05 for the numbers' means and spreads. What was drawn
// before a doubling is dropped. The draws are a function of problem and seed. Errors: *NotConvergedError; n that
// neither is public nor follows from an intercept; ctx's.
func Sample(ctx context.Context, p *Problem, seed [32]byte) (*Draws, error) {
	if p.Count < 0 && !(p.N > 0) {
		return nil, domain.Refuse("gram", "n", p.N, "a public number of rows, or an intercept, whose moment tells n")
	}
	contract := mcmc.ContractOf(ctx, standard)
	traces := p.scattered(seed)
	each := func(do func(t *trace)) error {
		var wait sync.WaitGroup
		for _, t := range traces {
			wait.Go(func() { do(t) })
		}
		wait.Wait()
		return ctx.Err()
	}
	sweep := func(n, every int, keep bool) error {
		return each(func(t *trace) {
			for i := range n {
				if i%16 == 0 && ctx.Err() != nil {
					return
				}
				if t.c.sweep(!keep); keep && (i+1)%every == 0 {
					t.keep()
				}
			}
		})
	}
	if err := sweep(warmUp, 1, false); err != nil {
		return nil, err
	}
	sweeps := warmUp
	for every := 1; ; every *= 2 {
		for _, t := range traces {
			t.forget()
		}
		length := every * contract.Sweeps
		if err := sweep(length, every, true); err != nil {
			return nil, err
		}
		sweeps += length
		worst := agreement(traces, contract)
		if worst == nil {
			break
		}
		if worst.Sweeps = sweeps; sweeps+2*length > mostLong {
			return nil, worst
		}
		if p.Curve != nil {
			mean, covariance := pooled(traces)
			for _, t := range traces {
				t.c.refer(mean, covariance, widest)
			}
		}
	}
	out := &Draws{Sweeps: sweeps, Predicted: p.predictions(traces)}
	var outside []float64
	for _, t := range traces {
		for k := range t.sigma {
			w := make([]float64, p.Dim)
			for j := range w {
				w[j] = t.weights[j][k]
			}
			out.Weights, out.Sigma = append(out.Weights, w), append(out.Sigma, t.sigma[k])
		}
		outside = append(outside, t.outside...)
	}
	if slices.Sort(outside); outside != nil {
		out.Outside = outside[len(outside)/10]
	}
	return out, nil
}

// scattered are chains at scattered starts.
func (p *Problem) scattered(seed [32]byte) []*trace {
	traces := make([]*trace, Chains)
	for i := range traces {
		own := seed
		own[31] ^= byte(i + 1)
		src := rand.New(rand.NewChaCha8(own))
		f, w, sigma := p.start(src, 2)
		traces[i] = &trace{c: newChain(p, src, f, w, sigma), weights: make([][]float64, p.Dim),
			moments: make([][]float64, 2*len(p.Numbers))}
	}
	return traces
}

// agreement is nil where the chains agree, and else the quantity furthest from it.
func agreement(traces []*trace, contract mcmc.Contract) (worst *NotConvergedError) {
	bad := 1.
	look := func(column int, most, least float64, of func(t *trace) []float64) {
		var x [][]float64
		for _, t := range traces {
			x = append(x, of(t))
		}
		d := mcmc.Diagnosis{RHat: mcmc.RHat(x), Bulk: math.Inf(1), Tail: math.Inf(1)}
		if least > 0 {
			d = mcmc.Diagnose(x)
		}
		ess := math.Min(d.Bulk, d.Tail)
		if b := math.Max((d.RHat-1)/(most-1), least/math.Max(ess, 1e-9)); !(b < bad) && (worst == nil || b > bad) {
			worst, bad = &NotConvergedError{Column: column, RHat: d.RHat, ESS: ess}, b
		}
	}
	for j := range traces[0].weights {
		look(j, contract.RHat, contract.ESS, func(t *trace) []float64 { return t.weights[j] })
	}
	look(len(traces[0].weights), contract.RHat, contract.ESS, func(t *trace) []float64 { return t.sigma })
	for i := range traces[0].moments {
		look(-1, looseRHat, 0, func(t *trace) []float64 { return t.moments[i] })
	}
	return worst
}

// start is a scattered state: what was released, moved by so many standard deviations of its noise, the entries
// pulled toward public interior moments until they are in the cone and the box; w by ridge, shrunk to twice the
// prior's radius.
func (p *Problem) start(src *rand.Rand, scatter float64) (f, w []float64, sigma float64) {
	d := p.Dim
	moved := make([]float64, len(p.Entries))
	for k, e := range p.Entries {
		moved[k] = e.Noisy + scatter*math.Sqrt(e.Variance)*sample.Normal(src)
	}
	f, s := p.inside(moved)
	if p.Curve != nil {
		return f, p.Curve.start(src), 1
	}
	l := make([]float64, d*d)
	w = make([]float64, d)
	ridge := append([]float64(nil), s...)
	for j := range d {
		w[j] = p.XY[j] + scatter*math.Sqrt(p.NoiseXY)*sample.Normal(src)
		ridge[j*d+j] += .01*p.Precision[j]*math.Max(1, p.NoiseXY) + 1e-9
	}
	floored(ridge, l, d)
	solve(l, w, d)
	radius := math.Sqrt(-2 * p.logPrior(w) / float64(d))
	if radius > 2 {
		for j := range w {
			w[j] *= 2 / radius
		}
	}
	sw := make([]float64, d)
	times(s, w, sw, d)
	sigma = math.Sqrt(math.Max(p.YY-2*dot(w, p.XY)+dot(w, sw), 0) / p.rows(f))
	turn := 1.
	if scatter > 0 {
		turn = math.Exp(.25)
		if src.Uint64()&1 == 0 {
			turn = 1 / turn
		}
	}
	return f, w, math.Min(math.Min(math.Max(sigma, .02), .9)*turn, .95)
}

// Released is S at the released entries, pulled as little as it takes to be in the cone and the box.
func (p *Problem) Released() []float64 {
	noisy := make([]float64, len(p.Entries))
	for k, e := range p.Entries {
		noisy[k] = e.Noisy
	}
	_, s := p.inside(noisy)
	return s
}

// inside pulls entries toward public interior moments until they are in the box, and S in the cone with a least
// eigenvalue above 1e−6 of the mean one.
func (p *Problem) inside(moved []float64) (f, s []float64) {
	d, m := p.Dim, len(p.Entries)
	f, public := make([]float64, m), make([]float64, m)
	corner := p.Cap
	if p.Count >= 0 {
		corner = math.Min(math.Max(moved[p.Count], .01*p.Cap), .99*p.Cap)
	}
	for k, e := range p.Entries {
		public[k] = e.Interior * corner
	}
	s = make([]float64, d*d)
	l := make([]float64, d*d)
	for _, q := range []float64{0, .02, .05, .1, .2, .35, .5, .7, .85, 1} {
		for k := range f {
			f[k] = (1-q)*moved[k] + q*public[k]
		}
		if p.Count >= 0 {
			f[p.Count] = corner
		}
		p.fill(f, s)
		if !p.boxed(f) {
			continue
		}
		inside := append([]float64(nil), s...) // less 1e−6 of the mean eigenvalue
		trace := 0.
		for i := range d {
			trace += s[i*d+i]
		}
		for i := range d {
			inside[i*d+i] -= 1e-6 * trace / float64(d)
		}
		if _, ok := factor(inside, l, d); ok {
			break
		}
	}
	return f, s
}
