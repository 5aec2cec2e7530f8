package regression

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/ball"
	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/leastsquares"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/privbayes/dp"
	"github.com/privbayes/privbayes-go/privbayes/mechanism"
	"github.com/privbayes/privbayes-go/privbayes/model"
	"github.com/privbayes/privbayes-go/privbayes/warning"
)

// posteriorDraws is the number of draws that are kept, evenly spaced, of those of the chains.
const posteriorDraws = 1000

// interceptSD is the prior's standard deviation of the intercept over that of a slope per half-range, but for formulas.
const interceptSD = 5

// floor is the least eigenvalue of the repaired XᵀX: about the greatest one of the noise, σ√(2d); of a logistic
// regression half of it, τ√d with τ² the mean variance of the noise on a product of scaled rows.
func (p *perturbing) floor(z shipped) float64 {
	if !p.classes() {
		return p.sigma(z) * math.Sqrt(2*float64(p.dim))
	}
	square, count := 0.0, 0.0
	for k, sd := range p.deviations(z) {
		if m := p.whole[k]; m.i < m.j && m.j < p.dim {
			square, count = square+sd*sd, count+1
		}
	}
	return math.Sqrt(square/math.Max(count, 1)*float64(p.dim)) / float64(p.shape.Linear().Square())
}

// noPosterior refuses numbers that the post-processing does not go through with. It reads public numbers only.
func noPosterior() error {
	return domain.Refuse("linear", "real", "moments without a posterior", "moments of rows in the "+
		"unit ball, and noise as planned")
}

// largest is more than a moment of n rows with noise can be, in units of the moments: at most √2 a row, and 100
// standard deviations, which noise exceeds with probability below 1e−60.
func (d *statisticsSampler) largest() float64 {
	n := 1e15 // of all tables
	if d.replaced {
		n = float64(d.n)
	}
	return math.Sqrt2*n*(1+1e-6) + 100*d.sigma(d.shipped) + 1
}

// noisyMoments are the released moments of scaled rows.
type noisyMoments struct {
	products []product // those of XᵀX
	xx       *mat.SymDense
	xy       []float64
	yy, n    float64
}

// product is a noisy entry of XᵀX, i ≤ j.
type product struct {
	i, j            int
	value, variance float64
}

// read takes the noisy moments of scaled rows from what was drawn. The moment of the intercept is n/D, known where n is
// public; n follows from it where it is not. The square of an indicator is its product with the intercept, where that
// is what was released.
func (d *statisticsSampler) read(drawn mechanism.Output) (p noisyMoments, err error) {
	real, m, linear := drawn.Real, entries(d.dim), d.shape.Linear()
	if d.integer() {
		m = len(d.whole)
	}
	if len(real) != 1 || len(real[0]) != m {
		return p, domain.Refuse("linear", "real", "vectors of another shape", fmt.Sprintf("one of %d noisy moments", m))
	}
	p = noisyMoments{xx: mat.NewSymDense(d.dim, nil), xy: make([]float64, d.dim), n: float64(d.n)}
	square, tau := float64(linear.Square()), d.sigma(d.shipped)
	most := d.largest()
	var of []int // the factors of columns without a formula
	if linear.Formula == nil {
		of = factorOf(linear.Design, linear.Intercept)
	}
	take := func(i, j int, value, variance float64) {
		switch {
		case !(math.Abs(value) <= most):
			err = cmp.Or(err, domain.Refuse("linear", "real", value,
				fmt.Sprintf("moments of at most %.6g, n rows' and the noise's", most)))
		case i == d.dim:
			p.yy = value
		case j == d.dim:
			p.xy[i] = value
		default:
			p.products = append(p.products, product{i, j, value, variance * tau * tau})
			if p.xx.SetSym(i, j, value); of != nil && d.integer() && linear.Intercept && i == 0 && of[j] > 0 {
				p.xx.SetSym(j, j, value)
			}
		}
	}
	if d.integer() {
		for k, v := range real[0] {
			m := d.whole[k]
			value := m.scaled(v, d.spread[k], linear.Square())
			take(m.i, m.j, value, float64(m.halves)/2/float64(m.over)/(square*square))
			if f := linear.Formula; f != nil && m.ofY == 0 {
				for _, at := range f.Places[m.at] {
					p.xx.SetSym(at[0], at[1], value)
				}
			}
		}
	} else {
		k := 0
		for i := range d.dim {
			for j := i; j < d.dim; j++ {
				if v := real[0][k]; i == j {
					take(i, j, v, 1)
				} else {
					take(i, j, v/math.Sqrt2, .5)
				}
				k++
			}
		}
		for i, v := range real[0][k:] {
			take(min(i, d.dim), d.dim, v, 1)
		}
	}
	if d.classes() {
		p.yy = p.n
	}
	if !d.replaced {
		p.n = math.Max(1, p.xx.At(0, 0)*square)
	} else if linear.Intercept {
		p.xx.SetSym(0, 0, p.n/square)
	}
	return p, err
}

