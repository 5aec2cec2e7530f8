// Package sampling runs the theory of posterior sampling on finite families: exact numbers next to every bound of
// Dimitrakakis, Nelson, Zhang, Mitrokotsa and Rubinstein, "Differential Privacy for Bayesian Inference through
// Posterior Sampling" (JMLR 18(11), 2017), in the form printed and in a corrected or tighter one. A printed form that
// fails is named Paper… and says where.
//
//   - [Family]: parameters, prior, data sets, distances. [NewBernoulli] and [NewGrid] build the paper's Example 1.
//   - [Family.Levels], [Family.BestC], [Figure1]: Assumptions 1 and 2, the paper's Figure 1.
//   - [Family.Robustness], [Kappa], [RangeTV]: Theorems 7 and 8. [Family.Randomised]: Corollary 9.
//   - [FixedBar], [AdaptiveBar], [HalfSetsFailure], [Family.Answers]: Lemma 11, the error of query answers.
//     [EmpiricalRadius], [BinomialTail]: Lemma 12.
//   - [Samples], [SamplesStochastic], [ErrorFloor], [Play], [Contest.OptimalError]: Theorem 13, the distinguishability
//     game. [LeCam], [Family.Minimax]: section 4.5.
//   - [Regret], [PriorShift], [ShiftBar], [Family.Cost]: Lemmas 14 and 15, Corollary 16, Theorem 17.
//   - [GroupDelta], [HockeyStick], [RectangleHockeyStick]: Remark 3 and Theorem 4.
//
// Throughout, x and y are data sets, ρ their distance, L a Lipschitz constant of ln p_θ(·), N the number of posterior
// samples, ‖·‖₁ twice the total variation distance (TV); divergences and losses are in nats.
//
// Everything is computed from public families and hypothetical data: nothing here reads records.
package sampling

import (
	"fmt"
	"math"
	"sort"

	"github.com/privbayes/privbayes-go/internal/domain"
	"github.com/privbayes/privbayes-go/internal/num"
)

// ParameterError is an argument outside its domain: package, function and parameter, the value, and what was wanted.
// Every error of the package is one, or of the context passed in.
type ParameterError = domain.Error

// check reports the first argument outside its domain.
func check(function string, args ...domain.Argument) error {
	return domain.Check("sampling", function, args...)
}

// up inflates an upper bound against the rounding of its own evaluation.
func up(x float64) float64 { return x * (1 + 1e-9) }

// maxSamples bounds N: every count is then exact in a float and every sum of losses far from overflow.
const maxSamples = 1_000_000_000

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

// levelTolerance joins values of ℓ that differ by rounding, such as those of θ and 1 − θ.
const levelTolerance = 1e-12

// above tells l > limit beyond rounding.
func above(l, limit float64) bool { return l > limit+levelTolerance*(1+limit) }

// lipschitz is ℓ(θ) = max |ln p_θ(x) − ln p_θ(y)|/ρ(x, y) for every parameter (equation 2 of the paper); +Inf where ρ
// is 0 and the likelihoods differ. Multiplicities do not enter: they are the base measure, which no posterior depends
// on.
func (f *Family) lipschitz() []float64 {
	l := make([]float64, len(f.logPrior))
	for x, a := range f.logLik {
		for y := range x {
			for i, v := range f.logLik[y] {
				if d := math.Abs(a[i] - v); d > 0 {
					l[i] = math.Max(l[i], d/f.rho[x][y])
				}
			}
		}
	}
	return l
}

// Level is one step of the mass of L-Lipschitz parameters: a value of ℓ and ξ(Θ_L) = ξ(ℓ(θ) ≤ L) from there on.
type Level struct{ L, Mass float64 }

// Levels are the steps of ξ(Θ_L) against L, ascending, on the support of the prior: the thick lines of Figure 1.
func (f *Family) Levels() []Level {
	type point struct{ l, w float64 }
	var points []point
	for i, l := range f.lipschitz() {
		if f.support(i) {
			points = append(points, point{l, math.Exp(f.logPrior[i])})
		}
	}
	sort.Slice(points, func(i, j int) bool { return points[i].l < points[j].l })
	var levels []Level
	mass := 0.0
	for _, p := range points {
		mass += p.w
		if last := len(levels) - 1; last >= 0 && p.l-levels[last].L <= levelTolerance*(1+p.l) {
			levels[last] = Level{p.l, mass}
		} else {
			levels = append(levels, Level{p.l, mass})
		}
	}
	levels[len(levels)-1].Mass = 1
	return levels
}

