// Package noisycells is logistic regression on the cells of a table of which noisy counts are known.
//
// Cell c has a row z_c of columns and, of either class, a count that is Poisson with the mean λ_c·P(class | z_cᵀβ). The
// released counts are those plus two-sided geometric noise. The counts themselves are summed out in closed form
// ([LogProbability]), so that the posterior of (λ, β) has no integers in it. Priors are λ_c^−½ and independent normals
// for β. Where the number of rows is private this is exact. Where it is public, n, the posterior has one factor more,
// Poisson(n; Σλ_c). That is an approximation: the counts add up to n, and not only their means.
//
// Chains move each ln λ_c by a slice and β by elliptical slices about two normal distributions, a near and a far one.
// Both are set before a round of sweeps and not changed in it. Source: theory/glm.md §5.
package noisycells

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/gram"
	"github.com/privbayes/privbayes-go/internal/mcmc"
	"github.com/privbayes/privbayes-go/internal/sample"
)

// Problem is what is known of a table.
type Problem struct {
	Rows          [][]float64 // of columns, a row for every cell
	First, Second []int64     // noisy counts of the two classes in every cell
	Rate          float64     // of the noise, P(z) ∝ e^−Rate·|z|
	N             float64     // the number of rows, where public; else 0
	Deviation     []float64   // of the prior of every coefficient
}

// MostCells bounds the cells of a problem.
const MostCells = 10_000

// Check refuses numbers outside their domain. Errors: *domain.Error.
func (p *Problem) Check() error {
	bad := func(what string, value any, want string) error { return domain.Refuse("noisycells", what, value, want) }
	switch k := len(p.Deviation); {
	case len(p.Rows) == 0 || len(p.Rows) > MostCells:
		return bad("cells", len(p.Rows), fmt.Sprintf("1 to %d", MostCells))
	case k == 0 || k > gram.MostColumns:
		return bad("columns", k, fmt.Sprintf("1 to %d", gram.MostColumns))
	case len(p.First) != len(p.Rows) || len(p.Second) != len(p.Rows):
		return bad("counts", len(p.First)+len(p.Second), fmt.Sprintf("%d, two a cell", 2*len(p.Rows)))
	case !(p.Rate >= 1e-12 && p.Rate <= 700):
		return bad("rate", p.Rate, "1e-12 to 700")
	case !(p.N >= 0 && p.N <= 1e15):
		return bad("n", p.N, "a public number of rows up to 1e15, or 0 where it is private")
	}
	for _, sd := range p.Deviation {
		if !(sd > 0) || !domain.Finite(sd) {
			return bad("deviation", sd, "a finite number > 0")
		}
	}
	for c, row := range p.Rows {
		if len(row) != len(p.Deviation) || !domain.Finite(floats.Sum(row)) {
			return bad("row of a cell", len(row), fmt.Sprintf("%d finite numbers", len(p.Deviation)))
		}
		for _, r := range []int64{p.First[c], p.Second[c]} {
			if r < -mostCount || r > mostCount {
				return bad("noisy count", r, "within ±2^52")
			}
		}
	}
	return nil
}

const mostCount = 1 << 52

// The contract of draws: chains from scattered starts, doubled until they agree.
const (
	Chains    = 4 // of a posterior
	warmUp    = 400
	kept      = 1500
	mostLong  = 24000
	looseRHat = 1.05 // of ln Σλ
)

// near and far are the covariances of the normal distributions that slices of β are about, over that of draws. They
// must reach into long tails, as where the counts of a class may be 0: with 1.5 for both the standard deviation of two
// cells, one with the counts 7 and −3 at rate .4, came out 4 % too small after 8000 sweeps, with R̂ < 1.01.
const near, far = 4, 15