// Estimate is the posterior given the noisy moments. That of a linear regression has the noise on all moments in it
// ([gram.Sample]), and is drawn when it is asked for. Slopes have the prior N(0, 1/b) per half of their column's public
// range, in halves of the response's; the intercept has five times its standard deviation; both do not know the radius.
// Where chains do not come to agree there is one set of weights, that of [NoisyStatistics.Plain], and no interval.
func (d *statisticsSampler) Estimate(ctx context.Context, drawn mechanism.Output) (model.Estimate, error) {
	p, err := d.read(drawn)
	if err != nil {
		return model.Estimate{}, err
	}
	names := d.shape.Linear().Weights()
	if d.classes() {
		w, _, err := leastsquares.Logit(p.xx, p.xy, d.prior, d.floor(d.shipped))
		if err != nil {
			return model.Estimate{}, noPosterior()
		}
		return model.Estimate{Draws: &model.Draws{Names: names, Values: [][]float64{w}}}, nil
	}
	plain, err := d.asTrue(p)
	if err != nil {
		return model.Estimate{}, err
	}
	if d.m.plain {
		draws, err := d.plainDraws(plain)
		return model.Estimate{Draws: draws}, err
	}
	contract, of := d.last.hold(ctx), d.seed(drawn.Real[0])
	return model.Estimate{Sampling: &model.Sampling{
		Seed: hex.EncodeToString(of[:]), Seconds: seconds(d.dim, len(p.products)), Filed: d.shape.Linear().Formula == nil,
		Without: &model.Draws{Names: names,
			Values: [][]float64{plain.mean}},
		Problem: func() *gram.Problem { return d.problem(p) },
		Moments: func(ctx context.Context) ([]model.Moment, error) {
			return d.moments(held(ctx, contract), drawn.Real[0], p)
		},
		Draw: func(ctx context.Context) (*model.Draws, error) {
			all, err := d.sample(held(ctx, contract), drawn.Real[0], p)
			if err != nil {
				return nil, err
			}
			rows := make([][]float64, len(all.Weights))
			for k, w := range all.Weights {
				rows[k] = append(w[:d.dim:d.dim], all.Sigma[k])
			}
			return &model.Draws{Names: append(names[:len(names):len(names)], model.ResidualParameter), Values: thinned(rows),
				Chains: gram.Chains}, nil
		},
	}}, nil
}

// thinned are posteriorDraws of the draws, evenly spaced, and equally many of each chain.
func thinned(all [][]float64) (out [][]float64) {
	most := min(posteriorDraws, len(all))
	for k := range most {
		out = append(out, all[k*len(all)/most])
	}
	return out
}

// seconds is about how long the chains of so many weights and distinct products take on one core.
func seconds(dim, products int) float64 {
	n := float64(dim)
	return 7600 * (2e-5 + 4.3e-8*float64(products)*n*n)
}

// TooWideError says that a posterior is not sampled: it has more columns, or more distinct products of two, than the
// limits.
type TooWideError struct{ Columns, Products int }

// Error names figures and limits.
func (e *TooWideError) Error() string {
	return fmt.Sprintf("regression: %d columns and %d products of two columns; intervals take at most %d and %d",
		e.Columns, e.Products, gram.MostColumns, gram.MostEntries)
}

// NotConvergedError says that the chains of a posterior did not come to agree within the work limit.
type NotConvergedError struct {
	Parameter string // the one furthest from agreement
	RHat, ESS float64
	Sweeps    int // of each chain
}

// Error names the parameter, and what its chains reached.
func (e *NotConvergedError) Error() string {
	return fmt.Sprintf("regression: after %d sweeps the chains do not agree about %s (R-hat %.4g, "+
		"effective sample size %.4g)", e.Sweeps, e.Parameter, e.RHat, e.ESS)
}

// sampled keeps the chains of the moments that were last asked for: estimate and warnings are made of the same.
type sampled struct {
	lock     sync.Mutex
	of       [sha256.Size]byte
	contract mcmc.Contract
	asked    sync.Mutex    // of held
	held     mcmc.Contract // of the context of the estimate, for warnings, which have no context
	draws    *gram.Draws
	err      error
}

// hold keeps and returns the contract of an estimate's context. It does not wait for chains.
func (c *sampled) hold(ctx context.Context) mcmc.Contract {
	c.asked.Lock()
	defer c.asked.Unlock()
	c.held = mcmc.ContractOf(ctx, mcmc.Contract{})
	return c.held
}