// Uniform is the L of Assumption 1, max ℓ(θ) over the support of the prior.
func (f *Family) Uniform() float64 {
	levels := f.Levels()
	return levels[len(levels)-1].L
}

// MeanL is E_ξ ℓ(θ): never more than L0 + 1/c for any pair that satisfies Assumption 2, and all that
// [Family.Robustness] needs of it.
func (f *Family) MeanL() float64 {
	sum := 0.0
	for i, l := range f.lipschitz() {
		if f.support(i) {
			sum += math.Exp(f.logPrior[i]) * l
		}
	}
	return sum
}

// BestC is the largest c of Assumption 2, ξ(Θ_L) ≥ 1 − e^{−c(L−L0)} for all L ≥ L0:
//
//	c*(L0) = min over levels l > L0 of −ln ξ(ℓ ≥ l)/(l − L0),
//
// +Inf from the highest level on. Domain: L0 at least the lowest level, where the left side is positive; otherwise a
// *ParameterError. Source: theory/sampling.md §8.
func (f *Family) BestC(l0 float64) (float64, error) {
	levels := f.Levels()
	least := levels[0].L
	if err := check("BestC", domain.Arg("L0", l0, !math.IsNaN(l0) && !above(least, l0), "at least the lowest value "+
		"of ℓ(θ), see Levels")); err != nil {
		return 0, err
	}
	c := math.Inf(1)
	for i := 1; i < len(levels); i++ {
		if gap := levels[i].L - l0; gap > levelTolerance*(1+levels[i].L) {
			c = math.Min(c, -math.Log1p(-levels[i-1].Mass)/gap)
		}
	}
	return c, nil
}

// BestSum is the least L0 + 1/c*(L0), and the L0 where it is: the best that Assumption 2 can say about E ℓ. Between two
// levels 1/c* is the largest of the functions (l − L0)/k_l, k_l = −ln ξ(ℓ ≥ l), all linear in L0: the minimum is at a
// level or where two of them cross.
func (f *Family) BestSum() (sum, l0 float64) {
	levels := f.Levels()
	candidates := make([]float64, 0, len(levels)*len(levels))
	weight := make([]float64, len(levels)) // −ln ξ(ℓ ≥ l)
	for i, l := range levels {
		candidates = append(candidates, l.L)
		if i > 0 {
			weight[i] = -math.Log1p(-levels[i-1].Mass)
		}
	}
	for i := 1; i < len(levels); i++ {
		for j := 1; j < i; j++ { // (l_i − L0)/k_i = (l_j − L0)/k_j
			ki, kj := weight[i], weight[j]
			if l := (levels[i].L*kj - levels[j].L*ki) / (kj - ki); ki != kj && l >= levels[0].L &&
				l <= levels[len(levels)-1].L {
				candidates = append(candidates, l)
			}
		}
	}
	sum = math.Inf(1)
	for _, c := range candidates {
		if k, err := f.BestC(c); err == nil && c+1/k < sum {
			sum, l0 = c+1/k, c
		}
	}
	return sum, l0
}

// Constant is C of Theorem 7.2: the largest ratio of the maximum to the marginal likelihood, max_x max_θ p_θ(x)/φ(x)
// (equation 9), with θ in the support of the prior. At least 1.
func (f *Family) Constant() float64 {
	best := math.Inf(-1)
	terms := make([]float64, len(f.logPrior))
	for _, lik := range f.logLik {
		top := math.Inf(-1)
		for i, v := range lik {
			terms[i] = v + f.logPrior[i]
			if f.support(i) {
				top = math.Max(top, v)
			}
		}
		best = math.Max(best, top-num.LogSumExp(terms))
	}
	return math.Exp(best)
}
