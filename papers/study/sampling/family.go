package sampling

import (
	"fmt"
	"math"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// Family is a finite parameter set Θ with a prior ξ, and a finite space of data sets with a pseudo-metric ρ. A data set
// may stand for several that have the same likelihood for every θ (sequences of bits with the same number of ones): its
// multiplicity counts in expectations over data, and nowhere else. Immutable.
type Family struct {
	logPrior []float64   // normalised; −Inf outside the support
	logLik   [][]float64 // [data][θ]
	rho      [][]float64
	logMult  []float64
	post     [][]float64
}

// limits keep every table of the package small: they are meant to be read.
const (
	maxParameters = 2000
	maxDataSets   = 2000
)

// NewFamily takes prior weights (≥ 0, at least one positive; they are normalised), the log-likelihood of every data set
// under every parameter (finite), their distances (symmetric, ≥ 0, 0 on the diagonal), and the multiplicities of the
// data sets; nil multiplicities are all 1. Errors: *ParameterError.
func NewFamily(prior []float64, logLikelihood, distance [][]float64, multiplicity []float64) (*Family, error) {
	const f = "NewFamily"
	n := len(logLikelihood)
	if err := check(f, domain.Between("parameters", len(prior), 1, maxParameters),
		domain.Between("data sets", n, 1, maxDataSets),
		domain.Arg("rows of distances", len(distance), len(distance) == n, "one for each data set"),
		domain.Arg("multiplicities", len(multiplicity), multiplicity == nil || len(multiplicity) == n,
			"one for each data set, or none")); err != nil {
		return nil, err
	}
	fam := &Family{logPrior: make([]float64, len(prior)), logMult: make([]float64, n)}
	for i, w := range prior {
		if err := check(f, domain.NotNegative(fmt.Sprintf("prior[%d]", i), w)); err != nil {
			return nil, err
		}
		fam.logPrior[i] = math.Log(w)
	}
	z := num.LogSumExp(fam.logPrior)
	if err := check(f, domain.Arg("prior", prior, domain.Finite(z), "at least one positive weight")); err != nil {
		return nil, err
	}
	for i := range fam.logPrior {
		fam.logPrior[i] -= z
	}
	for x := range n {
		if err := fam.row(x, logLikelihood[x], distance); err != nil {
			return nil, err
		}
		if multiplicity != nil {
			if err := check(f, domain.Positive(fmt.Sprintf("multiplicity[%d]", x), multiplicity[x])); err != nil {
				return nil, err
			}
			fam.logMult[x] = math.Log(multiplicity[x])
		}
	}
	fam.condition()
	return fam, nil
}

// row checks and copies what belongs to one data set.
func (f *Family) row(x int, lik []float64, distance [][]float64) error {
	const name = "NewFamily"
	if err := check(name, domain.Arg(fmt.Sprintf("log-likelihoods[%d]", x), len(lik), len(lik) == len(f.logPrior),
		"one for each parameter"),
		domain.Arg(fmt.Sprintf("distances[%d]", x), len(distance[x]), len(distance[x]) == len(distance),
			"one for each data set")); err != nil {
		return err
	}
	for i, v := range lik {
		if err := check(name, domain.Arg(fmt.Sprintf("log-likelihood[%d][%d]", x, i), v, domain.Finite(v),
			"a finite number")); err != nil {
			return err
		}
	}
	for y, d := range distance[x] {
		ok := d >= 0 && domain.Finite(d) && (x != y || d == 0) && len(distance[y]) > x && distance[y][x] == d
		if err := check(name, domain.Arg(fmt.Sprintf("distance[%d][%d]", x, y), d, ok, "a symmetric finite distance, "+
			"0 on the diagonal")); err != nil {
			return err
		}
	}
	f.logLik = append(f.logLik, append([]float64(nil), lik...))
	f.rho = append(f.rho, append([]float64(nil), distance[x]...))
	return nil
}

// condition computes all posteriors.
func (f *Family) condition() {
	f.post = make([][]float64, len(f.logLik))
	for x, lik := range f.logLik {
		p := make([]float64, len(lik))
		for i := range lik {
			p[i] = lik[i] + f.logPrior[i]
		}
		z := num.LogSumExp(p)
		for i := range p {
			p[i] = math.Exp(p[i] - z)
		}
		f.post[x] = p
	}
}

// NewBernoulli is n exchangeable bits with success probability in thetas, each inside (0, 1). Data set k is any
// sequence with k ones, k = 0…n, of multiplicity C(n, k); ρ(k, k') = |k − k'| is the least Hamming distance between
// such sequences, which makes ℓ(θ) of [Family.Levels] |ln θ/(1−θ)|. Domain: 1 ≤ n ≤ 1000, one weight ≥ 0 for each θ;
// otherwise a *ParameterError.
func NewBernoulli(thetas, weights []float64, n int) (*Family, error) {
	const f = "NewBernoulli"
	if err := check(f, domain.Between("n", n, 1, 1000),
		domain.Arg("weights", len(weights), len(weights) == len(thetas), "one for each probability")); err != nil {
		return nil, err
	}
	for i, t := range thetas {
		if err := check(f, domain.Probability(fmt.Sprintf("theta[%d]", i), t)); err != nil {
			return nil, err
		}
	}
	lik, rho, mult := make([][]float64, n+1), make([][]float64, n+1), make([]float64, n+1)
	for k := range n + 1 {
		for _, t := range thetas {
			lik[k] = append(lik[k], float64(k)*math.Log(t)+float64(n-k)*math.Log1p(-t))
		}
		for j := range n + 1 {
			rho[k] = append(rho[k], math.Abs(float64(k-j)))
		}
		mult[k] = math.Exp(num.LogGamma(float64(n+1)) - num.LogGamma(float64(k+1)) - num.LogGamma(float64(n-k+1)))
	}
	return NewFamily(weights, lik, rho, mult)
}

// NewGrid is Example 1 of the paper: θ in {1/steps, …, (steps−1)/steps}, the uniform prior, or, concentrated, that of
// Example 2, ξ(θ) ∝ e^{−ℓ(θ)} = min(θ/(1−θ), (1−θ)/θ). The paper's Δ is 1/steps, and its uniform prior has steps − 1
// members, not steps: θ = 0 and 1 have infinite ℓ. Domain: 2 ≤ steps ≤ 2000, 1 ≤ n ≤ 1000; otherwise a *ParameterError.
func NewGrid(steps int, concentrated bool, n int) (*Family, error) {
	if err := check("NewGrid", domain.Between("steps", steps, 2, maxParameters)); err != nil {
		return nil, err
	}
	var thetas, weights []float64
	for k := 1; k < steps; k++ {
		w := 1.0
		if concentrated {
			w = float64(min(k, steps-k)) / float64(max(k, steps-k))
		}
		thetas, weights = append(thetas, float64(k)/float64(steps)), append(weights, w)
	}
	return NewBernoulli(thetas, weights, n)
}

// WithPrior is the same likelihood under another prior: weights ≥ 0, one for each parameter; otherwise a
// *ParameterError.
func (f *Family) WithPrior(weights []float64) (*Family, error) {
	mult := make([]float64, len(f.logMult))
	for x, m := range f.logMult {
		mult[x] = math.Exp(m)
	}
	return NewFamily(weights, f.logLik, f.rho, mult)
}

// Restrict is the family with its prior restricted to Θ_L = {θ : ℓ(θ) ≤ L}, as in Theorem 17: *ParameterError when
// nothing is left.
func (f *Family) Restrict(l float64) (*Family, error) {
	weights := f.Prior()
	for i, v := range f.lipschitz() {
		if above(v, l) {
			weights[i] = 0
		}
	}
	return f.WithPrior(weights)
}

// Parameters is |Θ|, and DataSets the number of data sets.
func (f *Family) Parameters() int { return len(f.logPrior) }

// DataSets is the number of data sets, each counted once whatever its multiplicity.
func (f *Family) DataSets() int { return len(f.logLik) }

// Prior is a copy of ξ.
func (f *Family) Prior() []float64 {
	p := make([]float64, len(f.logPrior))
	for i, v := range f.logPrior {
		p[i] = math.Exp(v)
	}
	return p
}

// Posterior is a copy of ξ(·|x); nil for an x that is not a data set.
func (f *Family) Posterior(x int) []float64 {
	if x < 0 || x >= len(f.post) {
		return nil
	}
	return append([]float64(nil), f.post[x]...)
}

// Distance is ρ(x, y); NaN for what is not a data set.
func (f *Family) Distance(x, y int) float64 {
	if f.pair("Distance", x, y) != nil {
		return math.NaN()
	}
	return f.rho[x][y]
}

// Marginal is φ(x), the probability of each data set under the prior, with its multiplicity; normalised over the data
// sets of the family, which matters only when they are not all that the likelihood allows.
func (f *Family) Marginal() []float64 {
	logs := make([]float64, len(f.logLik))
	terms := make([]float64, len(f.logPrior))
	for x, lik := range f.logLik {
		for i := range terms {
			terms[i] = lik[i] + f.logPrior[i]
		}
		logs[x] = num.LogSumExp(terms) + f.logMult[x]
	}
	z := num.LogSumExp(logs)
	for x := range logs {
		logs[x] = math.Exp(logs[x] - z)
	}
	return logs
}

// complete checks that the data sets are all there are: what is true on average over data needs Σ p_θ(x) = 1 for every
// θ.
func (f *Family) complete(function string) error {
	terms := make([]float64, len(f.logLik))
	for i := range f.logPrior {
		for x, lik := range f.logLik {
			terms[x] = lik[i] + f.logMult[x]
		}
		sum := math.Exp(num.LogSumExp(terms))
		name := fmt.Sprintf("probability of all data sets under θ[%d]", i)
		if err := check(function, domain.Arg(name, sum, !f.support(i) || math.Abs(sum-1) <= 1e-9,
			"1, within 1e-9")); err != nil {
			return err
		}
	}
	return nil
}

// support tells whether θ_i has prior mass.
func (f *Family) support(i int) bool { return !math.IsInf(f.logPrior[i], -1) }

func (f *Family) pair(function string, x, y int) error {
	n := len(f.logLik)
	return check(function, domain.Between("x", x, 0, n-1), domain.Between("y", y, 0, n-1))
}