// background is the context of warnings, under the estimate's contract.
func (c *sampled) background() context.Context {
	c.asked.Lock()
	defer c.asked.Unlock()
	return held(context.Background(), c.held)
}

// has reports whether the chains of these numbers were run.
func (c *sampled) has(of [sha256.Size]byte) bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.of == of && (c.draws != nil || c.err != nil)
}

// seed is a hash of model and released numbers.
func (s *setting) seed(values []float64) [sha256.Size]byte {
	b := []byte(s.shape.Digest())
	for _, v := range values {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
	}
	return sha256.Sum256(b)
}

// sample draws from the posterior. Errors: *TooWideError, *NotConvergedError, the context's.
func (d *statisticsSampler) sample(ctx context.Context, values []float64, p noisyMoments) (*gram.Draws, error) {
	if d.dim > gram.MostColumns || len(p.products) > gram.MostEntries {
		return nil, &TooWideError{d.dim, len(p.products)}
	}
	if d.replaced && d.n == 0 {
		return nil, domain.Refuse("linear", "n", 0, "at least one row, for intervals")
	}
	return d.last.once(ctx, d.seed(values), func(of [sha256.Size]byte) (*gram.Draws, error) {
		draws, err := gram.Sample(ctx, d.problem(p), of)
		return draws, named(err, d.shape.Linear().Weights(), "the residual standard deviation")
	})
}

// once makes the draws of released numbers, unless they are those that are kept.
func (c *sampled) once(ctx context.Context, of [sha256.Size]byte, sample func(of [sha256.Size]byte) (*gram.Draws,
	error)) (*gram.Draws, error) {
	contract := mcmc.ContractOf(ctx, mcmc.Contract{})
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.of == of && (c.contract == contract || contract == (mcmc.Contract{})) && (c.draws != nil || c.err != nil) {
		return c.draws, c.err
	}
	draws, err := sample(of)
	if ctx.Err() == nil {
		c.of, c.contract, c.draws, c.err = of, contract, draws, err
	}
	return draws, err
}

// named is an error of chains with the name of the parameter; beyond is that of the one after the weights.
func named(err error, names []string, beyond string) error {
	var apart *gram.NotConvergedError
	if !errors.As(err, &apart) {
		return err
	}
	name := "the moments of the columns"
	if apart.Column == len(names) {
		name = beyond
	} else if apart.Column >= 0 {
		name = bare(names[apart.Column])
	}
	return &NotConvergedError{name, apart.RHat, apart.ESS, apart.Sweeps}
}

// problem is what is known of the latent moments. A product that was released at several places is their mean, weighted
// by precision.
func (d *statisticsSampler) problem(p noisyMoments) *gram.Problem {
	linear, tau := d.shape.Linear(), d.sigma(d.shipped)
	square := float64(linear.Square())
	public := 0.0
	if d.replaced {
		public = float64(d.n)
	}
	out := gram.Layout(linear.Columns(), square, public)
	at := map[[2]int]int{}
	for k, e := range out.Entries {
		for _, place := range e.Places {
			at[place] = k
		}
	}
	weight := make([]float64, len(out.Entries))
	for _, q := range p.products {
		if k, free := at[[2]int{q.i, q.j}]; free {
			weight[k] += 1 / q.variance
			out.Entries[k].Noisy += q.value / q.variance
		}
	}
	for k := range weight {
		out.Entries[k].Noisy, out.Entries[k].Variance = out.Entries[k].Noisy/weight[k], 1/weight[k]
	}
	if out.Count >= 0 {
		out.Cap = math.Max(out.Entries[out.Count].Noisy, 0) + 8*tau
	}
	out.XY, out.YY, out.NoiseXY, out.NoiseY = p.xy, p.yy, tau*tau, tau*tau
	for range d.dim {
		out.Precision = append(out.Precision, d.prior/square)
	}
	if linear.Intercept {
		out.Precision[0] /= d.wider * d.wider
	}
	return out
}

