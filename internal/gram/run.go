package gram

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

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

// Sweep makes every move once.
func (c *chain) Sweep(warmUp bool) { c.sweep(warmUp) }

// Quantities are w, σ, S₀ⱼ/S₀₀ and C_jj of every number and, of a linear regression whose n is known, the probability
// that a response lies outside. What the state predicts of the released numbers is added to misses.
func (c *chain) Quantities() []float64 {
	c.misses.add(c)
	out := append(append([]float64(nil), c.w...), math.Exp(c.logSigma))
	z := c.p.corner(c.f)
	for _, n := range c.p.Numbers {
		mean := c.f[n.First] / z
		out = append(out, mean, c.f[n.Second]/z-mean*mean)
	}
	if c.curved != nil || c.p.Fixed == 0 && c.p.Count < 0 {
		return out
	}
	sw := c.c[:c.p.Dim]
	times(c.s, c.w, sw, c.p.Dim)
	n := c.p.rows(c.f)
	mean := sw[0] * math.Sqrt(c.p.D) / n
	sd := math.Sqrt(math.Max(dot(c.w, sw)/n-mean*mean, 0) + math.Exp(2*c.logSigma))
	return append(out, (math.Erfc((1-mean)/sd/math.Sqrt2)+math.Erfc((1+mean)/sd/math.Sqrt2))/2)
}

// limits are those of the quantities: of w and σ the contract's.
func (p *Problem) limits(contract mcmc.Contract) (out []mcmc.Limit) {
	for range p.Dim + 1 {
		out = append(out, mcmc.Limit{RHat: contract.RHat, ESS: contract.ESS})
	}
	for range 2 * len(p.Numbers) {
		out = append(out, mcmc.Limit{RHat: looseRHat})
	}
	return out
}

// Sample draws from the posterior: four chains from scattered starts, doubled until split R̂ < 1.01 and the effective
// sample size is at least 400 for every weight and σ, and R̂ < 1.05 for the numbers' means and spreads. What was drawn
// before a doubling is dropped. The draws are a function of problem and seed. Errors: *NotConvergedError; n that
// neither is public nor follows from an intercept; ctx's.
func Sample(ctx context.Context, p *Problem, seed [32]byte) (*Draws, error) {
	if p.Count < 0 && !(p.N > 0) {
		return nil, domain.Refuse("gram", "n", p.N, "a public number of rows, or an intercept, whose moment tells n")
	}
	contract, chains := mcmc.ContractOf(ctx, standard), p.scattered(seed)
	runs := mcmc.Runs{WarmUp: warmUp, Kept: contract.Sweeps, Most: mostLong, Limits: p.limits(contract),
		Between: func(drawn mcmc.Traces) {
			var mean, covariance []float64
			if p.Curve != nil {
				mean, covariance = drawn.Pooled(p.Dim)
			}
			for _, c := range chains {
				own := c.(*chain)
				if own.misses = (misses{}); p.Curve != nil {
					own.refer(mean, covariance, widest)
				}
			}
		}}
	drawn, sweeps, err := runs.Draw(ctx, chains...)
	var apart *mcmc.ApartError
	if errors.As(err, &apart) {
		err = &NotConvergedError{Column: apart.Quantity, RHat: apart.RHat, ESS: apart.ESS, Sweeps: apart.Sweeps}
		if apart.Quantity > p.Dim {
			err.(*NotConvergedError).Column = -1
		}
	}
	if err != nil {
		return nil, err
	}
	out := &Draws{Weights: drawn.Rows(p.Dim), Sweeps: sweeps, Predicted: p.predictions(chains)}
	var outside []float64
	last := p.Dim + 1 + 2*len(p.Numbers)
	for _, quantities := range drawn {
		out.Sigma = append(out.Sigma, quantities[p.Dim]...)
		if len(quantities) > last {
			outside = append(outside, quantities[last]...)
		}
	}
	if slices.Sort(outside); outside != nil {
		out.Outside = outside[len(outside)/10]
	}
	return out, nil
}

// scattered are chains at scattered starts.
func (p *Problem) scattered(seed [32]byte) (out []mcmc.Chain) {
	for i := range Chains {
		own := seed
		own[31] ^= byte(i + 1)
		src := rand.New(rand.NewChaCha8(own))
		f, w, sigma := p.start(src, 2)
		out = append(out, newChain(p, src, f, w, sigma))
	}
	return out
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