// Sample draws coefficients from the posterior: four chains from scattered starts, doubled until split R̂ < 1.01 and
// the effective sample size is at least 400 for every coefficient, and R̂ < 1.05 for ln Σλ. The draws are a function
// of problem and seed. Errors: *domain.Error; *gram.NotConvergedError; ctx's.
func (p *Problem) Sample(ctx context.Context, seed [32]byte) (*gram.Draws, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	k := len(p.Deviation)
	contract := mcmc.ContractOf(ctx, mcmc.Contract{Sweeps: kept, RHat: 1.01, ESS: 400})
	runs := mcmc.Runs{WarmUp: warmUp, Kept: contract.Sweeps, Most: mostLong}
	for range k {
		runs.Limits = append(runs.Limits, mcmc.Limit{RHat: contract.RHat, ESS: contract.ESS})
	}
	runs.Limits = append(runs.Limits, mcmc.Limit{RHat: looseRHat})
	mean, covariance := p.approximate()
	own, all := make([]*chain, Chains), make([]mcmc.Chain, Chains)
	for i := range own {
		of := seed
		of[31] ^= byte(i + 1)
		own[i] = p.start(rand.New(rand.NewChaCha8(of)), mean, covariance)
		all[i] = own[i]
	}
	runs.Between = func(drawn mcmc.Traces) {
		mean, flat := drawn.Pooled(k)
		covariance := mat.NewSymDense(k, flat)
		for _, c := range own {
			c.refer(mean, covariance)
		}
	}
	drawn, sweeps, err := runs.Draw(ctx, all...)
	var apart *mcmc.ApartError
	if errors.As(err, &apart) {
		err = &gram.NotConvergedError{Column: apart.Quantity, RHat: apart.RHat, ESS: apart.ESS, Sweeps: apart.Sweeps}
		if apart.Quantity == k {
			err.(*gram.NotConvergedError).Column = -1
		}
	}
	if err != nil {
		return nil, err
	}
	return &gram.Draws{Weights: drawn.Rows(k), Sweeps: sweeps}, nil
}

// Mode is about where the posterior is: see approximate.
func (p *Problem) Mode() ([]float64, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	mean, _ := p.approximate()
	return mean, nil
}

// approximate is a normal distribution near the posterior of β, by weighted least squares on empirical log-odds, whose
// variances have the noise of the counts in them.
func (p *Problem) approximate() (mean []float64, covariance *mat.SymDense) {
	k := len(p.Deviation)
	precision, score := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	for j, sd := range p.Deviation {
		precision.SetSym(j, j, 1/(sd*sd))
	}
	noise := 1 / (2 * math.Pow(math.Sinh(p.Rate/2), 2)) // its variance
	for c, row := range p.Rows {
		odds, variance := 0., 0.
		for class, r := range []int64{p.First[c], p.Second[c]} {
			n := math.Max(float64(r), .5)
			odds += float64(2*class-1) * math.Log(n)
			variance += (n + noise) / (n * n)
		}
		z := mat.NewVecDense(k, row)
		precision.SymRankOne(precision, 1/variance, z)
		score.AddScaledVec(score, odds/variance, z)
	}
	var chol mat.Cholesky
	covariance, at := mat.NewSymDense(k, nil), mat.NewVecDense(k, nil)
	if chol.Factorize(precision) && chol.InverseTo(covariance) == nil && chol.SolveVecTo(at, score) == nil {
		return at.RawVector().Data, covariance
	}
	for j, sd := range p.Deviation { // the prior
		covariance.SetSym(j, j, sd*sd)
	}
	return make([]float64, k), covariance
}

// start is a chain at a scattered start: coefficients two deviations about the approximation, means two deviations of
// the noise about the counts.
func (p *Problem) start(src *rand.Rand, mean []float64, covariance *mat.SymDense) *chain {
	c := newChain(p, src)
	c.refer(mean, covariance)
	copy(c.beta, mean)
	floats.AddScaled(c.beta, 2, c.normal())
	for i := range c.log {
		n := float64(p.First[i]+p.Second[i]) + 4/p.Rate*sample.Normal(src)
		c.log[i] = math.Min(math.Log(math.Max(n, .5)), c.most)
	}
	c.renew()
	return c
}