// Warned says where noise drowns the data, and that responses were clipped: a share above warning.MostClipped, or one
// that takes a weight off by a quarter of its standard deviation; of columns whose schema moves values to their
// bounds. Of normal rows weights shrink by that share (Bussgang 1952). It reads released numbers.
func (d *statisticsSampler) Warned(drawn mechanism.Output) warning.List {
	p, err := d.read(drawn)
	if err != nil {
		return nil
	}
	if d.classes() || d.m.plain {
		effect := "the weights there are drawn toward 0"
		if d.m.plain {
			effect = "the weights there are biased, and intervals hold less than they say"
		}
		_, raised, err := leastsquares.Repair(p.xx, d.floor(d.shipped))
		if err != nil || raised == 0 {
			return nil
		}
		return warning.List{warning.Floor(raised, d.dim, d.floor(d.shipped), effect)}
	}
	if seconds(d.dim, len(p.products)) > model.MostSeconds && !d.last.has(d.seed(drawn.Real[0])) {
		return nil // until it is sampled
	}
	draws, err := d.sample(d.last.background(), drawn.Real[0], p)
	if err != nil {
		return warning.List{warning.NoIntervals(err)}
	}
	moved := d.shape.Columns()[0].OnOutOfDomain == "clamp" // else a response beyond its bounds is refused while reading
	precision, names, clipped := d.problem(p).Precision, d.shape.Linear().Weights(), draws.Outside > warning.MostClipped
	for j := range names {
		mean, sd := spread(draws.Weights, j)
		clipped = clipped || draws.Outside*math.Abs(mean) > sd/4
	}
	drowned := drowned(draws.Weights, precision, names)
	switch {
	case drowned != nil: // what lies outside is the prior's guess, too
		return warning.List{warning.NoiseDrowns(drowned)}
	case clipped && moved:
		return warning.List{warning.ClippedResponses(d.shape.Model().Target(), draws.Outside)}
	}
	return nil
}

// drowned are the weights that are about as wide as their prior.
func drowned(weights [][]float64, precision []float64, names []string) (out []string) {
	for j, p := range precision {
		if _, sd := spread(weights, j); sd*math.Sqrt(p) > warning.MostDrowned {
			out = append(out, bare(names[j]))
		}
	}
	return out
}

// spread is mean and standard deviation of a weight over draws.
func spread(weights [][]float64, j int) (mean, sd float64) {
	square := 0.0
	for _, w := range weights {
		mean += w[j] / float64(len(weights))
		square += w[j] * w[j] / float64(len(weights))
	}
	return mean, math.Sqrt(math.Max(square-mean*mean, 0))
}

// asTrue is the posterior that takes the noisy moments for true ones: w ~ N(mean, Λ⁻¹) with Λ = S/σ² + bI and h = s/σ²,
// S repaired, at the residual standard deviation σ of the mean, found by a few fixed-point steps.
type asTrue struct {
	precision *mat.SymDense
	h, mean   []float64
	sd        float64
}

func (d *statisticsSampler) asTrue(p noisyMoments) (out asTrue, err error) {
	xx, _, err := leastsquares.Repair(p.xx, d.floor(d.shipped))
	if err != nil {
		return out, noPosterior()
	}
	out = asTrue{precision: mat.NewSymDense(d.dim, nil), h: make([]float64, d.dim), mean: make([]float64, d.dim),
		sd: residualSD(p.yy, p.n, d.radius)}
	for range 8 {
		v := out.sd * out.sd
		out.precision.ScaleSym(1/v, xx)
		for i := range d.dim {
			out.precision.SetSym(i, i, out.precision.At(i, i)+d.prior)
			out.h[i] = p.xy[i] / v
		}
		var chol mat.Cholesky
		var mean mat.VecDense
		if !chol.Factorize(out.precision) || chol.SolveVecTo(&mean, mat.NewVecDense(d.dim, out.h)) != nil {
			return out, noPosterior()
		}
		copy(out.mean, mean.RawVector().Data)
		if r := norm(out.mean); r > d.radius {
			for i := range out.mean {
				out.mean[i] *= d.radius / r
			}
		}
		out.sd = residualSD(residualSum(xx, p.xy, p.yy, out.mean), p.n, d.radius)
	}
	return out, nil
}

// estimateNormals bounds the numbers that the plain posterior's draws are made of: about a second of work.
const estimateNormals = 1 << 25

// plainDraws are draws on the ball, from a fixed seed.
func (d *statisticsSampler) plainDraws(of asTrue) (*model.Draws, error) {
	s, err := ball.New(of.precision, of.h, d.radius)
	if err != nil {
		return nil, noPosterior()
	}
	draws, src, left := &model.Draws{Names: d.shape.Linear().Weights()}, dp.Seeded(1), float64(estimateNormals/d.dim)
	if s.ExpectedProposals()*posteriorDraws > left {
		return nil, noPosterior()
	}
	for range posteriorDraws {
		w := make([]float64, d.dim)
		proposals, err := s.Draw(src, w)
		if left -= float64(proposals); err != nil || left < 0 {
			return nil, noPosterior()
		}
		draws.Values = append(draws.Values, w)
	}
	return draws.WithResidual(of.sd), nil
}

// bare is the name of a weight in a text: that of the intercept without its parentheses.
func bare(name string) string {
	if strings.HasPrefix(name, "(") {
		return strings.Trim(name, "()")
	}
	return name
}
